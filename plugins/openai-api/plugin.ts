/**
 * An OpenAI-compatible API: chat front ends and programs written for OpenAI need only the address
 * and a key. Folders are models and vector stores, documents are files.
 */
import { definePlugin, fill, NotBlankLimits, Protocols, t } from "../../core/sdk";
import { DirectAnswers } from "../chats/contract";
import { Documents } from "../documents/contract";
import { Folders } from "../folders/contract";
import { Quotas } from "../quotas/contract";
import { Embedders } from "../search-index/contract";
import { chatHandlers, chatRoutes } from "./chat";
import { embeddingHandlers, embeddingRoutes } from "./embeddings";
import { fileHandlers, fileRoutes } from "./files";
import { modelHandlers, modelRoutes } from "./models";
import { openAiProblem } from "./problems";
import { vectorStoreHandlers, vectorStoreRoutes } from "./vector-stores";

export default definePlugin({
  name: "openai-api",
  version: "1.0.0",
  config: t.Object({
    enabled: t.Boolean({
      default: true,
      description: "Whether the server offers the OpenAI-compatible API at /v1.",
    }),
    uploads_folder: t.String({
      default: "Files",
      minLength: 1,
      maxLength: 255,
      changes: "now",
      stored: NotBlankLimits,
      description: "The folder for files uploaded there; created when needed.",
    }),
  }),
  needs: { direct: DirectAnswers, documents: Documents, folders: Folders, quotas: Quotas },
  slots: { embedders: Embedders },
  routes: {
    ...modelRoutes,
    ...chatRoutes,
    ...embeddingRoutes,
    ...vectorStoreRoutes,
    ...fileRoutes,
  },
  setup: (ctx) => {
    const { config, services, slots } = ctx;
    return {
      fills: config.enabled
        ? [fill(Protocols, { name: "openai", root: "/v1", problem: openAiProblem })]
        : [],
      routes: {
        ...modelHandlers,
        ...chatHandlers({ ...ctx, ...services }),
        ...embeddingHandlers(slots.embedders),
        ...vectorStoreHandlers({ ...ctx, ...services }),
        ...fileHandlers({
          ...ctx,
          ...services,
          uploads_folder: () => config.uploads_folder,
        }),
      },
    };
  },
});
