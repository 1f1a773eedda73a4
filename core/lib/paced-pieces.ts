/** A stream produced while it is sent: in larger pieces, with pauses for other work. */

/** The minimum size of a piece. */
const sent_bytes = 64 * 1024;
/** After this much work comes a pause of the same length. */
const turn_ms = 2;
const pause_ms_max = 10;
/** A stream that waits longer for its input gives up its turn. */
const turn_ms_max = 20;

/** Settles when the last turn and the pause after it are over: all streams take turns in order. */
let last_turn: Promise<void> = Promise.resolve();

/** Waits for its turn; the returned function ends it. */
async function turn(): Promise<() => void> {
  const before = last_turn;
  const { promise, resolve } = Promise.withResolvers<void>();
  last_turn = promise;
  await before;
  const begun_ms = performance.now();
  const timer = setTimeout(resolve, turn_ms_max);
  return () => {
    clearTimeout(timer);
    setTimeout(resolve, Math.min(performance.now() - begun_ms, pause_ms_max));
  };
}

/**
 * The same bytes. However many streams there are, together they work half of the time. @throws what
 * `pieces` throws
 */
export async function* pacedPieces(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const source = pieces[Symbol.asyncIterator]();
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let done = false;
  try {
    while (!done) {
      const end = await turn();
      const begun_ms = performance.now();
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
