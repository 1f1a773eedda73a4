/** The parts that keep a search backend up to date, and query it. */
import { every } from "../../../core/sdk";
import { backendFailing, backendFills } from "./backend-checks";
import { BackendFeed, type BackendFeedContext } from "./backend-feed";
import { BackendProbe } from "./backend-probe";
import { BackendSearch, type BackendSearchContext } from "./backend-search";
import { CheckBackend } from "../jobs";

/** Connects the parts with each other. */
export function backendOf(ctx: BackendFeedContext & Omit<BackendSearchContext, "onFailure">) {
  const feed = new BackendFeed(ctx);
  const search = new BackendSearch({ ...ctx, onFailure: () => feed.checkSoon() });
  const probe = new BackendProbe({ ...ctx, feed, search });
  const with_backend = { ...ctx, feed, probe, search };
  return {
    feed,
    search,
    fills: backendFills(with_backend),
    failing: () => backendFailing(with_backend),
    schedules: () => (feed.is_followed ? [every("* * * * *", CheckBackend, {})] : []),
  };
}
