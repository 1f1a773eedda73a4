/**
 * Texts as other plugins keep them: cut into pieces, so that a large one is written, read and
 * deleted in parts, and read from the middle. Whoever keeps a text keeps what `StoredText` says.
 */
import {
  piece_units,
  type LongText,
  type Piece,
  type StoredText,
} from "../../core/lib/text-pieces";
import type { ReadPieces } from "../../core/lib/text-reader";
import { rowsOf, service, sql, type Db, type PreparedReads } from "../../core/sdk";
import { firstPieceSql, select_pieces } from "./worker-contract";

/** A text that is about to be stored. A large one is written already, and deleted unless kept. */
export interface NewText {
  readonly stored: StoredText;
  /** Its pieces can be read already. */
  readonly is_written: boolean;
  /** Inside the transaction that makes it somebody's. @throws Error when it was discarded. */
  keep(tx: Db): Promise<void>;
  /** It will not be kept; does nothing when it was. */
  discard(): void;
}

export interface Texts {
  /**
   * Writes a large text in parts; a small one is written by `keep`. Must be kept or discarded.
   * @throws HttpError 507
   */
  prepare(content: string, signal?: AbortSignal): Promise<NewText>;
  /** The same of a text that is never in memory as a whole. @throws what its parts throw */
  prepareLong(text: LongText, signal?: AbortSignal): Promise<NewText>;
  /** Writes a text inside a transaction, whatever its size. */
  insert(tx: Db, content: string): Promise<StoredText>;
  /** Nobody keeps these any more: deletes small ones at once, large ones in parts after it. */
  drop(tx: Db, texts: readonly StoredText[]): Promise<void>;
  /** Deletes as much of these as one transaction should. False when there is more to delete. */
  removeSome(tx: Db, texts: readonly StoredText[]): Promise<boolean>;
}
export const Texts = service<Texts>("texts");

/** Of a database or transaction, which sees what it has written itself. */
export const piecesOfDb =
  (db: Db): ReadPieces =>
  (first_id, last_id) =>
    rowsOf<Piece>(db, select_pieces, [first_id, last_id]);
/** Of a connection that waits for no transaction. */
export const piecesOfReads =
  (reads: PreparedReads): ReadPieces =>
  (first_id, last_id) =>
    reads.all<Piece>(select_pieces, first_id, last_id);
export const firstPiece = (text_id: string) => sql.raw<string | null>(firstPieceSql(text_id));
/** Whether the first piece is the whole of it. */
export const isOnePiece = ({ units }: Pick<StoredText, "units">): boolean => units <= piece_units;
