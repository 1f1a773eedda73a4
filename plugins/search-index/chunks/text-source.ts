/** Opens stored texts in the worker that encodes them. */
import { pieceCount, type Piece, type StoredText } from "../../../core/lib/text-pieces";
import {
  TextWindow,
  window_units,
  type ReadableText,
  type ReadPiecesNow,
} from "../../../core/lib/text-window";
import {
  openReadConnection,
  PostgresReadSession,
  type ReadConnectionSpec,
} from "../../../core/worker-sdk";
import { piecesOfConnection, piecesOfSession } from "../../texts/worker-contract";

/** Pieces per round trip. */
const pieces_together = 64;

/** Returns a synchronous reader of the text's pieces. */
type OpenPieces = (stored: StoredText) => Promise<ReadPiecesNow>;

/** Reads stored texts over a connection of the worker. */
export class TextSource {
  private readonly openPieces: OpenPieces;
  constructor(spec: ReadConnectionSpec) {
    this.openPieces =
      spec.engine === "postgres" ? broughtHere(new PostgresReadSession(spec)) : inPlace(spec);
  }

  /** @throws TextGone, and so may the text later. */
  async open(stored: StoredText | undefined): Promise<ReadableText> {
    if (stored === undefined) throw new Error("there is neither a text nor where it is stored");
    const text = new TextWindow(await this.openPieces(stored), stored);
    return stored.units > window_units ? text : text.slice(0, stored.units);
  }
}

function inPlace(spec: Parameters<typeof openReadConnection>[0]): OpenPieces {
  const pieces = piecesOfConnection(openReadConnection(spec));
  return async () => pieces;
}

/** For a database without synchronous reads: fetches the whole text before it is read. */
function broughtHere(session: PostgresReadSession): OpenPieces {
  const read = piecesOfSession(session);
  return async ({ id, units }) => {
    const pieces: Piece[] = [];
    const end_id = id + pieceCount(units);
    for (let at = id; at < end_id; at += pieces_together)
      pieces.push(...(await read(at, Math.min(at + pieces_together, end_id) - 1)));
    return (first_id, last_id) =>
      pieces.filter((piece) => piece.id >= first_id && piece.id <= last_id);
  };
}
