/** Wording shared by the checks of documents: counts, and ids in a sentence. */

/** How many ids a sentence lists. */
const named_max = 3;

export const documents = (count: number): string =>
  `${count} ${count === 1 ? "document" : "documents"}`;
export const named = (ids: readonly string[]): string =>
  [...new Set(ids)].slice(0, named_max).join(", ") + (ids.length > named_max ? " …" : "");
