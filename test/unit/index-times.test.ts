/** Transcripts in the index: each passage has its time in the recording. */
import { describe, expect, test } from "bun:test";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { encodeDocument } from "../../plugins/search-index/indexing/encoder";
import { Reindexer } from "../../plugins/search-index/indexing/reindexer";
import { spansIn, SpokenTimes } from "../../plugins/search-index/chunks/recording-times";
import { openTestIndex, type TestIndex } from "../helpers/search-index";

const span = (start: number, end: number, time_start: number, time_end: number) => ({
  start,
  end,
  time_start,
  time_end,
});

describe("the time of a passage covers its cues:", () => {
  const spans = [span(0, 10, 1, 2), span(10, 20, 2, 3.5), span(25, 30, 3, 9), span(30, 40, 4, 5)];
  const cases: [why: string, start: number, end: number, times: [number | null, number | null]][] =
    [
      ["one cue", 0, 10, [1, 2]],
      ["the middle of a cue", 12, 14, [2, 3.5]],
      ["parts of two cues", 5, 15, [1, 3.5]],
      ["a cue that lasts longer than the one after it", 26, 40, [3, 9]],
      ["no time between two cues", 20, 25, [null, null]],
      ["no time after the last cue", 40, 50, [null, null]],
      ["all cues", 0, 40, [1, 9]],
    ];
  for (const [why, start, end, [time_start, time_end]] of cases)
    test(why, () =>
      expect(new SpokenTimes(spans).between(start, end)).toEqual({ time_start, time_end }),
    );
  test.each([
    ["none", []],
    ["one", spans.slice(0, 1)],
    ["several", spans],
  ])("%s, read from its JSON", (_why, some) => {
    expect([...spansIn(JSON.stringify(some))]).toEqual(some);
    expect(new SpokenTimes(spansIn(JSON.stringify(some))).exist).toBe(some.length > 0);
  });
  test("several passages in a row", () => {
    const times = new SpokenTimes(spans);
    expect(
      [times.between(0, 12), times.between(12, 28), times.between(28, 40)].map((spoken) => [
        spoken.time_start,
        spoken.time_end,
      ]),
    ).toEqual([
      [1, 3.5],
      [2, 9],
      [3, 9],
    ]);
  });
});

/** Sentences of one second each, in paragraphs of ten; the 🗂 is two UTF-16 units. */
const sentences = Array.from(
  { length: 60 },
  (_, i) => `Sentence 🗂 number${i} says something about the weather of that day.`,
);
const text = Array.from({ length: 6 }, (_, i) =>
  sentences.slice(i * 10, i * 10 + 10).join(" "),
).join("\n\n");
const times = sentences.map((sentence, i) =>
  span(text.indexOf(sentence), text.indexOf(sentence) + sentence.length, i, i + 0.75),
);
const spokenIn = (passage: string): number[] =>
  [...passage.matchAll(/number(\d+)/g)].map((match) => Number(match[1]));

async function expectTimes(index: TestIndex): Promise<void> {
  const passages = await index.find("weather", ["fld_a"], { limit: 50 });
  expect(passages.length).toBeGreaterThan(3);
  for (const { text: passage, time_start, time_end } of passages) {
    const numbers = spokenIn(passage);
    expect([time_start, time_end]).toEqual([numbers[0]!, numbers.at(-1)! + 0.75]);
  }
}

test("a found passage has the time of its cues", async () => {
  const index = await openTestIndex();
  await index.add("doc_1", text, ["fld_a"], { times });
  await expectTimes(index);
});

test("a document that isn't a transcript has no times", async () => {
  const index = await openTestIndex();
  await index.add("doc_1", text);
  expect((await index.find("weather"))[0]).toMatchObject({ time_start: null, time_end: null });
});

test("reencoding keeps the times and cues", async () => {
  const index = await openTestIndex();
  await index.add("doc_1", text, ["fld_a"], { times });
  for (const version of [analyzer.version + 1, analyzer.version + 2]) {
    const reindexer = new Reindexer({
      db: index.store.db,
      index: index.index,
      enqueue: async () => undefined,
      analyzer_version: version,
    });
    const effect = await reindexer.run(0, {
      id: "job_1",
      attempt: 1,
      last: false,
      signal: new AbortController().signal,
    });
    await index.store.inTransaction(effect!);
    await expectTimes(index);
  }
});

test("short lines of a transcript are not headings", () => {
  const spoken = "yes\n\nso we went there\n\nand then it rained";
  const spans = [span(0, 3, 0, 1), span(5, 21, 2, 3), span(23, spoken.length, 5, 6)];
  const headings = (input: Parameters<typeof encodeDocument>[0]) =>
    [...encodeDocument(input, analyzer)].flatMap((segment) =>
      segment.chunks.map((chunk) => chunk.heading),
    );
  expect(headings({ title: "t", text: spoken, pages: [], times: spans })).toEqual([null]);
  expect(headings({ title: "t", text: spoken, pages: [] })).not.toEqual([null]);
});
