/** Converts hand-written statements with `?` to PostgreSQL's syntax. */

/** The number of cached texts; all of them are in the code, so there are only a few hundred. */
const cached_max = 2_000;
const texts = new Map<string, string>();

/** `?` becomes `$1`, `$2` …, except in quotes. */
export function numbered(text: string): string {
  if (!text.includes("?")) return text;
  let result = texts.get(text);
  if (result === undefined) {
    let count = 0;
    result = text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (token) =>
      token === "?" ? `$${++count}` : token,
    );
    if (texts.size >= cached_max) texts.clear();
    texts.set(text, result);
  }
  return result;
}

/** Statements that change nothing. A `with` that inserts, updates or deletes does not count. */
export const isReading = (text: string): boolean =>
  /^\s*(select|values|show|explain)\b/i.test(text) ||
  (/^\s*with\b/i.test(text) && !/\b(insert|update|delete)\b/i.test(text));
