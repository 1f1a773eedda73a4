/**
 * Embeds queries, quickly or not at all: a slow or unreachable embedder never delays a search for
 * long.
 */
import { messageOf } from "../../../core/lib/error-message";
import { leftUntil, TimeLimit } from "../../../core/lib/timeout";
import type { Context } from "../../../core/sdk";
import { scaleOf, type Calibration } from "./calibration";
import type { Calibrations } from "./calibrations";
import type { Embedder, EmbedOptions, SearchRequest } from "../contract";
import type { VectorSetRow } from "../store";
import type { LanguageAlignments } from "./language-alignment";
import { embedChecked, meanOf, type QueryVector } from "./vector-math";

/** How long a search waits for its vector. */
const timeout_ms_max = 3_000;
/** How long it waits for the calibration, once per set. */
const calibration_ms_max = 2_000;
/**
 * After this many failures in a row no query is embedded for a while; then one query at a time
 * tries again.
 */
const failures_max = 3;
const pause_ms = 30_000;
/** Vectors in memory: queries are repeated within a conversation. */
const cached_max = 100;
/** The rest of a longer query adds nothing to its vector; UTF-16 units. */
const length_max = 4_000;
/** Nor do further tokens, when they are compared. */
const tokens_max = 64;

/** What it needs besides `Context`. */
export interface QueryEmbedderContext extends Pick<Context, "now_ms" | "log"> {
  readonly embedder: () => Embedder | undefined;
  /** The set that queries are compared with. */
  readonly servingSet: () => VectorSetRow | null;
  readonly calibrations: Pick<Calibrations, "compute" | "find">;
  readonly timeout_ms?: number;
}

interface EmbeddedQuery extends QueryVector {
  /** The vectors of its tokens, one after another, if the embedder has them. */
  readonly tokens?: Float32Array | undefined;
}
/** The vectors of a query, and of the texts to compare with it. */
export interface QueryVectors extends EmbeddedQuery {
  /** What the vectors of texts have in common; undefined as long as `scale` is. */
  readonly centre?: Float32Array | undefined;
  /** How well the model relates languages; undefined as long as `scale` is. */
  readonly alignments?: LanguageAlignments | undefined;
}

/** Remembers recent queries, and pauses after failures. */
export class QueryEmbedder {
  private readonly cache = new Map<string, EmbeddedQuery>();
  /** In a row. */
  private failures = 0;
  /** How many queries got a vector. */
  private successes = 0;
  private last_failure = "";
  private paused_until_ms = 0;
  /** A query is trying whether the embedder is back. */
  private probing = false;
  /** The set to which `failures` refers. */
  private set_id = 0;

  constructor(private readonly ctx: QueryEmbedderContext) {}

  /** Undefined when there is no vector in time. @throws only the reason of `signal`. */
  async vectorOf(
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<QueryVector | undefined> {
    const vectors = await this.vectorsOf(request, signal);
    return vectors && { set_id: vectors.set_id, data: vectors.data, scale: vectors.scale };
  }

  /** The same, with the vectors of its tokens. */
  async vectorsOf(
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<QueryVectors | undefined> {
    const embedder = this.ctx.embedder();
    const set = this.ctx.servingSet();
    if (embedder === undefined || set === null) return undefined;
    const query = await this.embeddedIn(set, embedder, request, signal);
    if (query === undefined) return undefined;
    const calibration = await this.calibrationOf(set, embedder, signal);
    const scale = calibration && scaleOf(calibration, query.data);
    return {
      ...query,
      scale,
      centre: calibration?.centre,
      alignments: calibration?.alignments,
    };
  }

  private async embeddedIn(
    set: VectorSetRow,
    embedder: Embedder,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<EmbeddedQuery | undefined> {
    const text = textOf(request);
    const key = `${set.id} ${text}`;
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    // The endpoint may have another model although it lacked the last one.
    if (this.set_id !== set.id) {
      this.set_id = set.id;
      this.failures = 0;
    }
    const probe = this.failures >= failures_max;
    if (probe && (this.isPaused() || this.probing)) return undefined;
    this.probing = probe;
    const { successes } = this;
    try {
      const query = await this.embed(embedder, set, { text, owner_id: request.owner_id }, signal);
      this.failures = 0;
      this.successes++;
      if (query !== undefined) this.remember(key, query);
      return query;
    } catch (error) {
      signal?.throwIfAborted();
      // Otherwise the embedder works: the query had too many others before it.
      if (this.successes === successes) this.countFailure(error);
      return undefined;
    } finally {
      if (probe) this.probing = false;
    }
  }

  /** Undefined when the set is still being calibrated and that takes too long. */
  private async calibrationOf(
    set: VectorSetRow,
    embedder: Embedder,
    signal: AbortSignal | undefined,
  ): Promise<Calibration | undefined> {
    const { calibrations } = this.ctx;
    if (calibrations.find(set) === undefined) {
      const limit = new TimeLimit(calibration_ms_max, { signal });
      await calibrations.compute(embedder, set, limit.signal).catch(() => signal?.throwIfAborted());
      limit.clear();
    }
    return calibrations.find(set) ?? undefined;
  }

  /**
   * Why queries get no vectors at the moment, as a sentence; null when they do, or when the next
   * one tries.
   */
  failing(): string | null {
    return this.failures < failures_max || !this.isPaused()
      ? null
      : `Questions are searched by words only: ${this.last_failure}.`;
  }

  private isPaused(): boolean {
    return leftUntil(this.paused_until_ms, this.ctx.now_ms(), pause_ms) > 0;
  }

  private async embed(
    embedder: Embedder,
    { id, model, asked_dimensions, dimensions }: VectorSetRow,
    { text, owner_id }: { readonly text: string; readonly owner_id: string },
    signal: AbortSignal | undefined,
  ): Promise<EmbeddedQuery | undefined> {
    const timeout_ms = this.ctx.timeout_ms ?? timeout_ms_max;
    const reason = () => new Error(`the embedder did not respond within ${timeout_ms / 1_000} s`);
    const limit = new TimeLimit(timeout_ms, { signal, reason });
    let tokens: Float32Array | undefined;
    const options: EmbedOptions = {
      kind: "query",
      model,
      dimensions: asked_dimensions || null,
      owner_id,
      onVectors: (_text, _vectors, of_tokens) => {
        tokens = of_tokens?.slice(0, tokens_max * dimensions);
      },
      signal: limit.signal,
    };
    try {
      const [vectors] = await limit.race(embedChecked(embedder, [text], options, dimensions));
      const data = meanOf(vectors!);
      return data && { set_id: id, data, tokens };
    } finally {
      limit.clear();
    }
  }

  private remember(key: string, query: EmbeddedQuery): void {
    this.cache.set(key, query);
    if (this.cache.size > cached_max) this.cache.delete(this.cache.keys().next().value!);
  }

  private countFailure(error: unknown): void {
    const { now_ms, log } = this.ctx;
    this.last_failure = messageOf(error);
    this.paused_until_ms = now_ms() + pause_ms;
    const reason = this.last_failure;
    if (++this.failures >= failures_max)
      log.warn("questions get no vectors for a while; they are searched by words only", {
        reason,
        pause_ms,
      });
    else log.warn("a question got no vector; it is searched by words only", { reason });
  }
}

/** The query after its context, cut at the beginning. */
const textOf = ({ query, context }: SearchRequest): string =>
  (context === undefined ? query : `${context.slice(0, length_max)}\n${query}`)
    .slice(-length_max)
    .toWellFormed();
