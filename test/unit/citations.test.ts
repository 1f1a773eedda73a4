/**
 * What is saved of an answer: markers and their citations, numbered by first use, and related
 * passages.
 */
import { describe, expect, test } from "bun:test";
import { redacted } from "../../plugins/chats/citations/citation-updates";
import { completed, type Answered } from "../../plugins/chats/contract";
import { withEvidence, withShortQuotes } from "../../plugins/chats/answers/saved-answer";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import type { Citation } from "../../plugins/search/contract";
import { SearchService } from "../../plugins/search/service";

const citation = (id: number, document_id = `doc_${id}`): Citation => ({
  id,
  document_id,
  document_name: "a.txt",
  document_version: 1,
  folder_id: "fld_1",
  quote: `quote ${id}`,
  start: 0,
  end: 7,
  passage: { start: 0, end: 70 },
  page: null,
  page_end: null,
  page_label: null,
  time_start: null,
  time_end: null,
  heading: null,
  score: 1,
  verified: false,
  stale: false,
  url: `/api/dev/v1/documents/${document_id}`,
});

describe("renumbering an answer:", () => {
  type Case = [
    why: string,
    answer: string,
    ids: number[],
    held: number[],
    saved: string,
    documents: string[],
    related?: string[],
  ];
  const cases: Case[] = [
    [
      "markers in order stay as they are",
      "One [1]. Two [2].",
      [1, 2],
      [1, 2],
      "One [1]. Two [2].",
      ["doc_1", "doc_2"],
    ],
    [
      "numbers follow the first use",
      "One [3]. Two [1]. Three [3].",
      [1, 3],
      [1, 3],
      "One [1]. Two [2]. Three [1].",
      ["doc_3", "doc_1"],
    ],
    [
      "citations without a marker are related",
      "One [2].",
      [1, 2, 3],
      [1, 2, 3],
      "One [1].",
      ["doc_2"],
      ["doc_1", "doc_3"],
    ],
    [
      "citations and related passages are five in all",
      "One [7].",
      [1, 2, 3, 4, 5, 6, 7],
      [1, 2, 3, 4, 5, 6, 7],
      "One [1].",
      ["doc_7"],
      ["doc_1", "doc_2", "doc_3", "doc_4"],
    ],
    [
      "an answer without markers gets its citations at the end",
      "One.",
      [1, 2],
      [2],
      "One. [1]",
      ["doc_2"],
    ],
    [
      "at most five are added at the end",
      "One [9].\n",
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6],
      "One. [1][2][3][4][5]",
      ["doc_1", "doc_2", "doc_3", "doc_4", "doc_5"],
    ],
    [
      "nothing is added when the cited source is gone",
      "One [1].",
      [1, 2],
      [2],
      "One [?].",
      [],
      ["doc_2"],
    ],
    [
      "a marker without a citation is removed with the space before it",
      "One [7]. Two [1].",
      [1],
      [1],
      "One. Two [1].",
      ["doc_1"],
    ],
    [
      "a statement whose quote isn't in its document is marked",
      "One [1]. Two [2].",
      [1, 2],
      [2],
      "One [?]. Two [1].",
      ["doc_2"],
    ],
    ["no valid quote at all", "One [1] two.", [1], [], "One [?] two.", []],
    ["two invalid quotes are one mark", "One [1] [2]. Two.", [1, 2], [], "One [?]. Two.", []],
    [
      "a statement with another quote is not marked",
      "One [2][7][1].",
      [1, 2],
      [1],
      "One [1].",
      ["doc_1"],
    ],
    ["adjacent markers", "One [2][1].", [1, 2], [1, 2], "One [1][2].", ["doc_2", "doc_1"]],
    ["one of two adjacent markers is valid", "One [1][2].", [1, 2], [2], "One [1].", ["doc_2"]],
    [
      "one of two separated markers is valid",
      "One [1] [2], two.",
      [1, 2],
      [1],
      "One [1], two.",
      ["doc_1"],
    ],
    [
      "two invalid markers leave no space",
      "One [8] [9]. Two [1].",
      [1],
      [1],
      "One. Two [1].",
      ["doc_1"],
    ],
    ["only invalid markers count as none", "One [8].", [1], [1], "One. [1]", ["doc_1"]],
    [
      "a replaced number isn't replaced again",
      "A [10] b [1].",
      [1, 10],
      [1, 10],
      "A [1] b [2].",
      ["doc_10", "doc_1"],
    ],
    ["a number given twice counts once", "One [1].", [1, 1], [1], "One [1].", ["doc_1"]],
    [
      "numbers of any length are markers",
      "One [2019] two [123456789012]. Three [1].",
      [1],
      [1],
      "One two. Three [1].",
      ["doc_1"],
    ],
    ["zero is not a citation", "One [0] [1].", [1], [1], "One [1].", ["doc_1"]],
    ["a leading zero is repaired", "One [01].", [1], [1], "One [1].", ["doc_1"]],
    [
      "other brackets stay as text",
      "A [note] and a [1] and [] and [1a].",
      [1],
      [1],
      "A [note] and a [1] and [] and [1a].",
      ["doc_1"],
    ],
    ["a marker at the start leaves no space", "[9] One.", [], [], "One.", []],
    ["an answer without markers or citations", "One.", [], [], "One.", []],
    [
      "an index in code is not a marker",
      "Use `argv[2]` [3].\n\n```\nargv[7]\n```\n[2]",
      [2, 3],
      [2, 3],
      "Use `argv[2]` [1].\n\n```\nargv[7]\n```\n[2]",
      ["doc_3", "doc_2"],
    ],
    [
      "a marker between two stray backticks is one",
      "Press the ` key [2]. Then ` again [1].",
      [1, 2],
      [1, 2],
      "Press the ` key [1]. Then ` again [2].",
      ["doc_2", "doc_1"],
    ],
  ];
  for (const [why, answer, ids, verified_ids, saved, documents, related = []] of cases) {
    test(why, () => {
      const citations = ids.map((id) => ({ ...citation(id), note: "my own" }));
      const result = withEvidence({ answer, citations }, ({ document_id }) =>
        verified_ids.some((id) => document_id === `doc_${id}`),
      );
      expect(result.answer).toBe(saved);
      expect(result.has_unsupported).toBe(saved.includes("[?]"));
      expect(result.citations.map(({ document_id }) => document_id)).toEqual(documents);
      expect(result.citations.map(({ id }) => id)).toEqual(documents.map((_, i) => i + 1));
      expect(result.related.map(({ document_id }) => document_id)).toEqual(related);
      for (const passage of [...result.citations, ...result.related]) {
        expect(passage).toMatchObject({ verified: true, stale: false });
        expect(passage).not.toHaveProperty("note");
      }
      for (const passage of result.related) expect(passage).not.toHaveProperty("id");
    });
  }

  test("spaces without end don't keep the regular expression from the next marker", () => {
    const gap = " ".repeat(50_000);
    const { answer } = withEvidence(
      { answer: `One [2].${gap}Two [1].`, citations: [citation(1), citation(2)] },
      () => true,
    );
    expect(answer).toBe(`One [1].${gap}Two [2].`);
  });

  const related: [why: string, cited: Partial<Citation>[], documents: string[]][] = [
    ["related passages follow the unused citations", [{}], ["doc_2", "doc_8"]],
    ["a cited passage is not repeated as related", [{ document_id: "doc_1" }], ["doc_2"]],
    ["a quote already listed is not repeated", [{ document_id: "doc_2" }], ["doc_2"]],
    [
      "another place in a cited document is related",
      [{ document_id: "doc_1", start: 1 }],
      ["doc_2", "doc_1"],
    ],
    ["a quote that isn't in its document is dropped", [{ document_id: "doc_9" }], ["doc_2"]],
  ];
  for (const [why, further, documents] of related)
    test(why, () => {
      const result = withEvidence(
        {
          answer: "One [1].",
          citations: [citation(1), citation(2)],
          related: further.map((passage) => ({ ...citation(8), ...passage })),
        },
        ({ document_id }) => document_id !== "doc_9",
      );
      expect(result.related.map(({ document_id }) => document_id)).toEqual(documents);
    });

  const passages: [why: string, Partial<Citation>, Citation["passage"]][] = [
    ["the given range is kept", {}, { start: 0, end: 70 }],
    ["without one, it is the quote's own range", { passage: undefined! }, { start: 0, end: 7 }],
    [
      "also when the quote is outside the given range",
      { passage: { start: 1, end: 70 } },
      { start: 0, end: 7 },
    ],
  ];
  for (const [why, stored, passage] of passages)
    test(`the range of a passage: ${why}`, () => {
      const { citations } = withEvidence(
        { answer: "One [1].", citations: [{ ...citation(1), ...stored }] },
        () => true,
      );
      expect(citations[0]!.passage).toEqual(passage);
    });
});

