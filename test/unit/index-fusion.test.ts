/**
 * Two rankings become one by their scores; what is near enough in meaning to be found by it alone;
 * and what the cosines of a model mean.
 */
import { describe, expect, test } from "bun:test";
import { calibrationOf, scaleOf } from "../../plugins/search-index/vectors/calibration";
import {
  fuseRankings,
  wordsAlone,
  type FusedHit,
  type MeaningRanking,
} from "../../plugins/search-index/ranking/fusion";

type Scale = NonNullable<MeaningRanking["scale"]>;
/** `[chunk, score]`, best first. */
type Scored = readonly (readonly [number, number])[];
const hits = (scored: Scored) =>
  scored.map(([chunk, score]) => ({ segment: 0, chunk, score, document_score: 0 }));

/** As those of multilingual-e5-small: unrelated texts have .73, a right one .89. */
const usual: Scale = { unrelated: 0.73, alike: 0.77, excess: 0, spread: 0.02, right: 0.16 };
interface Asked {
  readonly words?: Scored;
  /** What the first hit of the words covers of the query. */
  readonly coverage?: number;
  readonly meaning?: Scored;
  /** Passages that were compared; all of `meaning` unless given. */
  readonly compared?: number;
  readonly mean?: number;
  readonly likeness?: number | null;
  readonly around?: number | null;
  readonly scale?: Scale | undefined;
  readonly limit?: number;
  readonly unlikely?: boolean;
}
function fused({
  words = [],
  coverage = 1,
  meaning = [],
  compared = meaning.length,
  mean = 0.73,
  likeness = null,
  around = null,
  limit = 9,
  unlikely,
  ...more
}: Asked): FusedHit[] {
  const scale = "scale" in more ? more.scale : usual;
  return fuseRankings(
    { hits: hits(words), coverage },
    { hits: hits(meaning), compared, mean, likeness, around, scale },
    { limit, unlikely },
  );
}
const chunks = (found: readonly FusedHit[]): number[] => found.map(({ chunk }) => chunk);

describe("two rankings are fused", () => {
  const cases: [string, Asked, number[]][] = [
    ["nothing in either", {}, []],
    [
      "both agree",
      {
        words: [
          [1, 9],
          [2, 5],
        ],
        meaning: [
          [1, 0.89],
          [2, 0.85],
        ],
      },
      [1, 2],
    ],
    [
      "what both hold comes before what one holds",
      {
        words: [
          [1, 9],
          [2, 8],
        ],
        meaning: [
          [3, 0.89],
          [2, 0.88],
        ],
      },
      [2, 1, 3],
    ],
    [
      "a word that is far ahead of the others outweighs a small lead in meaning",
      {
        words: [
          [1, 9],
          [2, 2],
        ],
        meaning: [
          [2, 0.85],
          [1, 0.84],
        ],
      },
      [1, 2],
    ],
    [
      "words that cover little of the query count little",
      {
        words: [
          [1, 9],
          [2, 2],
        ],
        coverage: 0.1,
        meaning: [
          [2, 0.85],
          [1, 0.82],
        ],
      },
      [2, 1],
    ],
    [
      "only words",
      {
        words: [
          [2, 9],
          [1, 3],
        ],
      },
      [2, 1],
    ],
    [
      "only meaning",
      {
        meaning: [
          [2, 0.89],
          [1, 0.86],
        ],
      },
      [2, 1],
    ],
    [
      "no more than asked",
      {
        words: [
          [1, 9],
          [2, 5],
        ],
        meaning: [
          [3, 0.89],
          [4, 0.88],
        ],
        limit: 2,
      },
      [1, 2],
    ],
  ];
  for (const [why, asked, expected] of cases)
    test(why, () => expect(chunks(fused(asked))).toEqual(expected));

  test("1 is the score of the first in both, and no score is above it or below 0", () => {
    const found = fused({
      words: [
        [1, 20],
        [2, 10],
        [3, 5],
      ],
      meaning: [
        [1, 0.89],
        [4, 0.81],
        [3, 0.6],
      ],
    });
    expect(found.map(({ chunk, score }) => [chunk, Number(score.toFixed(3))])).toEqual([
      [1, 1],
      [2, 0.325],
      [4, 0.175],
      [3, 0.163],
    ]);
  });
  test("without vectors 1 is the score of the first", () => {
    expect(
      wordsAlone(
        hits([
          [1, 8],
          [2, 2],
        ]),
      ).map(({ score, matched, meaning }) => [score, matched, meaning]),
    ).toEqual([
      [1, "words", null],
      [0.25, "words", null],
    ]);
  });
});

