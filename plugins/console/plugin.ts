/** The console: a web page over the same API, behind a session instead of a key. */
import { definePlugin, fill, Surface } from "../../core/sdk";
import { Sessions } from "../accounts/contract";
import { ConsolePages } from "./contract";
import { handlers, routes } from "./routes";
import { createSite } from "./site";
import { createSurface } from "./surface";

export default definePlugin({
  name: "console",
  version: "1.0.0",
  needs: { sessions: Sessions },
  slots: { pages: ConsolePages },
  routes,
  setup: ({ public_url, services, slots }) => {
    const site = createSite({ assets: {}, index_html: "<!doctype html><title>Dossier</title>", pages: slots.pages });
    return {
      fills: [fill(Surface, createSurface({ sessions: services.sessions, public_url }))],
      routes: handlers(site, slots.pages),
    };
  },
});
