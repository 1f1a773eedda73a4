/**
 * Problem responses that several operations share, listed once among the components of the OpenAPI
 * document: `NotFound`, `NotFound2`.
 */
import { pascalCase } from "../lib/pascal-case";
import { titleOf } from "./problem";
import type { Json } from "./schema-book";

interface SharedResponse {
  readonly status: number;
  readonly response: Json;
  /** Where it occurs: the responses of each operation. */
  readonly places: Json[];
}

/** Replaces each occurrence with a reference; returns `components.responses`. */
export function shareProblems(paths: Readonly<Record<string, Json>>): Record<string, Json> {
  const by_text = new Map<string, SharedResponse>();
  for (const responses of responsesOf(paths))
    for (const [key, response] of Object.entries(responses)) {
      const status = Number(key);
      if (!(status >= 400)) continue;
      const text = `${status} ${JSON.stringify(response)}`;
      const existing = by_text.get(text);
      if (existing) existing.places.push(responses);
      else by_text.set(text, { status, response: response as Json, places: [responses] });
    }
  const shared = [...by_text.values()]
    .filter(({ places }) => places.length > 1)
    // The most frequent one has its name without a number.
    .sort((a, b) => a.status - b.status || b.places.length - a.places.length);
  const components: Record<string, Json> = {};
  for (const { status, response, places } of shared) {
    const name = freeName(pascalCase(titleOf(status)), components);
    components[name] = response;
    for (const responses of places) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return components;
}

const responsesOf = (paths: Readonly<Record<string, Json>>): Json[] =>
  Object.values(paths).flatMap((methods) =>
    Object.values(methods as Record<string, Json>).map(({ responses }) => responses as Json),
  );

function freeName(name: string, components: Readonly<Record<string, unknown>>): string {
  for (let n = 1; ; n++) {
    const key = n === 1 ? name : `${name}${n}`;
    if (!(key in components)) return key;
  }
}
