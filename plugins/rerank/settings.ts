/** The settings of the reranker, validated before the first request. */
import { ConfigError } from "../../core/sdk";

export interface RerankSettings {
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  readonly model?: string | undefined;
  readonly timeout: number;
  readonly passages_max: number;
}
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
    problemOfUrl(base_url),
    api_key === undefined || /^[\x21-\x7e]*$/.test(api_key)
      ? null
      : "rerank.api_key contains characters that are not allowed in a key.",
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

function problemOfUrl(base_url: string): string | null {
  const url = URL.canParse(base_url) ? new URL(base_url) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    return "rerank.base_url must start with http:// or https://.";
  return url.username || url.password || url.search || url.hash
    ? "rerank.base_url must not contain a user name, password, query or fragment. Set the " +
        "key in rerank.api_key."
    : null;
}
