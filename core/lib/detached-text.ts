/** Copies of parts of texts, for caches: a part keeps the whole text in memory. */

/** A copy of a short text. */
export const detached = (text: string): string =>
  String.fromCharCode(...Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)));
