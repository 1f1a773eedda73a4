/**
 * Texts in pieces: they are read back as written, wherever they are cut, and texts that are not
 * kept are deleted, even if the server ends in between.
 */
import { describe, expect, test } from "bun:test";
import {
  piece_units,
  piecesOf,
  piecesOfParts,
  pointsUntil,
  type Piece,
} from "../../core/lib/text-pieces";
import { rememberingLast } from "../../core/lib/remembered-pieces";
import { CompiledQuery } from "kysely";
import { readParts, readUnits, readWhole, TextGone, TextPlaces } from "../../core/lib/text-reader";
import { TextWindow, window_units } from "../../core/lib/text-window";
import {
  ChunkPlaces,
  encodePlaces,
  type ChunkPlace,
} from "../../plugins/search-index/chunks/chunk-places";
import { piecesOfDb } from "../../plugins/texts/contract";
import { openTestIndex, type TestIndex } from "../helpers/search-index";
import { until } from "../helpers/server";

const bird = "🪶";
const pairs_everywhere = bird.repeat(piece_units);
const texts: [why: string, text: string][] = [
  ["an empty text", ""],
  ["one character", "a"],
  ["exactly one piece", "x".repeat(piece_units)],
  ["one unit more than a piece", "x".repeat(piece_units + 1)],
  ["a surrogate pair that ends a piece", `${"x".repeat(piece_units - 2)}${bird}y`],
  ["a surrogate pair across the end of a piece", `${"x".repeat(piece_units - 1)}${bird}y`],
  ["surrogate pairs across the end of every piece", `x${pairs_everywhere}`],
  ["only surrogate pairs", pairs_everywhere],
  ["a long text", `The quagga ${bird} grazes.\n`.repeat(20_000)],
  ["U+FEFF at the beginning of every piece", "\ufeff".repeat(3 * piece_units)],
  ["U+0000 in the text", `a\0b`.repeat(piece_units)],
];
/** A realistic id: ids count the milliseconds since 1970 in 1024ths. */
const first_id = 1_838_450_849_626_112;
const reading = (pieces: readonly Piece[], id: number) => async (first: number, last: number) =>
  pieces.slice(first - id, last - id + 1);

describe("a text cut into pieces is read back unchanged", () => {
  for (const [why, content] of texts)
    test(why, async () => {
      const pieces = [...piecesOf(content, first_id)];
      const read = reading(pieces, first_id);
      const points = [...content].length;
      const text = { id: first_id, units: content.length, points };
      expect(pieces.every(({ data }) => data.isWellFormed())).toBe(true);
      expect(pointsUntil(pieces.at(-1))).toBe(points);
      expect((await readWhole(read, text)) === content).toBe(true);
      const starts = [0, 1, piece_units - 2, piece_units - 1, piece_units, 2 * piece_units - 1];
      for (const start of starts)
        for (const length of [0, 1, 2, 900, piece_units + 3]) {
          const end = Math.min(content.length, start + length);
          if (start > end) continue;
          expect((await readUnits(read, first_id, start, end)) === content.slice(start, end)).toBe(
            true,
          );
        }
      if (content !== "")
        expect(await readUnits(read, first_id, 0, content.length + piece_units)).toBe(undefined);
    });
  test("missing pieces are an error, not a shorter text", async () => {
    const pieces = [...piecesOf("x".repeat(20 * piece_units), first_id)];
    const text = { id: first_id, units: 20 * piece_units, points: 20 * piece_units };
    for (const left of [pieces.slice(1), pieces.slice(0, -1), []])
      await expect(
        readWhole(async (first, last) => left.filter(({ id }) => id >= first && id <= last), text),
      ).rejects.toThrow(TextGone);
  });
  test("in part, up to the requested length", async () => {
    const content = "abc".repeat(piece_units);
    const read = reading([...piecesOf(content, first_id)], first_id);
    const parts: string[] = [];
    for await (const part of readParts(read, { id: first_id, units: piece_units + 5 }))
      parts.push(part);
    expect(parts.join("")).toBe(content.slice(0, piece_units + 5));
  });
});

/** The text in parts, as it comes from a file. */
async function* inParts(content: string, units: number): AsyncGenerator<string> {
  for (let at = 0; at < content.length; at += units) yield content.slice(at, at + units);
}
describe("a text that comes in parts is cut like the whole text", () => {
  for (const [why, content] of texts)
    test(why, async () => {
      const whole = [...piecesOf(content, first_id)];
      for (const units of [999, piece_units - 1, piece_units, piece_units + 1, 5 * piece_units])
        expect(await Array.fromAsync(piecesOfParts(inParts(content, units), first_id))).toEqual(
          whole,
        );
    });
});

