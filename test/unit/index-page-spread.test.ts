/** Further passages of a page come after other pages, with what is left of their scores. */
import { expect, test } from "bun:test";
import { spreadOverPages } from "../../plugins/search-index/ranking/page-spread";

type Place = readonly [score: number, page: number | null, segment?: number];
const cases: [why: string, found: Place[], limit: number, spread: [chunk: number, number][]][] = [
  ["nothing", [], 3, []],
  [
    "another page that is nearly as good comes second",
    [
      [1, 7],
      [0.9, 7],
      [0.8, 9],
    ],
    3,
    [
      [0, 1],
      [2, 0.8],
      [1, 0.72],
    ],
  ],
  [
    "one that is much worse does not",
    [
      [1, 7],
      [0.9, 7],
      [0.7, 9],
    ],
    3,
    [
      [0, 1],
      [1, 0.72],
      [2, 0.7],
    ],
  ],
  [
    "the third of a page loses twice",
    [
      [1, 7],
      [1, 7],
      [1, 7],
      [0.7, 9],
    ],
    4,
    [
      [0, 1],
      [1, 0.8],
      [3, 0.7],
      [2, 0.64],
    ],
  ],
  [
    "page 7 of another document is another page",
    [
      [1, 7, 0],
      [0.9, 7, 1],
    ],
    2,
    [
      [0, 1],
      [1, 0.9],
    ],
  ],
  [
    "what has no pages keeps its order",
    [
      [1, null],
      [0.9, null],
      [0.8, null],
    ],
    2,
    [
      [0, 1],
      [1, 0.9],
    ],
  ],
  [
    "no more than the limit, and the best of all that were found",
    [
      [1, 7],
      [0.9, 7],
      [0.8, 9],
    ],
    2,
    [
      [0, 1],
      [2, 0.8],
    ],
  ],
];
test.each(cases)("%s", (_, found, limit, spread) => {
  const hits = found.map(([score, , segment = 0], chunk) => ({
    segment,
    chunk,
    score,
    document_score: 0,
  }));
  const pages = found.map(([, page]) => page);
  expect(
    spreadOverPages(hits, pages, limit).map(({ chunk, score }) => [chunk, +score.toFixed(3)]),
  ).toEqual(spread);
});
