/**
 * Exact phrases: what stands in quotes in a search must stand in the passage, word for word. Pure.
 */

/** Of a query with more phrases, the first ones count. */
const phrases_max = 50;
/** What closes a quotation, by the mark that opens it; a straight one closes itself. */
const closing_marks: ReadonlyMap<string, readonly string[]> = new Map([
  ['"', ['"']],
  ["“", ["”"]],
  ["„", ["“", "”"]],
  ["«", ["»"]],
  ["「", ["」"]],
  ["『", ["』"]],
]);
const has_word = /[\p{L}\p{N}]/u;
const word_character = /[\p{L}\p{N}\p{M}]/u;
/** Scripts that write words without spaces: a phrase may begin and end inside a run of them. */
const spaceless = new RegExp(
  `[${["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]`,
  "u",
);

/** Case, width, ligatures, and how lines break make no difference. */
const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u00ad\ufffe]/g, "")
    .replace(/\s+/gu, " ")
    .trim();

/** A question mark of any script at the end, the Greek one only after Greek. */
const is_question =
  /(?:[?？؟⸮՞፧‽⁇]|\p{Script=Greek}\p{M}*["'”’»)\]]*\s*[;\u037e])["'”’»」』)\]\s!！]*$/u;

/**
 * The phrases that a query wants word for word, folded, in their order, each once; at most
 * `phrases_max`. A question has none: its quotation marks set off a name or a saying, which texts
 * inflect.
 */
export function phrasesOf(query: string): string[] {
  const phrases = new Set<string>();
  if (is_question.test(query)) return [];
  for (const quotation of quotationsIn(query)) {
    const phrase = folded(quotation);
    if (has_word.test(phrase)) phrases.add(phrase);
    if (phrases.size === phrases_max) break;
  }
  return [...phrases];
}

/** What stands between quotation marks. Linear time, however many of them are never closed. */
function* quotationsIn(query: string): Generator<string> {
  const next_by_mark = new Map<string, number>();
  const nextOf = (mark: string, from: number): number => {
    const known = next_by_mark.get(mark);
    if (known !== undefined && known >= from) return known;
    const found = query.indexOf(mark, from);
    const next = found < 0 ? Infinity : found;
    next_by_mark.set(mark, next);
    return next;
  };
  for (let at = 0; at < query.length; at++) {
    const closings = closing_marks.get(query[at]!);
    if (closings === undefined) continue;
    const start = at + 1;
    const end = Math.min(...closings.map((mark) => nextOf(mark, start)));
    if (end === Infinity || end === start) continue;
    yield query.slice(start, end);
    at = end;
  }
}

/** Whether the text contains every phrase as whole words. */
export function containsPhrases(text: string, phrases: readonly string[]): boolean {
  const folded_text = folded(text);
  return phrases.every((phrase) => containsPhrase(folded_text, phrase));
}

function containsPhrase(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    if (
      isEdge(text.slice(0, at), phrase, "start") &&
      isEdge(text.slice(at + phrase.length), phrase, "end")
    )
      return true;
  }
  return false;
}

/** No word goes on beyond this end of the phrase. `beyond` is the text on that side. */
function isEdge(beyond: string, phrase: string, side: "start" | "end"): boolean {
  const inner = side === "start" ? firstOf(phrase) : lastOf(phrase);
  const outer = side === "start" ? lastOf(beyond) : firstOf(beyond);
  return !word_character.test(outer) || !word_character.test(inner) || spaceless.test(inner);
}
const firstOf = (text: string): string =>
  text === "" ? "" : String.fromCodePoint(text.codePointAt(0)!);
const lastOf = (text: string): string => [...text.slice(-2)].at(-1) ?? "";
