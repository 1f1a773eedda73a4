/** The words of a question that count less, or not at all. */
import type { SearchedTerm } from "../search-index/contract";
import type { Word } from "./question-weights";
import { words } from "./word-patterns";
import { asksYesOrNo } from "./yes-or-no";

/** These ask, and are seldom in an answer: "how high", "what happens". */
const asking = new RegExp(
  words(
    "how_(?:big|close|deep|early|far|fast|heavy|high|large|late|long|many|much|often|old|quickly|" +
      "soon|tall|wide) what_(?:happens|happened) " +
      "wie_(?:alt|breit|früh|groß|häufig|hoch|lange?|oft|schnell|schwer|spät|teuer|tief) " +
      "wie_(?:viele?|weit) was_(?:passiert|geschieht) que_se_passe-t-il qu['’]arrive-t-il " +
      "qué_(?:pasa|ocurre|sucede) (?:che_)?cosa_(?:succede|accade) o_que_acontece wat_gebeurt " +
      "что_(?:будет|происходит|произойд[её]т) ne_olur",
  ),
  "giu",
);
/** So do these in "Is it allowed …?": what answers may say "must not". */
const permission = new RegExp(
  words(
    "allowed permitted alright okay ok erlaubt gestattet zulässig autorisé(?:e|s|es)? " +
      "permis(?:e|es)? permitid[oa]s? permess[oiae] consentit[oiae] toegestaan разрешено",
  ),
  "giu",
);
const asking_weight = 0.25;

/** The terms with less weight for those that only ask. */
export function withoutAsking(
  terms: readonly SearchedTerm[],
  question: string,
  analyze: (text: string) => readonly Word[],
): readonly SearchedTerm[] {
  const patterns = asksYesOrNo(question.split("\n").at(-1)!) ? [asking, permission] : [asking];
  const spans = patterns
    .flatMap((pattern) => [...question.matchAll(pattern)])
    .map(({ 0: { length }, index }) => ({
      start: index,
      end: index + length,
    }));
  if (spans.length === 0) return terms;
  const asked = analyze(question);
  const isAsking = (word: Word): boolean =>
    spans.some(({ start, end }) => start <= word.start && word.end <= end);
  const content = new Set(asked.filter((word) => !isAsking(word)).map(({ term }) => term));
  const asking_terms = new Set(asked.map(({ term }) => term)).difference(content);
  return terms.map((one) =>
    asking_terms.has(one.term) ? { ...one, idf: one.idf * asking_weight } : one,
  );
}

/** Compounds of the question that no passage has: their parts are terms, too, and count instead. */
export function missingCompounds(
  question: string,
  passage_terms: ReadonlySet<string>,
  { analyze }: { readonly analyze: (text: string) => readonly Word[] },
): ReadonlySet<string> {
  const words = analyze(question);
  const isPart = (part: Word, { start, end }: Word): boolean =>
    part.start >= start && part.end <= end && part.end - part.start < end - start;
  // Words are in the order of their starts, so the parts of one are next to it.
  const hasParts = (word: Word, at: number): boolean => {
    for (let i = at - 1; i >= 0 && words[i]!.start >= word.start; i--)
      if (isPart(words[i]!, word)) return true;
    for (let i = at + 1; i < words.length && words[i]!.start < word.end; i++)
      if (isPart(words[i]!, word)) return true;
    return false;
  };
  const compounds = new Set<string>();
  let has_parts = false;
  for (const [at, word] of words.entries()) {
    const last = words[at - 1];
    // Many terms can have the place of the same run of rare characters.
    if (last?.start !== word.start || last.end !== word.end) has_parts = hasParts(word, at);
    if (has_parts && !passage_terms.has(word.term)) compounds.add(word.term);
  }
  return compounds;
}
