/**
 * The text storage of other plugins: texts are cut into pieces, so that a large one is written,
 * read and deleted in parts, and can be read from the middle. The owner of a text keeps its
 * `StoredText`.
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

/**
 * A text about to be stored. A large one is already written, and is deleted unless `keep` is
 * called.
 */
export interface NewText {
  readonly stored: StoredText;
  /** Its pieces can be read already. */
  readonly is_written: boolean;
  /** Called in the transaction that stores the reference. @throws Error when it was discarded. */
  keep(tx: Db): Promise<void>;
  /** It will not be kept; does nothing if it was. */
  discard(): void;
}

/** Text storage for other plugins. */
export interface Texts {
  /**
   * Writes a large text in parts; a small one is written by `keep`. Must be kept or discarded.
   * @throws HttpError 507
   */
  prepare(content: string, signal?: AbortSignal): Promise<NewText>;
  /** The same for a text that is never in memory as a whole. @throws errors of its parts */
  prepareLong(text: LongText, signal?: AbortSignal): Promise<NewText>;
  /** Writes a text of any size inside a transaction. */
  insert(tx: Db, content: string): Promise<StoredText>;
  /**
   * These texts are no longer referenced: deletes small ones at once, large ones in parts later.
   */
  drop(tx: Db, texts: readonly StoredText[]): Promise<void>;
  /** Deletes as many of these as fit one transaction. False if there are more. */
  removeSome(tx: Db, texts: readonly StoredText[]): Promise<boolean>;
}
export const Texts = service<Texts>("texts");

/** Reads from a database or transaction, which sees its own writes. */
export const piecesOfDb =
  (db: Db): ReadPieces =>
  (first_id, last_id) =>
    rowsOf<Piece>(db, select_pieces, [first_id, last_id]);
/** Reads from a connection that waits for no transaction. */
export const piecesOfReads =
  (reads: PreparedReads): ReadPieces =>
  (first_id, last_id) =>
    reads.all<Piece>(select_pieces, first_id, last_id);
/** A column with the first piece of a text, for queries of other plugins. */
export const firstPiece = (text_id: string) => sql.raw<string | null>(firstPieceSql(text_id));
/** Whether the first piece is the whole text. */
export const isOnePiece = ({ units }: Pick<StoredText, "units">): boolean => units <= piece_units;
