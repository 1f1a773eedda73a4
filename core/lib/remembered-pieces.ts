/** Reads pieces of a stored text that are often the same as the last. */
import type { Piece } from "./text-pieces";
import type { ReadPieces } from "./text-reader";

/** Pieces that are asked for again at once are read once. */
export function rememberingLast(read: ReadPieces): ReadPieces {
  let pieces: readonly Piece[] = [];
  return async (first_id, last_id) => {
    const [first] = pieces;
    if (first === undefined || first.id !== first_id || pieces.at(-1)!.id !== last_id)
      pieces = await read(first_id, last_id);
    return pieces;
  };
}
