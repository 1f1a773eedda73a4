/** Tests the settings of the embedder by encoding two texts, as the index would. */
import { fieldOf } from "../../core/lib/json-values";
import { messageOf } from "../../core/lib/error-message";
import { askEndpoint, hostOf, wrongShape, type EndpointFinding } from "../../core/sdk";
import type { SystemCheck } from "../doctor/contract";
import type { Embedder } from "../search-index/contract";
import { endpointOf, type EmbeddingsSettings } from "./settings";

/** An administrator waits for it; a model that is loaded for the first time may take longer. */
const timeout_ms_max = 20_000;
/** How long a query waits for its vector. */
const question_ms_max = 3_000;
const path = "/embeddings";
const question = "Where does the heron stand?";
const passage = "The heron stands in shallow water.";

const good = (detail: string): EndpointFinding => ({
  status: "ok",
  detail,
  fix: null,
  setting: null,
});

interface TriedSettings extends EmbeddingsSettings {
  readonly provider: "openai" | "builtin" | "none";
}
/** The result for the built-in encoder with these settings. */
interface Builtin {
  readonly embedder: Embedder | null;
  readonly check: SystemCheck;
}

/** @throws ConfigError when the settings contradict each other. */
export async function tryEmbedder(
  settings: TriedSettings,
  builtin: () => Builtin,
  signal: AbortSignal,
): Promise<EndpointFinding> {
  if (settings.provider === "openai") return tryEndpoint(settings, signal);
  if (settings.provider === "none")
    return good("No embedder is set up: search matches words only.");
  const { embedder, check } = builtin();
  if (embedder === null) return { ...(await check.run()), setting: "embeddings.model" };
  const { model } = embedder;
  const began_ms = performance.now();
  try {
    const options = { kind: "query", model, dimensions: null, signal } as const;
    await embedder.embed([question], options);
    return good(
      `The built-in encoder created a vector in ${seconds(performance.now() - began_ms)}.`,
    );
  } catch (error) {
    signal.throwIfAborted();
    const reason = messageOf(error);
    return {
      status: "fail",
      detail: `The built-in encoder can't be used: ${reason}`,
      fix: "Check the log, and that the disk has enough space for the model.",
      setting: "embeddings.model",
    };
  }
}

async function tryEndpoint(
  settings: EmbeddingsSettings,
  signal: AbortSignal,
): Promise<EndpointFinding> {
  const endpoint = endpointOf(settings);
  if (endpoint === "off" || endpoint === "incomplete") {
    const missing = settings.base_url ? "embeddings.model" : "embeddings.base_url";
    return {
      status: "fail",
      detail: `${missing} is not set, so no vectors are created and search matches words only.`,
      fix: "Set embeddings.base_url and embeddings.model, or choose another provider.",
      setting: missing,
    };
  }
  const { base_url, model, query_prefix, document_prefix, dimensions } = endpoint;
  const at = { ...endpoint, section: "embeddings" };
  const plain = { model, input: [query_prefix + question, document_prefix + passage] };
  const reply = await askEndpoint(at, {
    path,
    bodies: dimensions === null ? [plain] : [{ ...plain, dimensions }, plain],
    timeout_ms: Math.min(timeout_ms_max, settings.timeout),
    signal,
  });
  if ("finding" in reply) return reply.finding;
  const lengths = lengthsOf(reply.json);
  if (lengths === null) return wrongShape(at, path);
  const [length] = lengths;
  const vectors = `vectors of ${length!.toLocaleString("en-US")} numbers`;
  if (dimensions !== null && (reply.body > 0 || length !== dimensions))
    return {
      status: "fail",
      detail:
        `${model} at ${hostOf(base_url)} creates ${vectors}, ` +
        `${reply.body > 0 ? "and refuses to create vectors of" : "not of"} ` +
        `${dimensions.toLocaleString("en-US")}.`,
      fix: "Unset embeddings.dimensions, or use a model that supports it.",
      setting: "embeddings.dimensions",
    };
  const result = `${model} at ${hostOf(base_url)} created ${vectors} in ${seconds(reply.took_ms)}.`;
  if (reply.took_ms <= question_ms_max) return good(result);
  return {
    status: "warn",
    detail: `${result} That is too slow for questions, which wait at most 3 s for their vector.`,
    fix: "Test again: the model may only just have been loaded.",
    setting: null,
  };
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** The number of dimensions; null unless the response has a valid vector for each text. */
function lengthsOf(json: unknown): number[] | null {
  const data = fieldOf(json, "data");
  if (!Array.isArray(data) || data.length !== 2) return null;
  const vectors = data.map((item) => fieldOf(item, "embedding"));
  if (!vectors.every(isVector)) return null;
  const lengths = vectors.map((vector) => vector.length);
  return new Set(lengths).size === 1 ? lengths : null;
}
const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((component) => Number.isFinite(component));
