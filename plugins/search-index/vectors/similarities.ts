/**
 * Similarities of texts to a question: with the embedder used for search, within a short time or
 * not at all.
 */
import { nextTurn } from "../../../core/lib/chunked-work";
import { messageOf } from "../../../core/lib/error-message";
import { leftUntil, TimeLimit } from "../../../core/lib/timeout";
import type { Context } from "../../../core/sdk";
import type { Embedder, EmbedOptions, Similarities, SimilarityOptions } from "../contract";
import { alignmentBetween } from "./language-alignment";
import type { QueryEmbedder } from "./query-embedder";
import type { VectorSetRow } from "../store";
import { tokenSimilarity, tokensOf, type Tokens } from "./token-similarity";
import { embedChecked, meanOf, type MeaningScale } from "./vector-math";
import { cosine } from "./vector-products";

/** After this many calls in a row without a result in time, none is made for a while. */
const failures_max = 3;
const pause_ms = 5_000;
/** The longest wait of a question for those before it. */
const turn_ms_max = 900;
/**
 * Texts in memory: the sentences of a passage are compared again and again. The vectors of the
 * tokens of one take some 15 KB.
 */
const cached_max = { with_tokens: 1_000, without: 4_000 } as const;
/** About how many tokens a text has. */
const tokens_per_letter = 0.27;
const tokens_per_ideograph = 0.65;
/** After this many texts whose tokens were compared, other requests get a turn. */
const compared_in_turn = 8;

/** What it needs besides `Context`. */
export interface TextSimilaritiesContext extends Pick<Context, "now_ms" | "log"> {
  readonly embedder: () => Embedder | undefined;
  /** The set that questions are compared with. */
  readonly servingSet: () => VectorSetRow | null;
  readonly questions: Pick<QueryEmbedder, "vectorsOf">;
}

interface EmbeddedText {
  /** Of length 1. */
  readonly vector: Float32Array;
  /** Undefined unless they are compared. */
  readonly tokens?: Tokens | undefined;
}
type Cache = Map<string, EmbeddedText>;

/** Remembers the vectors of recent texts. */
export class TextSimilarities {
  /** By set and text. */
  private readonly caches = { with_tokens: new Map() as Cache, without: new Map() as Cache };
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
    const { owner_id, signal, tokens_max = Infinity } = options;
    const reason = () => new Error("it took too long");
    const cache_name = options.by_tokens && model.has_tokens ? "with_tokens" : "without";
    const embedded = this.cached(set, texts, cache_name);
    const missing = firstTexts(new Set(texts.filter((text) => !embedded.has(text))), tokens_max);
    const endTurn = missing.length === 0 ? undefined : await this.takeTurn(signal);
    const limit = new TimeLimit(options.timeout_ms, { signal, reason });
    try {
      const request = { query: question, owner_id, folder_ids: [], limit: 1 };
      const query = await limit.race(questions.vectorsOf(request, limit.signal));
      if (query?.set_id !== set.id || query.scale === undefined) return null;
      const { scale, tokens, alignments } = query;
      const centre = cache_name === "with_tokens" ? query.centre : undefined;
      if (missing.length > 0)
        await this.embed(model, set, missing, embedded, { owner_id, centre, limit }).catch(
          (error: unknown) => {
            signal?.throwIfAborted();
            this.countFailure(error, embedded.size > 0);
          },
        );
      if (embedded.size === 0) return null;
      const of_question = centre && tokens && tokensOf(tokens, centre);
      const { question: one = null, texts: other = null } = options.languages ?? {};
      return {
        ...(await similaritiesTo(
          { scale, of_question },
          texts.map((text) => embedded.get(text)),
        )),
        alignment: alignments ? alignmentBetween(alignments, one, other) : null,
      };
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
    embedded: Cache,
    {
      owner_id,
      centre,
      limit,
    }: {
      readonly owner_id: string;
      /** Undefined: without tokens. */
      readonly centre: Float32Array | undefined;
      readonly limit: TimeLimit;
    },
  ): Promise<void> {
    const { model, asked_dimensions, dimensions } = set;
    const onVectors: NonNullable<EmbedOptions["onVectors"]> = (text, vectors, tokens) => {
      const vector = meanOf(vectors);
      if (vector?.length !== dimensions || embedded.has(text)) return;
      const embedded_text = { vector, tokens: centre && tokens && tokensOf(tokens, centre) };
      embedded.set(text, embedded_text);
      this.remember(keyOf(set, text), embedded_text);
    };
    for (let at = 0; at < texts.length; at += embedder.texts_max) {
      const batch = texts.slice(at, at + embedder.texts_max);
      const options = {
        kind: "document",
        model,
        dimensions: asked_dimensions || null,
        owner_id,
        urgent: true,
        signal: limit.signal,
        onVectors,
      } as const;
      const vectors = await limit.race(embedChecked(embedder, batch, options, dimensions));
      vectors.forEach((of_text, i) => onVectors(batch[i]!, of_text));
    }
    this.failures = 0;
  }

