/** The settings of the reranker, validated before the first request. */
import { problemOfKey, problemOfUrl } from "../../core/lib/endpoint-settings";
import { ConfigError } from "../../core/sdk";

/** The settings as they are stored. `timeout` is in ms. */
export interface RerankSettings {
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  readonly model?: string | undefined;
  readonly timeout: number;
  readonly passages_max: number;
}
/** The endpoint and its model. */
export interface Endpoint {
  readonly base_url: string;
  readonly api_key: string | undefined;
  /** Servers with a single model need no name. */
  readonly model: string | undefined;
  readonly timeout_ms: number;
  readonly passages_max: number;
}

/** Searches wait for it. */
export const timeout_ms_max = 30_000;

/** Null when no reranker is set. @throws ConfigError */
export function endpointOf({
  base_url,
  api_key,
  model,
  timeout,
  passages_max,
}: RerankSettings): Endpoint | null {
  if (!base_url) return null;
  const problems = [
    problemOfUrl("rerank", base_url),
    problemOfKey("rerank", api_key || undefined),
    timeout > 0 && timeout <= timeout_ms_max
      ? null
      : "rerank.timeout must be more than 0s and at most 30s.",
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    base_url: base_url.replace(/\/+$/, "").replace(/\/rerank$/, ""),
    api_key: api_key || undefined,
    model: model?.trim() || undefined,
    timeout_ms: timeout,
    passages_max,
  };
}
