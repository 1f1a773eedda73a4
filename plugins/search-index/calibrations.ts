/** The calibration of each set of vectors: made once, with the embedder, and kept with the set. */
import { batchesOf } from "../../core/lib/batch";
import { leftUntil, TimeLimit } from "../../core/lib/timeout";
import type { Context } from "../../core/sdk";
import { calibrationOf, type Calibration } from "./calibration";
import type { Embedder } from "./contract";
import { reference_pairs, reference_version } from "./reference-pairs";
import type { VectorSetRow } from "./store";
import { findReferences, replaceReferences } from "./vector-store";
import { embedChecked, meanOf } from "./vectors";

/** For all the texts, in the background. */
const timeout_ms = 60_000;
/** It is not tried again before. */
const pause_ms = 60_000;
/** Sets whose calibration is in memory. */
const known_max = 4;

export type CalibrationsParts = Pick<Context, "db" | "inTransaction" | "now_ms" | "log">;

export class Calibrations {
  /** By set; null: the model can't tell what belongs together. */
  private readonly known = new Map<number, Calibration | null>();
  private readonly making = new Map<number, Promise<void>>();
  private paused_until_ms = 0;

  constructor(private readonly parts: CalibrationsParts) {}

  /** Undefined before it was made. */
  find(set: Pick<VectorSetRow, "id">): Calibration | null | undefined {
    return this.known.get(set.id);
  }

  /**
   * Makes that of a set whose vectors have their length. Resolves also when that failed.
   * @throws only the reason of the signal; it goes on then, since others may wait for it.
   */
  async make(embedder: Embedder, set: VectorSetRow, signal: AbortSignal): Promise<void> {
    if (this.known.has(set.id) || set.dimensions === 0 || this.isPaused()) return;
    let made = this.making.get(set.id);
    if (made === undefined) {
      made = this.readOrEmbed(embedder, set).finally(() => this.making.delete(set.id));
      this.making.set(set.id, made);
    }
    const limit = new TimeLimit(Infinity, { signal });
    try {
      await limit.race(made);
    } finally {
      limit.clear();
    }
  }

  private isPaused(): boolean {
    return leftUntil(this.paused_until_ms, this.parts.now_ms(), pause_ms) > 0;
  }

  private async readOrEmbed(embedder: Embedder, set: VectorSetRow): Promise<void> {
    const { db, inTransaction, now_ms, log } = this.parts;
    try {
      const stored = await findReferences(db, set.id, reference_version);
      let vectors = stored && floatsOf(stored);
      if (vectors?.length !== reference_pairs.length * 2 * set.dimensions) {
        vectors = await embedReferences(embedder, set);
        const data = new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength);
        await inTransaction((tx) => replaceReferences(tx, set.id, reference_version, data));
      }
      this.remember(set.id, calibrationOf(pairsOf(vectors, set.dimensions)));
    } catch (error) {
      this.paused_until_ms = now_ms() + pause_ms;
      log.warn("what the vectors mean could not be measured; every passage counts as near", {
        reason: error instanceof Error ? error.message : String(error),
        pause_ms,
      });
    }
  }

  private remember(set_id: number, calibration: Calibration | null): void {
    this.known.set(set_id, calibration);
    if (this.known.size > known_max) this.known.delete(this.known.keys().next().value!);
  }
}

/** First all questions, then all passages; zeros for a text that the model can't take. */
async function embedReferences(embedder: Embedder, set: VectorSetRow): Promise<Float32Array> {
  const { model, asked_dimensions, dimensions } = set,
    signal = AbortSignal.timeout(timeout_ms),
    all = new Float32Array(reference_pairs.length * 2 * dimensions);
  let at = 0;
  for (const [kind, texts] of [
    ["query", reference_pairs.map(({ question }) => question)],
    ["document", reference_pairs.map(({ passage }) => passage)],
  ] as const)
    for (const some of batchesOf(texts, embedder.texts_max)) {
      const options = { kind, model, dimensions: asked_dimensions || null, signal };
      for (const vectors of await embedChecked(embedder, some, options, dimensions)) {
        all.set(meanOf(vectors) ?? [], at);
        at += dimensions;
      }
    }
  return all;
}

/** Null where a vector is nothing but zeros: the model could not take the text. */
function pairsOf(
  vectors: Float32Array,
  dimensions: number,
): ({ question: Float32Array; passage: Float32Array } | null)[] {
  const at = (i: number): Float32Array => vectors.subarray(i * dimensions, (i + 1) * dimensions),
    is_there = (vector: Float32Array): boolean => vector.some((number) => number !== 0);
  return reference_pairs.map((_, i) => {
    const question = at(i),
      passage = at(reference_pairs.length + i);
    return is_there(question) && is_there(passage) ? { question, passage } : null;
  });
}

const floatsOf = (data: Uint8Array): Float32Array =>
  new Float32Array(data.slice().buffer, 0, data.byteLength >>> 2);