  private cached(
    set: VectorSetRow,
    texts: readonly string[],
    cache_name: keyof typeof cached_max,
  ): Cache {
    const embedded: Cache = new Map();
    for (const text of texts) {
      const cached_text = this.caches[cache_name].get(keyOf(set, text));
      if (cached_text !== undefined) embedded.set(text, cached_text);
    }
    return embedded;
  }

  private remember(key: string, text: EmbeddedText): void {
    addToCache(this.caches.without, key, { vector: text.vector }, cached_max.without);
    if (text.tokens) addToCache(this.caches.with_tokens, key, text, cached_max.with_tokens);
  }

  private isPaused(): boolean {
    return (
      this.failures >= failures_max &&
      leftUntil(this.paused_until_ms, this.ctx.now_ms(), pause_ms) > 0
    );
  }

  /** A call that was late, but returned some results, is only slow. */
  private countFailure(error: unknown, has_results: boolean): void {
    if (has_results) return;
    this.failures++;
    this.paused_until_ms = this.ctx.now_ms() + pause_ms;
    if (this.failures !== failures_max) return;
    this.ctx.log.warn("sentences are chosen by words only for a while", {
      reason: messageOf(error),
      pause_ms,
    });
  }
}

/** Null for a text that is undefined. With tokens, only these count. */
async function similaritiesTo(
  {
    scale: { adjusted_query, unrelated, answer_margin },
    of_question,
  }: { readonly scale: MeaningScale; readonly of_question: Tokens | undefined },
  texts: readonly (EmbeddedText | undefined)[],
): Promise<Omit<Similarities, "alignment">> {
  const are_by_tokens = of_question !== undefined;
  const of_texts: (number | null)[] = [];
  for (const [at, text] of texts.entries()) {
    if (are_by_tokens && at > 0 && at % compared_in_turn === 0) await nextTurn();
    if (text === undefined) of_texts.push(null);
    else if (of_question === undefined)
      of_texts.push((cosine(text.vector, adjusted_query) - unrelated) / answer_margin);
    else
      of_texts.push(
        text.tokens ? tokenSimilarity(of_question, text.tokens, adjusted_query.length) : null,
      );
  }
  return { of_texts, are_by_tokens };
}

/** The first ones, as long as they have about this many tokens together; at least one. */
function firstTexts(texts: ReadonlySet<string>, tokens_max: number): string[] {
  let tokens = 0;
  const first: string[] = [];
  for (const text of texts) {
    const ideographs = text.match(ideograph)?.length ?? 0;
    tokens += ideographs * tokens_per_ideograph + (text.length - ideographs) * tokens_per_letter;
    if (tokens > tokens_max && first.length > 0) break;
    first.push(text);
  }
  return first;
}
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

function addToCache(cache: Cache, key: string, text: EmbeddedText, texts_max: number): void {
  cache.set(key, text);
  if (cache.size > texts_max) cache.delete(cache.keys().next().value!);
}

const keyOf = ({ id }: VectorSetRow, text: string): string => `${id} ${text}`;
