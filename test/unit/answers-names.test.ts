/** Which names of a question the passages have, and which can't be told. */
import { expect, test } from "bun:test";
import { nameEvidence, namedIn } from "../../plugins/answers-extractive/question-names";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { sentencesOf } from "../../plugins/search/sentences";

const analyze = (text: string) => {
  const words: { term: string; start: number; end: number }[] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    words.push({ term: term ?? text.slice(start, end), start, end });
  });
  return words;
};

const text = "The tower of Lyon was built by the Romans. It is near a river.";
test.each([
  ["found", "La tour de Lyon est vieille ?", "fr", { found: true, missing: false }],
  ["missing", "La tour de Paris est vieille ?", "fr", { found: false, missing: true }],
  ["in another script", "Башня Лиона старая?", "ru", { found: false, missing: false }],
  ["with accents the text lacks", "Tháp của người La Mã?", "vi", { found: false, missing: true }],
  ["only with such", "Ai xây tháp của người Mã?", "vi", { found: false, missing: false }],
])("a name across languages: %s", (_why, question, language, expected) => {
  const analysis = { analyze, sentences: sentencesOf };
  const terms = new Set(analyze(text).map(({ term }) => term));
  const evidence = nameEvidence(namedIn(question, { analysis, language }), {
    text,
    passage_terms: terms,
    own_terms: terms,
  });
  expect({ found: evidence.is_name_found, missing: evidence.is_name_missing }).toEqual(expected);
});
