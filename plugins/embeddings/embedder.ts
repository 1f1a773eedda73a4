/**
 * Asks an OpenAI-compatible endpoint for vectors. What it refuses is narrowed down to the text that
 * it can't take.
 */
import type { Embedder, EmbedOptions } from "../search-index/contract";
import type { Endpoint } from "./settings";

export interface EmbedderParts extends Endpoint {
  readonly texts_max: number;
  /** For one request, milliseconds. */
  readonly timeout_ms: number;
}

const answer_bytes_max = 128 * 1024 * 1024;
/** What every model can take. */
const probe = "Hello.";
/** A text that is too long for the model is cut to these shares of its length, until it fits. */
const cuts = [1 / 2, 1 / 4, 1 / 8] as const;

/** The endpoint finds the request wrong: one of the texts may be, or everything. */
class Refused extends Error {
  override readonly name = "Refused";
}

export function createEmbedder({
  base_url,
  api_key,
  model,
  dimensions,
  texts_max,
  timeout_ms,
}: EmbedderParts): Embedder {
  async function call(
    texts: readonly string[],
    { model, dimensions, signal }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const limit = AbortSignal.timeout(timeout_ms);
    const init = {
      method: "POST",
      redirect: "manual",
      proxy: false,
      signal: AbortSignal.any([signal, limit]),
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }),
      },
      body: JSON.stringify({ model, input: texts, ...(dimensions !== null && { dimensions }) }),
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
      if (limit.aborted)
        throw new Error(`the embedder gave no answer within ${timeout_ms / 1_000} s`);
      throw error instanceof Told || error instanceof Refused
        ? error
        : new Told("the embedder could not be reached, or broke off");
    }
  }

  async function embed(
    texts: readonly string[],
    options: EmbedOptions,
  ): Promise<(Float32Array | null)[]> {
    try {
      return await call(texts, options);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // When it refuses this as well, no text is to blame.
      await call([probe], options);
      if (texts.length === 1) return [await shortened(texts[0]!, options)];
      const half = texts.length >>> 1;
      return [
        ...(await embed(texts.slice(0, half), options)),
        ...(await embed(texts.slice(half), options)),
      ];
    }
  }

  async function shortened(text: string, options: EmbedOptions): Promise<Float32Array | null> {
    for (const cut of cuts) {
      try {
        return (
          (await call([text.slice(0, Math.ceil(text.length * cut)).toWellFormed()], options))[0] ??
          null
        );
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
    return null;
  }

  return { model, dimensions, texts_max, embed };
}

/** A failure in our own words: nothing that the endpoint wrote, no key, no address. */
class Told extends Error {
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
    ? new Refused(
        `the embedder answered ${status}; check embeddings.model and embeddings.dimensions`,
      )
    : new Told(`the embedder answered ${status}${advice[status] ?? ""}`);

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > answer_bytes_max)
      throw new Told(`the embedder sent more than ${answer_bytes_max} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** What is no number becomes NaN, which whoever checks the vectors refuses. */
function vectorsOf(text: string): Float32Array[] {
  const items = field(parsed(text), "data");
  if (!Array.isArray(items)) throw unreadable();
  const vectors: Float32Array[] = [];
  for (const [at, item] of items.entries()) {
    const place = field(item, "index") ?? at,
      numbers = field(item, "embedding");
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
const unreadable = (): Error => new Told("the embedder's answer can't be read");
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}
const field = (of: unknown, key: string): unknown =>
  typeof of === "object" && of !== null
    ? (of as Readonly<Record<string, unknown>>)[key]
    : undefined;
