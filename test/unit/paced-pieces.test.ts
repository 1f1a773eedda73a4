/** Streams that are generated while being sent: same bytes, taking turns. */
import { expect, test } from "bun:test";
import { pacedPieces } from "../../core/lib/paced-pieces";

const kib = (count: number, byte = 1): Uint8Array => new Uint8Array(count * 1024).fill(byte);

async function* of(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
}

test.each([
  ["an empty stream stays empty", [], []],
  ["small pieces are sent together", [3, 4], [7]],
  ["pieces are joined to 64 KiB", [40, 40, 10], [80, 10]],
  ["large pieces are sent unchanged", [200, 1], [200, 1]],
])("%s", async (_reason, sizes, sent) => {
  const given = sizes.map((size, at) => kib(size, at + 1));
  const pieces: Uint8Array[] = [];
  for await (const piece of pacedPieces(of(given))) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(Buffer.concat(given))).toBe(true);
  expect(pieces.map(({ length }) => length / 1024)).toEqual(sent);
});

test("an error of the source ends its stream, and the next stream gets its turn", async () => {
  const failing = async function* () {
    yield kib(1);
    throw new Error("cut off");
  };
  await expect(Array.fromAsync(pacedPieces(failing()))).rejects.toThrow("cut off");
  expect(await Array.fromAsync(pacedPieces(of([kib(1)])))).toHaveLength(1);
});

test("a reader that stops early ends the source", async () => {
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

test("many streams work one at a time, and all of them finish", async () => {
  let working = 0;
  let most = 0;
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

test("a stream that waits for its source does not hold up others", async () => {
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
