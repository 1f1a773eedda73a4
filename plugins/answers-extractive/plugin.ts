/**
 * Answers without a model: quotes the sentences that answer the question, or says that none does.
 */
import { definePlugin, fill } from "../../core/sdk";
import { Answerers } from "../chats/contract";
import { SearchIndex } from "../search-index/contract";
import { Retrieval } from "../search/contract";
import { ExtractiveAnswerer } from "./answerer";

export default definePlugin({
  name: "answers-extractive",
  version: "1.0.0",
  needs: { index: SearchIndex, retrieval: Retrieval },
  setup({ now_ms, services: { index, retrieval } }) {
    return {
      fills: [fill(Answerers, new ExtractiveAnswerer(index, retrieval, now_ms))],
    };
  },
});
