/** A stream that is made while it is sent: in larger pieces, with pauses in which others work. */

/** Pieces are at least of this size. */
const sent_bytes = 64 * 1024;
/** After so much work others have as long for theirs. */
const turn_ms = 2,
  pause_ms_max = 10;
/** Who waits longer for what it reads lets the next one in. */
const turn_ms_max = 20;

/** Ends when the last turn, and the pause after it, are over: all streams take theirs in order. */
let last_turn: Promise<void> = Promise.resolve();

/** Waits for its turn. Whoever has it calls the function it is given when it has worked. */
async function turn(): Promise<() => void> {
  const before = last_turn,
    { promise, resolve } = Promise.withResolvers<void>();
  last_turn = promise;
  await before;
  const begun_ms = performance.now(),
    late = setTimeout(resolve, turn_ms_max);
  return () => {
    clearTimeout(late);
    setTimeout(resolve, Math.min(performance.now() - begun_ms, pause_ms_max));
  };
}

/**
 * The same bytes. However many streams are made at a time, they work half of the time together.
 * @throws what `pieces` throws
 */
export async function* pacedPieces(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const source = pieces[Symbol.asyncIterator]();
  let waiting: Uint8Array[] = [],
    bytes = 0,
    done = false;
  try {
    while (!done) {
      const end = await turn(),
        begun_ms = performance.now();
      try {
        while (bytes < sent_bytes && performance.now() - begun_ms < turn_ms) {
          const next = await source.next();
          if (next.done) {
            done = true;
            break;
          }
          waiting.push(next.value);
          bytes += next.value.length;
        }
      } finally {
        end();
      }
      if (bytes < sent_bytes && !done) continue;
      if (bytes > 0) yield Buffer.concat(waiting);
      waiting = [];
      bytes = 0;
    }
  } finally {
    if (!done) await source.return?.();
  }
}
