/**
 * Two rankings are fused by their scores; what is similar enough to be found by meaning alone; and
 * how the cosines of a model are scaled.
 */
import { describe, expect, test } from "bun:test";
import { calibrationOf, scaleOf } from "../../plugins/search-index/vectors/calibration";
import {
  fuseRankings,
  leadOf,
  wordsAlone,
  type FusedHit,
  type MeaningRanking,
} from "../../plugins/search-index/ranking/fusion";

type Scale = NonNullable<MeaningRanking["scale"]>;
/** `[chunk, score]`, best first. */
type Scored = readonly (readonly [number, number])[];
const hits = (scored: Scored) =>
  scored.map(([chunk, score]) => ({ segment: 0, chunk, score, document_score: 0 }));

/** Like those of multilingual-e5-small: .73 for unrelated texts, .89 for a correct answer. */
const typical: Scale = {
  unrelated: 0.73,
  passage_likeness: 0.77,
  excess: 0,
  spread: 0.02,
  answer_margin: 0.16,
};
/** All segments have vectors. */
const none = new Uint8Array(0);
interface Asked {
  readonly words?: Scored;
  /** The share of the query that the first keyword hit covers. */
  readonly coverage?: number;
  readonly meaning?: Scored;
  /** The compared passages; by default all of `meaning`. */
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
  const scale = "scale" in more ? more.scale : typical;
  return fuseRankings(
    { hits: hits(words), coverage },
    { hits: hits(meaning), compared, mean, without_vectors: none, likeness, around, scale },
    { limit, unlikely },
  );
}
const chunks = (found: readonly FusedHit[]): number[] => found.map(({ chunk }) => chunk);

