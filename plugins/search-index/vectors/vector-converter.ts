/**
 * Converts vectors that earlier versions stored as 32-bit floats to rows of 8 bits, some in each
 * run of its job. Until then they are converted wherever they are read: nobody has to pay for them
 * again.
 */
import { firstWithin } from "../../../core/lib/batch";
import { toNumber, type Context, type JobEffect } from "../../../core/sdk";
import { enqueueConversion } from "../jobs";
import type { VectorsRow } from "../store";
import { blockOfFloats } from "./vector-block";
import * as store from "./vector-store";

/** Per run; a larger segment comes alone. */
const bytes_max = 2 * 2 ** 20;
const segments_max = 64;

/** Runs as a job until nothing is left to convert. */
export class VectorConverter {
  constructor(
    private readonly ctx: Pick<Context, "db" | "enqueue" | "afterCommit" | "truncateWal">,
  ) {}

  /** Before the first request: enqueues the job if it has work. */
  async start(): Promise<void> {
    const { db } = this.ctx;
    if ((await store.someFloatVectors(db, 1)).length > 0) await enqueueConversion(this.ctx, db);
  }

  /** One run of the job. */
  async run(): Promise<JobEffect | void> {
    const { db, afterCommit, truncateWal } = this.ctx;
    const stored = await store.someFloatVectors(db, segments_max);
    const batch = firstWithin(stored, bytes_max, ({ bytes }) => toNumber(bytes));
    const converted: VectorsRow[] = [];
    for (const { set_id, segment_id, dimensions } of batch) {
      const floats = await store.floatsOf(db, set_id, segment_id);
      if (floats)
        converted.push({ set_id, segment_id, data: blockOfFloats(floats.data, dimensions) });
    }
    if (converted.length === 0) return;
    return async (tx) => {
      for (const row of converted) await store.replaceFloatVectors(tx, row);
      if (batch.length === stored.length && stored.length < segments_max) afterCommit(truncateWal);
      else await enqueueConversion(this.ctx, tx);
    };
  }
}
