/** The parts that keep a search backend up to date, and query it. */
import { every } from "../../../core/sdk";
import { backendFailing, backendFills } from "./backend-checks";
import { BackendFeed, type BackendFeedParts } from "./backend-feed";
import { BackendProbe } from "./backend-probe";
import { BackendSearch, type BackendSearchParts } from "./backend-search";
import { CheckBackend } from "../jobs";

export function backendOf(ctx: BackendFeedParts & Omit<BackendSearchParts, "onFailure">) {
  const feed = new BackendFeed(ctx),
    search = new BackendSearch({ ...ctx, onFailure: () => feed.lookAgain() }),
    probe = new BackendProbe({ ...ctx, feed, search }),
    parts = { ...ctx, feed, probe, search };
  return {
    feed,
    search,
    fills: backendFills(parts),
    failing: () => backendFailing(parts),
    schedules: () => (feed.is_followed ? [every("* * * * *", CheckBackend, {})] : []),
  };
}
