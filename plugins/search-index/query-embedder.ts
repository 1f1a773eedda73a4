/**
 * A question as a vector, soon or not at all: an embedder that is slow or down never keeps a search
 * waiting for long.
 */
import type { Log } from "../../core/sdk";
import type { Embedder, SearchRequest } from "./contract";
import type { VectorSetRow } from "./store";
import { embedded, packed, type QuestionVector } from "./vectors";

/** How long a search waits for its vector. */
const limit_ms_max = 3_000;
/**
 * After so many failures in a row nobody waits for a while; then one question at a time tries
 * again.
 */
const failures_max = 3,
  rest_ms = 30_000;
/** Questions of a conversation come more than once. */
const remembered_max = 100;
/** More of a question adds nothing that a vector could hold; UTF-16 units. */
const length_max = 4_000;

export interface QuestionsParts {
  readonly embedder: () => Embedder | undefined;
  /** The set that answers. */
  readonly serving: () => VectorSetRow | null;
  readonly now_ms: () => number;
  readonly log: Log;
  readonly limit_ms?: number;
}

export function createQuestions({
  embedder,
  serving,
  now_ms,
  log,
  limit_ms = limit_ms_max,
}: QuestionsParts) {
  const remembered = new Map<string, QuestionVector>();
  let failures = 0,
    rest_until = 0,
    trying = false,
    failure = "",
    asked_set = 0;

  /** Never rejects but for the caller's own signal. */
  async function vectorOf(
    { query, context }: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<QuestionVector | undefined> {
    const by = embedder(),
      set = serving();
    if (by === undefined || set === null) return undefined;
    const text = (context === undefined ? query : `${context.slice(0, length_max)}\n${query}`)
      .slice(-length_max)
      .toWellFormed();
    const key = `${set.id} ${text}`,
      known = remembered.get(key);
    if (known !== undefined) return known;
    // Another model may be there although the last one was not.
    if (asked_set !== set.id) {
      asked_set = set.id;
      failures = 0;
    }
    const resting = failures >= failures_max;
    if (resting && (now_ms() < rest_until || trying)) return undefined;
    trying = resting;
    try {
      const [vector] = await within(limit_ms, signal, (limited) =>
        embedded(
          by,
          [text],
          {
            kind: "query",
            model: set.model,
            dimensions: set.asked_dimensions || null,
            signal: limited,
          },
          set.dimensions,
        ),
      );
      failures = 0;
      if (!vector) return undefined;
      const made: QuestionVector = { set_id: set.id, data: packed([vector], set.dimensions) };
      remembered.set(key, made);
      if (remembered.size > remembered_max) remembered.delete(remembered.keys().next().value!);
      return made;
    } catch (error) {
      signal?.throwIfAborted();
      failure = error instanceof Error ? error.message : String(error);
      rest_until = now_ms() + rest_ms;
      if (++failures >= failures_max)
        log.warn("questions get no vectors for a while; they are searched by their words alone", {
          reason: failure,
          rest_ms,
        });
      else
        log.warn("a question got no vector; it is searched by its words alone", {
          reason: failure,
        });
      return undefined;
    } finally {
      if (resting) trying = false;
    }
  }

  return {
    vectorOf,
    /**
     * Why questions get no vectors at the moment, in a sentence; null when they do, or when the
     * next one tries.
     */
    failing: (): string | null =>
      failures < failures_max || now_ms() >= rest_until
        ? null
        : `Questions are searched by their words alone: ${failure}.`,
  };
}

/**
 * What `work` gives, unless the time or the signal ends it; even when it does not listen to either.
 */
async function within<R>(
  limit_ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const controller = new AbortController(),
    { promise, reject } = Promise.withResolvers<never>();
  const end = (reason: unknown) => {
    controller.abort(reason);
    reject(reason);
  };
  const timer = setTimeout(
      () => end(new Error(`the embedder gave no answer within ${limit_ms / 1_000} s`)),
      limit_ms,
    ),
    stop = () => end(signal!.reason);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await Promise.race([work(controller.signal), promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}
