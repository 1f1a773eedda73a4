/** Every SQL statement that writes texts. The database is the first parameter. */
import { batchesOf } from "../../core/lib/batch";
import { prepared, sql, toNumber, type Db } from "../../core/sdk";
import { pieceCount, type Piece } from "../../core/lib/text-pieces";

export interface TextsTables {
  texts_pieces: Piece;
  texts_unused: UnusedText;
}
/** A large text that is to be deleted, unless its process still keeps it. */
export interface UnusedText {
  readonly id: number;
  readonly units: number;
  /** The process that may still keep it; empty if none will. */
  readonly node: string;
}
export type TextsDb = Db<TextsTables>;

export const insertPiece = prepared((tx: TextsDb, piece: Piece) =>
  tx.insertInto("texts_pieces").values(piece),
);
/** Deletes the pieces of a text from this one on, up to a limit; returns their number. */
export async function deletePieces(
  tx: TextsDb,
  { id, units }: Pick<UnusedText, "id" | "units">,
  limit: number,
): Promise<number> {
  const end_id = id + pieceCount(units);
  const first = await tx
    .selectFrom("texts_pieces")
    .select("id")
    .where("id", ">=", id)
    .where("id", "<", end_id)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (first === undefined) return 0;
  const from_id = toNumber(first.id);
  const until_id = Math.min(end_id, from_id + limit);
  await deleteBetween(tx, { from_id, until_id });
  return until_id - from_id;
}
/** Deletes texts that consist of one piece each. */
export async function deleteFirstPieces(tx: TextsDb, text_ids: readonly number[]): Promise<void> {
  for (const batch of batchesOf(text_ids, ids_max))
    await tx.deleteFrom("texts_pieces").where("id", "in", batch).execute();
}
/** In one statement. */
const ids_max = 500;
const deleteBetween = prepared(
  (tx: TextsDb, { from_id, until_id }: { from_id: number; until_id: number }) =>
    tx.deleteFrom("texts_pieces").where("id", ">=", from_id).where("id", "<", until_id),
);

export const insertUnused = (tx: TextsDb, row: UnusedText) =>
  tx.insertInto("texts_unused").values(row).execute();
/** Marks it as unreferenced. */
export const clearNode = (tx: TextsDb, id: number) =>
  tx.updateTable("texts_unused").set({ node: "" }).where("id", "=", id).execute();
/** False when it is not unused, or belongs to another process. */
export const isUnused = async (tx: TextsDb, id: number, node: string): Promise<boolean> =>
  (await tx
    .selectFrom("texts_unused")
    .select("id")
    .where("id", "=", id)
    .where("node", "=", node)
    .executeTakeFirst()) !== undefined;
/** False when it was not unused, or belongs to another process. */
export const deleteUnused = async (tx: TextsDb, id: number, node: string): Promise<boolean> =>
  (
    await tx
      .deleteFrom("texts_unused")
      .where("id", "=", id)
      .where("node", "=", node)
      .returning("id")
      .execute()
  ).length > 0;
/** In the order of their ids. */
export const unusedTexts = async (db: TextsDb): Promise<UnusedText[]> =>
  (await db.selectFrom("texts_unused").selectAll().orderBy("id").execute()).map(
    ({ id, units, node }) => ({ id: toNumber(id), units, node }),
  );

/** Of all pieces and of texts about to get some. */
export async function largestId(db: TextsDb): Promise<number> {
  const piece = await db
    .selectFrom("texts_pieces")
    .select(sql<number | null>`max(id)`.as("id"))
    .executeTakeFirst();
  const ends = (await unusedTexts(db)).map(({ id, units }) => id + pieceCount(units));
  return Math.max(toNumber(piece?.id), ...ends);
}
