/**
 * Examples for parameters, taken from the document itself: the id in the example of the record that
 * the parameter refers to.
 */
import type { Answer, Route } from "./route";
import type { Json } from "./schema-book";

/** Name of a path parameter → an example of it. */
export type ParameterExamples = ReadonlyMap<string, string>;

/**
 * For `/notes/:noteId`, the `id` in the note's example or in that of the record created at
 * `/notes`; a field with the parameter's own name takes precedence.
 */
export function parameterExamples(routes: readonly Route<any, any>[]): ParameterExamples {
  const examples = new Map<string, string>();
  for (const route of routes)
    for (const [name, value] of examplesIn(route)) setOnce(examples, name, value);
  for (const { path } of routes) {
    const [, collection, name] = /^(.*)\/:([^/]+)$/.exec(path) ?? [];
    const creation = routes.find(
      (candidate) => candidate.method === "POST" && candidate.path === collection,
    );
    if (name !== undefined && creation) setOnce(examples, name, fieldOf(creation, "id"));
  }
  return examples;
}

/** The example given by the route, and the one contained in its example response. */
const examplesIn = (route: Route<any, any>): [string, string | undefined][] => [
  ...Object.entries((route.params ?? {}) as Record<string, string>),
  ...[...route.path.matchAll(/:([^/]+)/g)].map(
    ([, name]) => [name!, fieldOf(route, name!)] as [string, string | undefined],
  ),
  ...[/:([^/:]+)(?:\/[a-z-]+)?$/.exec(route.path)]
    .filter((match) => match !== null)
    .map(([, name]) => [name!, fieldOf(route, "id")] as [string, string | undefined]),
];

function setOnce(examples: Map<string, string>, name: string, value: string | undefined): void {
  if (value !== undefined && !examples.has(name)) examples.set(name, value);
}

function fieldOf({ answers }: Route<any, any>, field: string): string | undefined {
  for (const { example } of Object.values(answers as Record<number, Answer>)) {
    const value: unknown = (example as Record<string, unknown> | undefined)?.[field];
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** The example of a query field: its own, its default or first choice, or that of the same id. */
export function exampleOf(name: string, schema: Json, examples: ParameterExamples): unknown {
  const [declared] = (schema.examples ?? schema.enum ?? []) as unknown[];
  if (declared !== undefined) return declared;
  if (schema.default !== undefined) return schema.default;
  if (schema.type === "boolean") return true;
  if (schema.type === "integer") return schema.minimum ?? 1;
  return examples.get(name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
}
