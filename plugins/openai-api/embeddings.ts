/** `/v1/embeddings`: vectors of the encoder that search uses. */
import { LocalOpenLimit } from "../../core/lib/open-limit";
import { badRequest, codePoints, HttpError, route, t, type HandlersOf } from "../../core/sdk";
import type { Embedder, TextVectors } from "../search-index/contract";
import { all_folders } from "./models";
import { keepAliveJson } from "./keep-alive-json";
import { modelNotFound } from "./problems";
import { textOfTokens } from "./token-text";

const body_bytes_max = 4 * 2 ** 20;
/** Inputs have many tokens; typed arrays keep them small. */
const body_values_max = 600_000;
/** The same limit as OpenAI. */
const texts_max = 2_048;
/** Limit for all texts of a request; the encoder needs about a minute for them. */
const points_max = 1_000_000;
const under_way_max = 8;
/** Model names that OpenAI clients send by default. */
const usual_name = /^text-embedding-/;
/** Estimated characters per token. */
const points_per_token = 4;

const Body = t.Object({
  model: t.String({ maxLength: 600 }),
  input: t.Union([
    t.String(),
    t.Array(t.Union([t.String(), t.Array(t.Integer(), { minItems: 1 })]), {
      minItems: 1,
      maxItems: texts_max,
    }),
    t.Array(t.Integer(), { minItems: 1, description: "Tokens of `cl100k_base`." }),
  ]),
  encoding_format: t.Optional(
    t.Union([t.Literal("float"), t.Literal("base64"), t.Null()], { description: "" }),
  ),
  dimensions: t.Optional(t.Union([t.Integer({ minimum: 1 }), t.Null()])),
  input_type: t.Optional(
    t.Union([t.String(), t.Null()], {
      description: "`query` for questions; anything else is what is searched.",
    }),
  ),
});

export const embeddingRoutes = {
  embed: route.post("/v1/embeddings", {
    summary: "Vectors of texts",
    tag: "OpenAI",
    operation: "openAiCreateEmbedding",
    surface: "openai",
    scope: "read",
    body: Body,
    body_bytes_max,
    body_values_max,
    answers: {
      200: {
        description: "A vector for each text, in their order.",
        schema: t.Object({ object: t.Literal("list") }, { additionalProperties: true }),
      },
    },
  }),
};

export const embeddingHandlers = (
  embedders: () => readonly Embedder[],
): HandlersOf<typeof embeddingRoutes> => {
  const under_way = new LocalOpenLimit(under_way_max);
  return {
    embed: async ({ body, caller, request, stopping }) => {
      const embedder = requireEmbedder(embedders()[0], body.model);
      const texts = await textsOf(body.input);
      const leave = await under_way.acquire(caller.owner_id);
      if (!leave)
        throw new HttpError(
          429,
          "too_many_embeddings",
          `${under_way_max} embedding requests of this account are already in progress. ` +
            "Wait for them to finish.",
          { headers: { "retry-after": "1" } },
        );
      const left = new AbortController();
      const signal = AbortSignal.any([request.signal, stopping, left.signal]);
      const is_query = body.input_type === "query";
      const response = embed(embedder, texts, { owner_id: caller.owner_id, is_query, signal })
        .then((vectors) => embeddingList(vectors, texts, embedder, body))
        .finally(leave);
      response.catch(() => undefined);
      return keepAliveJson(response, () => left.abort());
    },
  };
};

function requireEmbedder(embedder: Embedder | undefined, model: string): Embedder {
  if (!embedder)
    throw modelNotFound(
      model,
      "Embeddings are not available on this server: embeddings.provider is `none`, or the " +
        "model is missing.",
    );
  const model_names = [embedder.model, nameOf(embedder), all_folders];
  if (model_names.includes(model) || usual_name.test(model)) return embedder;
  throw modelNotFound(model, `The embedding model of this server is \`${nameOf(embedder)}\`.`);
}

/** Without repository and checksum: `multilingual-e5-small`. */
const nameOf = ({ model }: Embedder): string => model.replace(/^builtin\//, "").replace(/@.*$/, "");

/** A text, a list of texts, the tokens of a text, or a list of these. @throws HttpError 400 */
async function textsOf(
  input: string | readonly (string | number | readonly number[])[],
): Promise<string[]> {
  const is_one = typeof input === "string" || typeof input[0] === "number";
  const inputs = is_one ? [input as string | readonly number[]] : input;
  let points = 0;
  const texts: string[] = [];
  for (const [at, input] of inputs.entries()) {
    const pointer = is_one ? "/input" : `/input/${at}`;
    if (typeof input === "number")
      throw badRequest("`input` must be text or tokens, not both.", pointer);
    const text =
      typeof input === "string" ? input : await textOfTokens(numbersOf(input, pointer), pointer);
    if (text.trim() === "") throw badRequest("A text of `input` must not be blank.", pointer);
    points += codePoints(text);
    if (points > points_max)
      throw badRequest(
        `The texts in \`input\` can have at most ${points_max} characters in total.`,
        "/input",
        "string_above_max_length",
      );
    texts.push(text);
  }
  return texts;
}

function numbersOf(tokens: readonly unknown[], pointer: string): readonly number[] {
  if (tokens.every((token) => typeof token === "number")) return tokens;
  throw badRequest("`input` must be text or tokens, not both.", pointer);
}

async function embed(
  embedder: Embedder,
  texts: readonly string[],
  call: { readonly owner_id: string; readonly is_query: boolean; readonly signal: AbortSignal },
): Promise<Float32Array[]> {
  const { owner_id, is_query, signal } = call;
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += embedder.texts_max) {
    const batch = await embedder.embed(texts.slice(from, from + embedder.texts_max), {
      kind: is_query ? "query" : "document",
      model: embedder.model,
      dimensions: embedder.dimensions,
      owner_id,
      signal,
    });
    for (const [at, of_text] of batch.entries()) vectors.push(oneOf(of_text, from + at));
  }
  return vectors;
}

/** For a text that the model reads in parts, the normalized sum of their vectors. */
function oneOf(vectors: TextVectors, at: number): Float32Array {
  const parts = vectors instanceof Float32Array ? [vectors] : (vectors ?? []);
  if (parts.length === 0)
    throw badRequest("The model can't process this text.", `/input/${at}`, "text_not_supported");
  if (parts.length === 1) return parts[0]!;
  const sum = new Float32Array(parts[0]!.length);
  for (const part of parts) for (let i = 0; i < sum.length; i++) sum[i]! += part[i]!;
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}

function embeddingList(
  vectors: readonly Float32Array[],
  texts: readonly string[],
  embedder: Embedder,
  { dimensions, encoding_format }: { dimensions?: number | null; encoding_format?: string | null },
): object {
  const numbers = vectors[0]?.length ?? 0;
  if (dimensions && dimensions !== numbers)
    throw badRequest(
      `\`dimensions\` must be ${numbers}, the number that the model produces.`,
      "/dimensions",
      "unsupported_value",
    );
  const points = texts.reduce((sum, text) => sum + codePoints(text), 0);
  const tokens = Math.ceil(points / points_per_token);
  return {
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: encoding_format === "base64" ? base64Of(vector) : [...vector],
    })),
    model: nameOf(embedder),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** 32-bit floats, little-endian: the format that the official clients request. */
const base64Of = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");
