/** The queue by job kind, for administrators: how many are queued, running and failed, and why. */
import {
  OneOf,
  Nullable,
  rfc3339OrNull,
  route,
  t,
  type Context,
  type HandlersOf,
  named,
} from "../../core/sdk";
import type { Accounts } from "../accounts/contract";
import type { Intake } from "../documents/contract";
import { pause_setting, type Embedding } from "../search-index/contract";

const surface = "console";
const KindRecord = named(
  "JobKind",
  t.Object({
    plugin: t.String(),
    name: t.String(),
    ready: t.Integer({ description: "Waiting, including those for a later time." }),
    running: t.Integer(),
    failed: t.Integer({ description: "Failed after their last attempt, until they are deleted." }),
    first_run_at: t.Union([t.String({ format: "date-time" }), t.Null()], {
      description: "When the first waiting job is, or was, due.",
    }),
    reasons: t.Array(t.Object({ error: t.String(), jobs: t.Integer() }), {
      description: "Why jobs of this kind failed, the most frequent first; five at most.",
    }),
    can_retry: t.Boolean({ description: "Those that failed can be run again." }),
    can_drop: t.Boolean({
      description: "Whether waiting jobs can be dropped; their work then counts as failed.",
    }),
  }),
);
const kind_example = {
  plugin: "documents",
  name: "documents.index",
  ready: 12,
  running: 2,
  failed: 1,
  first_run_at: "2026-11-21T09:30:00.000Z",
  reasons: [{ error: "The reader was silent for too long.", jobs: 1 }],
  can_retry: true,
  can_drop: true,
};
const selection_fields = {
  plugin: t.String({ description: "As in the list of jobs." }),
  name: t.String({ description: "As in the list of jobs." }),
  error: t.Optional(t.String({ description: "Only those that failed for this reason." })),
  after: t.Optional(
    t.String({ description: "`next` of the previous call, to continue after it." }),
  ),
};
const next_field = {
  next: Nullable(
    t.String(),
    "More are left than one call handles: repeat the call with this as `after`. Null at the end.",
  ),
};
const Retried = t.Object({
  retried: t.Integer({
    description: "The number of jobs that will run again, or whose work goes on.",
  }),
  left: t.Integer({
    description: "Jobs that can't be run again here: repeat the work that they belong to.",
  }),
  more: t.Boolean({ description: "Whether more are left than one call handles." }),
  ...next_field,
});
const Dropped = t.Object({
  dropped: t.Integer(),
  left: t.Integer({ description: "Not dropped, because they are running." }),
  ...next_field,
});
const Gate = (description: string) => named("Gate", OneOf(["open", "paused"], { description }));
const IntakeRecord = named(
  "Intake",
  t.Object({
    intake: Gate("Paused: what people bring is accepted, and waits to be read."),
  }),
);
const PauseRecord = named(
  "VectorsPause",
  t.Object({
    vectors: Gate("Paused: documents get no vectors, and words find them."),
  }),
);
const VectorsRecord = t.Object({
  state: OneOf(["none", "ready", "pending", "paused", "failing"], {
    description:
      "`none`: nothing makes vectors; `ready`: every document has them; `pending`: they are " +
      "being made; `failing`: they are not, see `failing`.",
  }),
  documents: t.Integer({ description: "Documents waiting for their vectors." }),
  passages: t.Integer({ description: "The approximate number of their passages." }),
  per_second: Nullable(t.Number(), "Passages, while it is at work; null when unknown."),
  left_s: Nullable(t.Integer(), "Seconds that are left at this speed; null when unknown."),
  failing: Nullable(t.String(), "Why it stands still."),
});
const FolderRecord = named(
  "QueueFolder",
  t.Object({
    folder_id: t.String(),
    owner: Nullable(t.String(), "The email of the user whose folder it is."),
    waiting: t.Integer({ description: "Documents whose text has not been extracted." }),
    per_minute: Nullable(t.Number(), "Documents read in a minute, of late; null when unknown."),
    left_s: Nullable(t.Integer(), "Seconds that are left at this speed; null when unknown."),
  }),
);

