/**
 * `npm run build:client`: generates the types and calls of the TypeScript client from the OpenAPI
 * document of this checkout, and compiles client/dist. The generated files are committed; a test
 * fails when they are outdated.
 */
import openapiTypescript, { astToString } from "openapi-typescript";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { cleanEnvironment } from "./lib/launch";

const root = resolve(import.meta.dir, "..");
const source = join(root, "client/src");
const compiler = join(root, "node_modules/typescript/bin/tsc");
const line_length_max = 100;

interface Media {
  readonly schema: { readonly $ref?: string };
}
interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
  }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
}
type Methods = Readonly<Record<string, Operation>>;
/** The parts of an OpenAPI document that the client uses. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Methods>>;
  readonly components: object;
  readonly webhooks?: Readonly<Record<string, Methods>>;
}

const prefix = "/api/dev/v1";
const stamp = "by `npm run build:client` from the OpenAPI document";

/** The document depends on whether the server may import directories. */
export const every_import = { DOSSIER_IMPORTS_DIRECTORIES: "/srv" };

/** The generated files of client/src by name. */
export async function generatedFiles(document: ApiDocument): Promise<Record<string, string>> {
  return {
    "schema.gen.ts": await schemaFile(document),
    "operations.gen.ts": operationsFile(document),
  };
}

/** Types of records, of parameters and bodies, and of webhook events. */
async function schemaFile({ paths, webhooks = {}, components }: ApiDocument): Promise<string> {
  const document = {
    openapi: "3.1.0",
    info: { title: "Dossier", version: "0" },
    paths: mapped(paths, (methods) => mapped(methods, withoutProblems)),
    webhooks: mapped(webhooks, (methods) => mapped(methods, withoutParameters)),
    components: { schemas: (components as { readonly schemas: object }).schemas },
  };
  const nodes = await openapiTypescript(JSON.stringify(document), {
    immutable: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  const text = astToString(nodes).replaceAll(/^( *)(\/?\*+)[ \t]+$/gm, "$1$2");
  return `/** The records of the API, made ${stamp}. */\n${text}`;
}

/** Parameters and results of a call, without problems, response headers and examples. */
const withoutProblems = ({ operationId, parameters, requestBody, responses }: Operation) => ({
  operationId,
  parameters: parameters.map(({ name, in: place, required, ...rest }) => ({
    name,
    in: place,
    required,
    ...rest,
  })),
  ...(requestBody && { requestBody: withoutExamples(requestBody) }),
  responses: mapped(
    Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith("2"))),
    ({ description, content }) => withoutExamples({ description, content }),
  ),
});
const withoutParameters = ({ operationId, requestBody, responses }: Operation) => ({
  operationId,
  ...(requestBody && { requestBody: withoutExamples(requestBody) }),
  responses,
});
const withoutExamples = <B extends { readonly content?: Response["content"] }>(body: B) => ({
  ...body,
  ...(body.content && { content: mapped(body.content, ({ schema }) => ({ schema })) }),
});
const mapped = <V, R>(record: Readonly<Record<string, V>>, map: (value: V) => R) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

/** A method for each operation. */
function operationsFile({ paths }: ApiDocument): string {
  const methods = Object.entries(paths).flatMap(([path, of]) =>
    Object.entries(of).map(([method, operation]) => methodOf(path, method, operation)),
  );
  const used = new Set(methods.flatMap(({ types }) => types));
  return [
    `/** Every operation of the API as a method, made ${stamp}. */`,
    `import type { ${[...used].sort().join(", ")}, operations } from "./schema.gen.js";`,
    'import type { CallOptions, Transport } from "./transport.js";',
    "",
    'type Query<O extends keyof operations> = NonNullable<operations[O]["parameters"]["query"]>;',
    "const at = encodeURIComponent;",
    "",
    "export class Operations {",
    "  constructor(protected readonly transport: Transport) {}",
    ...methods.flatMap(({ lines }) => ["", ...lines]),
    "}",
    "",
  ].join("\n");
}

interface Method {
  readonly lines: readonly string[];
  /** The records that it refers to. */
  readonly types: readonly string[];
}

