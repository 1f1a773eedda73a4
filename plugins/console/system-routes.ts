/** Routes about the running server, for administrators. */
import {
  OneOf,
  commit,
  levels,
  Nullable,
  PageOf,
  PageQuery,
  pageWindow,
  reply,
  rfc3339,
  route,
  t,
  Timestamp,
  toPage,
  version,
  type Context,
  type HandlersOf,
  type JobOverview,
  type Level,
  type Static,
  named,
} from "../../core/sdk";
import type { Doctor } from "../doctor/contract";
import { node_example, nodeRecord, NodeRecord } from "./node-record";

const surface = "console";
const State = named("JobState", OneOf(["ready", "running", "done", "failed", "cancelled"]));

const StorageRecord = t.Object({
  database_bytes: t.Integer({
    description: "The size of the database, including its write-ahead log.",
  }),
  database_free_bytes: t.Integer({
    description: "How much of it deleted records have left; new records use it first.",
  }),
  database_shrinks: t.Boolean({
    description: "Whether the file shrinks by itself; otherwise run `dossier compact`.",
  }),
  files_bytes: Nullable(t.Integer(), "Of the originals; null while they are measured."),
  free_bytes: t.Integer(),
});
const SystemRecord = named(
  "System",
  t.Object({
    version: t.String(),
    commit: Nullable(t.String()),
    uptime_s: t.Integer(),
    checks: t.Array(
      t.Object({
        id: t.String(),
        name: t.String(),
        status: named("CheckStatus", OneOf(["ok", "warn", "fail"])),
        detail: t.String(),
        fix: Nullable(t.String()),
        mendable: t.Boolean({
          description: "Whether the server can repair what is wrong.",
        }),
      }),
    ),
    storage: StorageRecord,
    jobs: t.Object({ ready: t.Integer(), running: t.Integer(), failed: t.Integer() }),
    nodes: t.Array(NodeRecord, {
      description:
        "Processes that use this database, and those that disappeared in the last 10 minutes.",
    }),
    plugins: t.Array(
      t.Object({
        name: t.String(),
        version: Nullable(t.String()),
        built_in: t.Boolean(),
        file: Nullable(t.String(), "Where it was loaded from; null when it is built in."),
        status: OneOf(["loaded", "failing", "left_out", "disabled"]),
        reason: Nullable(t.String()),
      }),
    ),
  }),
);
const JobRecord = named(
  "Job",
  t.Object({
    id: t.String(),
    plugin: t.String(),
    name: t.String(),
    state: State,
    attempts: t.Integer(),
    attempts_max: t.Integer(),
    error: Nullable(t.String()),
    run_at: Timestamp(),
    created_at: Timestamp(),
    finished_at: Nullable(Timestamp()),
    subject: Nullable(t.String({ description: "The record that it concerns." })),
    request_id: Nullable(t.String(), "The request that it goes back to, as the log names it."),
    retriable: t.Boolean({ description: "The job has failed and can be run again." }),
  }),
);

const system_example = {
  version: "0.1.0",
  commit: "1a2b3c4d5e6f",
  uptime_s: 86_400,
  checks: [
    {
      id: "disk",
      name: "Disk",
      status: "ok",
      detail: "120.4 GiB are free, 60 % of the disk.",
      fix: null,
      mendable: false,
    },
  ],
  storage: {
    database_bytes: 10_485_760,
    database_free_bytes: 409_600,
    database_shrinks: true,
    files_bytes: 104_857_600,
    free_bytes: 129_279_262_720,
  },
  jobs: { ready: 0, running: 1, failed: 0 },
  nodes: [node_example],
  plugins: [
    {
      name: "folders",
      version: "1.0.0",
      built_in: true,
      file: null,
      status: "loaded",
      reason: null,
    },
  ],
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
  request_id: "req_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
  retriable: true,
};
const answer = <S extends ReturnType<typeof t.Object> | ReturnType<typeof t.Array>>(
  description: string,
  schema: S,
  example: unknown,
) => ({ 200: { description, schema, example } });

export const systemRoutes = {
  system: route.get("/system", {
    summary: "The state of the server",
    tag: "System",
    operation: "getSystem",
    surface,
    admin: true,
    answers: answer("The state.", SystemRecord, system_example),
  }),
  mend: route.post("/system/checks/:checkId/mend", {
    params: { checkId: "documents" },
    summary: "Repair what a check has found",
    tag: "System",
    operation: "mendCheck",
    surface,
    admin: true,
    description: "Only repairs that lose nothing.",
    answers: answer("What was done.", t.Object({ done: t.String() }), {
      done: "3 documents are indexed again.",
    }),
  }),
  jobs: route.get("/system/jobs", {
    summary: "List jobs",
    tag: "System",
    operation: "listJobs",
    surface,
    admin: true,
    description:
      "Those that wait by when they run, the others by when they began or ended, the newest " +
      "first: ten thousand of them, as `total` counts.",
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
    answers: answer("One page of jobs.", PageOf(JobRecord), toPage([job_example], 1, {})),
  }),
  retryJob: route.post("/system/jobs/:jobId/retry", {
    params: { jobId: "job_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC" },
    summary: "Run a failed job again",
    tag: "System",
    operation: "retryJob",
    surface,
    admin: true,
    answers: { 204: { description: "The job will run, or the work that it belongs to goes on." } },
    errors: {
      409: {
        not_failed: "It has not failed.",
        not_retriable: "It can't be run again.",
        already_waiting: "Another such job is waiting already.",
      },
    },
  }),
  logs: route.get("/system/logs", {
    summary: "The newest lines of the log",
    tag: "System",
    operation: "listLogLines",
    surface,
    admin: true,
    description: "The newest first, since the server started.",
    query: t.Object({
      level: t.Optional(OneOf(levels, { default: "info", description: "This level and above." })),
      limit: t.Optional(
        t.Integer({
          minimum: 1,
          maximum: 1_000,
          default: 200,
          description: "The number of lines.",
        }),
      ),
    }),
    answers: answer(
      "Lines.",
      t.Object({
        data: t.Array(
          t.Object({
            at: Timestamp(),
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
      t.Array(t.Object({ name: t.String(), value: Nullable(t.String()), origin: t.String() })),
      [{ name: "server.port", value: "4780", origin: "default" }],
    ),
  }),
};

/** What the system routes need besides `Context`: the checks, and the sizes on disk. */
export interface SystemRoutesContext extends Pick<Context, "operations" | "now_ms"> {
  readonly doctor: Doctor;
  readonly storage: () => Promise<Static<typeof StorageRecord>>;
}

export const systemHandlers = ({
  operations,
  doctor,
  storage,
  now_ms,
}: SystemRoutesContext): HandlersOf<typeof systemRoutes> => ({
  system: async () => {
    const [check_results, sizes, jobs, nodes, plugins] = await Promise.all([
      doctor.overview(),
      storage(),
      operations.jobs.count(),
      operations.nodes(),
      operations.plugins(),
    ]);
    return {
      version,
      commit,
      uptime_s: Math.floor((now_ms() - operations.started_at_ms) / 1_000),
      checks: check_results,
      storage: sizes,
      jobs,
      nodes: nodes.map(nodeRecord),
      plugins,
    };
  },
  mend: async ({ params }) => ({ done: await doctor.mend(params.checkId) }),
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
      value: displayValue(value),
      origin,
    })),
});

function displayValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? value.join(",") : String(value);
}

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
  request_id,
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
  request_id,
  retriable,
});
