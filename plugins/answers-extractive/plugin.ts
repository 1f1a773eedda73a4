/**
 * Answers without a model: quotes the sentences that answer the question, or says that none does.
 */
import { definePlugin, fill } from "../../core/sdk";
import { Answerers } from "../chats/contract";
import { SearchIndex } from "../search-index/contract";
import { AnswerScorers, Retrieval } from "../search/contract";
import { ExtractiveAnswerer } from "./answerer";
import { SentenceScorer } from "./scorer";

export default definePlugin({
  name: "answers-extractive",
  version: "1.0.0",
  needs: { index: SearchIndex, retrieval: Retrieval },
  setup({ now_ms, services: { index, retrieval } }) {
    const options = {
      analysis: {
        analyze: (text: string) => index.analyze(text),
        sentences: (text: string) => retrieval.sentences(text),
      },
      areLanguagesDifferent: (question: string, text: string) =>
        index.areLanguagesDifferent(question, text),
      languageOf: (...input: Parameters<SearchIndex["languageOf"]>) => index.languageOf(...input),
    };
    return {
      fills: [
        fill(Answerers, new ExtractiveAnswerer(options, retrieval, now_ms)),
        fill(AnswerScorers, new SentenceScorer(options)),
      ],
    };
  },
});
