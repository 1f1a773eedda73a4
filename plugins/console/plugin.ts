/** The console: a web page over the same API, behind a session instead of a key. */
import { ChangeObserver, definePlugin, fill, newUuid, Surface } from "../../core/sdk";
import { Sessions } from "../accounts/contract";
import { assets, index_html } from "./assets.gen";
import { ConsolePages } from "./contract";
import { createFeed } from "./feed";
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
    const site = createSite({ assets, index_html, pages: slots.pages });
    const feed = createFeed({ isLive: services.sessions.isLive, newUuid });
    return {
      fills: [fill(Surface, createSurface({ sessions: services.sessions, public_url })), fill(ChangeObserver, feed.observe)],
      routes: handlers({ site, pages: slots.pages, feed }),
    };
  },
});
