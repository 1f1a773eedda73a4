/**
 * Segments and ranking: everything packed can be read back, and the scores follow the formula,
 * regardless of how chunks are spread over segments.
 */
import { describe, expect, test } from "bun:test";
import {
  analyzer,
  analyzers,
  hashOf,
  type Analyzer,
} from "../../plugins/search-index/analysis/analyzer";
import { Ranker } from "../../plugins/search-index/ranking/bm25";
import { parseQuery } from "../../plugins/search-index/analysis/query";
import { rerank } from "../../plugins/search-index/ranking/reranker";
import {
  analyzerOf,
  chunkCount,
  lengthOf,
  lengthSum,
  postingAt,
  postingsOf,
  SegmentBuilder,
  segment_chunks_max,
  type Segment,
} from "../../plugins/search-index/segments/segment";
import { SegmentCache } from "../../plugins/search-index/segments/segment-cache";
import { no_pauses } from "../../plugins/search-index/workers/worker-protocol";
import { rank, rankPacked } from "../helpers/rank";

/** The same numbers on every run. */
function randomly(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 4_294_967_296;
}
const termsOf = (text: string): string[] => {
  const found: string[] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    found.push(term ?? text.slice(start, end));
  });
  return found;
};

function segmentOf(chunks: readonly string[], version = 1): Segment {
  const builder = new SegmentBuilder();
  for (const chunk of chunks) {
    const terms = termsOf(chunk);
    for (const term of terms) builder.add(hashOf(term));
    builder.endChunk(terms.length);
  }
  return builder.finish(version);
}
const tf = (segment: Segment, term: string): Record<number, number> => {
  const place = postingsOf(segment, hashOf(term));
  const found: Record<number, number> = {};
  for (let at = place >>> 16; at < (place & 0xffff); at++)
    found[postingAt(segment, at) >>> 8] = postingAt(segment, at) & 255;
  return found;
};

describe("a segment", () => {
  test("contains exactly the terms of every chunk", () => {
    const next = randomly(7);
    const chunks = Array.from({ length: segment_chunks_max }, () =>
      Array.from({ length: 40 }, () => `w${Math.floor(next() * next() * 3_000)}x`).join(" "),
    );
    const segment = segmentOf(chunks, 9);
    expect([analyzerOf(segment), chunkCount(segment), lengthSum(segment)]).toEqual([
      9,
      256,
      256 * 40,
    ]);
    const expected = new Map<string, Record<number, number>>();
    chunks.forEach((chunk, at) => {
      for (const term of termsOf(chunk)) {
        const counts = expected.get(term) ?? {};
        counts[at] = (counts[at] ?? 0) + 1;
        expected.set(term, counts);
      }
    });
    for (const [term, counts] of expected) expect(tf(segment, term)).toEqual(counts);
    for (let i = 0; i < 2_000; i++)
      if (!expected.has(`absent${i}`)) expect(postingsOf(segment, hashOf(`absent${i}`))).toBe(0);
    expect(lengthOf(segment, 255)).toBe(40);
  });
  const edges: [string, number][] = [
    ["the lowest hash", 0],
    ["the highest hash", 0xffff_ffff],
    ["a hash in between", 0x8000_0000],
  ];
  for (const [why, hash] of edges)
    test(`finds ${why}, but not its neighbors`, () => {
      const builder = new SegmentBuilder();
      builder.add(hash);
      builder.endChunk(1);
      const segment = builder.finish(1);
      expect(postingsOf(segment, hash) & 0xffff).toBe(1);
      for (const other of [hash - 1, hash + 1, 12_345])
        if (other >= 0 && other <= 0xffff_ffff) expect(postingsOf(segment, other)).toBe(0);
    });
  test("can have an empty chunk and a term with 300 occurrences", () => {
    const segment = segmentOf(["", "again ".repeat(300)]);
    expect(tf(segment, "again")).toEqual({ 1: 255 });
    expect(lengthOf(segment, 0)).toBe(0);
  });
  test("is reported full by its builder, by chunks or by terms", () => {
    const many = new SegmentBuilder();
    const large = new SegmentBuilder();
    for (let i = 0; i < segment_chunks_max; i++) {
      expect(many.fits(1)).toBe(true);
      many.endChunk(0);
    }
    expect(many.fits(0)).toBe(false);
    for (let i = 0; i < 59_990; i++) large.add(i);
    large.endChunk(59_990);
    expect([large.fits(10), large.fits(11)]).toEqual([true, false]);
    expect(chunkCount(large.finish(1))).toBe(1);
    expect([large.chunks, large.fits(60_000)]).toEqual([0, true]);
  });
});

