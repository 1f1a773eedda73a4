/** What is saved of an answer: markers and citations that fit each other, numbered by first use. */
import { describe, expect, test } from "bun:test";
import { redacted, renumbered } from "../../plugins/chats/citations";
import type { Citation } from "../../plugins/search/contract";

const citation = (id: number, document_id = `doc_${id}`): Citation => ({
  id,
  document_id,
  document_name: "a.txt",
  document_version: 1,
  folder_id: "fld_1",
  quote: `quote ${id}`,
  start: 0,
  end: 7,
  page: null,
  page_end: null,
  time_start: null,
  time_end: null,
  heading: null,
  score: 1,
  verified: false,
  stale: false,
  url: `/api/dev/v1/documents/${document_id}`,
});

describe("renumbering an answer", () => {
  type Case = [
    why: string,
    answer: string,
    ids: number[],
    held: number[],
    saved: string,
    documents: string[],
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
      [1, 2, 3],
      [1, 2, 3],
      "One [1]. Two [2]. Three [1].",
      ["doc_3", "doc_1", "doc_2"],
    ],
    [
      "citations without a marker follow",
      "One [2].",
      [1, 2, 3],
      [1, 2, 3],
      "One [1].",
      ["doc_2", "doc_1", "doc_3"],
    ],
    [
      "a marker that names none goes, with the space before it",
      "One [7]. Two [1].",
      [1],
      [1],
      "One. Two [1].",
      ["doc_1"],
    ],
    [
      "a quote that is not there goes, and its marker",
      "One [1]. Two [2].",
      [1, 2],
      [2],
      "One. Two [1].",
      ["doc_2"],
    ],
    ["nothing held leaves the text alone", "One [1] two.", [1], [], "One two.", []],
    ["markers beside each other", "One [2][1].", [1, 2], [1, 2], "One [1][2].", ["doc_2", "doc_1"]],
    ["one of two beside each other", "One [1][2].", [1, 2], [2], "One [1].", ["doc_2"]],
    [
      "one of two with a space between",
      "One [1] [2], two.",
      [1, 2],
      [1],
      "One [1], two.",
      ["doc_1"],
    ],
    ["none of two leaves no space", "One [8] [9].", [1], [1], "One.", ["doc_1"]],
    [
      "numbers do not run into each other",
      "A [10] b [1].",
      [1, 10],
      [1, 10],
      "A [1] b [2].",
      ["doc_10", "doc_1"],
    ],
    ["a number given twice counts once", "One [1].", [1, 1], [1], "One [1].", ["doc_1"]],
    [
      "a number of any length is a marker",
      "One [2019] two [123456789012]. Three [1].",
      [1],
      [1],
      "One two. Three [1].",
      ["doc_1"],
    ],
    ["zero is no citation", "One [0] [1].", [1], [1], "One [1].", ["doc_1"]],
    ["a leading zero is repaired", "One [01].", [1], [1], "One [1].", ["doc_1"]],
    [
      "other brackets are text",
      "A [note] and a [1] and [] and [1a].",
      [1],
      [1],
      "A [note] and a [1] and [] and [1a].",
      ["doc_1"],
    ],
    ["a marker at the start leaves no space", "[9] One.", [], [], "One.", []],
    ["an answer without markers", "One.", [], [], "One.", []],
  ];
  for (const [why, answer, ids, held, saved, documents] of cases) {
    test(why, () => {
      const result = renumbered({ answer, citations: ids.map((id) => citation(id)) }, ({ id }) =>
        held.includes(id),
      );
      expect(result.answer).toBe(saved);
      expect(result.citations.map(({ document_id }) => document_id)).toEqual(documents);
      expect(result.citations.map(({ id }) => id)).toEqual(documents.map((_, i) => i + 1));
      expect(result.citations.every(({ verified, stale }) => verified && !stale)).toBe(true);
    });
  }
});

test("a purged document's citations lose their text and are stale; others stay", () => {
  const { citations } = redacted(
    { citations: [citation(1, "doc_gone"), citation(2, "doc_here")] },
    new Set(["doc_gone"]),
  );
  expect(citations.map(({ quote, stale }) => [quote, stale])).toEqual([
    ["", true],
    ["quote 2", false],
  ]);
});
