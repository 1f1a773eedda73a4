/**
 * Quotas: how many folders, documents and chat sessions, and how many bytes of files, each user may
 * hold. None by default.
 */
import { definePlugin, Size, t } from "../../core/sdk";
import { purgeOfUser } from "../accounts/contract";
import { Quotas } from "./contract";
import { quotaMetrics } from "./metrics";
import { migrations } from "./migrations";
import { QuotaService } from "./service";
import { forget } from "./store";

const Limit = (things: string) =>
  t.Optional(
    t.Integer({
      minimum: 0,
      changes: "now",
      description: `The maximum number of ${things}. Unlimited if not set.`,
    }),
  );

export default definePlugin({
  name: "quotas",
  version: "1.0.0",
  config: t.Object({
    folders: Limit("folders per user, including subfolders"),
    documents: Limit("documents per user"),
    chats: Limit("chat sessions per user"),
    storage: t.Optional(
      Size({
        changes: "now",
        description: "The maximum total size of a user's original files. Unlimited if not set.",
      }),
    ),
  }),
  provides: { quotas: Quotas },
  tables: ["quotas_used"],
  migrations,
  setup: ({ config, inDeletion, reads }) => ({
    services: { quotas: new QuotaService(config, reads) },
    fills: quotaMetrics(reads),
    jobs: [purgeOfUser((user_id) => inDeletion((tx) => forget(tx, user_id)))],
  }),
});
