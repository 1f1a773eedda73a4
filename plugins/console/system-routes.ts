/**
 * The HTTP face of the running server, for administrators, and of what each user did and may do.
 */
import {
  commit,
  levels,
  PageOf,
  PageQuery,
  pageWindow,
  reply,
  rfc3339,
  route,
  t,
  toPage,
  version,
  type HandlersOf,
  type JobOverview,
  type Level,
  type Operations,
} from "../../core/sdk";
import type { CheckResult } from "./contract";
import { days_max, type UsageDay } from "./usage";

const surface = "console";
const Time = t.String({ format: "date-time" });
const OrNull = <S extends ReturnType<typeof t.String> | ReturnType<typeof t.Integer>>(schema: S) =>
  t.Union([schema, t.Null()]);
const State = t.Union([
  t.Literal("ready"),
  t.Literal("running"),
  t.Literal("done"),
  t.Literal("failed"),
  t.Literal("cancelled"),
]);

const UsageRecord = t.Object({
  days: t.Array(
    t.Object({
      date: t.String(),
      requests: t.Integer({ description: "Made with API keys." }),
      answers: t.Integer(),
      uploads: t.Integer({ description: "New documents of every kind." }),
      storage_bytes: t.Integer({ description: "Held at the end of the day." }),
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
      folders: OrNull(t.Integer()),
      documents: OrNull(t.Integer()),
      chats: OrNull(t.Integer()),
      storage_bytes: OrNull(t.Integer()),
      requests_per_window: OrNull(t.Integer()),
      window_s: OrNull(t.Integer()),
    },
    { description: "Null: none." },
  ),
});
const SystemRecord = t.Object({
  version: t.String(),
  commit: OrNull(t.String()),
  uptime_s: t.Integer(),
  checks: t.Array(
    t.Object({
      name: t.String(),
      status: t.Union([t.Literal("ok"), t.Literal("warn"), t.Literal("fail")]),
      detail: t.String(),
      fix: OrNull(t.String()),
    }),
  ),
  storage: t.Object({
    database_bytes: t.Integer(),
    files_bytes: t.Integer(),
    free_bytes: t.Integer(),
  }),
  jobs: t.Object({ ready: t.Integer(), running: t.Integer(), failed: t.Integer() }),
  plugins: t.Array(
    t.Object({
      name: t.String(),
      version: OrNull(t.String()),
      built_in: t.Boolean(),
      status: t.Union([t.Literal("loaded"), t.Literal("failing"), t.Literal("left_out")]),
      reason: OrNull(t.String()),
    }),
  ),
});
const JobRecord = t.Object({
  id: t.String(),
  plugin: t.String(),
  name: t.String(),
  state: State,
  attempts: t.Integer(),
  attempts_max: t.Integer(),
  error: OrNull(t.String()),
  run_at: Time,
  created_at: Time,
  finished_at: OrNull(Time),
  subject: OrNull(t.String({ description: "The record it is about." })),
  retriable: t.Boolean({ description: "It has failed and can be run again." }),
});

const usage_example = {
  days: [{ date: "2026-11-21", requests: 120, answers: 4, uploads: 2, storage_bytes: 1_048_576 }],
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
const system_example = {
  version: "0.1.0",
  commit: "1a2b3c4d5e6f",
  uptime_s: 86_400,
  checks: [
    { name: "Disk", status: "ok", detail: "120.4 GiB are free, 60 % of the disk.", fix: null },
  ],
  storage: { database_bytes: 10_485_760, files_bytes: 104_857_600, free_bytes: 129_279_262_720 },
  jobs: { ready: 0, running: 1, failed: 0 },
  plugins: [{ name: "folders", version: "1.0.0", built_in: true, status: "loaded", reason: null }],
};
const job_example = {
  id: "job_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  plugin: "documents",
  name: "documents.index",
  state: "failed",
  attempts: 3,
  attempts_max: 3,
  error: "it took longer than 1800 s",
  run_at: "2026-11-21T09:00:00.000Z",
  created_at: "2026-11-21T08:00:00.000Z",
  finished_at: "2026-11-21T09:30:00.000Z",
  subject: "doc_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  retriable: true,
};
const one_page = {
  count: 1,
  total: 1,
  per_page: 50,
  total_pages: 1,
  next_page: null,
  previous_page: null,
};
const answer = <S extends ReturnType<typeof t.Object> | ReturnType<typeof t.Array>>(
  description: string,
  schema: S,
  example: unknown,
) => ({ 200: { description, schema, example } });

export const systemRoutes = {
  usage: route.get("/usage", {
    summary: "What one did, day by day",
    tag: "Usage",
    operation: "getUsage",
    surface,
    description: "Days are those of UTC, the oldest first, one for every day of the period.",
    query: t.Object({
      days: t.Optional(
        t.Integer({
          minimum: 1,
          maximum: days_max,
          default: 30,
          description: "How many days, today included.",
        }),
      ),
    }),
    answers: answer("Days, what is held now, and the limits in force.", UsageRecord, usage_example),
  }),
  system: route.get("/system", {
    summary: "The state of the server",
    tag: "System",
    operation: "getSystem",
    surface,
    admin: true,
    answers: answer("The state.", SystemRecord, system_example),
  }),
  jobs: route.get("/system/jobs", {
    summary: "List jobs",
    tag: "System",
    operation: "listJobs",
    surface,
    admin: true,
    description:
      "Those that wait by when they run, the others by when they began or ended, the newest first.",
    query: t.Composite([
      PageQuery,
      t.Object({
        state: t.Optional(
          t.Union(State.anyOf, {
            default: "failed",
            description: "ready, running, done, failed or cancelled.",
          }),
        ),
      }),
    ]),
    answers: answer("One page of jobs.", PageOf(JobRecord), {
      data: [job_example],
      pagination: one_page,
    }),
  }),
  retryJob: route.post("/system/jobs/:jobId/retry", {
    summary: "Run a failed job again",
    tag: "System",
    operation: "retryJob",
    surface,
    admin: true,
    answers: { 204: { description: "It will run, or what it was for is at work again." } },
    errors: { 409: "It has not failed (`not_failed`), or can't be run again (`not_retriable`)." },
  }),
  logs: route.get("/system/logs", {
    summary: "The newest lines of the log",
    tag: "System",
    operation: "listLogLines",
    surface,
    admin: true,
    description: "The newest first, as far as this run of the server remembers them.",
    query: t.Object({
      level: t.Optional(
        t.Union(
          levels.map((level) => t.Literal(level)),
          { default: "info", description: "This level and above." },
        ),
      ),
      limit: t.Optional(
        t.Integer({ minimum: 1, maximum: 1_000, default: 200, description: "How many lines." }),
      ),
    }),
    answers: answer(
      "Lines.",
      t.Object({
        data: t.Array(
          t.Object({
            at: Time,
            level: t.String(),
            message: t.String(),
            fields: t.Object({}, { additionalProperties: true }),
          }),
        ),
      }),
      {
        data: [
          {
            at: "2026-11-21T09:00:00.000Z",
            level: "info",
            message: "listening",
            fields: { url: "http://127.0.0.1:4780" },
          },
        ],
      },
    ),
  }),
  config: route.get("/system/config", {
    summary: "The settings in force",
    tag: "System",
    operation: "listSettings",
    surface,
    admin: true,
    description: "Secrets are hidden.",
    answers: answer(
      "Settings.",
      t.Array(t.Object({ name: t.String(), value: OrNull(t.String()), origin: t.String() })),
      [{ name: "server.port", value: "4780", origin: "default" }],
    ),
  }),
};

export interface Held {
  readonly bytes: number;
  readonly documents: number;
  readonly folders: number;
  readonly chats: number;
}
export interface Limits {
  readonly folders: number | null;
  readonly documents: number | null;
  readonly chats: number | null;
  readonly storage_bytes: number | null;
  readonly requests_per_window: number | null;
  readonly window_s: number | null;
}
export interface SystemRoutesParts {
  readonly operations: Operations;
  readonly usage: (owner_id: string, days: number) => Promise<UsageDay[]>;
  readonly held: (owner_id: string) => Promise<Held>;
  readonly limits: () => Promise<Limits>;
  readonly checks: () => Promise<(CheckResult & { readonly name: string })[]>;
  readonly storage: () => Promise<{
    readonly database_bytes: number;
    readonly files_bytes: number;
    readonly free_bytes: number;
  }>;
  readonly now_ms: () => number;
}

export const systemHandlers = ({
  operations,
  usage,
  held,
  limits,
  checks,
  storage,
  now_ms,
}: SystemRoutesParts): HandlersOf<typeof systemRoutes> => ({
  usage: async ({ caller, query }) => ({
    days: await usage(caller.owner_id, query.days ?? 30),
    storage: await held(caller.owner_id),
    limits: await limits(),
  }),
  system: async () => {
    const [found, sizes, jobs, plugins] = await Promise.all([
      checks(),
      storage(),
      operations.jobs.count(),
      operations.plugins(),
    ]);
    return {
      version,
      commit,
      uptime_s: Math.floor((now_ms() - operations.started_at_ms) / 1_000),
      checks: found,
      storage: sizes,
      jobs,
      plugins,
    };
  },
  jobs: async ({ query }) => {
    const { rows, total } = await operations.jobs.list(query.state ?? "failed", pageWindow(query));
    return toPage(rows.map(jobRecord), total, query);
  },
  retryJob: async ({ params }) => {
    await operations.jobs.retry(params.jobId);
    return reply(204);
  },
  logs: ({ query }) => ({
    data: operations.logs((query.level ?? "info") as Level, query.limit ?? 200),
  }),
  config: () =>
    operations.settings().map(({ setting, value, origin }) => ({
      name: setting,
      value:
        value === null || value === undefined
          ? null
          : Array.isArray(value)
            ? value.join(",")
            : String(value),
      origin,
    })),
});

const jobRecord = ({
  id,
  plugin,
  name,
  state,
  attempts,
  attempts_max,
  error,
  run_at,
  created_at,
  finished_at,
  subject,
  retriable,
}: JobOverview) => ({
  id,
  plugin,
  name,
  state,
  attempts,
  attempts_max,
  error,
  run_at: rfc3339(run_at),
  created_at: rfc3339(created_at),
  finished_at: finished_at === null ? null : rfc3339(finished_at),
  subject,
  retriable,
});
