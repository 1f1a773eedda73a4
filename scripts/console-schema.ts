/**
 * The types of the console's API: makes plugins/console/web/api/schema.gen.ts from the server's own
 * OpenAPI document. Pages import nothing but types from it, so the type check alone needs it.
 */
import openapiTypescript, { astToString } from "openapi-typescript";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { openApiDocument } from "../core/http/openapi";

const root = resolve(import.meta.dir, "..");
const schema_file = join(root, "plugins/console/web/api/schema.gen.ts");

interface Body {
  readonly description: string;
  readonly content?: { readonly "application/json"?: { readonly schema: object } };
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The JSON bodies of an operation and of its successful answers: all that pages name. */
const bodiesOf = ({ operationId, requestBody, responses }: Operation): Operation => ({
  operationId,
  ...(requestBody && { requestBody: schemaOf(requestBody) }),
  responses: mapValues(
    Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith("2"))),
    schemaOf,
  ),
});

/** Without headers, examples and other media types. */
function schemaOf({ content, ...body }: Body): Body {
  const json = content?.["application/json"];
  return { ...body, ...(json && { content: { "application/json": { schema: json.schema } } }) };
}

const mapValues = <V, R>(record: Readonly<Record<string, V>>, map: (value: V) => R) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

/** Writes the file unless it is up to date. The console must have been built before. */
export async function generateConsoleSchema(): Promise<void> {
  const { builtIn } = await import("../plugins/built-in");
  const { console_api } = await import("../plugins/console/surface");
  const routes = builtIn.flatMap((plugin) => Object.values(plugin.routes));
  const document = openApiDocument(routes, console_api, { version: "0", server_url: "http://_" });
  const paths = mapValues(document["paths"] as Paths, (methods) => mapValues(methods, bodiesOf));
  const wanted = JSON.stringify({ ...document, paths });
  const stamp = `// Made by scripts/console-schema.ts of ${Bun.hash(wanted).toString(36)}. Not committed.`;
  if (existsSync(schema_file) && (await Bun.file(schema_file).text()).startsWith(stamp)) return;
  const nodes = await openapiTypescript(wanted, { immutable: true });
  await Bun.write(schema_file, `${stamp}\n${astToString(nodes)}`);
}
