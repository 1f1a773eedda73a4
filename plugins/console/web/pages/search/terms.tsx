/** Highlights the terms of a query in a passage, shortened to the part around the first match. */
import { Fragment } from "preact";
import { escapeRegExp } from "../../reader/find";
import { plainText } from "../../reader/plain-text";

/** Single letters match everywhere. */
const length_min = 2;
/** Characters shown before the first term. */
const context_chars = 60;

/** The words of the query, without stop words; quoted words count like the others. */
export function termsOf(query: string): string[] {
  return [...new Set(query.toLocaleLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].filter(
    (term) => term.length >= length_min && !stop_words.has(term),
  );
}
/** For highlighting only; the search itself has stop words of its own. */
const stop_words = new Set(
  (
    "a an and are as at be by do does for from how in is it of on or that the this to was were " +
    "what when where which who why with"
  ).split(" "),
);

/** Finds the terms at the beginnings of words; null if there are none. */
function patternOf(terms: readonly string[]): RegExp | null {
  if (terms.length === 0) return null;
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${terms.map(escapeRegExp).join("|")})`, "giu");
}

/** The passage with its terms highlighted. */
export function Terms({
  text,
  terms,
  length,
}: {
  readonly text: string;
  readonly terms: readonly string[];
  /** Characters to show at most. */
  readonly length: number;
}) {
  const pattern = patternOf(terms);
  const shortened = excerpt(plainText(text), pattern, length);
  if (!pattern) return <>{shortened}</>;
  const parts: { readonly text: string; readonly is_match: boolean }[] = [];
  let plain_from = 0;
  for (const match of shortened.matchAll(pattern)) {
    parts.push(
      { text: shortened.slice(plain_from, match.index), is_match: false },
      { text: match[0], is_match: true },
    );
    plain_from = match.index + match[0].length;
  }
  parts.push({ text: shortened.slice(plain_from), is_match: false });
  return (
    <>
      {parts.map(({ text: part, is_match }, index) => (
        <Fragment key={index}>{is_match ? <mark>{part}</mark> : part}</Fragment>
      ))}
    </>
  );
}

/** At most `length` characters, from a little before the first term. */
function excerpt(text: string, pattern: RegExp | null, length: number): string {
  if (text.length <= length) return text;
  const match_index = pattern ? text.search(pattern) : 0;
  const begin = Math.min(Math.max(0, match_index - context_chars), text.length - length);
  const from = begin === 0 ? 0 : text.indexOf(" ", begin) + 1;
  const to = from + length >= text.length ? text.length : text.lastIndexOf(" ", from + length);
  return `${from > 0 ? "… " : ""}${text.slice(from, to)}${to < text.length ? " …" : ""}`;
}