describe("what meaning alone finds", () => {
  const excessive = { ...usual, excess: 0.03 };
  const cases: [string, Asked, number[]][] = [
    ["a passage as near as an answer", { meaning: [[1, 0.88]] }, [1]],
    [
      "an answer in another language is less near, and stands out from the others",
      {
        meaning: [
          [1, 0.79],
          [2, 0.74],
          [3, 0.73],
        ],
      },
      [1],
    ],
    [
      "nothing, when the nearest is as near as any",
      {
        meaning: [
          [1, 0.76],
          [2, 0.75],
          [3, 0.73],
        ],
      },
      [],
    ],
    [
      "as near as any, for who judges it himself; not the tail behind it",
      {
        meaning: [
          [1, 0.76],
          [2, 0.75],
          [3, 0.73],
        ],
        unlikely: true,
      },
      [1, 2],
    ],
    [
      "nothing, when the query is near to everything",
      {
        meaning: [
          [1, 0.79],
          [2, 0.74],
        ],
        scale: { ...excessive, unrelated: 0.76 },
      },
      [],
    ],
    [
      "of many passages one comes near by chance, of few it does not",
      { meaning: [[1, 0.778]], compared: 1_000_000 },
      [],
    ],
    ["of few it does not", { meaning: [[1, 0.778]] }, [1]],
    [
      "all of three passages, when all are right",
      {
        meaning: [
          [1, 0.89],
          [2, 0.88],
          [3, 0.87],
        ],
        mean: 0.88,
      },
      [1, 2, 3],
    ],
    [
      "not the tail behind what is near",
      {
        meaning: [
          [1, 0.88],
          [2, 0.82],
          [3, 0.79],
          [4, 0.75],
        ],
      },
      [1, 2],
    ],
    [
      "nothing, when the passages are about one subject and the query is about none of it",
      { meaning: [[1, 0.79]], compared: 1_000, likeness: 0.84 },
      [],
    ],
    [
      "… but it is found when those around the nearest are about it",
      { meaning: [[1, 0.79]], compared: 1_000, likeness: 0.84, around: 0.76 },
      [1],
    ],
    [
      "… and among passages on various subjects",
      { meaning: [[1, 0.79]], compared: 1_000, likeness: 0.78 },
      [1],
    ],
    [
      "… and among those that are alike in form",
      { meaning: [[1, 0.79]], compared: 1_000, likeness: 0.95 },
      [1],
    ],
    [
      "what stands out less, when all the passages are about the subject of the query",
      { meaning: [[1, 0.809]], compared: 1_000, mean: 0.76, likeness: 0.84 },
      [1],
    ],
    [
      "… but not when they are about another",
      { meaning: [[1, 0.779]], compared: 1_000, mean: 0.73, likeness: 0.84 },
      [],
    ],
    [
      "everything, when it isn't known what the cosines mean",
      {
        meaning: [
          [1, 0.75],
          [2, 0.74],
        ],
        mean: 0.7,
        scale: undefined,
      },
      [1, 2],
    ],
  ];
  for (const [why, asked, expected] of cases)
    test(why, () => expect(chunks(fused(asked))).toEqual(expected));

  test("what holds words is found however far it is in meaning", () => {
    const found = fused({
      words: [
        [1, 9],
        [2, 3],
        [5, 2],
      ],
      meaning: [
        [1, 0.88],
        [3, 0.86],
        [2, 0.74],
        [4, 0.73],
      ],
    });
    expect(found.map(({ chunk, matched }) => [chunk, matched])).toEqual([
      [1, "both"],
      [3, "meaning"],
      [2, "words"],
      [5, "words"],
    ]);
  });
  test("how near is the same for every model: 0 as unrelated texts, 1 as an answer", () => {
    const meanings = (scored: Scored, scale?: Scale): (number | null)[] =>
      fused({
        words: [
          [1, 4],
          [2, 3],
          [3, 2],
          [4, 1],
        ],
        meaning: scored,
        compared: 0,
        scale,
      })
        .toSorted((a, b) => a.chunk - b.chunk)
        .map(({ meaning }) => meaning && Number(meaning.toFixed(2)));
    const e5: Scored = [
        [1, 0.95],
        [2, 0.81],
        [3, 0.73],
      ],
      other: Scored = [
        [1, 0.7],
        [2, 0.3],
        [3, 0.1],
      ];
    expect(meanings(e5, usual)).toEqual([1, 0.5, 0, 0]);
    expect(
      meanings(other, { unrelated: 0.1, alike: 0.1, excess: 0, spread: 0.05, right: 0.4 }),
    ).toEqual([1, 0.5, 0, 0]);
    expect(meanings(e5)).toEqual([null, null, null, null]);
  });
});

