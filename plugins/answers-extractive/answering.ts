/** Answers with sentences of the documents themselves, each with the marker of the passage it stands in. */
import type { Answered, Question } from "../chats/contract";
import type { Citation, FoundPassage } from "../search/contract";
import { chooseSentences, rankSentences, type Analyze, type Sentence, type Source } from "./extract";

/** Passages whose sentences are weighed, and passages that are cited. */
const passages_max = 8, citations_max = 5;
/** A question of as many words of its own stands alone, unless it points back. */
const own_terms_enough = 4;
/** A question leans on so many before it at most. */
const earlier_max = 3;
const pointing = /\b(?:he|him|his|she|her|hers|it|its|they|them|their|theirs|these|those|the (?:former|latter|same))\b/i;
const nothing_found = "No passage in the selected folders answers this.";
const no_prompts = "Saved prompts shape answers that a model writes. This answer quotes the documents, so they were not applied.";

export function createExtractive(analyze: Analyze, now_ms: () => number) {
  return async function answer({ text, prompts, history, find, signal }: Question): Promise<Answered> {
    const started = now_ms();
    const earlier = earlierOf(history, (question) => analyze(question).length);
    let retrieved = await find(text, { limit: passages_max });
    if (earlier !== undefined && leansOnEarlier(text, retrieved.terms.length)) retrieved = await find(text, { limit: passages_max, context: earlier });
    signal.throwIfAborted();
    const { passages, terms } = retrieved;
    const found = now_ms();
    const sources = passages.map((passage): Source => ({ text: passage.quote, title: passage.document_name, heading: passage.heading, score: passage.score }));
    const chosen = chooseSentences(rankSentences(text, terms, sources, analyze), sources);
    return {
      ...(chosen.length === 0 ? { answer: nothing_found, outcome: "no_answer" as const, citations: [] } : cited(chosen, passages)),
      grounded: true, model: "extractive", prompts: [], usage: null,
      timings: { retrieve_ms: found - started, generate_ms: now_ms() - found },
      warnings: prompts.length === 0 ? [] : [{ code: "prompts_not_applied", message: no_prompts }],
    };
  };
}

/** Whether a question needs the one before it to be understood: it is short, or it points back. */
export const leansOnEarlier = (question: string, words: number): boolean => words < own_terms_enough || pointing.test(question);

/** The question before, with those that it leans on itself: the subject may have been named a few questions ago. */
function earlierOf(history: Question["history"], wordsOf: (question: string) => number): string | undefined {
  const earlier: string[] = [];
  for (const { question } of history.slice(-earlier_max).reverse()) {
    earlier.unshift(question);
    if (!leansOnEarlier(question, wordsOf(question))) break;
  }
  return earlier.length === 0 ? undefined : earlier.join("\n");
}

/** The sentences with their markers; their passages are cited first, then the next best ones. */
function cited(chosen: readonly Sentence[], passages: readonly FoundPassage[]): { answer: string; outcome: "answered"; citations: Citation[] } {
  const order = [...new Set([...chosen.map((one) => one.source), ...passages.keys()])].slice(0, citations_max);
  const words = chosen.map(({ source, start, end }) => `${plain(passages[source]!.quote.slice(start, end))} [${order.indexOf(source) + 1}]`);
  return { answer: words.join(" "), outcome: "answered", citations: order.map((source, at) => ({ id: at + 1, ...passages[source]! })) };
}

/** A sentence on one line, without what would read as a marker. */
const plain = (sentence: string): string => sentence.replace(/\s*\[\d{1,3}\]/g, "").replace(/\s+/g, " ").trim();