describe("a text window reads like the text itself", () => {
  const long: [why: string, text: string][] = [
    ["several windows", `The quagga ${bird} grazes.\n`.repeat(120_000)],
    ["a surrogate pair across the end of every piece", `x${bird.repeat(2 * window_units)}`],
  ];
  for (const [why, content] of [...texts, ...long])
    test(why, () => {
      const pieces = [...piecesOf(content, 7)];
      const text = { id: 7, units: content.length };
      let most = 0;
      const window = new TextWindow((first, last) => {
        most = Math.max(most, last - first);
        return pieces.slice(first - 7, last - 6);
      }, text);
      const places = [0, 1, piece_units - 1, piece_units, window_units, 3 * window_units];
      for (const at of [...places, ...places.toReversed(), content.length - 1, -1, content.length])
        expect(window.charCodeAt(at)).toBe(content.charCodeAt(at));
      for (const start of [...places, ...places.toReversed()])
        for (const length of [0, 1, piece_units, 2 * window_units, content.length])
          expect(window.slice(start, start + length) === content.slice(start, start + length)).toBe(
            true,
          );
      expect(window.length).toBe(content.length);
      expect(most).toBeLessThan(33);
    });
  test("most units need no read of pieces, forwards or backwards", () => {
    const content = "abcdefg ".repeat(window_units);
    const pieces = [...piecesOf(content, 7)];
    const least = pieces.length / 32;
    let reads = 0;
    const window = new TextWindow(
      (first, last) => {
        reads++;
        return pieces.slice(first - 7, last - 6);
      },
      { id: 7, units: content.length },
    );
    for (let at = 0; at < content.length; at++) window.charCodeAt(at);
    expect(reads).toBeLessThan(1.2 * least);
    for (let at = content.length - 1; at >= 0; at--) window.charCodeAt(at);
    expect(reads).toBeLessThan(2.4 * least);
  });
  test("up to the requested length", () => {
    const content = "abc".repeat(piece_units);
    const pieces = [...piecesOf(content, 7)];
    const window = new TextWindow((first, last) => pieces.slice(first - 7, last - 6), {
      id: 7,
      units: piece_units + 5,
    });
    expect(window.slice(piece_units, content.length)).toBe(
      content.slice(piece_units, piece_units + 5),
    );
    expect(window.charCodeAt(piece_units + 5)).toBeNaN();
  });
  test("missing pieces are an error", () => {
    const pieces = [...piecesOf("x".repeat(20 * piece_units), 7)];
    for (const left of [pieces.slice(1), pieces.slice(0, -1), []]) {
      const window = new TextWindow(
        (first, last) => left.filter(({ id }) => id >= first && id <= last),
        { id: 7, units: 20 * piece_units },
      );
      expect(() => window.charCodeAt(0)).toThrow(TextGone);
    }
  });
});

