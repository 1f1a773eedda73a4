/** A stream that is made while it is sent: in larger pieces, with pauses in which others work. */

/** Pieces are at least of this size. */
const sent_bytes = 64 * 1024;
/** After so much work others have as long for theirs. */
const turn_ms = 2,
  pause_ms_max = 10;

/** The same bytes. @throws what `pieces` throws */
export async function* pacedPieces(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let waiting: Uint8Array[] = [],
    bytes = 0,
    turned_ms = performance.now();
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes >= sent_bytes) {
      yield Buffer.concat(waiting);
      waiting = [];
      bytes = 0;
    }
    const worked_ms = performance.now() - turned_ms;
    if (worked_ms < turn_ms) continue;
    await Bun.sleep(Math.min(worked_ms, pause_ms_max));
    turned_ms = performance.now();
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