describe("a quote that is too long is cut to", () => {
  const analyze = (text: string) => {
    const words: { term: string; start: number; end: number }[] = [];
    analyzer.tokenize(text, (_hash, start, end, term) => {
      words.push({ term: term ?? text.slice(start, end), start, end });
    });
    return words;
  };
  const retrieval = new SearchService({ index: { analyze } } as never);
  const filler = (n: number) => `Nothing of this matters to anybody in office ${n}.`;
  const text = [
    ...Array.from({ length: 12 }, (_, n) => filler(n)),
    "😀 The filter is replaced every ninety days.",
    "Whoever forgets it must clean the pump.",
    ...Array.from({ length: 12 }, (_, n) => filler(n)),
  ].join(" ");
  const long = {
    ...citation(1),
    quote: text,
    start: 100,
    end: 100 + [...text].length,
    passage: { start: 100, end: 100 + [...text].length },
  };
  const cases: [why: string, answer: string, question: string, quote: string][] = [
    [
      "the sentence that supports the marked one",
      "The filter is replaced every ninety days [1]. The pump is big [2].",
      "pump?",
      "😀 The filter is replaced every ninety days.",
    ],
    [
      "two sentences when both are needed",
      "Replace the filter every ninety days, or clean the pump [1].",
      "pump?",
      "😀 The filter is replaced every ninety days. Whoever forgets it must clean the pump.",
    ],
    [
      "what the question asks for, without a marker",
      "Yes.",
      "Who must clean the pump?",
      "Whoever forgets it must clean the pump.",
    ],
    ["its beginning when no words match", "Foo bar [1].", "?", filler(0)],
  ];
  for (const [why, answer, question, quote] of cases)
    test(why, async () => {
      const {
        citations: [one],
      } = await withShortQuotes(
        { ...answered, answer, citations: [long, { ...citation(2), quote: "Short." }] },
        question,
        retrieval,
      );
      expect(one!.quote).toBe(quote);
      expect([...text].slice(one!.start - 100, one!.end - 100).join("")).toBe(quote);
      expect(one!.passage).toEqual(long.passage);
    });
  test("whole words, or any characters, when it has no sentences", async () => {
    for (const quote of ["word ".repeat(300).trim(), "字".repeat(1_500), "😀".repeat(800)]) {
      const end = [...quote].length;
      const { citations } = await withShortQuotes(
        { ...answered, answer: "A [1].", citations: [{ ...long, quote, start: 0, end }] },
        "?",
        retrieval,
      );
      const cut = citations[0]!;
      expect([...cut.quote].length).toBeLessThanOrEqual(500);
      expect(quote.startsWith(cut.quote)).toBe(true);
      expect(cut.quote.isWellFormed()).toBe(true);
      expect(cut.quote.length).toBeGreaterThan(400);
    }
  });
});
const answered: Omit<Answered, "answer" | "citations"> = {
  outcome: "answered",
  grounded: true,
  model: "test",
  prompts: [],
  usage: null,
  timings: { retrieve_ms: 0, generate_ms: 0 },
  warnings: [],
};

test("an answer from an earlier version gets quotes as passages, and nothing related", () => {
  const { passage: _, ...before } = citation(1);
  const { related: _related, ...stored_fields } = answered;
  const stored = { ...stored_fields, timings: { ...answered.timings, queue_ms: 0 } };
  const { citations, related } = completed({
    ...stored,
    answer: "A [1].",
    citations: [before],
  });
  expect(citations).toEqual([{ ...before, passage: { start: 0, end: 7 } }]);
  expect(related).toEqual([]);
});

test("citations of a purged document lose their text and become stale", () => {
  const both = [citation(1, "doc_gone"), citation(2, "doc_here")];
  const { citations, related } = redacted(
    { citations: both, related: both },
    new Set(["doc_gone"]),
  );
  expect(related.map(({ quote, stale }) => [quote, stale])).toEqual([
    ["", true],
    ["quote 2", false],
  ]);
  expect(citations.map(({ quote, stale }) => [quote, stale])).toEqual([
    ["", true],
    ["quote 2", false],
  ]);
});
