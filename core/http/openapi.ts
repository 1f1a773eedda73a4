/**
 * The OpenAPI 3.1 document, made from the same route values and schemas that check every request.
 */
import { Type, type TObject, type TSchema } from "@sinclair/typebox";
import { isMultipart } from "./body-reader";
import { json_body_bytes_max, sizeInWords } from "./body";
import { fullPath, isOn, prefix } from "./router";
import { depth_max, values_max } from "./json";
import { titleOf } from "./problem";
import type { Answer, Multipart, Route } from "./route";
import type { Surface } from "./slots";

export interface DocumentFacts {
  readonly version: string;
  readonly server_url: string;
}
/** What the documents of the API and of another surface differ in. */
export type Described = Pick<Surface, "name" | "prefix" | "document">;
type Json = Record<string, unknown>;

const everyHeader = {
  "x-request-id": { $ref: "#/components/headers/RequestId" },
  "x-ratelimit-limit": { $ref: "#/components/headers/RateLimitLimit" },
  "x-ratelimit-remaining": { $ref: "#/components/headers/RateLimitRemaining" },
  "x-ratelimit-reset": { $ref: "#/components/headers/RateLimitReset" },
};
const integerHeader = (description: string, example: number) => ({
  description,
  schema: { type: "integer" },
  example,
});
const components = {
  headers: {
    RequestId: {
      description: "Names this request in the server's log.",
      schema: { type: "string" },
      example: "req_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
    },
    RateLimitLimit: integerHeader("Requests allowed per window.", 600),
    RateLimitRemaining: integerHeader("Requests left in the window.", 599),
    RateLimitReset: integerHeader("Unix epoch second when the window resets.", 1_795_219_260),
    RetryAfter: integerHeader("Seconds to wait before the next try.", 1),
    Location: {
      description: "Where the record is found.",
      schema: { type: "string" },
      example: `${prefix}/folders/fld_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC`,
    },
  },
  schemas: {
    Problem: plain(
      Type.Object(
        {
          type: Type.String(),
          title: Type.String(),
          status: Type.Integer(),
          detail: Type.String({ description: "A sentence for a person." }),
          code: Type.String({ description: "Stable: programs may branch on it." }),
          request_id: Type.String(),
          errors: Type.Optional(
            Type.Array(
              Type.Object({
                pointer: Type.String({
                  description: "JSON pointer into the body, or `?name` for a query field.",
                }),
                detail: Type.String(),
              }),
              { description: "The fields that are wrong." },
            ),
          ),
        },
        { description: "RFC 9457 problem details." },
      ),
    ),
  },
};

const conventions =
  "Ids are opaque strings. Times are RFC 3339 in UTC. Offsets into text count Unicode code " +
  "points, end exclusive. Lists are newest first. JSON bodies have at most " +
  `${depth_max} levels and ${values_max} values; beyond what the server can read at a time it ` +
  "answers 503 with `Retry-After`.";

export const api: Described = {
  name: "api",
  prefix,
  document: {
    path: `${prefix}/openapi.json`,
    title: "Dossier",
    description:
      `Folders, documents and cited answers over one HTTP API.\n\n${conventions}\n` +
      `The unversioned paths under \`/api/dev\` are deprecated aliases of \`${prefix}\` and ` +
      "answer with a `Warning: 299` header.",
    security: {
      apiKey: {
        type: "http",
        scheme: "bearer",
        description:
          "An API key: `Authorization: Bearer dsk_…`. Scopes: `read` may GET and search, `write` " +
          "may change.",
      },
    },
    unauthorized: "The API key is missing or not valid.",
  },
};

/**
 * `operation` order is the order of `routes`. Routes at the server's root and of other surfaces are
 * left out.
 */
export function openApiDocument(
  routes: readonly Route<any, any>[],
  described: Described,
  { version, server_url }: DocumentFacts,
): Json {
  const { title, description, security } = described.document;
  const paths: Record<string, Json> = {};
  const tags = new Set<string>();
  for (const route of routes) {
    if (!isOn(route, described.name)) continue;
    tags.add(route.tag);
    const path = fullPath(route, described.prefix).replace(/:([^/]+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, described);
  }
  return {
    openapi: "3.1.0",
    info: {
      title,
      version,
      description: described === api ? description : `${description}\n\n${conventions}`,
      license: { name: "MIT", identifier: "MIT" },
      contact: { name: "Dossier", url: server_url },
    },
    servers: [{ url: server_url, description: "This server" }],
    security: [Object.fromEntries(Object.keys(security).map((scheme) => [scheme, []]))],
    tags: [...tags]
      .sort()
      .map((name) => ({ name, description: tagDescriptions[name] ?? `${name}.` })),
    paths,
    components: { securitySchemes: security, ...components },
  };
}

const tagDescriptions: Readonly<Record<string, string>> = {
  Folders: "A two-level tree that holds documents.",
  Documents: "Text, files and their indexing.",
  Prompts: "Saved prompts of the caller.",
  Chats: "Sessions over folders; questions and cited answers.",
  Search: "Passages of the caller's folders.",
  Imports:
    "Web pages, feeds, archives and directories that become documents, once or on a schedule.",
  Transcriptions: "Recordings and captions that become documents.",
  Webhooks: "Receivers that are told when a run ends.",
  Contract: "This document.",
};

function operation(route: Route<any, any>, described: Described): Json {
  const responses: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(route.answers as Record<number, Answer>))
    responses[status] = success(answer);
  for (const [status, when] of Object.entries(errorsOf(route, described)))
    responses[status] ??= problem(Number(status), when);
  const body = requestBody(route);
  return {
    operationId: route.operation,
    summary: route.summary,
    description: route.description ?? `${route.summary}.`,
    tags: [route.tag],
    ...(route.public ? { security: [] } : {}),
    parameters: [
      ...pathParameters(route.path),
      ...queryParameters(route.query),
      ...headerParameters(route),
    ],
    ...(body ? { requestBody: body } : {}),
    responses,
  };
}

