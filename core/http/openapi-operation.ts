/** One route as an operation of the OpenAPI document. */
import type { TObject, TSchema } from "@sinclair/typebox";
import { isMultipart } from "./body-reader";
import { exampleOf, type ParameterExamples } from "./parameter-examples";
import { titleOf } from "./problem";
import { problemsOf } from "./problem-codes";
import type { Answer, Multipart, Route, RouteShape } from "./route";
import type { Json, SchemaBook } from "./schema-book";
import { integer_max } from "./validation";
import type { Surface } from "./slots";

/** What distinguishes the documents of the API and of another surface. */
export type Described = Pick<Surface, "name" | "prefix" | "document">;

/** Shared by all operations of a document. */
export interface OperationContext {
  readonly book: SchemaBook;
  readonly described: Described;
  readonly examples: ParameterExamples;
  /** The operation ids of the document: links only lead to these. */
  readonly operations: ReadonlySet<string>;
}

const rate_limit = {
  "x-ratelimit-limit": { $ref: "#/components/headers/RateLimitLimit" },
  "x-ratelimit-remaining": { $ref: "#/components/headers/RateLimitRemaining" },
  "x-ratelimit-reset": { $ref: "#/components/headers/RateLimitReset" },
};
/**
 * Listed for every success. For problems the document describes them once, in words, because
 * generators would repeat them for each.
 */
const every_header = {
  "x-request-id": { $ref: "#/components/headers/RequestId" },
  ...rate_limit,
};
/** The request id in all examples. */
export const request_id_example = "req_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC";

/** The operation object of a route. Adds the schemas that it names to the book. */
export function operation(route: Route<any, any>, context: OperationContext): Json {
  const responses: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(route.answers as Record<number, Answer>))
    responses[status] = success(answer, context);
  for (const [status, codes] of Object.entries(problemsOf(route, context.described)))
    responses[status] = withProblem(responses[status], Number(status), codes);
  const body = requestBody(route, context);
  return {
    operationId: route.operation,
    summary: route.summary,
    description: route.description ?? `${route.summary}.`,
    tags: [route.tag],
    ...(route.public ? { security: [] } : {}),
    parameters: [
      ...pathParameters(route.path, context.examples),
      ...queryParameters(route.query, context),
      ...headerParameters(route),
    ],
    ...(body ? { requestBody: body } : {}),
    responses,
  };
}

function success(answer: Answer, { book, operations }: OperationContext): Json {
  const { description, schema, media_type = "application/json", headers = {}, example } = answer;
  const { links = {}, others = {} } = answer;
  const named_links = Object.entries(links).filter(([operationId]) => operations.has(operationId));
  return {
    description,
    headers: {
      ...every_header,
      ...Object.fromEntries(
        Object.entries(headers).map(([name, meaning]) => [name, headerOf(name, meaning)]),
      ),
    },
    ...(schema && {
      content: {
        [media_type]: {
          schema: schemaFor(media_type, book.of(schema)),
          ...(example !== undefined && { example }),
        },
        ...Object.fromEntries(
          Object.entries(others).map(([type, alternative]) => [
            type,
            {
              schema: alternative.schema ? book.of(alternative.schema) : { type: "string" },
              ...(alternative.example !== undefined && { example: alternative.example }),
            },
          ]),
        ),
      },
    }),
    ...(named_links.length > 0 && {
      links: Object.fromEntries(
        named_links.map(([operationId, parameters]) => [
          operationId,
          { operationId, parameters: expressions(parameters) },
        ]),
      ),
    }),
  };
}

/**
 * A stream is described as text; generators that read it whole would otherwise take it for one
 * event.
 */
const schemaFor = (media_type: string, schema: Json): Json =>
  media_type === "text/event-stream" ? { anyOf: [schema, { type: "string" }] } : schema;

const expressions = (parameters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, source]) => [
      name,
      source.startsWith("$") ? source : `$response.body#/${source}`,
    ]),
  );

const headerOf = (name: string, meaning: string): Json =>
  /^location$/i.test(name)
    ? { $ref: "#/components/headers/Location" }
    : /^retry-after$/i.test(name)
      ? { $ref: "#/components/headers/RetryAfter" }
      : { description: meaning, schema: { type: "string" } };

