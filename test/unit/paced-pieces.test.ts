/** Streams that are made while they are sent: the same bytes, in turns. */
import { expect, test } from "bun:test";
import { pacedPieces } from "../../core/lib/paced-pieces";

const kib = (count: number, byte = 1): Uint8Array => new Uint8Array(count * 1024).fill(byte);

async function* of(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
}

test.each([
  ["nothing is nothing", [], []],
  ["what is little goes at once", [3, 4], [7]],
  ["pieces are joined to 64 KiB", [40, 40, 10], [80, 10]],
  ["what is large goes as it is", [200, 1], [200, 1]],
])("%s", async (_reason, sizes, sent) => {
  const given = sizes.map((size, at) => kib(size, at + 1)),
    pieces: Uint8Array[] = [];
  for await (const piece of pacedPieces(of(given))) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(Buffer.concat(given))).toBe(true);
  expect(pieces.map(({ length }) => length / 1024)).toEqual(sent);
});

test("a fault of the source is the stream's, and the next stream has its turn", async () => {
  const failing = async function* () {
    yield kib(1);
    throw new Error("cut off");
  };
  await expect(Array.fromAsync(pacedPieces(failing()))).rejects.toThrow("cut off");
  expect(await Array.fromAsync(pacedPieces(of([kib(1)])))).toHaveLength(1);
});

test("a reader that goes away ends the source", async () => {
  let ended = false;
  const endless = async function* () {
    try {
      for (;;) yield kib(64);
    } finally {
      ended = true;
    }
  };
  for await (const _ of pacedPieces(endless())) break;
  expect(ended).toBe(true);
});

test("many streams work one after the other, and nobody stays behind", async () => {
  let working = 0,
    most = 0;
  const source = async function* () {
    for (let piece = 0; piece < 3; piece++) {
      most = Math.max(most, ++working);
      for (let hop = 0; hop < 5; hop++) await Promise.resolve();
      working--;
      yield kib(64);
    }
  };
  const all = await Promise.all(
    Array.from({ length: 8 }, () => Array.fromAsync(pacedPieces(source()))),
  );
  expect(all.map((pieces) => pieces.length)).toEqual(Array(8).fill(3));
  expect(most).toBe(1);
});

test("one that waits for its source keeps nobody", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = Array.fromAsync(
    pacedPieces(
      (async function* () {
        await promise;
        yield kib(1);
      })(),
    ),
  );
  expect(await Array.fromAsync(pacedPieces(of([kib(1)])))).toHaveLength(1);
  resolve();
  expect(await slow).toHaveLength(1);
});
