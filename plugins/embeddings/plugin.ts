/**
 * Vectors from the built-in encoder, or from any OpenAI-compatible embeddings endpoint that the
 * settings name. With them, search also finds passages that say the same in other words.
 */
import { availableParallelism } from "node:os";
import {
  OneOf,
  probeEndpoint,
  definePlugin,
  Duration,
  EndpointLimits,
  fill,
  fillWith,
  KeyLimits,
  Secret,
  SomeTimeLimits,
  t,
} from "../../core/sdk";
import { ok, SystemChecks, type SystemCheck } from "../doctor/contract";
import { BuiltinEncoder, builtin_model } from "../embeddings-builtin/contract";
import { EmbedderChanged, Embedders, type Embedder } from "../search-index/contract";
import { TriedSections } from "../settings/contract";
import { EndpointEmbedder } from "./embedder";
import { endpointOf, type EmbeddingsSettings } from "./settings";
import { tryEmbedder } from "./embedder-trial";

/** A prefix is a word or a whole instruction. */
const prefix_length_max = 1_000;

export default definePlugin({
  name: "embeddings",
  version: "1.0.0",
  needs: { builtin: BuiltinEncoder },
  config: t.Object({
    provider: OneOf(["openai", "builtin", "none"], {
      default: "builtin",
      default_with: { base_url: "openai" },
      changes: "now",
      description:
        "`builtin`: the encoder in the executable. `openai`: the endpoint at `base_url`, " +
        "which is the default when that is set. `none`: search by words only.",
    }),
    threads: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 256,
        changes: "now",
        providers: ["builtin"],
        description:
          "The maximum number of cores used by the built-in encoder; by default half of them.",
      }),
    ),
    base_url: t.Optional(
      t.String({
        changes: "now",
        stored: EndpointLimits,
        providers: ["openai"],
        description:
          "The address of the OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1. " +
          "Proxies in environment variables are ignored.",
      }),
    ),
    api_key: t.Optional(
      Secret({
        changes: "now",
        stored: KeyLimits,
        providers: ["openai"],
        description: "The API key for the endpoint, if it requires one.",
      }),
    ),
    model: t.Optional(
      t.String({
        changes: "now",
        providers: ["openai", "builtin"],
        description:
          "The name of the model at the endpoint, or of one added with `dossier model add`. " +
          "After a change, the old vectors are used until those of the new model are " +
          "complete.",
      }),
    ),
    query_prefix: t.Optional(
      t.String({
        maxLength: prefix_length_max,
        changes: "now",
        providers: ["openai"],
        description:
          'The prefix that the model requires for questions: "query: " for the E5 models. ' +
          "After a change, all vectors are created again; the old ones are used meanwhile.",
      }),
    ),
    document_prefix: t.Optional(
      t.String({
        maxLength: prefix_length_max,
        changes: "now",
        providers: ["openai"],
        description:
          'The prefix that the model requires for passages: "passage: " for the E5 models.',
      }),
    ),
    dimensions: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 16_384,
        changes: "now",
        providers: ["openai"],
        description:
          "The length of vectors, for models that support shorter ones; by default the full " +
          "length.",
      }),
    ),
    batch_size: t.Integer({
      default: 32,
      minimum: 1,
      maximum: 2_048,
      changes: "now",
      providers: ["openai"],
      description: "The number of passages in one request.",
    }),
    timeout: Duration({
      default: "60s",
      changes: "now",
      stored: SomeTimeLimits,
      providers: ["openai"],
      description: "The time limit for one background request.",
    }),
  }),
  checkConfig: (config) => {
    endpointOf(config);
  },
  setup: (ctx) => {
    const { config, log, notifier, services } = ctx;
    let current = connectionOf(config, services.builtin);
    const warnIfOff = (): void => {
      if (current?.failing !== undefined) log.warn("embeddings are off", { why: current.failing });
      else if (config.provider === "openai" && endpointOf(config) === "incomplete")
        log.warn(
          "embeddings are off: set both embeddings.base_url and embeddings.model " +
            "(DOSSIER_EMBEDDINGS_BASE_URL, DOSSIER_EMBEDDINGS_MODEL)",
        );
    };
    ctx.whenSettingsChange(() => {
      current = connectionOf(config, services.builtin);
      notifier.publish(EmbedderChanged, "", null);
      warnIfOff();
    });
    return {
      fills: [
        fillWith(Embedders, () => current?.embedder ?? null),
        fillWith(SystemChecks, () => current?.check ?? null),
        fill(TriedSections, {
          section: "embeddings",
          title: "Embeddings",
          run: (values: Settings, signal) =>
            tryEmbedder(values, () => builtinConnection(values, services.builtin), signal),
        }),
      ],
      start: async () => warnIfOff(),
      health: async () => (current?.failing === undefined ? "ok" : { failing: current.failing }),
    };
  },
});

interface Settings extends EmbeddingsSettings {
  readonly provider: "openai" | "builtin" | "none";
  readonly threads?: number;
  readonly batch_size: number;
}
/** The active embedder; null when there is none. */
interface Connection {
  readonly embedder: Embedder | null;
  readonly check: SystemCheck;
  /** Why there is no embedder. */
  readonly failing?: string;
}

function connectionOf(config: Settings, encoder: BuiltinEncoder): Connection | null {
  if (config.provider === "none") return null;
  return config.provider === "builtin"
    ? builtinConnection(config, encoder)
    : endpointConnection(config);
}

function builtinConnection(
  { model = builtin_model, threads }: Settings,
  encoder: BuiltinEncoder,
): Connection {
  const name = "Embeddings";
  const embedder = encoder.embedder({ model, threads: threads ?? threads_default() });
  if (embedder !== undefined) {
    const detail = `The built-in encoder has the model ${model}.`;
    return { embedder, check: { name, run: async () => ok(detail) } };
  }
  const detail =
    `embeddings.model (DOSSIER_EMBEDDINGS_MODEL) is ${model}, which the built-in encoder ` +
    "does not have.";
  const fix =
    "Run `dossier model list` to see the models, or `dossier model add` to add one. For a model " +
    "of an endpoint, set embeddings.base_url.";
  return {
    embedder: null,
    check: { name, run: async () => ({ status: "fail", detail, fix }) },
    failing: `${detail} ${fix} Until then, search matches words only.`,
  };
}

/** The configured endpoint and its check; null when none is configured. */
function endpointConnection(config: Settings): Connection | null {
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

/** The other half is left for requests and other programs on the machine. */
const threads_default = (): number => Math.max(1, availableParallelism() >> 1);