describe("fusing two rankings:", () => {
  const cases: [string, Asked, number[]][] = [
    ["both are empty", {}, []],
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
      "a hit in both comes before a hit in one",
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
      "a large lead in words outweighs a small lead in meaning",
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
      "words that cover little of the query count for little",
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
      "words only",
      {
        words: [
          [2, 9],
          [1, 3],
        ],
      },
      [2, 1],
    ],
    [
      "meaning only",
      {
        meaning: [
          [2, 0.89],
          [1, 0.86],
        ],
      },
      [2, 1],
    ],
    [
      "no more than the limit",
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

  test("the first in both scores 1, and all scores are between 0 and 1", () => {
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
  test("without vectors the first scores 1", () => {
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

describe("found by meaning alone:", () => {
  const excessive = { ...typical, excess: 0.03 };
  const cases: [string, Asked, number[]][] = [
    ["a passage as similar as an answer", { meaning: [[1, 0.88]] }, [1]],
    [
      "a less similar answer in another language that stands out",
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
      "nothing, when the nearest doesn't stand out",
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
      "the nearest without the tail, when the caller judges",
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
      "nothing, when the query is similar to everything",
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
      "nothing, when one of many passages is similar by chance",
      { meaning: [[1, 0.778]], compared: 1_000_000 },
      [],
    ],
    ["the same similarity among few passages", { meaning: [[1, 0.778]] }, [1]],
    [
      "all three passages, when all are right",
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
      "the similar passages, without the tail",
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
      "nothing, when the passages share a subject and the query is off it",
      { meaning: [[1, 0.79]], compared: 1_000, likeness: 0.84 },
      [],
    ],
    [
      "the nearest, when its neighbors are on the query's subject",
      { meaning: [[1, 0.79]], compared: 1_000, likeness: 0.84, around: 0.76 },
      [1],
    ],
    [
      "the nearest among passages on various subjects",
      { meaning: [[1, 0.79]], compared: 1_000, likeness: 0.78 },
      [1],
    ],
    [
      "the nearest among passages alike in form",
      { meaning: [[1, 0.79]], compared: 1_000, likeness: 0.95 },
      [1],
    ],
    [
      "a weaker lead, when all passages are on the query's subject",
      { meaning: [[1, 0.809]], compared: 1_000, mean: 0.76, likeness: 0.84 },
      [1],
    ],
    [
      "no weaker lead, when they are on another subject",
      { meaning: [[1, 0.779]], compared: 1_000, mean: 0.73, likeness: 0.84 },
      [],
    ],
    [
      "everything, when the model has no scale",
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

  test("a passage with the words is found at any similarity", () => {
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
  test("similarity is scaled for every model: 0 for unrelated texts, 1 for an answer", () => {
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
    ];
    const other: Scored = [
      [1, 0.7],
      [2, 0.3],
      [3, 0.1],
    ];
    expect(meanings(e5, typical)).toEqual([1, 0.5, 0, 0]);
    expect(
      meanings(other, {
        unrelated: 0.1,
        passage_likeness: 0.1,
        excess: 0,
        spread: 0.05,
        answer_margin: 0.4,
      }),
    ).toEqual([1, 0.5, 0, 0]);
    expect(meanings(e5)).toEqual([null, null, null, null]);
  });
});

describe("a passage whose vector is still to come", () => {
  const hit = ([segment, score]: readonly [number, number]) => ({
    segment,
    chunk: segment,
    score,
    document_score: 0,
  });
  /** `[segment, score]` of both rankings, best first; segment 1 has no vectors yet. */
  const cases = [
    ["comes first if its words fit best", 1, [1, 10], [0, 7], [1, 0]],
    ["comes second if its words fit less well", 1, [0, 10], [1, 7], [0, 1]],
    ["comes second if its words are few of the query's", 0.2, [1, 10], [0, 7], [0, 1]],
  ] as const;
  test.each(cases)("%s", (_why, coverage, first, second, expected) => {
    const found = fuseRankings(
      { hits: [hit(first), hit(second)], coverage },
      {
        hits: [hit([0, 0.85])],
        compared: 1,
        mean: 0.73,
        without_vectors: Uint8Array.of(0, 1),
        likeness: null,
        around: null,
        scale: typical,
      },
      { limit: 9 },
    );
    expect(chunks(found)).toEqual([...expected]);
    expect(found.find(({ segment }) => segment === 1)!.meaning).toBe(null);
  });
});

describe("the lead of the most similar passage:", () => {
  const tail: Scored = Array.from({ length: 9 }, (_, at) => [at + 2, 0.81 - at / 100]);
  const cases: [string, Scored, Scale | undefined, number | null][] = [
    ["over the tenth", [[1, 0.89], ...tail], typical, 1],
    ["small, when the tenth is almost as similar", [[1, 0.746], ...tail], typical, 0.1],
    ["over unrelated passages, when there are fewer", [[1, 0.81]], typical, 0.5],
    ["unknown, when there are no passages", [], typical, null],
    ["unknown, when the model has no scale", [[1, 0.89], ...tail], undefined, null],
  ];
  test.each(cases)("%s", (_why, meaning, scale, expected) => {
    const found = { compared: meaning.length, mean: 0.73, likeness: null, around: null };
    const lead = leadOf({ hits: hits(meaning), ...found, without_vectors: none, scale });
    expect(lead && Number(lead.toFixed(6))).toBe(expected);
  });
});

describe("calibrating a model:", () => {
  const dimensions = 8;
  /** A unit vector: this much in direction `own`, the rest in a direction shared by all. */
  const vector = (own: number, share: number): Float32Array => {
    const vector = new Float32Array(dimensions);
    vector[own] = share;
    vector[dimensions - 1] = Math.sqrt(1 - share ** 2);
    return vector;
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

  test("measures unrelated texts and the margin of correct ones", () => {
    const { typical, passage_likeness, spread, answer_margin, passages } = measured(five)!;
    expect(
      [typical, passage_likeness, spread, answer_margin].map((number) => Number(number.toFixed(3))),
    ).toEqual([0.355, 0.64, 0.036, 0.36]);
    expect(passages.length).toBe(5);
  });
  test("languages unknown to the model change little", () => {
    const strange = { question: vector(5, 0), passage: vector(6, 1) };
    const { typical, answer_margin } = measured([...five, strange])!;
    expect([typical, answer_margin].map((number) => Number(number.toFixed(2)))).toEqual([
      0.35, 0.36,
    ]);
  });
  test("a model that can't tell related texts has no scale", () => {
    const same = [0, 1, 2, 3, 4].map(() => pair(0));
    const random = [0, 1, 2, 3, 4].map((own) => ({
      question: vector(own, 0.6),
      passage: vector((own + 1) % 5, 0.6),
    }));
    expect([measured(same), measured(random)]).toEqual([null, null]);
  });
  test("texts that fail are left out, and too few give no scale", () => {
    expect(measured([unknown, ...five, unknown])?.passages.length).toBe(5);
    expect(measured([unknown, ...five.slice(0, 3), unknown])).toBe(null);
  });
  test("a question similar to everything has an excess", () => {
    const calibration = measured(five)!;
    const excessOf = (share: number): number => scaleOf(calibration, vector(6, share)).excess;
    expect(excessOf(0.6)).toBeCloseTo(0, 5);
    expect(excessOf(0.9)).toBe(0);
    expect(excessOf(0)).toBeCloseTo(0.16, 5);
  });
  test("half of the language direction is removed from a question", () => {
    /** In one of three languages (directions 4 to 6), about a subject (directions 0 to 3). */
    const said = (language: number, about: number): Float32Array => {
      const vector = new Float32Array(dimensions);
      vector[4 + language] = 0.6;
      vector[about] = 0.8;
      return vector;
    };
    const pairs = [0, 1, 2, 3].map((about) => ({
      question: said(0, about),
      passage: said(1, about),
    }));
    const questions = [0, 1, 2].map((language) =>
      [0, 1, 2, 3].map((about) => said(language, about)),
    );
    const own_scales = (vectors: typeof questions): number[] =>
      [...scaleOf(measured(pairs, vectors)!, said(2, 3)).adjusted_query].map((number) =>
        Number(number.toFixed(2)),
      );
    const cases: [string, typeof questions, number[]][] = [
      ["with three languages", questions, [-0.08, -0.08, -0.08, 0.72, 0.02, 0.02, 0.32, 0]],
      [
        "with one that fails",
        [...questions, [null, said(0, 1), said(0, 2), said(0, 3)]] as typeof questions,
        [-0.08, -0.08, -0.08, 0.72, 0.02, 0.02, 0.32, 0],
      ],
      [
        "with a single language",
        questions.slice(0, 1),
        [-0.08, -0.08, -0.08, 0.72, -0.24, 0, 0.6, 0],
      ],
    ];
    for (const [why, vectors, expected] of cases)
      expect([why, own_scales(vectors)]).toEqual([why, expected]);
  });
});