export const jobKindRoutes = {
  jobKinds: route.get("/system/job-kinds", {
    summary: "Count jobs by kind",
    tag: "System",
    operation: "listJobKinds",
    surface,
    admin: true,
    answers: {
      200: {
        description: "Kinds with waiting, running or failed jobs.",
        schema: t.Array(KindRecord),
        example: [kind_example],
      },
    },
  }),
  queue: route.get("/system/queue", {
    summary: "Summarize the queue",
    tag: "System",
    operation: "getQueue",
    surface,
    admin: true,
    description:
      "Jobs by kind, the folders whose documents are being read, the intake, and how the making " +
      "of vectors comes along.",
    answers: {
      200: {
        description: "The queue.",
        schema: t.Composite([
          IntakeRecord,
          t.Object({
            kinds: t.Array(KindRecord),
            folders: t.Array(FolderRecord),
            vectors: VectorsRecord,
          }),
        ]),
        example: {
          intake: "open",
          kinds: [kind_example],
          folders: [
            {
              folder_id: "fld_01KAJ2Z9Q4W7N8X5R3T6V1Y0BC",
              owner: "ada@example.com",
              waiting: 240,
              per_minute: 60,
              left_s: 240,
            },
          ],
          vectors: {
            state: "pending",
            documents: 120,
            passages: 900,
            per_second: 4.5,
            left_s: 200,
            failing: null,
          },
        },
      },
    },
  }),
  setIntake: route.put("/system/queue/intake", {
    summary: "Pause or resume intake",
    tag: "System",
    operation: "setIntake",
    surface,
    admin: true,
    description:
      "While it is paused, documents, imports and recordings are accepted and wait; what runs " +
      "already ends. It stays so over restarts.",
    body: IntakeRecord,
    example: { intake: "paused" },
    answers: {
      200: { description: "As it is now.", schema: IntakeRecord, example: { intake: "paused" } },
    },
    errors: { 409: { overruled: "Something wins over what is stored here." } },
  }),
  setVectors: route.put("/system/queue/vectors", {
    summary: "Pause or resume the creation of vectors",
    tag: "System",
    operation: "setVectors",
    surface,
    admin: true,
    description:
      "While it is paused, documents wait for their vectors, and words find them; questions go " +
      "on. It stays so over restarts.",
    body: PauseRecord,
    example: { vectors: "paused" },
    answers: {
      200: { description: "As it is now.", schema: PauseRecord, example: { vectors: "paused" } },
    },
    errors: { 409: { overruled: "Something wins over what is stored here." } },
  }),
  retryKind: route.post("/system/job-kinds/retry", {
    summary: "Run the failed jobs of a kind again",
    tag: "System",
    operation: "retryJobKind",
    surface,
    admin: true,
    body: t.Object(selection_fields),
    example: { plugin: "documents", name: "documents.index" },
    answers: {
      200: {
        description: "What happened to the jobs.",
        schema: Retried,
        example: { retried: 12, left: 0, more: false, next: null },
      },
    },
  }),
  dropKind: route.post("/system/job-kinds/drop", {
    summary: "Drop the failed or waiting jobs of a kind",
    tag: "System",
    operation: "dropJobKind",
    surface,
    admin: true,
    description:
      "Failed ones are forgotten. Those that wait end as if they had failed: a document is " +
      "`sync_failed` then, with `cancelled`.",
    body: t.Object({
      ...selection_fields,
      state: OneOf(["failed", "ready"]),
    }),
    example: { plugin: "documents", name: "documents.index", state: "failed" },
    answers: {
      200: {
        description: "What happened to the jobs.",
        schema: Dropped,
        example: { dropped: 12, left: 0, next: null },
      },
    },
    errors: { 409: { not_droppable: "Waiting jobs of this kind can't be dropped." } },
  }),
};

/** What the routes about job kinds need besides `Context`. */
export interface JobKindContext extends Pick<Context, "operations"> {
  readonly intake: Intake;
  readonly embedding: Embedding;
  readonly accounts: Pick<Accounts, "findUser">;
}

export const jobKindHandlers = (ctx: JobKindContext): HandlersOf<typeof jobKindRoutes> => {
  const { operations } = ctx;
  const intakeRecord = () => ({ intake: operations.intakePaused() ? "paused" : "open" });
  return {
    jobKinds: () => kindsOf(operations),
    queue: async () => {
      const [kinds, folders] = await Promise.all([kindsOf(operations), foldersOf(ctx)]);
      const { made: _made, per_second, ...vectors } = ctx.embedding.state();
      return {
        ...intakeRecord(),
        kinds,
        folders,
        vectors: { ...vectors, per_second: rounded(per_second) },
      };
    },
    setIntake: async ({ body, about }) => {
      about(`intake.${body.intake}`);
      await operations.pauseIntake(body.intake === "paused");
      return intakeRecord();
    },
    setVectors: async ({ body, about }) => {
      about(`vectors.${body.vectors}`);
      await operations.turn(pause_setting, body.vectors === "paused");
      return body;
    },
    retryKind: async ({ body, about }) => {
      about(body.name);
      const { done, left, next } = await operations.jobs.retryKind(body);
      return { retried: done, left, more: next !== null, next };
    },
    dropKind: async ({ body, about }) => {
      about(body.name);
      const { done, left, next } = await operations.jobs.dropKind(body);
      return { dropped: done, left, next };
    },
  };
};

async function kindsOf(operations: JobKindContext["operations"]) {
  const [counts, reasons] = await Promise.all([operations.jobs.kinds(), operations.jobs.reasons()]);
  const kinds = Map.groupBy(counts, ({ plugin, name }) => `${plugin}/${name}`);
  return [...kinds.values()].map((kind_counts) => {
    const { plugin, name } = kind_counts[0]!;
    const countIn = (state: string) => kind_counts.find((count) => count.state === state);
    return {
      plugin,
      name,
      ready: countIn("ready")?.jobs ?? 0,
      running: countIn("running")?.jobs ?? 0,
      failed: countIn("failed")?.jobs ?? 0,
      first_run_at: rfc3339OrNull(countIn("ready")?.first_run_at ?? null),
      reasons: reasons
        .filter((reason) => reason.plugin === plugin && reason.name === name)
        .slice(0, 5)
        .map(({ error, jobs }) => ({ error, jobs })),
      can_retry: operations.jobs.isRetriable({ plugin, name }),
      can_drop: operations.jobs.isDroppable({ plugin, name }),
    };
  });
}

const rounded = (speed: number | null): number | null =>
  speed === null ? null : Math.round(speed * 10) / 10;

/** Administrators may see whose folders they are, but not their names. */
async function foldersOf({ intake, accounts, operations }: JobKindContext) {
  const folders = await intake.listIndexingFolders();
  return Promise.all(
    folders.map(async ({ folder_id, owner_id, waiting, per_minute }) => ({
      folder_id,
      owner: await accounts.findUser(owner_id).then(
        ({ email }) => email,
        () => null,
      ),
      waiting,
      per_minute: rounded(per_minute),
      left_s:
        per_minute === null || operations.intakePaused()
          ? null
          : Math.ceil((waiting / per_minute) * 60),
    })),
  );
}
