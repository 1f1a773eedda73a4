/** The route for a user's activity, usage and limits. */
import { RateLimiter, route, t, type HandlersOf, named } from "../../core/sdk";
import type { Quotas } from "../quotas/contract";
import { days_max, type UsageCounter } from "./usage";

const NullableInteger = t.Union([t.Integer(), t.Null()]);
const UsageRecord = named(
  "Usage",
  t.Object({
    days: t.Array(
      t.Object({
        date: t.String(),
        requests: t.Integer({ description: "Made with API keys, in every protocol." }),
        console_requests: t.Integer({ description: "Made by the console." }),
        answers: t.Integer(),
        uploads: t.Integer({ description: "New documents of every kind." }),
        storage_bytes: t.Integer({ description: "Stored at the end of the day." }),
      }),
    ),
    storage: t.Object({
      bytes: t.Integer(),
      documents: t.Integer(),
      folders: t.Integer(),
      chats: t.Integer(),
    }),
    limits: t.Object(
      {
        folders: NullableInteger,
        documents: NullableInteger,
        chats: NullableInteger,
        storage_bytes: NullableInteger,
        requests_per_window: NullableInteger,
        window_s: NullableInteger,
      },
      { description: "Null when there is no limit." },
    ),
  }),
);

const usage_example = {
  days: [
    {
      date: "2026-11-21",
      requests: 120,
      console_requests: 310,
      answers: 4,
      uploads: 2,
      storage_bytes: 1_048_576,
    },
  ],
  storage: { bytes: 1_048_576, documents: 12, folders: 3, chats: 2 },
  limits: {
    folders: null,
    documents: 1_000,
    chats: null,
    storage_bytes: null,
    requests_per_window: 600,
    window_s: 60,
  },
};

export const usageRoutes = {
  usage: route.get("/usage", {
    summary: "Get a user's activity by day",
    tag: "Usage",
    operation: "getUsage",
    surface: "console",
    description: "Days are those of UTC, the oldest first, one for every day of the period.",
    query: t.Object({
      days: t.Optional(
        t.Integer({
          minimum: 1,
          maximum: days_max,
          default: 30,
          description: "The number of days, including today.",
        }),
      ),
    }),
    answers: {
      200: {
        description: "The days, what is stored now, and the limits.",
        schema: UsageRecord,
        example: usage_example,
      },
    },
  }),
};

/** What the usage route reads: activity per day, quotas, and the rate limit. */
export interface UsageRoutesOptions {
  readonly usage: UsageCounter;
  readonly quotas: Quotas;
  /** The rate limiter of the API, if there is one. */
  readonly limiter: () => (typeof RateLimiter)["T"];
}

export const usageHandlers = ({
  usage,
  quotas,
  limiter,
}: UsageRoutesOptions): HandlersOf<typeof usageRoutes> => ({
  usage: async ({ caller: { owner_id }, query }) => ({
    days: await usage.read(owner_id, query.days ?? 30),
    storage: {
      bytes: await quotas.committedUsage(owner_id, "storage"),
      documents: await quotas.committedUsage(owner_id, "documents"),
      folders: await quotas.committedUsage(owner_id, "folders"),
      chats: await quotas.committedUsage(owner_id, "chats"),
    },
    limits: {
      folders: quotas.limitOf("folders"),
      documents: quotas.limitOf("documents"),
      chats: quotas.limitOf("chats"),
      storage_bytes: quotas.limitOf("storage"),
      ...(await rateLimitOf(limiter())),
    },
  }),
});

const rateLimitOf = async (limiter: ReturnType<UsageRoutesOptions["limiter"]>) => ({
  requests_per_window: (await limiter?.take("", 0))?.limit ?? null,
  window_s: limiter?.window_ms === undefined ? null : Math.ceil(limiter.window_ms / 1_000),
});
