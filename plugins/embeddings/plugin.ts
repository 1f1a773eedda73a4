/**
 * Vectors from any OpenAI-compatible embeddings endpoint, when the settings name one: search then
 * finds passages that say the same in other words.
 */
import { probeEndpoint, definePlugin, Duration, fill, Secret, t } from "../../core/sdk";
import { SystemChecks } from "../doctor/contract";
import { Embedders } from "../search-index/contract";
import { EndpointEmbedder } from "./embedder";
import { endpointOf } from "./settings";

export default definePlugin({
  name: "embeddings",
  version: "1.0.0",
  config: t.Object({
    base_url: t.Optional(
      t.String({
        description:
          "Of the OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1. A proxy of the " +
          "environment is not used.",
      }),
    ),
    api_key: t.Optional(
      Secret({ description: "Sent to the endpoint; none for one that wants none." }),
    ),
    model: t.Optional(
      t.String({
        description:
          "The model's name there. Another one than before: the old vectors answer until those " +
          "of the new one are complete.",
      }),
    ),
    dimensions: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 16_384,
        description:
          "Numbers of a vector, for models that can give fewer; else as many as the model gives.",
      }),
    ),
    batch_size: t.Integer({
      default: 32,
      minimum: 1,
      maximum: 2_048,
      description: "Passages in one request.",
    }),
    timeout: Duration({ default: "60s", description: "For one request in the background." }),
  }),
  setup: ({ config, log }) => {
    const endpoint = endpointOf(config);
    if (endpoint === "off") return {};
    if (endpoint === "incomplete")
      return {
        start: async () =>
          log.warn(
            "embeddings are off: embeddings.base_url and embeddings.model " +
              "(DOSSIER_EMBEDDINGS_BASE_URL, DOSSIER_EMBEDDINGS_MODEL) are only of use together",
          ),
      };
    return {
      fills: [
        fill(
          Embedders,
          new EndpointEmbedder({
            ...endpoint,
            texts_max: config.batch_size,
            timeout_ms: config.timeout,
          }),
        ),
        fill(SystemChecks, {
          name: "Embeddings",
          run: () => probeEndpoint({ ...endpoint, section: "embeddings" }),
        }),
      ],
    };
  },
});
