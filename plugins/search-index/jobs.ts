/** The jobs of the index: refs, how they are enqueued, and limits. */
import {
  handle,
  job,
  t,
  type Context,
  type Db,
  type JobEffect,
  type JobHandler,
  type JobRun,
} from "../../core/sdk";

/** Indexes documents of an earlier analyzer or chunker again, some in each step. */
const Reindex = job("index.reencode", t.Object({ step: t.Integer() }));
/** Gives documents their vectors, some in each run. */
const EmbedDocuments = job("index.embed", t.Object({}));
/** Converts vectors of earlier versions, some in each run. */
const ConvertVectors = job("index.convert_vectors", t.Object({}));

/** Brings the vectors searched by pgvector up to date. */
const CopyVectors = job("index.copy_vectors", t.Object({}));

/** Sends changes to a search backend; scheduled as well, because more may have to be sent. */
const UpdateBackend = job("index.tell_backend", t.Object({}));
/** The job that checks whether a failed backend is back. */
export const CheckBackend = job("index.check_backend", t.Object({}));

/** Key and subject of `EmbedDocuments`: at most one waits, and it can be cancelled. */
const embed_key = "index.embed";

/** Enqueues the next step of reindexing; one at a time. */
export const enqueueReindex = (
  { enqueue }: Pick<Context, "enqueue">,
  db: Db,
  step: number,
): Promise<void> => enqueue(db, Reindex, { step }, { key: `index.reencode:${step}` });

/** Enqueues the embedding; one at a time. */
export const enqueueEmbedding = ({ enqueue }: Pick<Context, "enqueue">, tx: Db): Promise<void> =>
  enqueue(tx, EmbedDocuments, {}, { key: embed_key, subject: embed_key, priority: -1 });

/** Cancels the embedding that waits. */
export const cancelEmbedding = (
  { cancelJobs }: Pick<Context, "cancelJobs">,
  tx: Db,
): Promise<void> => cancelJobs(tx, [embed_key]);

/** Enqueues the conversion of old vectors. */
export const enqueueConversion = ({ enqueue }: Pick<Context, "enqueue">, db: Db): Promise<void> =>
  enqueue(db, ConvertVectors, {}, { key: "index.convert_vectors", priority: -1 });

/** Enqueues the copying of vectors for pgvector. */
export const enqueueCopying = ({ enqueue }: Pick<Context, "enqueue">, db: Db): Promise<void> =>
  enqueue(db, CopyVectors, {}, { key: "index.copy_vectors", priority: -1 });

/** Enqueues the update of the backend. */
export const enqueueUpdate = ({ enqueue }: Pick<Context, "enqueue">, db: Db): Promise<void> =>
  enqueue(db, UpdateBackend, {}, { key: "index.tell_backend" });

/** The longest pause before a backend that was away is tried again. */
const update_pause_ms_max = 30_000;

/** The function of each job. */
export interface JobFunctions {
  readonly reindex: (step: number, run: JobRun) => Promise<JobEffect | void>;
  readonly embedDocuments: (run: JobRun) => Promise<JobEffect | void>;
  readonly convertVectors: () => Promise<JobEffect | void>;
  readonly copyVectors: (run: JobRun) => Promise<void>;
  readonly updateBackend: (run: JobRun) => Promise<JobEffect | void>;
  readonly checkBackend: () => JobEffect;
}
export const jobHandlers = ({
  reindex,
  embedDocuments,
  convertVectors,
  copyVectors,
  updateBackend,
  checkBackend,
}: JobFunctions): JobHandler[] => [
  handle(Reindex, ({ step }, run) => reindex(step, run), {
    attempts_max: 5,
    timeout_ms: 10 * 60_000,
  }),
  handle(EmbedDocuments, (_payload, run) => embedDocuments(run), {
    // The embedder may be away for long: it never gives up; the pauses grow to five minutes.
    attempts_max: 1_000_000_000,
    timeout_ms: 60 * 60_000,
  }),
  handle(ConvertVectors, () => convertVectors(), { attempts_max: 5, timeout_ms: 10 * 60_000 }),
  // The next search requests it again.
  handle(CopyVectors, (_payload, run) => copyVectors(run), {
    attempts_max: 2,
    concurrency: 1,
    timeout_ms: 6 * 60 * 60_000,
  }),
  handle(UpdateBackend, (_payload, run) => updateBackend(run), {
    // The backend may be away for long: it never gives up.
    attempts_max: 1_000_000_000,
    backoff_ms: (attempt) => Math.min(update_pause_ms_max, 1_000 * 2 ** Math.min(attempt - 1, 10)),
    timeout_ms: 10 * 60_000,
    io_bound: true,
    uses_reserve: true,
  }),
  handle(CheckBackend, async () => checkBackend(), { attempts_max: 1, timeout_ms: 60_000 }),
];
