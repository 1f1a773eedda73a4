/**
 * My plugin: has texts turned into vectors by a service that speaks as Ollama does (`POST
 * /api/embed`), so that search also finds what means the same. The server uses it when
 * `embeddings.provider` is `none`.
 */
import { definePlugin, fill, t } from "dossier";
import { Embedders, type Embedder } from "dossier/contracts";

/** [my_plugin] in dossier.toml, or DOSSIER_MY_PLUGIN_URL and so on in the environment. */
const config = t.Object({
  url: t.String({
    default: "http://127.0.0.1:11434",
    pattern: "^https?://",
    description: "Where the service is.",
  }),
  model: t.String({ default: "nomic-embed-text", description: "The model that it uses." }),
});

const timeout_ms = 60_000;

/** What the service has answered, as vectors: one for each text, all of one length. */
export function vectorsOf(body: unknown, texts: number): Float32Array[] {
  const { embeddings } = (body ?? {}) as { embeddings?: unknown };
  const is_right =
    Array.isArray(embeddings) &&
    embeddings.length === texts &&
    embeddings.every(
      (vector) => Array.isArray(vector) && vector.every((number) => Number.isFinite(number)),
    );
  // An operator reads this: no key, no address, no text of a document.
  if (!is_right) throw new Error("The service answered with something else than vectors.");
  return embeddings.map((vector) => new Float32Array(vector));
}

export default definePlugin({
  name: "my-plugin",
  version: "0.1.0",
  config,
  setup({ config }) {
    const embedder: Embedder = {
      /** Vectors are only compared with those of the same model. */
      model: `my-plugin/${config.model}`,
      dimensions: null,
      texts_max: 16,
      async embed(texts, { signal }) {
        const answer = await fetch(`${config.url.replace(/\/+$/, "")}/api/embed`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ model: config.model, input: texts }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]),
        });
        if (!answer.ok) throw new Error(`The service answered with status ${answer.status}.`);
        return vectorsOf(await answer.json(), texts.length);
      },
    };
    return { fills: [fill(Embedders, embedder)] };
  },
});
