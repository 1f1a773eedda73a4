/**
 * Vectors from an OpenAI-compatible endpoint. A refused batch is split until only the text is left
 * that the endpoint can't process.
 */
import { fieldOf } from "../../core/lib/json-values";
import type { Embedder, EmbedOptions } from "../search-index/contract";
import { nameOf, prefixedModelOf } from "./prefixes";
import type { Endpoint } from "./settings";

/** The endpoint, and the limits of requests to it. */
export interface EndpointEmbedderOptions extends Endpoint {
  readonly texts_max: number;
  /** Time limit for one request, in milliseconds. */
  readonly timeout_ms: number;
}

const response_bytes_max = 128 * 1024 * 1024;
/** A text that every model accepts. */
const probe = "Hello.";
/**
 * A text too long for the model is cut to these fractions of its length, one after the other, until
 * it fits.
 */
const cuts = [1 / 2, 1 / 4, 1 / 8] as const;

/** The endpoint refuses the request, because of one of the texts or altogether. */
class RequestRefused extends Error {
  override readonly name = "RequestRefused";
}

/** Sends texts in batches; a text that the endpoint refuses gets no vector. */
export class EndpointEmbedder implements Embedder {
  readonly model: string;
  readonly dimensions: number | null;
  readonly texts_max: number;

  constructor(private readonly options: EndpointEmbedderOptions) {
    this.model = nameOf(options);
    this.dimensions = options.dimensions;
    this.texts_max = options.texts_max;
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<(Float32Array | null)[]> {
    try {
      return await this.request(texts, options);
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
      // If it refuses this one as well, the texts are not the cause.
      await this.request([probe], options);
      if (texts.length === 1) return [await this.embedShortened(texts[0]!, options)];
      const half = texts.length >>> 1;
      return [
        ...(await this.embed(texts.slice(0, half), options)),
        ...(await this.embed(texts.slice(half), options)),
      ];
    }
  }

  private async embedShortened(text: string, options: EmbedOptions): Promise<Float32Array | null> {
    for (const cut of cuts) {
      const beginning = text.slice(0, Math.ceil(text.length * cut)).toWellFormed();
      try {
        return (await this.request([beginning], options))[0] ?? null;
      } catch (error) {
        if (!(error instanceof RequestRefused)) throw error;
      }
    }
    return null;
  }

  private async request(
    texts: readonly string[],
    { model: name, kind, dimensions, signal }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const { base_url, api_key, timeout_ms } = this.options;
    const { model, query_prefix, document_prefix } = prefixedModelOf(name);
    const prefix = kind === "query" ? query_prefix : document_prefix;
    const input = texts.map((text) => prefix + text);
    const timeout = AbortSignal.timeout(timeout_ms);
    const init = {
      method: "POST",
      redirect: "manual",
      proxy: false,
      signal: AbortSignal.any([signal, timeout]),
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }),
      },
      body: JSON.stringify({ model, input, ...(dimensions !== null && { dimensions }) }),
    };
    try {
      const response = await fetch(`${base_url}/embeddings`, init as RequestInit);
      if (response.status !== 200) {
        await response.body?.cancel();
        throw failureOf(response.status);
      }
      return vectorsOf(await textOf(response));
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted)
        throw new Error(`the embedder did not respond within ${timeout_ms / 1_000} s`);
      throw error instanceof EmbedderFailure || error instanceof RequestRefused
        ? error
        : new EmbedderFailure("the embedder could not be reached, or closed the connection");
    }
  }
}

/** Its message contains nothing that the endpoint wrote, no key and no address. */
class EmbedderFailure extends Error {
  override readonly name = "EmbedderFailure";
}

const advice: Readonly<Record<number, string>> = {
  401: "; check embeddings.api_key (DOSSIER_EMBEDDINGS_API_KEY)",
  403: "; check embeddings.api_key (DOSSIER_EMBEDDINGS_API_KEY)",
  404:
    "; check embeddings.model (DOSSIER_EMBEDDINGS_MODEL) and embeddings.base_url " +
    "(DOSSIER_EMBEDDINGS_BASE_URL)",
};
const failureOf = (status: number): Error =>
  status === 400 || status === 413 || status === 422
    ? new RequestRefused(
        `the embedder responded with status ${status}; check embeddings.model and ` +
          "embeddings.dimensions",
      )
    : new EmbedderFailure(`the embedder responded with status ${status}${advice[status] ?? ""}`);

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > response_bytes_max)
      throw new EmbedderFailure(`the embedder sent more than ${response_bytes_max} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Anything that is not a number becomes NaN, which the check of the vectors refuses. */
function vectorsOf(text: string): Float32Array[] {
  const items = fieldOf(parsed(text), "data");
  if (!Array.isArray(items)) throw unreadable();
  const vectors: Float32Array[] = [];
  for (const [at, item] of items.entries()) {
    const place = fieldOf(item, "index") ?? at;
    const numbers = fieldOf(item, "embedding");
    if (
      typeof place !== "number" ||
      !Number.isInteger(place) ||
      place < 0 ||
      place >= items.length ||
      vectors[place] !== undefined ||
      !Array.isArray(numbers)
    )
      throw unreadable();
    vectors[place] = Float32Array.from(numbers, (number: unknown) =>
      typeof number === "number" ? number : Number.NaN,
    );
  }
  return vectors;
}
const unreadable = (): Error => new EmbedderFailure("the embedder's response can't be read");
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}
