/** Regular expressions of lists of words. */

/** Any of these words, separated by spaces, as a whole word; `_` stands for a space within one. */
export const words = (list: string): string =>
  `(?<![\\p{L}\\p{M}])(?:${list.replaceAll(" ", "|").replaceAll("_", "\\s+")})(?![\\p{L}\\p{M}])`;

export const anyOf = (...patterns: readonly string[]): RegExp =>
  new RegExp(patterns.join("|"), "iu");
