/** The settings of the endpoint, validated before the first request to it. */
import { problemOfKey, problemOfUrl } from "../../core/lib/endpoint-settings";
import { ConfigError } from "../../core/sdk";
import type { PrefixedModel } from "./prefixes";

/** The endpoint and its model. `dimensions` is null if the model decides. */
export interface Endpoint extends PrefixedModel {
  readonly base_url: string;
  readonly api_key: string | undefined;
  readonly dimensions: number | null;
}
/** The settings as they are stored. `timeout` is in ms. */
export interface EmbeddingsSettings {
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  readonly model?: string | undefined;
  readonly query_prefix?: string | undefined;
  readonly document_prefix?: string | undefined;
  readonly dimensions?: number | undefined;
  readonly timeout: number;
}

/**
 * The configured endpoint; `incomplete` when only some of its settings are set. @throws ConfigError
 */
export function endpointOf({
  base_url,
  api_key,
  model,
  query_prefix = "",
  document_prefix = "",
  dimensions,
  timeout,
}: EmbeddingsSettings): Endpoint | "off" | "incomplete" {
  const model_name = model?.trim();
  if (!base_url || !model_name) return base_url || model_name ? "incomplete" : "off";
  const problems = [
    problemOfUrl("embeddings", base_url),
    problemOfKey("embeddings", api_key || undefined),
    timeout > 0 ? null : "embeddings.timeout must be more than 0s.",
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    base_url: base_url.replace(/\/+$/, ""),
    model: model_name,
    query_prefix,
    document_prefix,
    api_key: api_key || undefined,
    dimensions: dimensions ?? null,
  };
}
