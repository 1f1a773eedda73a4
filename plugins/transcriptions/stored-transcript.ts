/** Reads stored transcripts, whose segments are in parts: long ones are never in one piece. */
import type { Db } from "../../core/sdk";
import { putTogether, type ReadTranscript, type TranscriptHead } from "./read-transcript";
import * as store from "./store";
import type { Segment } from "./transcript";

/** A transcript whose segments are read as they are needed, part by part. */
export interface StoredTranscript extends TranscriptHead {
  readonly segments: () => AsyncGenerator<Segment[], void>;
  /** The same, each part as a JSON array. */
  readonly segments_json: () => AsyncGenerator<string, void>;
}

/** For a client. Reading @throws Error when it is deleted meanwhile. */
export function sentTranscript(db: Db, run_id: string, head: TranscriptHead): StoredTranscript {
  const segments_json = () => whole(segmentsJson(db, run_id), db, run_id);
  return { ...head, segments_json, segments: () => parsed(segments_json()) };
}

async function* whole(
  parts: AsyncIterable<string>,
  db: Db,
  run_id: string,
): AsyncGenerator<string, void> {
  yield* parts;
  if ((await store.findResult(db, run_id)) === undefined)
    throw new Error("the transcript was deleted while it was sent");
}

async function* segmentsJson(db: Db, run_id: string): AsyncGenerator<string, void> {
  for (let part = 0; ; part++) {
    const json = await store.findSegments(db, run_id, part);
    if (json === undefined) return;
    yield json;
  }
}
async function* parsed(parts: AsyncIterable<string>): AsyncGenerator<Segment[], void> {
  for await (const json of parts) yield JSON.parse(json) as Segment[];
}

/** A transcript that was saved before its run ended; undefined if it was not. */
export async function savedTranscript(db: Db, run_id: string): Promise<ReadTranscript | undefined> {
  const head = await store.findResult(db, run_id);
  return head && putTogether(head, parsed(segmentsJson(db, run_id)));
}
