/**
 * The calibration of each set of vectors: computed once, with the embedder, and stored with the
 * set.
 */
import { messageOf } from "../../../core/lib/error-message";
import { batchesOf } from "../../../core/lib/batch";
import { leftUntil, TimeLimit } from "../../../core/lib/timeout";
import type { Context } from "../../../core/sdk";
import { calibrationOf, type Calibration, type ReferenceVectors } from "./calibration";
import type { Embedder } from "../contract";
import { reference_pairs, reference_version } from "./reference-pairs";
import { reference_questions } from "./reference-questions";
import type { VectorSetRow } from "../store";
import { findReferences, replaceReferences } from "./vector-store";
import { embedChecked, meanOf } from "./vector-math";

/** For all texts, in the background. */
const timeout_ms = 60_000;
/** The pause before a retry. */
const pause_ms = 60_000;
/** Calibrations kept in memory. */
const cached_max = 4;

/** In the order in which their vectors are stored. */
const reference_texts = [
  ["query", [...reference_pairs.map(({ question }) => question), ...reference_questions.flat()]],
  ["document", reference_pairs.map(({ passage }) => passage)],
] as const;
const texts_count = reference_texts.reduce((count, [, texts]) => count + texts.length, 0);

/** Computes a calibration when it is first needed. */
export class Calibrations {
  /** By set; null: the model can't tell which texts belong together. */
  private readonly cache = new Map<number, Calibration | null>();
  private readonly computing = new Map<number, Promise<void>>();
  private paused_until_ms = 0;

  constructor(private readonly ctx: Pick<Context, "db" | "inTransaction" | "now_ms" | "log">) {}

  /** Undefined before it was computed. */
  find(set: Pick<VectorSetRow, "id">): Calibration | null | undefined {
    return this.cache.get(set.id);
  }

  /**
   * Computes that of a set whose vector length is known. Resolves even if it fails. @throws only
   * the reason of the signal; the computation continues then, since others may wait for it.
   */
  async compute(embedder: Embedder, set: VectorSetRow, signal: AbortSignal): Promise<void> {
    if (this.cache.has(set.id) || set.dimensions === 0 || this.isPaused()) return;
    let pending = this.computing.get(set.id);
    if (pending === undefined) {
      pending = this.readOrEmbed(embedder, set).finally(() => this.computing.delete(set.id));
      this.computing.set(set.id, pending);
    }
    const limit = new TimeLimit(Infinity, { signal });
    try {
      await limit.race(pending);
    } finally {
      limit.clear();
    }
  }

  private isPaused(): boolean {
    return leftUntil(this.paused_until_ms, this.ctx.now_ms(), pause_ms) > 0;
  }

  private async readOrEmbed(embedder: Embedder, set: VectorSetRow): Promise<void> {
    const { db, inTransaction, now_ms, log } = this.ctx;
    try {
      const stored = await findReferences(db, set.id, reference_version);
      let vectors = stored && floatsOf(stored);
      if (vectors?.length !== texts_count * set.dimensions) {
        vectors = await embedReferences(embedder, set);
        const data = new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength);
        await inTransaction((tx) => replaceReferences(tx, set.id, reference_version, data));
      }
      this.remember(set.id, calibrationOf(referencesOf(vectors, set.dimensions)));
    } catch (error) {
      this.paused_until_ms = now_ms() + pause_ms;
      log.warn("the vectors could not be calibrated; every passage counts as similar", {
        reason: messageOf(error),
        pause_ms,
      });
    }
  }

  private remember(set_id: number, calibration: Calibration | null): void {
    this.cache.set(set_id, calibration);
    if (this.cache.size > cached_max) this.cache.delete(this.cache.keys().next().value!);
  }
}

/** The vectors of `reference_texts`, concatenated; zeros for a text that the model can't take. */
async function embedReferences(embedder: Embedder, set: VectorSetRow): Promise<Float32Array> {
  const { model, asked_dimensions, dimensions } = set;
  const signal = AbortSignal.timeout(timeout_ms);
  const references = new Float32Array(texts_count * dimensions);
  let at = 0;
  for (const [kind, texts] of reference_texts)
    for (const batch of batchesOf(texts, embedder.texts_max)) {
      const options = { kind, model, dimensions: asked_dimensions || null, signal };
      for (const vectors of await embedChecked(embedder, batch, options, dimensions)) {
        references.set(meanOf(vectors) ?? [], at);
        at += dimensions;
      }
    }
  return references;
}

function referencesOf(vectors: Float32Array, dimensions: number): ReferenceVectors {
  let at = 0;
  const next = (): Float32Array | null => {
    const vector = vectors.subarray(at, at + dimensions);
    at += dimensions;
    return vector.some((number) => number !== 0) ? vector : null;
  };
  const pair_questions = reference_pairs.map(next);
  const questions = reference_questions.map((of_language) => of_language.map(next));
  const passages = reference_pairs.map(next);
  return {
    pairs: pair_questions.map((question, i) => ({ question, passage: passages[i]! })),
    questions,
  };
}

const floatsOf = (data: Uint8Array): Float32Array =>
  new Float32Array(data.slice().buffer, 0, data.byteLength >>> 2);