describe("a model is measured", () => {
  const dimensions = 8;
  /** Of length 1: so much of the direction `own`, the rest of one that all share. */
  const vector = (own: number, share: number): Float32Array => {
    const made = new Float32Array(dimensions);
    made[own] = share;
    made[dimensions - 1] = Math.sqrt(1 - share ** 2);
    return made;
  };
  const pair = (own: number, share = 0.6) => ({
    question: vector(own, share),
    passage: vector(own, share),
  });
  const five = [0, 1, 2, 3, 4].map((own) => pair(own));
  const unknown = { question: null, passage: null };
  const measured = (
    pairs: Parameters<typeof calibrationOf>[0]["pairs"],
    questions: Parameters<typeof calibrationOf>[0]["questions"] = [],
  ) => calibrationOf({ pairs, questions });

  test("by how near unrelated texts are, and by how much the right ones exceed them", () => {
    const { usual, alike, spread, right, passages } = measured(five)!;
    expect([usual, alike, spread, right].map((one) => Number(one.toFixed(3)))).toEqual([
      0.355, 0.64, 0.036, 0.36,
    ]);
    expect(passages.length).toBe(5);
  });
  test("languages that it does not know change little", () => {
    const strange = { question: vector(5, 0), passage: vector(6, 1) };
    const { usual, right } = measured([...five, strange])!;
    expect([usual, right].map((one) => Number(one.toFixed(2)))).toEqual([0.35, 0.36]);
  });
  test("one that can't tell what belongs together has no scale", () => {
    const same = [0, 1, 2, 3, 4].map(() => pair(0)),
      random = [0, 1, 2, 3, 4].map((own) => ({
        question: vector(own, 0.6),
        passage: vector((own + 1) % 5, 0.6),
      }));
    expect([measured(same), measured(random)]).toEqual([null, null]);
  });
  test("texts that it can't take are left out, and few tell nothing", () => {
    expect(measured([unknown, ...five, unknown])?.passages.length).toBe(5);
    expect(measured([unknown, ...five.slice(0, 3), unknown])).toBe(null);
  });
  test("a question that is near to everything has an excess", () => {
    const calibration = measured(five)!,
      excessOf = (share: number): number => scaleOf(calibration, vector(6, share)).excess;
    expect(excessOf(0.6)).toBeCloseTo(0, 5);
    expect(excessOf(0.9)).toBe(0);
    expect(excessOf(0)).toBeCloseTo(0.16, 5);
  });
  test("half of what tells its language from others does not count in a question", () => {
    /** In one of three languages, directions 4 to 6, about something, directions 0 to 3. */
    const said = (language: number, about: number): Float32Array => {
      const made = new Float32Array(dimensions);
      made[4 + language] = 0.6;
      made[about] = 0.8;
      return made;
    };
    const pairs = [0, 1, 2, 3].map((about) => ({
        question: said(0, about),
        passage: said(1, about),
      })),
      questions = [0, 1, 2].map((language) => [0, 1, 2, 3].map((about) => said(language, about))),
      own = (some: typeof questions): number[] =>
        [...scaleOf(measured(pairs, some)!, said(2, 3)).own].map((one) => Number(one.toFixed(2)));
    const cases: [string, typeof questions, number[]][] = [
      ["of three", questions, [-0.08, -0.08, -0.08, 0.72, 0.02, 0.02, 0.32, 0]],
      [
        "one of which it can't take",
        [...questions, [null, said(0, 1), said(0, 2), said(0, 3)]] as typeof questions,
        [-0.08, -0.08, -0.08, 0.72, 0.02, 0.02, 0.32, 0],
      ],
      [
        "one alone can't be told from others",
        questions.slice(0, 1),
        [-0.08, -0.08, -0.08, 0.72, -0.24, 0, 0.6, 0],
      ],
    ];
    for (const [why, some, expected] of cases) expect([why, own(some)]).toEqual([why, expected]);
  });
});
