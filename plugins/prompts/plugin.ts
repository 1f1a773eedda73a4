/** Saved prompts: texts that a user writes once and applies to chat sessions. */
import { definePlugin } from "../../core/sdk";
import { purgeOfUser } from "../accounts/contract";
import { Prompts, PromptUses } from "./contract";
import { migrations } from "./migrations";
import { promptHandlers, routes } from "./routes";
import { PromptService } from "./service";

export default definePlugin({
  name: "prompts",
  version: "1.0.0",
  provides: { prompts: Prompts },
  slots: { uses: PromptUses },
  tables: ["prompts"],
  migrations,
  routes,
  setup: (ctx) => {
    const prompts = new PromptService({ ...ctx, uses: ctx.slots.uses });
    return {
      services: { prompts },
      routes: promptHandlers(prompts),
      jobs: [purgeOfUser((user_id, signal) => prompts.removeAll(user_id, signal))],
    };
  },
});
