/**
 * Exact phrases: what stands in quotes in a search must stand in the passage, word for word. Pure.
 */

/** Quotation marks by their opening one; a straight one closes itself. */
const quoted = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』/gu;
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
 * The phrases that a query wants word for word, folded, in their order. A question has none: its
 * quotation marks set off a name or a saying, which texts inflect.
 */
export const phrasesOf = (query: string): string[] =>
  is_question.test(query)
    ? []
    : [...query.matchAll(quoted)]
        .map((match) => folded(match.slice(1).find((group) => group !== undefined)!))
        .filter((phrase) => has_word.test(phrase));

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
