/**
 * Asks a search backend where a search should look. Whatever keeps it from answering, the index
 * searches by itself, and a failing backend is left alone for a while.
 */
import { messageOf } from "../../../core/lib/error-message";
import { leftUntil, TimeLimit } from "../../../core/lib/timeout";
import type { Context } from "../../../core/sdk";
import { analyzer, analyzers } from "../analysis/analyzer";
import type { BackendAnswer, BackendQuery, SearchBackend, SearchRequest } from "../contract";
import { fusion_hits_max } from "../ranking/fusion";
import { parseQuery } from "../analysis/query";
import type { BackendRow } from "../store";
import type { QueryVector } from "../vectors/vector-math";

/** How long a search waits for it. */
const timeout_ms_max = 2_000;
/** After this many failures in a row it is not asked for a while. */
const failures_max = 3;
const pause_ms = 15_000;

/** Whether it has everything published for an owner, with vectors of one set and length. */
const ready_sql =
  "select contents, set_id, dimensions from index_backend where begun = 1 and filled_to is null " +
  "and not exists (select 1 from index_backend_waiting where owner_id = ?)";
interface Ready {
  readonly contents: string;
  readonly set_id: number;
  readonly dimensions: number;
}
/** A set has no length before its first vectors, and may have been sent without any. */
const holdsVectors = ({ set_id, dimensions }: Ready, vector: QueryVector): boolean =>
  Number(set_id) === vector.set_id && Number(dimensions) === vector.data.length;

/** What the search needs besides `Context`. */
export interface BackendSearchContext extends Pick<Context, "log" | "now_ms" | "reads"> {
  readonly backend: () => SearchBackend | undefined;
  /** It may have lost its content, or has vectors other than those needed. */
  readonly onFailure: () => void;
}
/** Queries the backend within a time limit. */
export class BackendSearch {
  /** In a row. */
  private failures = 0;
  private last_failure = "";
  private paused_until_ms = 0;
  private answered = 0;
  private failed = 0;
  /** The latest request. */
  private last_request: { readonly contents: string; readonly query: BackendQuery } | undefined;
  /** Contents for which it answered with less than there is. */
  private short_contents: string | undefined;

  constructor(private readonly ctx: BackendSearchContext) {}

  /**
   * `frequencies`: of the query's terms, in any spelling. Undefined when the index should search by
   * itself. @throws only the reason of `signal`.
   */
  async find(
    request: SearchRequest,
    vector: QueryVector | undefined,
    signal: AbortSignal | undefined,
  ): Promise<BackendAnswer | undefined> {
    const backend = this.ctx.backend();
    // For chosen documents the index compares everything.
    if (backend === undefined || request.document_ids !== undefined || this.isPaused())
      return undefined;
    const ready = await this.ctx.reads.get<Ready>(ready_sql, request.owner_id);
    if (ready === undefined) return undefined;
    if (vector !== undefined && !holdsVectors(ready, vector)) {
      this.ctx.onFailure();
      return undefined;
    }
    const { query, frequenciesOf } = backendQuery(request, vector);
    this.last_request = { contents: ready.contents, query };
    try {
      const answer = await this.ask(backend, ready.contents, query, signal);
      return { ...answer, frequencies: frequenciesOf(answer) };
    } catch (error) {
      signal?.throwIfAborted();
      this.countFailure(error);
      return undefined;
    }
  }

  /** Reports whether its answer was used, or `is_short`: it has less than is in scope. */
  settle(is_short: boolean): void {
    this.short_contents = is_short ? this.last_request?.contents : undefined;
    if (is_short) return this.countFailure(new Error("it holds less than is published"));
    this.failures = 0;
    this.answered++;
  }

  /** Repeats the latest request; an answer ends the failure. */
  async retry(
    backend: SearchBackend,
    { contents, dimensions }: Pick<BackendRow, "contents" | "dimensions">,
  ): Promise<void> {
    if (this.last_request === undefined || this.short_contents === contents) return;
    const { query } = this.last_request;
    const is_comparable = query.vector?.length === Number(dimensions);
    await this.ask(backend, contents, is_comparable ? query : { ...query, vector: null });
    this.failures = 0;
  }

  /** Why the index searches by itself at the moment, in words; null when the backend is used. */
  failing(): string | null {
    return this.failures === 0 ? null : this.last_failure;
  }
  /** Since the server started. */
  get counts(): { readonly answered: number; readonly failed: number } {
    return { answered: this.answered, failed: this.failed };
  }

  private isPaused(): boolean {
    return (
      this.failures >= failures_max &&
      leftUntil(this.paused_until_ms, this.ctx.now_ms(), pause_ms) > 0
    );
  }

  private async ask(
    backend: SearchBackend,
    contents: string,
    query: BackendQuery,
    signal?: AbortSignal,
  ): Promise<BackendAnswer> {
    const late = () => new Error(`it gave no answer within ${timeout_ms_max / 1_000} s`);
    const time = new TimeLimit(timeout_ms_max, { signal, reason: late });
    try {
      const answer = await time.race(backend.find(contents, query, time.signal));
      checkAnswer(answer, query.terms.length);
      return answer;
    } finally {
      time.clear();
    }
  }

  private countFailure(error: unknown): void {
    const { now_ms, log } = this.ctx;
    this.failed++;
    this.last_failure = messageOf(error);
    this.paused_until_ms = now_ms() + pause_ms;
    this.ctx.onFailure();
    const reason = this.last_failure;
    if (++this.failures <= failures_max)
      log.warn("a search backend failed; the built-in index was used", { reason });
  }
}

/** The query as numbers, with the frequency of each of its terms in any spelling. */
function backendQuery(
  { query, context, owner_id, folder_ids, limit }: SearchRequest,
  vector: QueryVector | undefined,
) {
  const parsed = parseQuery(query, context, analyzers, analyzer.version);
  const hashes = parsed.hashes.get(analyzer.version)!;
  const terms = hashes.map(({ at, hash, is_inflected }) => ({
    term: hash,
    weight: parsed.terms[at]!.weight * (is_inflected ? 0.5 : 1),
  }));
  return {
    query: {
      owner_id,
      folder_ids,
      terms,
      vector: vector === undefined ? null : (vector.scale?.adjusted_query ?? vector.data),
      limit: Math.max(limit, fusion_hits_max),
    },
    frequenciesOf: ({ frequencies }: BackendAnswer): number[] =>
      parsed.terms.map((_, term) =>
        hashes.reduce((sum, { at }, i) => sum + (at === term ? frequencies[i]! : 0), 0),
      ),
  };
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
/** @throws Error when its shape is not that of the contract. */
function checkAnswer({ segment_ids, passages, frequencies }: BackendAnswer, terms: number): void {
  const is_right =
    Array.isArray(segment_ids) &&
    segment_ids.every(isCount) &&
    isCount(passages) &&
    Array.isArray(frequencies) &&
    frequencies.length === terms &&
    frequencies.every((count) => isCount(count) && count <= passages);
  if (!is_right) throw new Error("it gave an answer of another shape");
}
