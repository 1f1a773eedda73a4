/** Further passages of a page rank after other pages, with reduced scores. */
import { expect, test } from "bun:test";
import { spreadOverPages } from "../../plugins/search-index/ranking/page-spread";

type Place = readonly [score: number, page: number | null, segment?: number];
const cases: [why: string, found: Place[], limit: number, spread: [chunk: number, number][]][] = [
  ["no passages", [], 3, []],
  [
    "another page with a close score comes second",
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
    "another page with a much lower score doesn't",
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
    "the third passage of a page is reduced twice",
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
    "the same page number in another document is a different page",
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
    "passages without pages keep their order",
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
    "no more than the limit, the best of all found",
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
