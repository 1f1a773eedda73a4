/** The similarity of texts to a question: complete, partial when late, or unavailable. */
import { describe, expect, test } from "bun:test";
import { jsonLog } from "../../core/base/log";
import type { Embedder, EmbedOptions } from "../../plugins/search-index/contract";
import type { MeaningScale } from "../../plugins/search-index/vectors/vector-math";
import { TextSimilarities } from "../../plugins/search-index/vectors/similarities";
import { tokenSimilarity, tokensOf } from "../../plugins/search-index/vectors/token-similarity";

const set = { id: 7, model: "m", asked_dimensions: 0, dimensions: 2 };
/** By which cosines are what they are. */
const whole_scale: MeaningScale = {
  unrelated: 0,
  language_directions: [],
  passage_likeness: 0,
  adjusted_query: Float32Array.of(0, 1),
  excess: 0,
  spread: 0.1,
  answer_margin: 1,
};
const centre = Float32Array.of(0, 0);
const alignments = new Map([["de en", 1.3]]);
/** Each letter `y` in a text turns its vector toward the question's, which is (0, 1). */
const vectorOf = (text: string): Float32Array => {
  const towards = text.split("y").length - 1;
  return Float32Array.of(1, towards);
};
type Embed = (texts: readonly string[], options: EmbedOptions) => ReturnType<Embedder["embed"]>;
interface More {
  readonly embed?: Embed;
  readonly has_set?: boolean;
  readonly has_question?: boolean;
  readonly scale?: MeaningScale | undefined;
  /** The tokens of the question; undefined for an embedder that has none. */
  readonly tokens?: Float32Array;
}
function similaritiesOf({
  embed,
  has_set = true,
  has_question = true,
  tokens,
  ...more
}: More = {}) {
  const scale = "scale" in more ? more.scale : whole_scale;
  const calls: (readonly string[])[] = [];
  const clock = { now_ms: 0 };
  const embedder: Embedder = {
    model: "m",
    dimensions: null,
    texts_max: 2,
    has_tokens: tokens !== undefined,
    embed: async (texts, options) => {
      calls.push(texts);
      expect(options).toMatchObject({ kind: "document", urgent: true, model: "m" });
      return embed === undefined ? texts.map(vectorOf) : embed(texts, options);
    },
  };
  const similarities = new TextSimilarities({
    now_ms: () => clock.now_ms,
    log: jsonLog("error", () => undefined),
    embedder: () => embedder,
    servingSet: () => (has_set ? (set as never) : null),
    questions: {
      vectorsOf: async () =>
        has_question
          ? { set_id: 7, data: Float32Array.of(0, 1), scale, tokens, centre, alignments }
          : undefined,
    },
  });
  const options = { owner_id: "usr_1", timeout_ms: 10_000 };
  const askByTokens = (texts: readonly string[]) =>
    similarities.of("which?", texts, { ...options, by_tokens: true });
  const ask = async (texts: readonly string[], timeout_ms = 10_000, signal?: AbortSignal) =>
    (await similarities.of("which?", texts, { ...options, timeout_ms, signal }))?.of_texts ?? null;
  return { ask, askByTokens, calls, clock, similarities, options };
}
const forever: Embed = () => new Promise(() => undefined);