/** A problem response with an example of each code; or `response`, if it describes one. */
function withProblem(
  response: Json | undefined,
  status: number,
  codes: Readonly<Record<string, string>>,
): Json {
  const headers = { ...(response?.headers as Json | undefined), ...headersOf(status) };
  const entries = Object.entries(codes);
  const examples = Object.fromEntries(
    entries.map(([code, means]) => [
      code,
      { summary: means, value: problemExample(status, code, means) },
    ]),
  );
  const text =
    entries.length === 1
      ? entries[0]![1]
      : entries.map(([code, means]) => `- \`${code}\`: ${means}`).join("\n");
  return {
    description: response ? `${response.description as string}\n\n${text}` : text,
    ...(Object.keys(headers).length > 0 && { headers }),
    content: {
      ...(response?.content as Json | undefined),
      "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" }, examples },
    },
  };
}

/** The headers of a problem of this status, besides those of every response. */
function headersOf(status: number): Json {
  const retry = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
  if (status === 429) return { ...rate_limit, ...retry };
  if (status === 503) return retry;
  if (status !== 401) return {};
  return { "WWW-Authenticate": { description: "The challenge.", schema: { type: "string" } } };
}

const problemExample = (status: number, code: string, detail: string): Json => ({
  type: "about:blank",
  title: titleOf(status),
  status,
  detail,
  code,
  request_id: request_id_example,
  ...(code === "invalid_request" && { errors: [{ pointer: "/name", detail }] }),
});

function requestBody(route: Route<any, any>, { book }: OperationContext): Json | undefined {
  const { body, example } = route;
  if (!body) return undefined;
  const json = (schema: TSchema): Json => ({
    "application/json": {
      schema: book.ofRequest(schema),
      ...(example !== undefined && { example }),
    },
  });
  if (!isMultipart(body)) return { required: !route.body_optional, content: json(body as TSchema) };
  const { multipart, or_json, or_media_type } = body as Multipart;
  const { part, many, description } = multipart;
  const file = { type: "string", format: "binary", description };
  const form = {
    type: "object",
    required: [part],
    properties: {
      [part]: many
        ? { type: "array", items: file, minItems: 1, maxItems: multipart.files_max }
        : file,
    },
  };
  return {
    required: true,
    content: {
      "multipart/form-data": {
        schema: form,
        ...(or_media_type && { encoding: { [part]: { contentType: or_media_type } } }),
      },
      ...(or_json && json(or_json)),
      ...(or_media_type && { [or_media_type]: { schema: file } }),
    },
  };
}

const pathParameters = (path: string, examples: ParameterExamples): Json[] =>
  [...path.matchAll(/:([^/]+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: `The id: ${name}.`,
    schema: { type: "string" },
    ...(examples.has(name!) && { example: examples.get(name!) }),
  }));

function queryParameters(query: TObject | undefined, { book, examples }: OperationContext): Json[] {
  if (!query) return [];
  const { required: names } = book.resolve(book.of(query)) as { readonly required?: string[] };
  return Object.entries(query.properties).map(([name, field_schema]) => {
    const field_json = book.ofRequest(field_schema);
    const { description, examples: _, ...schema } = field_json;
    const required = names?.includes(name) ?? false;
    const example = exampleOf(name, book.resolve(field_json), examples);
    // As `compileQuery` reads it: an integer has at most fifteen digits, a required field is
    // present.
    if (schema.type === "integer") schema.maximum ??= integer_max;
    if (schema.type === "string" && required) schema.minLength ??= 1;
    return {
      name,
      in: "query",
      required,
      description: description ?? book.resolve(field_json).description ?? `${name}.`,
      // Several values are sent in one field, separated by commas.
      ...(schema.type === "array" && { style: "form", explode: false }),
      schema,
      ...(example !== undefined && { example }),
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
  ...Object.entries((route.request_headers as RouteShape["request_headers"]) ?? {}).map(
    ([name, header]) => {
      const { description, ...limits } =
        typeof header === "string" ? { description: header } : header;
      return {
        name,
        in: "header",
        required: false,
        description,
        schema: { type: "string", ...limits },
        example: "1",
      };
    },
  ),
];
