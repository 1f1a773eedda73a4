/** Opens stored texts in the worker that encodes them. */
import type { StoredText } from "../../core/lib/text-pieces";
import {
  TextWindow,
  window_units,
  type ReadableText,
  type ReadPiecesNow,
} from "../../core/lib/text-window";
import { openReadConnection, type ReadConnectionSpec } from "../../core/sdk";
import { piecesOfConnection } from "../texts/contract";

export class TextSource {
  private readonly pieces: ReadPiecesNow;
  constructor(read_connection: ReadConnectionSpec) {
    this.pieces = piecesOfConnection(openReadConnection(read_connection));
  }

  /** @throws TextGone, and so does the text later. */
  open(stored: StoredText | undefined): ReadableText {
    if (stored === undefined) throw new Error("there is neither a text nor where it is stored");
    const text = new TextWindow(this.pieces, stored);
    return stored.units > window_units ? text : text.slice(0, stored.units);
  }
}