describe("the similarities of texts to a question", () => {
  test("are in the order of the texts, and each text is embedded once", async () => {
    const { ask, calls } = similaritiesOf();
    const [none, one, same] = (await ask(["x", "y", "x"]))!;
    expect(none).toBe(0);
    expect(one).toBeCloseTo(Math.SQRT1_2, 6);
    expect(same).toBe(0);
    await ask(["y", "yy", "yyy", "yyyy"]);
    expect(calls).toEqual([["x", "y"], ["yy", "yyy"], ["yyyy"]]);
  });
  describe("of more tokens than may be read", () => {
    const long = "xyz ".repeat(25);
    const cases: [why: string, known: string[], texts: string[], expected: (number | null)[]][] = [
      ["are those of the first texts", [], [long, `a${long}`, "x"], [1, null, null]],
      ["include texts that are known", [`a${long}`], [long, `a${long}`, "x"], [1, 1, 0]],
      ["include the first text, however long", [], [`b${long}${long}`, "x"], [1, null]],
    ];
    test.each(cases)("%s", async (_why, known, texts, expected) => {
      const { similarities, options, ask } = similaritiesOf();
      if (known.length > 0) await ask(known);
      const { of_texts } = (await similarities.of("which?", texts, {
        ...options,
        tokens_max: 40,
      }))!;
      expect(of_texts.map((one) => one && Math.round(one))).toEqual(expected);
    });
  });
  test("are on the model's scale: 0 for unrelated texts, 1 for correct ones", async () => {
    const { ask } = similaritiesOf({
      scale: {
        unrelated: 0.4,
        language_directions: [],
        passage_likeness: 0.4,
        adjusted_query: Float32Array.of(0, 1),
        excess: 0.1,
        spread: 0.1,
        answer_margin: Math.SQRT1_2 - 0.4,
      },
    });
    const [unrelated, right] = (await ask(["x", "y"]))!;
    expect(unrelated).toBeLessThan(0);
    expect(right).toBeCloseTo(1, 6);
  });
  describe("compared by tokens", () => {
    const same = tokenSimilarity(
      tokensOf(Float32Array.of(0, 1), centre),
      tokensOf(Float32Array.of(0, 1), centre),
      2,
    )!;
    const embed: Embed = async (texts, { onVectors }) => {
      onVectors!(texts[0]!, [vectorOf(texts[0]!)], Float32Array.of(1, 0, 0, 1));
      return texts.map(vectorOf);
    };
    test("are those of the tokens", async () => {
      const { askByTokens, calls } = similaritiesOf({ embed, tokens: Float32Array.of(0, 1) });
      const expected = { of_texts: [same], are_by_tokens: true, alignment: null };
      expect(await askByTokens(["x"])).toEqual(expected);
      expect(await askByTokens(["x"])).toEqual(expected);
      expect(calls.length).toBe(1);
    });
    test("are unknown for a text without tokens", async () => {
      const { askByTokens } = similaritiesOf({ embed, tokens: Float32Array.of(0, 1) });
      expect((await askByTokens(["x", "y"]))!.of_texts).toEqual([same, null]);
    });
    test("are those of whole texts when the embedder has no tokens", async () => {
      const { askByTokens } = similaritiesOf({ embed });
      const expected = { of_texts: [0], are_by_tokens: false, alignment: null };
      expect(await askByTokens(["x"])).toEqual(expected);
    });
  });
  const pairs: [why: string, question: string | null, texts: string | null, number | null][] = [
    ["of a question in one of two languages", "de", "en", 1.3],
    ["of one in the other", "en", "de", 1.3],
    ["of a pair that is unknown", "de", "fr", null],
    ["of an undetected language", null, "en", null],
  ];
  test.each(pairs)("come with the alignment %s", async (_why, question, texts, alignment) => {
    const { similarities, options } = similaritiesOf();
    const languages = { question, texts };
    expect(await similarities.of("which?", ["x"], { ...options, languages })).toEqual({
      of_texts: [0],
      are_by_tokens: false,
      alignment,
    });
  });
  test("are partial when some are late", async () => {
    const { ask } = similaritiesOf({
      embed: (texts, { onVectors }) => {
        onVectors!(texts[0]!, [vectorOf(texts[0]!)]);
        return new Promise(() => undefined);
      },
    });
    expect(await ask(["x", "y"], 20)).toEqual([0, null]);
  });

  const nothing: [string, More][] = [
    ["nothing has a vector yet", { has_set: false }],
    ["the question has no vector", { has_question: false }],
    ["the model has no scale", { scale: undefined }],
    ["the embedder hangs", { embed: forever }],
    ["the embedder fails", { embed: () => Promise.reject(new Error("broken")) }],
    ["its vectors have a different length", { embed: async () => [Float32Array.of(1)] }],
  ];
  for (const [why, more] of nothing)
    test(`are null when ${why}`, async () =>
      expect(await similaritiesOf(more).ask(["x"], 20)).toBeNull());
  test("are null for no texts", async () => expect(await similaritiesOf().ask([])).toBeNull());

  test("are not requested for a while after three calls without a result", async () => {
    const { ask, calls, clock } = similaritiesOf({
      embed: () => Promise.reject(new Error("broken")),
    });
    for (let i = 0; i < 5; i++) expect(await ask([`x${i}`])).toBeNull();
    expect(calls.length).toBe(3);
    clock.now_ms += 60_000;
    await ask(["x"]);
    expect(calls.length).toBe(4);
  });
  test("are rejected with the reason of an abort", async () => {
    const given_up = new AbortController();
    const similarities = similaritiesOf({ embed: forever }).ask(["x"], 10_000, given_up.signal);
    given_up.abort(new Error("nobody waits"));
    await expect(similarities).rejects.toThrow("nobody waits");
  });
});
