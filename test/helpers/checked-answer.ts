/** Checks the text of a model as the answerer does, without a server. */
import { AnswerChecker, type CheckedAnswer } from "../../plugins/answers-openai/answer-checker";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { languageOf } from "../../plugins/search-index/analysis/languages";
import type { FoundPassage } from "../../plugins/search/contract";
import { sentencesOf } from "../../plugins/search/sentences";

const passage: FoundPassage = {
  document_id: "doc_1",
  document_name: "manual.pdf",
  document_version: 1,
  folder_id: "fld_1",
  quote: "",
  start: 0,
  end: 0,
  passage: { start: 0, end: 0 },
  matched: "words",
  page: null,
  page_end: null,
  page_label: null,
  time_start: null,
  time_end: null,
  heading: null,
  score: 1,
  verified: true,
  stale: false,
  url: "/api/dev/v1/documents/doc_1",
};
const analysis = {
  sentences: sentencesOf,
  languageOf: (text: string) => languageOf(text),
  analyze: (text: string) => {
    const terms: { term: string }[] = [];
    analyzer.tokenize(text, (_hash, start, end, term) => {
      terms.push({ term: term ?? text.slice(start, end) });
    });
    return terms;
  },
};
/**
 * A model's text, checked against these quotes of documents; it arrives in pieces of `size`
 * characters. `shown` is what a watcher has seen of it.
 */
export function checkedAnswer(
  written: string,
  quotes: readonly string[],
  question: string,
  size = Infinity,
): CheckedAnswer & { readonly shown: string } {
  let shown = "";
  const checker = new AnswerChecker({
    sources: quotes.map((quote) => ({ ...passage, quote, end: [...quote].length })),
    question,
    analysis,
    thinks_first: false,
    emit: (piece) => {
      shown += piece;
    },
  });
  for (let at = 0; at < written.length; at += size) checker.add(written.slice(at, at + size));
  return { ...checker.end(false), shown };
}
