/** Questions for what comes next in a text: "What do I do after closing the lid?" Pure. */
import { anyOf, words } from "./word-patterns";
import type { Sentence } from "./sentence-ranking";

const begins = "^[^\\p{L}]*";
/** Not "What is left after a year?": only what is done, or comes, is told by the order. */
const asks_after = anyOf(
  begins +
    "what (?:comes|follows|(?:do|should|must) (?:i|we|you) do|is (?:the )?next(?: step)?|" +
    "is (?:the )?step|is done|happens)(?: next)?,? (?:right |directly |immediately )?after\\b",
  begins +
    words(
      "was_(?:kommt|folgt|passiert|geschieht|mache_ich|macht_man|tue_ich)_(?:direkt_)?" +
        "(?:nach|nachdem) que_(?:vient|se_passe-t-il|faire)_après que_faut-il_faire_après " +
        "qué_(?:viene|sigue|pasa|hago|se_hace)_después cosa_(?:viene|succede|si_fa)_dopo " +
        "o_que_(?:vem|acontece)_depois wat_(?:komt|gebeurt)_(?:er_)?na",
    ),
);
const asks_before = anyOf(
  begins +
    "what (?:comes|(?:do|should|must) (?:i|we|you) do|is (?:the )?step|is done|happens)" +
    "(?: right| directly| immediately)? before\\b",
  begins +
    words(
      "was_(?:kommt|passiert|geschieht|mache_ich|macht_man|tue_ich)_(?:direkt_)?(?:vor|bevor) " +
        "que_(?:vient|se_passe-t-il|faire)_avant que_faut-il_faire_avant " +
        "qué_(?:viene|pasa|hago|se_hace)_antes cosa_(?:viene|succede|si_fa)_prima " +
        "o_que_(?:vem|acontece)_antes wat_(?:komt|gebeurt)_(?:er_)?voor",
    ),
);

/**
 * With the sentence after the likeliest one, or before it, as the second where a question asks for
 * it: the likeliest has the words of the question, so it is what is asked about.
 */
export function withNext(question: string, ranked: readonly Sentence[]): readonly Sentence[] {
  const [named] = ranked;
  const is_after = asks_after.test(question);
  if (named === undefined || !(is_after || asks_before.test(question))) return ranked;
  const beside = ranked.filter(
    ({ source, start, end, row }) =>
      source === named.source && !row && (is_after ? start >= named.end : end <= named.start),
  );
  const [next] = beside.toSorted((a, b) => (is_after ? a.start - b.start : b.start - a.start));
  if (next === undefined) return ranked;
  const others = ranked.filter((sentence) => sentence !== named && sentence !== next);
  return [named, { ...next, score: Math.max(next.score, named.score) }, ...others];
}