/** Textbook BM25 over whole texts. */
function naive(chunks: readonly string[], question: readonly string[]): number[] {
  const all = chunks.map(termsOf);
  const mean = all.reduce((sum, words) => sum + words.length, 0) / all.length;
  return all.map((terms) =>
    question.reduce((score, term) => {
      const df = all.filter((words) => words.includes(term)).length;
      const count = terms.filter((word) => word === term).length;
      const idf = Math.log(1 + (all.length - df + 0.5) / (df + 0.5));
      return score + (idf * (count * 2.2)) / (count + 1.2 * (0.25 + (0.75 * terms.length) / mean));
    }, 0),
  );
}

describe("ranking", () => {
  const next = randomly(42);
  const chunks = Array.from({ length: 400 }, () =>
    Array.from(
      { length: 5 + Math.floor(next() * 60) },
      () => `w${Math.floor(next() ** 3 * 200)}x`,
    ).join(" "),
  );
  const queryText = "w3x w17x w90x w3x w150x";
  const query = parseQuery(queryText, undefined, analyzers, 1);

  test("gives the textbook's scores, counting repeated words", async () => {
    const { hits } = await rank(
      [segmentOf(chunks.slice(0, 250)), segmentOf(chunks.slice(250))],
      query,
      400,
    );
    const expected = naive(chunks, queryText.split(" "));
    expect(hits.length).toBe(expected.filter((score) => score > 0).length);
    for (const { segment, chunk, score } of hits)
      expect(score).toBeCloseTo(expected[segment * 250 + chunk]!, 9);
    expect(hits.map((hit) => hit.score)).toEqual(
      hits.map((hit) => hit.score).sort((a, b) => b - a),
    );
  });
  test("doesn't depend on how chunks are spread over segments", async () => {
    const ranking = await rank(
      [segmentOf(chunks.slice(0, 200)), segmentOf(chunks.slice(200))],
      query,
      30,
    );
    const fifty = await rank(
      Array.from({ length: 50 }, (_, i) => segmentOf(chunks.slice(i * 8, i * 8 + 8))),
      query,
      30,
    );
    expect(fifty.hits.map((hit) => [hit.segment * 8 + hit.chunk, hit.score])).toEqual(
      ranking.hits.map((hit) => [hit.segment * 200 + hit.chunk, hit.score]),
    );
  });
  const eighty = Array.from({ length: 80 }, (_, i) => segmentOf(chunks.slice(i * 5, i * 5 + 5)));
  for (const together of [1, 7, 80])
    test(`is bit-identical in packs of ${together} segments`, async () => {
      expect(await rankPacked(eighty, query, 30, together)).toEqual(await rank(eighty, query, 30));
      expect(await rankPacked(eighty, query, 400, together)).toEqual(
        await rank(eighty, query, 400),
      );
    });
  test("ignores packs that are not searched", async () => {
    const isSearched = (segment: number) => segment % 3 === 1;
    expect(await rankPacked(eighty, query, 30, 20, isSearched)).toEqual(
      await rank(
        eighty.filter((_segment, at) => isSearched(at)),
        query,
        30,
      ),
    );
  });
  test("keeps the document order for equal scores, however packed", async () => {
    const same = Array.from({ length: 300 }, () => segmentOf(["same words", "same words"]));
    const query = parseQuery("same words", undefined, analyzers, 1);
    const ranker = new Ranker(query, same.length);
    for (let place = same.length - 1; place >= 0; place--) ranker.addSegment(place, same[place]!);
    const { hits } = await ranker.ranking(3, no_pauses);
    expect(hits.map(({ segment, chunk }) => [segment, chunk])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
  });
  test("leaves nothing for the garbage collector", async () => {
    const query = parseQuery("heron", undefined, analyzers, 1);
    const hit = { segment: 0, chunk: 0, score: 1, document_score: 1 };
    const ranker = new Ranker(query, 1);
    ranker.addSegment(0, segmentOf(["heron"]));
    expect(ranker.termsIn(hit)).toEqual([0]);
    ranker[Symbol.dispose]();
    expect(() => ranker.termsIn(hit)).toThrow("detached");
  });
  test("keeps the text order for equal scores", async () => {
    const { hits } = await rank(
      [segmentOf(["same words", "same words"]), segmentOf(["same words"])],
      parseQuery("same words", undefined, analyzers, 1),
      3,
    );
    expect(hits.map(({ segment, chunk }) => [segment, chunk])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
  });
  test("counts other forms of a word as half an occurrence, however many there are", async () => {
    const texts = [
      "вода воды пена",
      "вода моря пена",
      "воды воду водой",
      "воды моря пена",
      "земля",
    ];
    const query = parseQuery("вода", undefined, analyzers, 1);
    for (const { hits, idfs } of [
      await rank([segmentOf(texts)], query, 10),
      await rankPacked([segmentOf(texts)], query, 10, 1),
    ]) {
      expect(hits.map(({ chunk }) => chunk)).toEqual([0, 1, 2, 3]);
      expect(hits[1]!.score).toBeLessThan(hits[0]!.score);
      expect(hits[2]!.score).toBeLessThan(hits[1]!.score);
      expect(hits[3]!.score).toBe(hits[2]!.score);
      expect(idfs).toEqual([Math.log(1 + 1.5 / 4.5)]);
    }
  });
  test("gives nothing for an empty scope", async () =>
    expect((await rank([], query, 10)).hits).toEqual([]));

  test("gives each hit the value of the best passages around it", async () => {
    const { hits } = await rank(
      [segmentOf(["apple tart"]), segmentOf(["apple pie", "pear", "apple"])],
      parseQuery("apple", undefined, analyzers, 1),
      10,
    );
    const [alone, ...together] = hits.toSorted((a, b) => a.segment - b.segment);
    expect(alone!.document_score).toBeCloseTo(alone!.score / 5, 9);
    for (const hit of together)
      expect(hit.document_score).toBeCloseTo((together[0]!.score + together[1]!.score) / 5, 9);
  });
});

describe("reranking:", () => {
  /** The indexes of the texts, best first, where each text is its own document. */
  const reranked = async (question: string, texts: readonly string[], limit = texts.length) => {
    const query = parseQuery(question, undefined, analyzers, 1);
    const ranking = await rank(
      texts.map((text) => segmentOf([text])),
      query,
      50,
    );
    const hits = await rerank(ranking, query, limit, {
      analyzers,
      textsOf: async (hits) => hits.map((hit) => texts[hit.segment]!),
      pauses: no_pauses,
    });
    return hits.map((hit) => hit.segment);
  };
  const cases: [string, string, string[], number][] = [
    [
      "adjacent words win",
      "blue car",
      ["red car and a blue house", "red house and a blue car", "a blue red house near the car"],
      1,
    ],
    [
      "words as far apart as in the question win, stopwords included",
      "king of the north",
      ["the north king and a queen", "a king of the north at sea"],
      1,
    ],
    [
      "the question's word form wins",
      "painted houses",
      ["painting house one", "painted houses one"],
      1,
    ],
    [
      "a single sentence with all words wins",
      "copper wire melts",
      ["Copper is red. A wire broke. Ice melts.", "A copper bar. The wire there melts. Ice."],
      1,
    ],
    [
      "a sentence goes on over the break of a wrapped line",
      "copper melts",
      ["copper is here. Then it melts", "copper is here\nthen it melts"],
      1,
    ],
    [
      "the entries of a list are sentences of their own",
      "copper melts",
      ["- copper is here\n- then it melts", "copper is here\nthen it melts"],
      1,
    ],
    [
      "a short sentence with the words beats a long one",
      "copper melts",
      [
        "the works of the town have an old oven in which for a long time copper melts",
        "the works of the town have an old oven. In which for a long time? Copper melts",
      ],
      1,
    ],
    [
      "a compound containing a missing word counts",
      "turbine Anlage",
      ["Turbine im Garten steht", "Turbine der Windanlage steht"],
      1,
    ],
    [
      "a word with a similar stem counts",
      "turbine electrification",
      ["turbine some elephants there", "turbine some electrified there"],
      1,
    ],
    [
      "a long word with only the same beginning doesn't count",
      "turbine sailor",
      ["turbine some house there", "turbine some sailplanes there"],
      0,
    ],
    [
      "word forms and related words count in other scripts too",
      "башня строительный",
      ["башня стоит рядом", "башня строгая рядом", "башня строитель рядом"],
      2,
    ],
    [
      "a code literal of the question wins where spelled the same",
      "number taken by \\char in it",
      ["number taken by biggest_char in it", "a number for \\char that is taken in it"],
      1,
    ],
    [
      "a code literal doesn't count within a longer one",
      "what does --quiet mean",
      ["--quiet-errors mean little", "errors mean less with –quiet"],
      1,
    ],
  ];
  for (const [why, question, texts, first] of cases)
    test(why, async () => expect((await reranked(question, texts))[0]).toBe(first));
  test("the result doesn't depend on the limit", async () => {
    const next = randomly(5);
    const texts = Array.from({ length: 80 }, () =>
      Array.from({ length: 30 }, () => `w${Math.floor(next() ** 2 * 60)}x`).join(" "),
    );
    const all = await reranked("w1x w4x w9x w16x", texts);
    for (const limit of [1, 3, 10, 40])
      expect(await reranked("w1x w4x w9x w16x", texts, limit)).toEqual(all.slice(0, limit));
  });
  test("a one-word question and a text without it are handled", async () =>
    expect(await reranked("copper", ["copper wire", "tin"])).toEqual([0]));
});

describe("the terms of a question:", () => {
  const upper: Analyzer = {
    version: 2,
    tokenize: (text, sink) => {
      for (const match of text.matchAll(/[A-Za-z]+/g)) {
        const term = match[0].toUpperCase();
        sink(hashOf(term), match.index, match.index + term.length, term);
      }
    },
  };
  const both = new Map([
    [1, analyzer],
    [2, upper],
  ]);
  const slots = (text: string, context?: string) =>
    parseQuery(text, context, analyzers, 1)
      .terms.map(({ term, weight }) => `${term}:${weight}`)
      .join(" ");
  const cases: [string, string, string | undefined, string][] = [
    ["stopwords are dropped", "What is the name of the tower?", undefined, "name:1 tower:1"],
    [
      "German stopwords are dropped",
      "Wie hoch ist der Turm in der Stadt?",
      undefined,
      "hoch:1 turm:1 stadt:1",
    ],
    [
      "French stopwords are dropped",
      "Quelle est la hauteur de la tour ?",
      undefined,
      "hauteur:1 tour:1",
    ],
    ["Russian stopwords are dropped", "Какова высота этой башни?", undefined, "высот:1 башни:1"],
    ["a German article is an English verb", "How do organisms die?", undefined, "organ:1 die:1"],
    [
      "stopwords are kept when there is nothing else",
      "to be or not to be",
      undefined,
      "to:2 be:2 or:1 not:1",
    ],
    [
      "repeated words count up to three times",
      "tower tower tower tower river",
      undefined,
      "tower:3 river:1",
    ],
    [
      "words of the previous question count half",
      "When was it built?",
      "Who designed the Eiffel Tower?",
      "built:1 design:0.5 eiffel:0.5 tower:0.5",
    ],
    ["a word in both questions counts fully", "the tower", "a tower of iron", "tower:1 iron:0.5"],
    ["Chinese question words are dropped", "塔是谁", undefined, "塔:1"],
    ["one short word doesn't determine a language", "e-mail", undefined, "email:1 e:1 mail:1"],
    ["both spellings of a word are one term", "colour of a Color", undefined, "color:2"],
    [
      "several forms of a word are one term, named by the first",
      "стол, стола",
      undefined,
      "стол:2",
    ],
    ["as are one typed with two characters and one", "น้ำ น้ํา", undefined, "น้ำ:2"],
    ["no words", "…?", undefined, ""],
  ];
  for (const [why, text, context, expected] of cases)
    test(why, () => expect(slots(text, context)).toBe(expected));

  test("each analyzer hashes the same words its own way", () => {
    const query = parseQuery("running e-mail", undefined, both, 1);
    expect(query.terms.map((slot) => slot.term)).toEqual(["run", "email", "e", "mail"]);
    expect(query.hashes.get(1)).toEqual(
      ["run", "email", "e", "mail"].map((term, at) => ({ at, hash: hashOf(term) })),
    );
    expect(query.hashes.get(2)).toEqual([
      { at: 0, hash: hashOf("RUNNING") },
      { at: 2, hash: hashOf("E") },
      { at: 3, hash: hashOf("MAIL") },
    ]);
  });
  test("a very long question is cut, not refused", () =>
    expect(
      parseQuery(
        Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(" "),
        undefined,
        analyzers,
        1,
      ).terms.length,
    ).toBe(256));
  test("of a very long earlier one, the last count", () => {
    const earlier = Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(" ");
    const { terms } = parseQuery("heron", earlier, analyzers, 1);
    expect(terms.length).toBe(129);
    expect(terms.at(-1)!.forms).toEqual(["word4999"]);
  });
});

describe("the segment cache", () => {
  const segment = () => new Uint32Array(1_000);
  test("keeps what is used, drops the rest, and stays below its limit", async () => {
    const cache = new SegmentCache(45_000);
    let reads = 0;
    const scan = async (...ids: number[]) => {
      await cache.getAll(ids, async (missing) => {
        reads += missing.length;
        return missing.map(segment);
      });
      cache.endSearch();
      expect(cache.bytes).toBeLessThanOrEqual(45_000);
    };
    await scan(1, 2, 3, 4, 5, 6);
    await scan(1, 2, 3, 4, 5, 6);
    expect(reads).toBe(6);
    for (let id = 100; id < 140; id++) await scan(id, 1, 2);
    expect(reads).toBe(46);
    await scan(1, 2);
    expect(reads).toBe(46);
  });
  test("returns everything in a scan larger than its limit", async () => {
    const cache = new SegmentCache<Uint32Array>(10_000);
    const segments = await cache.getAll([...Array(50).keys()], async (ids) => ids.map(segment));
    expect(segments.map((data) => data?.length)).toEqual(Array(50).fill(1_000));
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  });
  test("shrinks while the process uses much memory", async () => {
    let much = false;
    const cache = new SegmentCache(2 ** 30, () => much);
    const scan = async () => {
      const ids = [...Array(80).keys()];
      await cache.getAll(ids, async (missing) => missing.map(() => new Uint8Array(2 ** 20)));
      cache.endSearch();
      return Math.round(cache.bytes / 2 ** 20);
    };
    expect(await scan()).toBe(80);
    much = true;
    expect(await scan()).toBe(0);
    expect(await scan()).toBeLessThanOrEqual(48);
    much = false;
    await scan();
    expect(await scan()).toBe(80);
  });
  test("makes room when everything it holds was deleted", async () => {
    const cache = new SegmentCache(20_000);
    let reads = 0;
    const scan = async (...ids: number[]) => {
      await cache.getAll(ids, async (missing) => {
        reads += missing.length;
        return missing.map(segment);
      });
      cache.endSearch();
    };
    await scan(1, 2, 3, 4);
    await scan(11, 12, 13, 14);
    await scan(11, 12, 13, 14);
    const before = reads;
    await scan(11, 12, 13, 14);
    expect(reads).toBe(before);
  });
});
