/** Every job of documents: the function that runs it, how often it is tried, how many at once. */
import { every, handle, type JobHandler } from "../../core/sdk";
import type { DocumentContext } from "./context";
import * as indexer from "./indexer";
import { IndexDocument, RetitleDocument } from "./indexer";
import { purgeExpired, PurgeDocuments } from "./purge";

const minute_ms = 60_000;

export const documentJobs = (ctx: DocumentContext): readonly JobHandler[] => [
  handle(IndexDocument, (payload, run) => indexer.indexDocument(ctx, payload, run), {
    attempts_max: 8,
    timeout_ms: 30 * minute_ms,
    concurrency: 8,
    onExhausted: (tx, payload, _reason, cause) =>
      indexer.indexingExhausted(ctx, tx, payload, cause),
    requeue: (tx, payload) => indexer.reindexFailed(ctx, tx, payload),
  }),
  handle(RetitleDocument, (payload, run) => indexer.retitleDocument(ctx, payload, run), {
    attempts_max: 5,
    timeout_ms: 5 * minute_ms,
  }),
  handle(PurgeDocuments, (_payload, { signal }) => purgeExpired(ctx, signal), {
    attempts_max: 3,
    timeout_ms: 30 * minute_ms,
  }),
];

export const schedules = [every("17 * * * *", PurgeDocuments, {})];
