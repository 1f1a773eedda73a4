/**
 * Reranks the first passages of every search: a configured endpoint scores them together with the
 * query, and the best come first. Off unless an endpoint is set.
 */
import {
  definePlugin,
  Duration,
  EndpointLimits,
  fill,
  fillWith,
  hostOf,
  KeyLimits,
  Secret,
  t,
  type EndpointFinding,
} from "../../core/sdk";
import { ok, SystemChecks } from "../doctor/contract";
import { Rerankers } from "../search/contract";
import { TriedSections } from "../settings/contract";
import { askReranker, EndpointReranker } from "./reranker";
import { endpointOf, timeout_ms_max, type Endpoint, type RerankSettings } from "./settings";

/** These searches serve people who wait. */
const trial_ms_max = 20_000;
const check_ms_max = 2_500;
const query = "Where does the heron stand?";
const texts = ["Trains leave every hour.", "The heron stands in shallow water."];

export default definePlugin({
  name: "rerank",
  version: "1.0.0",
  config: t.Object({
    base_url: t.Optional(
      t.String({
        changes: "now",
        stored: EndpointLimits,
        description:
          "The address of a Cohere- or Jina-compatible endpoint without /rerank, such as " +
          "http://127.0.0.1:8080/v1. Without it, passages are not reranked. Proxies in " +
          "environment variables are ignored.",
      }),
    ),
    api_key: t.Optional(
      Secret({
        changes: "now",
        stored: KeyLimits,
        description: "The API key for the endpoint, if it requires one.",
      }),
    ),
    model: t.Optional(
      t.String({
        changes: "now",
        description: "The name of the model at the endpoint, if it requires one.",
      }),
    ),
    timeout: Duration({
      default: "2s",
      changes: "now",
      stored: { least_ms: 1, most_ms: timeout_ms_max },
      description:
        "How long a search waits for the reranker before it keeps the order of its passages.",
    }),
    passages_max: t.Integer({
      default: 20,
      minimum: 2,
      maximum: 100,
      changes: "now",
      description: "How many of the first passages of a search are sent to the reranker.",
    }),
  }),
  checkConfig: (config) => {
    endpointOf(config);
  },
  setup: (ctx) => {
    const { config } = ctx;
    const connect = (endpoint: Endpoint | null) =>
      endpoint && { endpoint, reranker: new EndpointReranker(endpoint, ctx) };
    let current = connect(endpointOf(config));
    ctx.whenSettingsChange(() => {
      current = connect(endpointOf(config));
    });
    return {
      fills: [
        fillWith(Rerankers, () => current?.reranker ?? null),
        fillWith(SystemChecks, () => {
          const endpoint = current?.endpoint;
          return endpoint
            ? { name: "Reranker", run: () => tryEndpoint(endpoint, check_ms_max) }
            : null;
        }),
        fill(TriedSections, { section: "rerank", title: "Reranker", run: tryReranker }),
      ],
      health: async () => {
        const failing = current?.reranker.failing() ?? null;
        return failing === null ? "ok" : { failing };
      },
    };
  },
});

/** @throws ConfigError when the settings are inconsistent. */
async function tryReranker(
  settings: RerankSettings,
  signal: AbortSignal,
): Promise<EndpointFinding> {
  const endpoint = endpointOf(settings);
  return endpoint === null
    ? { ...ok("No reranker is set up: passages keep the order of the search."), setting: null }
    : tryEndpoint(endpoint, trial_ms_max, signal);
}

async function tryEndpoint(
  endpoint: Endpoint,
  timeout_ms: number,
  signal?: AbortSignal,
): Promise<EndpointFinding> {
  const reply = await askReranker(endpoint, query, texts, timeout_ms, signal);
  if ("finding" in reply) return reply.finding;
  const host = hostOf(endpoint.base_url);
  const duration = `${(reply.took_ms / 1_000).toFixed(1)} s`;
  if (reply.took_ms > endpoint.timeout_ms)
    return {
      status: "warn",
      detail:
        `${host} ranked two sentences in ${duration}, which is longer than searches wait for ` +
        "it.",
      fix: "Raise rerank.timeout, or run the reranker on faster hardware.",
      setting: "rerank.timeout",
    };
  return { ...ok(`${host} ranked two sentences in ${duration}.`), setting: null };
}
