/** What checks of documents say. */

/** Ids in a sentence. */
const named_max = 3;

export const documents = (count: number): string =>
  `${count} ${count === 1 ? "document" : "documents"}`;
export const named = (ids: readonly string[]): string =>
  [...new Set(ids)].slice(0, named_max).join(", ") + (ids.length > named_max ? " …" : "");
