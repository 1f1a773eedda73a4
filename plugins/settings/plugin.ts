/**
 * Settings that change while the server runs: in the console, over the API and on the command line.
 * What wins over what, and what is stored: core/plugin/live-settings.ts.
 */
import { definePlugin } from "../../core/sdk";
import { commandHandlers, commands } from "./commands";
import { settingJobs } from "./jobs";
import { routes, settingHandlers } from "./routes";

export default definePlugin({
  name: "settings",
  version: "1.0.0",
  routes,
  commands,
  setup: (ctx) => ({
    routes: settingHandlers(ctx),
    commands: commandHandlers(ctx),
    jobs: settingJobs(ctx),
  }),
});
