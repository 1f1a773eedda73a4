/** Reads stored texts in the worker that encodes them. */
import type { StoredText } from "../../core/lib/text-pieces";
import { readWhole, type ReadPieces } from "../../core/lib/text-reader";
import { openReadConnection, type ReadConnectionSpec } from "../../core/sdk";
import { piecesOfConnection } from "../texts/contract";
import type { Pauses } from "./worker-protocol";

export class TextSource {
  private readonly pieces: ReadPieces;
  constructor(read_connection: ReadConnectionSpec) {
    this.pieces = piecesOfConnection(openReadConnection(read_connection));
  }

  /** @throws Error when the text is gone. */
  async read(stored: StoredText | undefined, pauses: Pauses): Promise<string> {
    if (stored === undefined) throw new Error("there is neither a text nor where it is stored");
    return readWhole(this.pieces, stored, async () => {
      if (pauses.due) await pauses.pause();
    });
  }
}
