/**
 * Client for a Cohere- or Jina-compatible endpoint that scores the relevance of passages to a
 * query: within a time limit, or not at all.
 */
import { fieldOf } from "../../core/lib/json-values";
import { leftUntil } from "../../core/lib/timeout";
import { askEndpoint, wrongShape, type Context, type EndpointFinding } from "../../core/sdk";
import type { Reranker, RerankOptions } from "../search/contract";
import type { Endpoint } from "./settings";

const path = "/rerank";
const section = "rerank";
/** After this many consecutive failures it is paused for a while; then one search tries again. */
const failures_max = 3;
const pause_ms = 30_000;
/** Limits for the query and for each passage, in UTF-16 units: models read about 500 tokens. */
const query_length_max = 2_000;
const text_length_max = 4_000;

/** Pauses after some failures in a row, so that searches do not wait for a dead endpoint. */
export class EndpointReranker implements Reranker {
  readonly passages_max: number;
  /** Consecutive failures. */
  private failures = 0;
  private paused_until_ms = 0;
  private last: EndpointFinding | null = null;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly ctx: Pick<Context, "now_ms" | "log">,
  ) {
    this.passages_max = endpoint.passages_max;
  }

  async rerank(
    query: string,
    texts: readonly string[],
    { signal }: RerankOptions,
  ): Promise<readonly number[] | null> {
    if (this.failures >= failures_max && this.isPaused()) return null;
    // While one search tries again, no other one does.
    if (this.failures >= failures_max) this.pause();
    const reply = await askReranker(this.endpoint, query, texts, this.endpoint.timeout_ms, signal);
    signal?.throwIfAborted();
    if ("scores" in reply) {
      this.failures = 0;
      return reply.scores;
    }
    this.failures += 1;
    this.last = reply.finding;
    this.pause();
    this.ctx.log.warn("the reranker failed; passages keep their order", {
      reason: reply.finding.detail,
    });
    return null;
  }

  /**
   * Why reranking is paused, and what to do about it; null when it works, or is due for another
   * try.
   */
  failing(): string | null {
    return this.failures < failures_max || this.last === null
      ? null
      : `Passages are not reranked: ${this.last.detail} ${this.last.fix ?? ""}`.trimEnd();
  }

  private pause(): void {
    this.paused_until_ms = this.ctx.now_ms() + pause_ms;
  }
  private isPaused(): boolean {
    return leftUntil(this.paused_until_ms, this.ctx.now_ms(), pause_ms) > 0;
  }
}

/** The scores in the order of the texts, or why there are none. */
export type Reranked =
  | { readonly scores: readonly number[]; readonly took_ms: number }
  | { readonly finding: EndpointFinding };

/** The relevance of each text, 0 to 1, or what is wrong. Never throws. */
export async function askReranker(
  endpoint: Endpoint,
  query: string,
  texts: readonly string[],
  timeout_ms: number,
  signal: AbortSignal | undefined,
): Promise<Reranked> {
  const { model } = endpoint;
  const at = { ...endpoint, section };
  const body = {
    ...(model !== undefined && { model }),
    query: query.slice(-query_length_max).toWellFormed(),
    documents: texts.map((text) => text.slice(0, text_length_max).toWellFormed()),
    top_n: texts.length,
  };
  const reply = await askEndpoint(at, { path, bodies: [body], timeout_ms, signal });
  if ("finding" in reply) return reply;
  const scores = scoresOf(reply.json, texts.length);
  return scores === null
    ? {
        finding: {
          ...wrongShape(at, path),
          fix: `Correct ${section}.base_url: it must be the part of the address before ${path}.`,
        },
      }
    : { scores, took_ms: reply.took_ms };
}

/** Parses `{results: [{index, relevance_score}]}`; null for any other form. */
function scoresOf(json: unknown, count: number): number[] | null {
  const results = fieldOf(json, "results");
  if (!Array.isArray(results)) return null;
  const scores: (number | undefined)[] = Array.from({ length: count });
  for (const result of results) {
    const index = fieldOf(result, "index");
    const score = fieldOf(result, "relevance_score");
    if (typeof index !== "number" || !(index in scores) || scores[index] !== undefined) return null;
    if (typeof score !== "number" || !Number.isFinite(score)) return null;
    scores[index] = score;
  }
  const valid_scores = scores.filter((score) => score !== undefined);
  // Passages missing from the response count as least relevant.
  if (valid_scores.length === 0) return null;
  const is_share = valid_scores.every((score) => score >= 0 && score <= 1);
  const least = Math.min(...valid_scores);
  return scores.map((score = least) => (is_share ? score : 1 / (1 + Math.exp(-score))));
}
