/**
 * Vectors from any OpenAI-compatible embeddings endpoint, when the settings name one: search then
 * finds passages that say the same in other words.
 */
import { probeEndpoint, definePlugin, Duration, fillWith, Secret, t } from "../../core/sdk";
import { SystemChecks, type SystemCheck } from "../doctor/contract";
import { EmbedderChanged, Embedders, type Embedder } from "../search-index/contract";
import { EndpointEmbedder } from "./embedder";
import { endpointOf, type EmbeddingsSettings } from "./settings";

export default definePlugin({
  name: "embeddings",
  version: "1.0.0",
  config: t.Object({
    base_url: t.Optional(
      t.String({
        changes: "now",
        description:
          "Of the OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1. A proxy of the " +
          "environment is not used.",
      }),
    ),
    api_key: t.Optional(
      Secret({
        changes: "now",
        description: "Sent to the endpoint; none for one that wants none.",
      }),
    ),
    model: t.Optional(
      t.String({
        changes: "now",
        description:
          "The model's name there. Another one than before: the old vectors answer until those " +
          "of the new one are complete.",
      }),
    ),
    dimensions: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 16_384,
        changes: "now",
        description:
          "Numbers of a vector, for models that can give fewer; else as many as the model gives.",
      }),
    ),
    batch_size: t.Integer({
      default: 32,
      minimum: 1,
      maximum: 2_048,
      changes: "now",
      description: "Passages in one request.",
    }),
    timeout: Duration({
      default: "60s",
      changes: "now",
      description: "For one request in the background.",
    }),
  }),
  checkConfig: (config) => void endpointOf(config),
  setup: (ctx) => {
    const { config, log, notifier } = ctx;
    let current = connectionBy(config);
    const warnOfHalf = (): void => {
      if (endpointOf(config) === "incomplete")
        log.warn(
          "embeddings are off: embeddings.base_url and embeddings.model " +
            "(DOSSIER_EMBEDDINGS_BASE_URL, DOSSIER_EMBEDDINGS_MODEL) are only of use together",
        );
    };
    ctx.whenSettingsChange(() => {
      current = connectionBy(config);
      notifier.publish(EmbedderChanged, "", null);
      warnOfHalf();
    });
    return {
      fills: [
        fillWith(Embedders, () => current?.embedder ?? null),
        fillWith(SystemChecks, () => current?.check ?? null),
      ],
      start: async () => warnOfHalf(),
    };
  },
});

/** The endpoint of the settings and the check of it; null when they name none. */
function connectionBy(
  config: EmbeddingsSettings & { readonly batch_size: number },
): { readonly embedder: Embedder; readonly check: SystemCheck } | null {
  const endpoint = endpointOf(config);
  if (endpoint === "off" || endpoint === "incomplete") return null;
  return {
    embedder: new EndpointEmbedder({
      ...endpoint,
      texts_max: config.batch_size,
      timeout_ms: config.timeout,
    }),
    check: {
      name: "Embeddings",
      run: () => probeEndpoint({ ...endpoint, section: "embeddings" }),
    },
  };
}
