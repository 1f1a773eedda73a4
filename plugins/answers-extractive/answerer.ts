/** Answers with sentences of the documents themselves, each with the marker of its passage. */
import type { Answered, Answerer, Question } from "../chats/contract";
import type { Citation, FoundPassage, Retrieval } from "../search/contract";
import {
  chooseSentences,
  rankSentences,
  type Sentence,
  type Source,
  type TextAnalysis,
} from "./sentence-ranking";

/** Passages whose sentences are ranked, and passages that are cited. */
const passages_max = 8;
const citations_max = 5;
const nothing_found = "No passage in the selected folders answers this.";
const no_prompts =
  "Saved prompts shape answers that a model writes. This answer quotes the documents, so they " +
  "were not applied.";

export class ExtractiveAnswerer implements Answerer {
  readonly name = "extractive";
  readonly rank = 0;
  private readonly analysis: TextAnalysis;

  constructor(
    analyze: TextAnalysis["analyze"],
    private readonly retrieval: Retrieval,
    private readonly now_ms: () => number,
  ) {
    this.analysis = { analyze, sentences: (text) => retrieval.sentences(text) };
  }

  async answer(question: Question): Promise<Answered> {
    const { text, prompts, signal } = question;
    const started = this.now_ms();
    const { passages, terms } = await this.retrieval.findInConversation(question, passages_max);
    const retrieved = this.now_ms();
    signal.throwIfAborted();
    const sources = passages.map((passage): Source => ({
      text: passage.quote,
      title: passage.document_name,
      heading: passage.heading,
      score: passage.score,
    }));
    const chosen = chooseSentences(rankSentences(text, terms, sources, this.analysis), sources);
    return {
      ...(chosen.length === 0
        ? { answer: nothing_found, outcome: "no_answer" as const, citations: [] }
        : withCitations(chosen, passages)),
      grounded: true,
      model: "extractive",
      prompts: [],
      usage: null,
      timings: { retrieve_ms: retrieved - started, generate_ms: this.now_ms() - retrieved },
      warnings: prompts.length === 0 ? [] : [{ code: "prompts_not_applied", message: no_prompts }],
    };
  }
}

/** The sentences with their markers; their passages are cited first, then the next best ones. */
function withCitations(
  chosen: readonly Sentence[],
  passages: readonly FoundPassage[],
): { answer: string; outcome: "answered"; citations: Citation[] } {
  const order = [...new Set([...chosen.map(({ source }) => source), ...passages.keys()])].slice(
    0,
    citations_max,
  );
  const sentences = chosen.map(
    ({ source, start, end }) =>
      `${onOneLine(passages[source]!.quote.slice(start, end))} [${order.indexOf(source) + 1}]`,
  );
  return {
    answer: sentences.join(" "),
    outcome: "answered",
    citations: order.map((source, at) => ({ id: at + 1, ...passages[source]! })),
  };
}

/** Without line breaks and without what would read as a marker. */
const onOneLine = (sentence: string): string =>
  sentence
    .replace(/\s*\[\d{1,3}\]/g, "")
    .replace(/\s+/g, " ")
    .trim();
