/** Reads stored transcripts, whose segments are in parts: long ones are never in one piece. */
import type { Db } from "../../core/sdk";
import { putTogether, type ReadTranscript, type TranscriptHead } from "./read-transcript";
import * as store from "./store";
import type { Segment } from "./transcript";

/** A transcript whose segments are read as they are needed. */
export interface StoredTranscript extends TranscriptHead {
  readonly segments: () => AsyncGenerator<Segment[], void>;
}

/** For a client. @throws Error when they are deleted meanwhile */
export async function* sentSegments(db: Db, run_id: string): AsyncGenerator<Segment[], void> {
  yield* segmentsOf(db, run_id);
  if ((await store.findResult(db, run_id)) === undefined)
    throw new Error("the transcript was deleted while it was sent");
}

/** Part by part. */
async function* segmentsOf(db: Db, run_id: string): AsyncGenerator<Segment[], void> {
  for (let part = 0; ; part++) {
    const segments = await store.findSegments(db, run_id, part);
    if (segments === undefined) return;
    yield segments;
  }
}

/** A transcript that was saved before its run ended; undefined if it was not. */
export async function savedTranscript(db: Db, run_id: string): Promise<ReadTranscript | undefined> {
  const head = await store.findResult(db, run_id);
  return head && putTogether(head, segmentsOf(db, run_id));
}