describe("positions convert between code points and units", () => {
  for (const [why, content] of texts)
    test(why, async () => {
      const pieces = [...piecesOf(content, first_id)];
      const text = { id: first_id, units: content.length, points: [...content].length };
      const places = () => new TextPlaces(reading(pieces, first_id), text);
      const forward = places();
      const back = places();
      let unit = 0;
      let point = 0;
      const compared: (readonly [unit: number, point: number])[] = [];
      const step = Math.max(1, Math.floor(text.points / 1_000));
      for (const character of content) {
        if (point % step === 0) {
          expect([await forward.unitAt(point), await back.pointAt(unit)]).toEqual([unit, point]);
          compared.push([unit, point]);
          // Also without reading in order.
          if (point % (step * 50) === 0)
            expect(await places().unitAt(text.points - 1)).toBe(
              content.length - [...content.slice(-2)].at(-1)!.length,
            );
        }
        unit += character.length;
        point += 1;
      }
      expect([await forward.unitAt(point), await back.pointAt(unit)]).toEqual([unit, point]);
      expect([await forward.unitAt(point + 9), await back.pointAt(unit + 9)]).toEqual([
        unit,
        point,
      ]);
      expect(await places().unitAt(0)).toBe(0);
      const together = await places().pointsAt(compared.map(([unit]) => unit));
      expect(together).toEqual(compared.map(([, point]) => point));
    });

  test("pieces that are asked for again at once are read once", async () => {
    const pieces = [...piecesOf(pairs_everywhere.repeat(2), first_id)];
    const asked: number[][] = [];
    const read = rememberingLast((first, last) => {
      asked.push([first - first_id, last - first_id]);
      return reading(pieces, first_id)(first, last);
    });
    for (const [first, last] of [
      [0, 0],
      [0, 0],
      [0, 1],
      [0, 1],
      [1, 1],
      [0, 0],
    ] as const)
      expect(await read(first_id + first, first_id + last)).toEqual(pieces.slice(first, last + 1));
    expect(asked).toEqual([
      [0, 0],
      [0, 1],
      [1, 1],
      [0, 0],
    ]);
  });

  test("and thousands of them in order read each piece a few times only", async () => {
    const content = "🐟 swims. ".repeat(20_000);
    const pieces = [...piecesOf(content, first_id)];
    const text = { id: first_id, units: content.length, points: [...content].length };
    let reads = 0;
    const read = reading(pieces, first_id);
    const counting: typeof read = (first, last) => {
      reads++;
      return read(first, last);
    };
    const [points, units] = [new TextPlaces(counting, text), new TextPlaces(counting, text)];
    for (let at = 0; at < 20_000; at++) {
      expect(await points.pointAt(at * 10)).toBe(at * 9);
      expect(await units.unitAt(at * 9)).toBe(at * 10);
    }
    expect(reads).toBeLessThan(10 * pieces.length);
  });
});

describe("places of chunks are decoded as encoded", () => {
  const plain: ChunkPlace = {
    start: 0,
    end: 10,
    start_point: 0,
    end_point: 10,
    page: null,
    page_end: null,
    heading: null,
    time_start: null,
    time_end: null,
  };
  const cases: [why: string, chunks: ChunkPlace[]][] = [
    ["with offsets only", [plain, { ...plain, start: 12, start_point: 12 }]],
    ["with other offsets in code points", [plain, { ...plain, start_point: 3, end_point: 9 }]],
    ["on pages, and one on no page", [{ ...plain, page: 1, page_end: 2 }, plain]],
    ["on page 0", [{ ...plain, page: 0, page_end: 0 }]],
    [
      "under headings",
      [
        { ...plain, heading: "Höhen 🏔" },
        plain,
        { ...plain, heading: "" },
        { ...plain, heading: "Höhen 🏔" },
      ],
    ],
    ["in recordings", [{ ...plain, time_start: 0, time_end: 1.25 }, plain]],
    [
      "with all fields",
      [
        {
          ...plain,
          start_point: 1,
          page: 3,
          page_end: 4,
          heading: "h",
          time_start: 0.1,
          time_end: 7,
        },
      ],
    ],
  ];
  for (const [why, chunks] of cases)
    test(why, () => {
      const places = new ChunkPlaces(encodePlaces(chunks));
      expect(places.all()).toEqual(chunks);
      expect(places.at(chunks.length - 1)).toEqual(chunks.at(-1)!);
    });
});

