/**
 * Answers without a model: quotes the sentences that answer the question, or says that none does.
 */
import { definePlugin, fill } from "../../core/sdk";
import { Answerers } from "../chats/contract";
import { SearchIndex } from "../search-index/contract";
import { createExtractive } from "./answering";
import { Wording } from "./contract";
import { createRetrieve } from "./retrieving";
import { sentencesOf } from "./sentences";

export default definePlugin({
  name: "answers-extractive",
  version: "1.0.0",
  needs: { index: SearchIndex },
  provides: { wording: Wording },
  setup({ now_ms, services: { index } }) {
    const retrieve = createRetrieve(index.analyze);
    return {
      services: { wording: { sentences: sentencesOf, retrieve } },
      fills: [
        fill(Answerers, {
          name: "extractive",
          rank: 0,
          answer: createExtractive(index.analyze, retrieve, now_ms),
        }),
      ],
    };
  },
});
