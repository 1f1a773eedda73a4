/**
 * Settings that change while the server runs: in the console, over the API and on the command line,
 * with a test beforehand. core/plugin/live-settings.ts has the order of precedence and what is
 * stored.
 */
import { definePlugin, DocumentParts, fill } from "../../core/sdk";
import { commandHandlers, commands } from "./commands";
import { TriedSections } from "./contract";
import { settingJobs } from "./jobs";
import { newSettings } from "./new-settings";
import { routes, settingHandlers } from "./routes";
import { Trials } from "./trials";

export default definePlugin({
  name: "settings",
  version: "1.0.0",
  routes,
  commands,
  slots: { sections: TriedSections },
  setup: (ctx) => {
    const trials = new Trials({ ...ctx, sections: ctx.slots.sections });
    return {
      routes: settingHandlers({ ...ctx, trials }),
      commands: commandHandlers({ ...ctx, trials }),
      jobs: settingJobs(ctx),
      fills: [
        fill(DocumentParts, {
          schemas: [
            { name: "NewSettings", read: () => newSettings(ctx.operations.settingForms()) },
          ],
        }),
      ],
    };
  },
});
