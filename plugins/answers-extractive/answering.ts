/**
 * Answers with sentences of the documents themselves, each with the marker of the passage it stands
 * in.
 */
import type { Answered, Question } from "../chats/contract";
import type { Citation, FoundPassage, Retrieval } from "../search/contract";
import {
  chooseSentences,
  rankSentences,
  type Sentence,
  type Source,
  type TextAnalysis,
} from "./extract";

/** Passages whose sentences are weighed, and passages that are cited. */
const passages_max = 8,
  citations_max = 5;
const nothing_found = "No passage in the selected folders answers this.";
const no_prompts =
  "Saved prompts shape answers that a model writes. This answer quotes the documents, so they " +
  "were not applied.";

export function createExtractive(
  analyze: TextAnalysis["analyze"],
  retrieval: Retrieval,
  now_ms: () => number,
) {
  const analysis: TextAnalysis = { analyze, sentences: (text) => retrieval.sentences(text) };
  return async function answer(question: Question): Promise<Answered> {
    const { text, prompts, signal } = question;
    const started = now_ms(),
      { passages, terms } = await retrieval.findInConversation(question, passages_max),
      found = now_ms();
    signal.throwIfAborted();
    const sources = passages.map((passage): Source => ({
      text: passage.quote,
      title: passage.document_name,
      heading: passage.heading,
      score: passage.score,
    }));
    const chosen = chooseSentences(rankSentences(text, terms, sources, analysis), sources);
    return {
      ...(chosen.length === 0
        ? { answer: nothing_found, outcome: "no_answer" as const, citations: [] }
        : cited(chosen, passages)),
      grounded: true,
      model: "extractive",
      prompts: [],
      usage: null,
      timings: { retrieve_ms: found - started, generate_ms: now_ms() - found },
      warnings: prompts.length === 0 ? [] : [{ code: "prompts_not_applied", message: no_prompts }],
    };
  };
}

/** The sentences with their markers; their passages are cited first, then the next best ones. */
function cited(
  chosen: readonly Sentence[],
  passages: readonly FoundPassage[],
): { answer: string; outcome: "answered"; citations: Citation[] } {
  const order = [...new Set([...chosen.map((one) => one.source), ...passages.keys()])].slice(
    0,
    citations_max,
  );
  const words = chosen.map(
    ({ source, start, end }) =>
      `${plain(passages[source]!.quote.slice(start, end))} [${order.indexOf(source) + 1}]`,
  );
  return {
    answer: words.join(" "),
    outcome: "answered",
    citations: order.map((source, at) => ({ id: at + 1, ...passages[source]! })),
  };
}

/** A sentence on one line, without what would read as a marker. */
const plain = (sentence: string): string =>
  sentence
    .replace(/\s*\[\d{1,3}\]/g, "")
    .replace(/\s+/g, " ")
    .trim();