const errorsOf = (
  route: Route<any, any>,
  { document, name }: Described,
): Record<string, string> => ({
  400: "The request is malformed; `errors` names the fields.",
  ...(route.public
    ? {}
    : {
        401: document.unauthorized,
        403: route.admin
          ? "Only administrators may do this."
          : name === api.name
            ? "The record is another user's, the key lacks the scope, or a quota is reached."
            : "The record is another user's, a quota is reached, or the request comes from " +
              "another site.",
      }),
  ...(route.path.includes(":") ? { 404: "There is no such record." } : {}),
  ...(route.body ? { 413: tooLargeOf(route), 415: "The body is of another media type." } : {}),
  429: "The rate limit is exceeded.",
  500: "Something went wrong inside the server.",
  ...(route.errors as Record<string, string> | undefined),
});

const tooLargeOf = ({ body, body_bytes_max = json_body_bytes_max }: Route<any, any>): string =>
  isMultipart(body)
    ? "The body is too large."
    : `The body is larger than ${sizeInWords(body_bytes_max)}.`;

function success({
  description,
  schema,
  media_type = "application/json",
  headers = {},
  example,
}: Answer): Json {
  return {
    description,
    headers: {
      ...everyHeader,
      ...Object.fromEntries(
        Object.entries(headers).map(([name, words]) => [name, headerOf(name, words)]),
      ),
    },
    ...(schema
      ? {
          content: {
            [media_type]: { schema: plain(schema), ...(example === undefined ? {} : { example }) },
          },
        }
      : {}),
  };
}
const headerOf = (name: string, words: string): Json =>
  /^location$/i.test(name)
    ? { $ref: "#/components/headers/Location" }
    : /^retry-after$/i.test(name)
      ? { $ref: "#/components/headers/RetryAfter" }
      : { description: words, schema: { type: "string" } };

function problem(status: number, when: string): Json {
  const extra =
    status === 429 || status === 503
      ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }
      : status === 401
        ? { "WWW-Authenticate": { description: "The challenge.", schema: { type: "string" } } }
        : {};
  const example = {
    type: "about:blank",
    title: titleOf(status),
    status,
    detail: when,
    code: "see_detail",
    request_id: "req_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  };
  return {
    description: when,
    headers: { ...everyHeader, ...extra },
    content: {
      "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" }, example },
    },
  };
}

function requestBody(route: Route<any, any>): Json | undefined {
  if (!route.body) return undefined;
  if ("multipart" in (route.body as Multipart)) {
    const {
      multipart: { part, many, description },
      or_json,
      or_media_type,
    } = route.body as Multipart;
    const file = { type: "string", format: "binary", description };
    const form = {
      schema: {
        type: "object",
        required: [part],
        properties: { [part]: many ? { type: "array", items: file } : file },
      },
    };
    return {
      required: true,
      content: {
        "multipart/form-data": form,
        ...(or_json ? jsonBody(or_json, route.example) : {}),
        ...(or_media_type ? { [or_media_type]: { schema: file } } : {}),
      },
    };
  }
  return {
    required: !route.body_optional,
    content: jsonBody(route.body as TSchema, route.example),
  };
}

const jsonBody = (schema: TSchema, example: unknown): Json => ({
  "application/json": { schema: plain(schema), ...(example === undefined ? {} : { example }) },
});

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/:([^/]+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: `The id: ${name}.`,
    schema: { type: "string" },
  }));

function queryParameters(query: TObject | undefined): Json[] {
  if (!query) return [];
  return Object.entries(query.properties).map(([name, of]) => {
    const { description, ...schema } = plain(of) as Json;
    return {
      name,
      in: "query",
      required: query.required?.includes(name) ?? false,
      description: description ?? `${name}.`,
      schema,
    };
  });
}

const headerParameters = (route: Route<any, any>): Json[] => [
  ...(route.waits
    ? [
        {
          name: "Prefer",
          in: "header",
          required: false,
          description:
            "`wait=20`: answer as soon as there is a change, after 20 s at the latest (RFC 7240; " +
            "at most 30 s).",
          schema: { type: "string" },
          example: "wait=20",
        },
      ]
    : []),
  ...Object.entries((route.request_headers as Record<string, string> | undefined) ?? {}).map(
    ([name, description]) => ({
      name,
      in: "header",
      required: false,
      description,
      schema: { type: "string" },
    }),
  ),
];

/** A TypeBox schema without its symbols: plain JSON Schema. */
function plain(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema));
}