function methodOf(path: string, method: string, operation: Operation): Method {
  const { operationId, summary, description, parameters } = operation;
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const queried = parameters.filter((parameter) => parameter.in === "query");
  const body = bodyOf(operation);
  const result = resultOf(operation);
  const takes_query = queried.length > 0;
  const needs_query = queried.some(({ required }) => required);
  const address = path.slice(prefix.length).replaceAll(/\{(\w+)\}/g, "$${at($1)}");
  const query = `query: Query<"${operationId}">`;
  const call_parameters = [
    ...ids.map((name) => `${name}: string`),
    ...(needs_query ? [query] : []),
    ...(body ? [`body: ${body.type}`] : []),
    ...(takes_query && !needs_query ? [`${query} = {}`] : []),
    "options: CallOptions = {}",
  ];
  const call = [
    `method: "${method.toUpperCase()}"`,
    `path: ${ids.length > 0 ? `\`${address}\`` : `"${address}"`}`,
    ...(takes_query ? ["query"] : []),
    ...(body ? ["body"] : []),
    // It only reads, although it takes a body.
    ...(operationId === "search" ? ["isSafe: true"] : []),
  ];
  return {
    types: [...(body?.types ?? []), ...result.types],
    lines: [
      ...comment(description === `${summary}.` ? description : `${summary}. ${description}`),
      `  ${operationId}(${call_parameters.join(", ")}): Promise<${result.type}> {`,
      `    return this.transport.${result.reads}({ ${call.join(", ")} }, options);`,
      "  }",
    ],
  };
}

interface Typed {
  readonly type: string;
  readonly types: readonly string[];
}

/** A record by name, files as a form. */
function bodyOf({ requestBody }: Operation): Typed | null {
  if (!requestBody) return null;
  const content = requestBody.content;
  const types = Object.entries(content).flatMap(([type, { schema }]) => {
    if (type === "application/json") return [nameOf(schema) ?? "unknown"];
    return type === "multipart/form-data" ? [formOf(schema), "FormData"] : [];
  });
  return { type: types.join(" | "), types: types.filter(isRecord) };
}

function formOf(schema: object): string {
  const { properties } = schema as { properties: Record<string, { readonly type: string }> };
  const fields = Object.entries(properties).map(
    ([name, { type }]) => `${name}: ${type === "array" ? "readonly Blob[]" : "Blob"}`,
  );
  return `{ ${fields.join("; ")} }`;
}

/** The results of success: records, text, or bytes, which are returned unread. */
function resultOf({ operationId, responses }: Operation): Typed & { readonly reads: string } {
  const found = new Set<string>();
  let is_json = false;
  for (const [status, { content }] of Object.entries(responses)) {
    if (!status.startsWith("2")) continue;
    if (!content) found.add("void");
    for (const [type, { schema }] of Object.entries(content ?? {}))
      if (type === "application/json") {
        is_json = true;
        found.add(
          nameOf(schema) ??
            `operations["${operationId}"]["responses"][${status}]["content"]["${type}"]`,
        );
      } else found.add(/^text\/(?!event-stream)|subrip/.test(type) ? "string" : "Response");
  }
  const types = [...found];
  if (!is_json && types.includes("Response")) return { type: "Response", types: [], reads: "raw" };
  return { type: types.join(" | "), types: types.filter(isRecord), reads: "json" };
}

const nameOf = ({ $ref }: Media["schema"]): string | undefined => $ref?.split("/").at(-1);
const isRecord = (type: string): boolean =>
  /^[A-Z]\w*$/.test(type) && type !== "FormData" && type !== "Response";

/** The width of generated lines. */
function comment(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.replace(/\s+/g, " ").trim().split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && `   * ${last} ${word}`.length <= line_length_max)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.length === 1
    ? [`  /** ${lines[0]} */`]
    : ["  /**", ...lines.map((line) => `   * ${line}`), "   */"];
}

/**
 * As printed by `dossier openapi`, without plugins of this machine, and with every import source.
 */
async function documentOfCheckout(): Promise<ApiDocument> {
  const data = mkdtempSync(join(tmpdir(), "dossier-client-"));
  const command = [process.execPath, join(root, "core/main.ts"), "openapi", "--data", data];
  const run = Bun.spawn(command, {
    cwd: data,
    env: cleanEnvironment(every_import),
    stdout: "pipe",
  });
  const text = await run.stdout.text();
  rmSync(data, { recursive: true, force: true });
  if ((await run.exited) !== 0) throw new Error("dossier openapi failed");
  return JSON.parse(text) as ApiDocument;
}

async function run(command: readonly string[]): Promise<void> {
  const code = await Bun.spawn([...command], { cwd: root, stdout: "inherit", stderr: "inherit" })
    .exited;
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}`);
}

if (import.meta.main) {
  const files = await generatedFiles(await documentOfCheckout());
  for (const [name, text] of Object.entries(files)) await Bun.write(join(source, name), text);
  rmSync(join(root, "client/dist"), { recursive: true, force: true });
  await run([process.execPath, compiler, "-p", join(root, "client")]);
}
