/**
 * Similarities of texts to a question: with the embedder used for search, within a short time or
 * not at all.
 */
import { messageOf } from "../../../core/lib/error-message";
import { leftUntil, TimeLimit } from "../../../core/lib/timeout";
import type { Context } from "../../../core/sdk";
import type { Embedder, Similarities, SimilarityOptions } from "../contract";
import type { QueryEmbedder } from "./query-embedder";
import type { VectorSetRow } from "../store";
import { cosine, embedChecked, meanOf } from "./vector-math";

/** After this many calls in a row without a result in time, none is made for a while. */
const failures_max = 3;
const pause_ms = 5_000;
/** The longest wait of a question for those before it. */
const turn_ms_max = 900;
/** Vectors in memory: the sentences of a passage are compared again and again. */
const cached_max = 4_000;

export interface TextSimilaritiesContext extends Pick<Context, "now_ms" | "log"> {
  readonly embedder: () => Embedder | undefined;
  /** The set that questions are compared with. */
  readonly servingSet: () => VectorSetRow | null;
  readonly questions: Pick<QueryEmbedder, "vectorOf">;
}

export class TextSimilarities {
  /** By set and text, each of length 1. */
  private readonly cache = new Map<string, Float32Array>();
  /** In a row. */
  private failures = 0;
  private paused_until_ms = 0;
  /** Questions are compared one after another: the first one gets its result soonest. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly ctx: TextSimilaritiesContext) {}

  /** Null when there are none in time. @throws only the reason of the signal. */
  async of(
    question: string,
    texts: readonly string[],
    options: SimilarityOptions,
  ): Promise<Similarities | null> {
    const { embedder, servingSet, questions } = this.ctx;
    const model = embedder();
    const set = servingSet();
    if (model === undefined || set === null || texts.length === 0 || this.isPaused()) return null;
    const { owner_id, signal } = options;
    const reason = () => new Error("it took too long");
    const vectors = this.known(set, texts);
    const endTurn = texts.every((text) => vectors.has(text))
      ? undefined
      : await this.takeTurn(signal);
    const limit = new TimeLimit(options.timeout_ms, { signal, reason });
    try {
      const asked = { query: question, owner_id, folder_ids: [], limit: 1 };
      const query = await limit.race(questions.vectorOf(asked, limit.signal));
      if (query?.set_id !== set.id || query.scale === undefined) return null;
      const { own, unrelated, right } = query.scale;
      const missing = [...new Set(texts.filter((text) => !vectors.has(text)))];
      if (missing.length > 0)
        await this.embed(model, set, missing, vectors, { owner_id, limit }).catch(
          (error: unknown) => {
            signal?.throwIfAborted();
            this.countFailure(error, vectors.size > 0);
          },
        );
      return vectors.size === 0
        ? null
        : texts.map((text) => {
            const vector = vectors.get(text);
            return vector ? (cosine(vector, own) - unrelated) / right : null;
          });
    } catch (error) {
      signal?.throwIfAborted();
      this.countFailure(error, false);
      return null;
    } finally {
      limit.clear();
      endTurn?.();
    }
  }

  /**
   * A question's time starts when those before it are done. Returns a function to call at the end.
   */
  private async takeTurn(signal: AbortSignal | undefined): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.turn;
    const limit = new TimeLimit(turn_ms_max, { signal });
    this.turn = before.then(() => promise);
    try {
      await limit.race(before);
    } catch {
      if (signal?.aborted) resolve();
      signal?.throwIfAborted();
    } finally {
      limit.clear();
    }
    return resolve;
  }

  /** Fills in the vectors as they come. @throws Error when some are missing in the end. */
  private async embed(
    embedder: Embedder,
    set: VectorSetRow,
    texts: readonly string[],
    vectors: Map<string, Float32Array>,
    { owner_id, limit }: { readonly owner_id: string; readonly limit: TimeLimit },
  ): Promise<void> {
    const { model, asked_dimensions, dimensions } = set;
    const keep = (text: string, embedded: readonly Float32Array[]): void => {
      const vector = meanOf(embedded);
      if (vector?.length !== dimensions || vectors.has(text)) return;
      vectors.set(text, vector);
      this.remember(keyOf(set, text), vector);
    };
    for (let at = 0; at < texts.length; at += embedder.texts_max) {
      const some = texts.slice(at, at + embedder.texts_max);
      const options = {
        kind: "document",
        model,
        dimensions: asked_dimensions || null,
        owner_id,
        urgent: true,
        signal: limit.signal,
        onVectors: keep,
      } as const;
      const embedded = await limit.race(embedChecked(embedder, some, options, dimensions));
      embedded.forEach((of_text, i) => keep(some[i]!, of_text));
    }
    this.failures = 0;
  }

  private known(set: VectorSetRow, texts: readonly string[]): Map<string, Float32Array> {
    const known = new Map<string, Float32Array>();
    for (const text of texts) {
      const vector = this.cache.get(keyOf(set, text));
      if (vector !== undefined) known.set(text, vector);
    }
    return known;
  }

  private remember(key: string, vector: Float32Array): void {
    this.cache.set(key, vector);
    if (this.cache.size > cached_max) this.cache.delete(this.cache.keys().next().value!);
  }

  private isPaused(): boolean {
    return (
      this.failures >= failures_max &&
      leftUntil(this.paused_until_ms, this.ctx.now_ms(), pause_ms) > 0
    );
  }

  /** A call that was late, but returned some, is only slow. */
  private countFailure(error: unknown, gave_some: boolean): void {
    if (gave_some) return;
    this.failures++;
    this.paused_until_ms = this.ctx.now_ms() + pause_ms;
    if (this.failures !== failures_max) return;
    this.ctx.log.warn("sentences are chosen by words only for a while", {
      reason: messageOf(error),
      pause_ms,
    });
  }
}

const keyOf = ({ id }: VectorSetRow, text: string): string => `${id} ${text}`;
