/** Every job of documents: name, payload, how it is enqueued, what it runs, limits and schedule. */
import { every, handle, job, t, type Context, type JobHandler } from "../../core/sdk";
import type { DocumentContext } from "./context";
import { indexDocument } from "./indexing/indexer";
import { indexingExhausted } from "./indexing/publication";
import { reindexFailed } from "./indexing/requeue";
import { retitleDocument } from "./indexing/title-indexer";
import type { Insertion } from "./creation/new-versions";
import { purgeExpired } from "./deletion/purge";
import { countQueued } from "./deletion/purge-store";

const Version = t.Object({ document_id: t.String(), version: t.Integer() });
/** Indexes this version, and makes it the current one. */
const IndexDocument = job<typeof Version, Insertion>("documents.index", Version);
/** The same for a small text, which needs no extraction: many of them may run at once. */
const IndexText = job<typeof Version, Insertion>("documents.index_text", Version);
/** Updates the document's title in the index. */
const RetitleDocument = job("documents.retitle", t.Object({ document_id: t.String() }));
/** Deletes documents for good that were removed from their last folder too long ago. */
export const PurgeDocuments = job("documents.purge", t.Object({}));

const minute_ms = 60_000;
/**
 * Documents indexed at the same time, in total and per owner. Most wait for their turn to be
 * extracted, so that a new owner's document gets one soon, whatever those of others take.
 */
const indexing_concurrency = 24;
const indexing_concurrency_per_owner = 6;
/** The same for small texts, which need little processor time and memory each. */
const texts_concurrency = 48;
const texts_concurrency_per_owner = 40;
const small_text_bytes_max = 64 * 1024;

type VersionToQueue = Parameters<DocumentContext["enqueueIndexing"]>[1];
const isSmall = ({ size_bytes }: Pick<VersionToQueue, "size_bytes">): boolean =>
  size_bytes <= small_text_bytes_max;
/** The arguments of `enqueue` for this version. */
const indexing = (
  job_ref: typeof IndexDocument,
  { id, owner_id, version }: VersionToQueue,
  queue_concurrency: number,
) =>
  [
    job_ref,
    { document_id: id, version },
    { subject: id, owner: owner_id, queue: `${job_ref.id}:${owner_id}`, queue_concurrency },
  ] as const;
const textIndexing = (document: VersionToQueue) =>
  indexing(IndexText, document, texts_concurrency_per_owner);

/** The functions that enqueue the jobs of documents. */
export const enqueuers = ({
  begin,
  enqueue,
}: Pick<Context, "begin" | "enqueue">): Pick<
  DocumentContext,
  "beginIndexing" | "enqueueIndexing" | "enqueueRetitling"
> => ({
  beginIndexing: (text) => (isSmall(text) ? begin(...textIndexing(text)) : undefined),
  enqueueIndexing: (tx, document, is_text) =>
    enqueue(
      tx,
      ...(is_text && isSmall(document)
        ? textIndexing(document)
        : indexing(IndexDocument, document, indexing_concurrency_per_owner)),
    ),
  enqueueRetitling: (tx, { id, owner_id }) =>
    enqueue(
      tx,
      RetitleDocument,
      { document_id: id },
      { queue: `documents.retitle:${owner_id}`, owner: owner_id, priority: -1 },
    ),
});

/** The jobs with their limits. */
export const documentJobs = (ctx: DocumentContext): readonly JobHandler[] => [
  ...[[IndexDocument, indexing_concurrency] as const, [IndexText, texts_concurrency] as const].map(
    ([job_ref, concurrency]) =>
      handle(job_ref, (payload, run) => indexDocument(ctx, payload, run), {
        attempts_max: 3,
        crashes_max: 8,
        timeout_ms: 30 * minute_ms,
        concurrency,
        each_process: true,
        begins_at_once: job_ref === IndexText,
        leaves_room: job_ref === IndexDocument,
        intake: true,
        onExhausted: (tx, payload, _reason, cause) => indexingExhausted(ctx, tx, payload, cause),
        requeue: (tx, payload) => reindexFailed(ctx, tx, payload),
      }),
  ),
  handle(RetitleDocument, (payload, run) => retitleDocument(ctx, payload, run), {
    attempts_max: 5,
    timeout_ms: 5 * minute_ms,
  }),
  handle(PurgeDocuments, (_payload, { signal }) => purgeExpired(ctx, signal), {
    attempts_max: 20,
    crashes_max: Number.MAX_SAFE_INTEGER,
    timeout_ms: 360 * minute_ms,
    // It works in small parts, so it need not take a slot from jobs that somebody is waiting for.
    io_bound: true,
    uses_reserve: true,
  }),
];

/** Before the first job: continues with what an earlier run has left behind. */
export const resumePurge = async ({
  db,
  enqueue,
  reads,
}: Pick<Context, "db" | "enqueue" | "reads">): Promise<void> => {
  if ((await countQueued(reads)) > 0) await enqueue(db, PurgeDocuments, {}, { key: "resumed" });
};

/** Once an hour. */
export const documentSchedules = [every("17 * * * *", PurgeDocuments, {})];
