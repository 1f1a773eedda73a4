/** Search: passages of the folders asked, over HTTP and for other plugins. */
import { definePlugin } from "../../core/sdk";
import { Documents } from "../documents/contract";
import { Folders } from "../folders/contract";
import { SearchIndex } from "../search-index/contract";
import { AnswerScorers, Rerankers, Retrieval } from "./contract";
import { routes, searchHandlers } from "./routes";
import { SearchService } from "./service";

export default definePlugin({
  name: "search",
  version: "1.0.0",
  needs: { folders: Folders, documents: Documents, index: SearchIndex },
  provides: { retrieval: Retrieval },
  slots: { rerankers: Rerankers, answer_scorers: AnswerScorers },
  routes,
  setup: (ctx) => {
    const search = new SearchService({ ...ctx, ...ctx.services, ...ctx.slots });
    return { services: { retrieval: search }, routes: searchHandlers(search) };
  },
});
