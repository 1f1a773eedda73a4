/**
 * The OpenAPI 3.1 document, made from the same route values and schemas that check every request.
 */
import { Type, type TSchema } from "@sinclair/typebox";
import { depth_max, values_max } from "./json";
import { operation, request_id_example, type Described } from "./openapi-operation";
import { shareProblems } from "./openapi-responses";
import { parameterExamples } from "./parameter-examples";
import { general_codes, problemsOf, unrouted_codes, type Codes } from "./problem-codes";
import type { Route } from "./route";
import { fullPath, isOn, prefix } from "./router";
import { SchemaBook, type Json } from "./schema-book";
import { named } from "./schemas";
import type { DocumentPart, SentRequest } from "./slots";

export type { Described } from "./openapi-operation";

/** What a document contains besides its routes. */
export interface DocumentFacts {
  readonly version: string;
  readonly server_url: string;
  /** Contributed by plugins once they are set up. */
  readonly parts?: readonly DocumentPart[];
}

const integerHeader = (description: string, example: number) => ({
  description,
  schema: { type: "integer" },
  example,
});
const headers = {
  RequestId: {
    description: "Names this request in the server's log.",
    schema: { type: "string" },
    example: request_id_example,
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
};

const conventions =
  "Ids are opaque strings. Times are RFC 3339 in UTC. Offsets into text count Unicode code " +
  "points, end exclusive. Lists are newest first. Every answer, of problems too, has " +
  "`x-request-id`, `x-ratelimit-limit`, `x-ratelimit-remaining` and `x-ratelimit-reset`. JSON " +
  `bodies have at most ${depth_max} levels and ${values_max} values; beyond what the server can ` +
  "read at a time it answers 503 with `Retry-After`.";

/** The description of the API. A surface has one of its own. */
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

/** Every code in one list, for programs that branch on it. `codes`: code → meaning. */
const problemSchema = (codes: Readonly<Record<string, string>>) => {
  const entries = Object.entries(codes).sort(([a], [b]) => (a < b ? -1 : 1));
  const ErrorCode = named(
    "ErrorCode",
    Type.Unsafe<string>({
      type: "string",
      enum: entries.map(([code]) => code),
      "x-enum-descriptions": entries.map(([, means]) => means),
      description: [
        "What went wrong, stable: programs may branch on it.",
        "",
        ...entries.map(([code, means]) => `- \`${code}\`: ${means}`),
      ].join("\n"),
    }),
  );
  const FieldProblem = Type.Object({
    pointer: Type.String({
      description: "JSON pointer into the body, or `?name` for a query field.",
    }),
    detail: Type.String(),
  });
  return named(
    "Problem",
    Type.Object(
      {
        type: Type.String(),
        title: Type.String(),
        status: Type.Integer({ minimum: 400, maximum: 599 }),
        detail: Type.String({ description: "A sentence for a person." }),
        code: ErrorCode,
        request_id: Type.String(),
        errors: Type.Optional(
          Type.Array(named("FieldProblem", FieldProblem), {
            description: "The fields that are wrong.",
          }),
        ),
      },
      { description: "RFC 9457 problem details." },
    ),
  );
};

/**
 * Operations are in the order of `routes`, without routes at the server's root or of other
 * surfaces.
 */
export function openApiDocument(
  routes: readonly Route<any, any>[],
  described: Described,
  facts: DocumentFacts,
): Json {
  const steps = openApiSteps(routes, described, facts);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in steps: a server makes the document while it serves requests. */
export function* openApiSteps(
  routes: readonly Route<any, any>[],
  described: Described,
  { version, server_url, parts = [] }: DocumentFacts,
): Generator<void, Json> {
  const { title, description, security } = described.document;
  const surface_routes = routes.filter((route) => isOn(route, described.name));
  const book = new SchemaBook(parts.flatMap(({ schemas }) => schemas ?? []));
  const shared = {
    book,
    described,
    examples: parameterExamples(surface_routes),
    operations: new Set(surface_routes.map((route) => route.operation as string)),
  };
  book.of(
    problemSchema(
      Object.assign(
        {},
        ...parts.map(({ codes }) => codes),
        codesOf(surface_routes, described),
      ) as Codes,
    ),
  );
  const paths: Record<string, Json> = {};
  for (const route of surface_routes) {
    yield;
    const path = fullPath(route, described.prefix).replace(/:([^/]+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, shared);
  }
  yield;
  const responses = shareProblems(paths);
  const sent_requests = described === api ? parts.flatMap((part) => part.sends?.() ?? []) : [];
  const webhooks = Object.fromEntries(
    sent_requests.map((request) => [request.name, webhook(request, book)]),
  );
  const tags = new Set([...surface_routes, ...sent_requests].map(({ tag }) => tag as string));
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
    ...(sent_requests.length > 0 && { webhooks }),
    components: { securitySchemes: security, headers, responses, schemas: book.components },
  };
}

/**
 * The codes of every operation. A code shared by several operations is described in general terms.
 */
function codesOf(routes: readonly Route<any, any>[], described: Described) {
  const meanings: Record<string, string> = { ...unrouted_codes };
  for (const route of routes)
    for (const codes of Object.values(problemsOf(route, described)))
      for (const [code, means] of Object.entries(codes))
        meanings[code] ??= general_codes[code] ?? means;
  return meanings;
}

/** A request that this server sends, to those who subscribed to it. */
const webhook = ({ tag, ...request }: SentRequest, book: SchemaBook): Json => ({
  post: {
    operationId: request.operation,
    summary: request.summary,
    description: request.description,
    tags: [tag],
    security: [],
    parameters: Object.entries(request.headers).map(([name, { description, example }]) => ({
      name,
      in: "header",
      required: true,
      description,
      schema: { type: "string" },
      example,
    })),
    requestBody: {
      required: true,
      // Without a reference: generators drop a schema that `paths` does not lead to.
      content: {
        "application/json": {
          schema: book.of({ ...request.body, $id: undefined } as TSchema),
          example: request.example,
        },
      },
    },
    responses: { "2XX": { description: "Any 2xx says that it has arrived." } },
  },
});

const tagDescriptions: Readonly<Record<string, string>> = {
  Folders: "A two-level tree that holds documents.",
  Documents: "Text, files and their indexing.",
  Prompts: "Saved prompts of the caller.",
  Chats: "Sessions over folders; questions and cited answers.",
  Search: "Passages of the caller's folders.",
  Imports:
    "Web pages, feeds, archives and directories that become documents, once or on a schedule.",
  Transcriptions: "Recordings and captions that become documents.",
  Events: "What happens to the caller's records, as it happens.",
  Webhooks: "Receivers that are told when a run ends.",
  Contract: "This document.",
  "Audit log": "Who did what to which record, and from where; for administrators.",
};
