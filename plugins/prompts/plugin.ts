/** Saved prompts: texts that a user writes once and applies to chat sessions. */
import { definePlugin } from "../../core/sdk";
import { Prompts, PromptUses } from "./contract";
import { migrations } from "./migrations";
import { promptHandlers, routes } from "./routes";
import { createPrompts } from "./service";

export default definePlugin({
  name: "prompts",
  version: "1.0.0",
  provides: { prompts: Prompts },
  slots: { uses: PromptUses },
  tables: ["prompts"],
  migrations,
  routes,
  setup: ({ now_ms, db, inTransaction, newId, notify, truncateWal, slots }) => {
    const prompts = createPrompts({
      db,
      inTransaction,
      now_ms,
      newId,
      truncateWal,
      notify,
      removeUses: async (tx, owner_id, prompt_id) => {
        for (const uses of slots.uses()) await uses.remove(tx, owner_id, prompt_id);
      },
    });
    return { services: { prompts }, routes: promptHandlers(prompts) };
  },
});