describe("a stored text", () => {
  const large = `The auk ${bird} swims. `.repeat(60_000);
  const rowsOf = async ({ count }: TestIndex) => [
    await count("texts_pieces"),
    await count("texts_unused"),
  ];
  const untilNothing = (index: TestIndex) =>
    until(async () => Bun.deepEquals(await rowsOf(index), [0, 0]));
  const read = (index: TestIndex, stored: { id: number; units: number }) =>
    readWhole(piecesOfDb(index.store.db), stored);

  test("that is large is written before it is kept and deleted in parts", async () => {
    const index = await openTestIndex();
    const { store, texts: stored_texts } = index;
    const written = await stored_texts.prepare(large);
    expect((await rowsOf(index))[1]).toBe(1);
    await store.inTransaction((tx) => written.keep(tx));
    written.discard();
    expect(await rowsOf(index)).toEqual([Math.ceil(large.length / piece_units), 0]);
    expect((await read(index, written.stored)) === large).toBe(true);
    expect(written.stored.points).toBe([...large].length);
    let parts = 1;
    while (!(await store.inTransaction((tx) => stored_texts.removeSome(tx, [written.stored]))))
      parts++;
    expect(parts).toBeGreaterThan(2);
    expect(await rowsOf(index)).toEqual([0, 0]);
  });
  test("that comes in parts is never held in memory as a whole", async () => {
    const { store, texts: all } = await openTestIndex();
    let use_count = 0;
    let ahead = 0;
    async function* parts() {
      for await (const part of inParts(large, 10_000)) {
        use_count += part.length;
        const row = await store.db.executeQuery<{ units: number | null }>(
          CompiledQuery.raw("select sum(length(data)) as units from texts_pieces"),
        );
        ahead = Math.max(ahead, use_count - (row.rows[0]!.units ?? 0));
        yield part;
      }
    }
    const written = await all.prepareLong({ units_max: 2 * large.length, parts: parts() });
    await store.inTransaction((tx) => written.keep(tx));
    expect(use_count).toBe(large.length);
    expect(ahead).toBeLessThan(30 * piece_units);
    expect(written.stored.units).toBe(large.length);
    expect(written.stored.points).toBe([...large].length);
    expect((await readWhole(piecesOfDb(store.db), written.stored)) === large).toBe(true);
  });
  const ends: [why: string, end: (index: TestIndex) => Promise<unknown>][] = [
    ["is discarded", async ({ texts: all }) => (await all.prepare(large)).discard()],
    [
      "is discarded after the transaction that kept it was rolled back",
      async ({ store, texts: all }) => {
        const written = await all.prepare(large);
        await store
          .inTransaction(async (tx) => {
            await written.keep(tx);
            throw new Error("undone");
          })
          .catch(() => written.discard());
      },
    ],
    [
      "is not written completely",
      async ({ texts: all }) => {
        const job = new AbortController();
        const writing = all.prepare(large, job.signal);
        job.abort(new Error("cancelled"));
        await expect(writing).rejects.toThrow("cancelled");
      },
    ],
    [
      "is longer than announced",
      async ({ texts: all }) => {
        const long = { units_max: 40 * piece_units, parts: inParts(large, 10_000) };
        await expect(all.prepareLong(long)).rejects.toThrow("longer than");
      },
    ],
    [
      "can't be read completely",
      async ({ texts: all }) => {
        async function* parts() {
          yield large;
          throw new Error("unreadable");
        }
        const long = { units_max: 2 * large.length, parts: parts() };
        await expect(all.prepareLong(long)).rejects.toThrow("unreadable");
      },
    ],
    [
      "is dropped after being kept",
      async ({ store, texts: all }) => {
        const written = await all.prepare(large);
        await store.inTransaction((tx) => written.keep(tx));
        await store.inTransaction((tx) => all.drop(tx, [written.stored]));
      },
    ],
  ];
  for (const [why, end] of ends)
    test(`is deleted when it ${why}`, async () => {
      const index = await openTestIndex();
      await end(index);
      await untilNothing(index);
    });
  test("is written no further once another process has deleted it", async () => {
    const index = await openTestIndex();
    const { store, texts: all } = index;
    async function* parts() {
      for await (const part of inParts(large, 10_000)) {
        yield part;
        if ((await index.count("texts_pieces")) === 0) continue;
        // It took this one, which was frozen, for gone.
        await store.inTransaction(async (tx) => {
          await tx.deleteFrom("texts_pieces").execute();
          await tx.deleteFrom("texts_unused").execute();
        });
      }
    }
    const writing = all.prepareLong({ units_max: 2 * large.length, parts: parts() });
    await expect(writing).rejects.toThrow("prepare it again");
    await untilNothing(index);
  });
  test("can't be kept after it was discarded", async () => {
    const { store, texts: all } = await openTestIndex();
    const written = await all.prepare(large);
    written.discard();
    await expect(store.inTransaction((tx) => written.keep(tx))).rejects.toThrow("prepare it again");
  });
  test("that was half written when the server ended is gone after the next start", async () => {
    const before = await openTestIndex();
    const prepared_text = await before.texts.prepare(large);
    const small = await before.store.inTransaction((tx) =>
      before.texts.insert(tx, "The auk swims."),
    );
    await before.store.inTransaction((tx) => prepared_text.keep(tx));
    await before.texts.prepare(large);
    await before.close(true);
    const index = await openTestIndex({ directory: before.directory });
    await until(async () => (await index.count("texts_unused")) === 0);
    expect(await index.count("texts_pieces")).toBe(Math.ceil(large.length / piece_units) + 1);
    expect((await read(index, prepared_text.stored)) === large).toBe(true);
    expect(await read(index, small)).toBe("The auk swims.");
    const next = await index.store.inTransaction((tx) => index.texts.insert(tx, "new"));
    expect(next.id).toBeGreaterThan(small.id);
  });
});
