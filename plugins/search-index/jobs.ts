/** The jobs of the index: their refs, how they are enqueued, and their limits. */
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

/** Documents of an earlier analyzer or chunker are indexed anew, some in each step. */
export const Reindex = job("index.reencode", t.Object({ step: t.Integer() }));
/** Documents get their vectors, some in each run. */
export const EmbedDocuments = job("index.embed", t.Object({}));
/** Vectors of earlier versions take their new form, some in each run. */
export const ConvertVectors = job("index.convert_vectors", t.Object({}));

/** What pgvector searches is brought up to the vectors that there are. */
export const CopyVectors = job("index.copy_vectors", t.Object({}));

/** Key and subject of `EmbedDocuments`: at most one waits, and it can be cancelled. */
const embed_key = "index.embed";

export const enqueueReindex = (
  { enqueue }: Pick<Context, "enqueue">,
  db: Db,
  step: number,
): Promise<void> => enqueue(db, Reindex, { step }, { key: `index.reencode:${step}` });

export const enqueueEmbedding = ({ enqueue }: Pick<Context, "enqueue">, tx: Db): Promise<void> =>
  enqueue(tx, EmbedDocuments, {}, { key: embed_key, subject: embed_key, priority: -1 });

export const cancelEmbedding = (
  { cancelJobs }: Pick<Context, "cancelJobs">,
  tx: Db,
): Promise<void> => cancelJobs(tx, [embed_key]);

export const enqueueConversion = ({ enqueue }: Pick<Context, "enqueue">, db: Db): Promise<void> =>
  enqueue(db, ConvertVectors, {}, { key: "index.convert_vectors", priority: -1 });

export const enqueueCopying = ({ enqueue }: Pick<Context, "enqueue">, db: Db): Promise<void> =>
  enqueue(db, CopyVectors, {}, { key: "index.copy_vectors", priority: -1 });

export interface JobFunctions {
  readonly reindex: (step: number, run: JobRun) => Promise<JobEffect | void>;
  readonly embedDocuments: (run: JobRun) => Promise<JobEffect | void>;
  readonly convertVectors: () => Promise<JobEffect | void>;
  readonly copyVectors: (run: JobRun) => Promise<void>;
}
export const jobHandlers = ({
  reindex,
  embedDocuments,
  convertVectors,
  copyVectors,
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
  // The next search asks for it again.
  handle(CopyVectors, (_payload, run) => copyVectors(run), {
    attempts_max: 2,
    concurrency: 1,
    timeout_ms: 6 * 60 * 60_000,
  }),
];
