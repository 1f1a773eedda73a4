/** Every SQL statement about unpublished index versions. The database is the first parameter. */
import { prepared, preparedFirst, toNumber } from "../../../core/sdk";
import type { IndexDb, StagedRow } from "../store";

export const insertStaged = (tx: IndexDb, row: StagedRow) =>
  tx.insertInto("index_staged").values(row).execute();
/** No process will publish what is staged of the document, or this index version of it. */
export const clearNode = (tx: IndexDb, of: Partial<Pick<StagedRow, "document_id" | "edition">>) => {
  const { document_id = null, edition = null } = of;
  return tx
    .updateTable("index_staged")
    .set({ node: "" })
    .$if(document_id !== null, (q) => q.where("document_id", "=", document_id))
    .$if(edition !== null, (q) => q.where("edition", "=", edition))
    .execute();
};
/** The index version is no longer staged; false when it was not, or not by this process. */
export const deleteStaged = async (
  tx: IndexDb,
  index_version: number,
  node: string,
): Promise<boolean> =>
  (
    await tx
      .deleteFrom("index_staged")
      .where("edition", "=", index_version)
      .where("node", "=", node)
      .returning("edition")
      .execute()
  ).length > 0;
/** Whether the index version is staged by this process. */
export const isStaged = async (
  db: IndexDb,
  index_version: number,
  node: string,
): Promise<boolean> => (await stagedBy(db, { index_version, node })) !== undefined;
const stagedBy = preparedFirst(
  (
    db: IndexDb,
    { index_version, node }: { readonly index_version: number; readonly node: string },
  ) =>
    db
      .selectFrom("index_staged")
      .select("edition")
      .where("edition", "=", index_version)
      .where("node", "=", node),
);
/** Staged index versions of a document. */
export const stagedIndexVersions = async (db: IndexDb, document_id: string): Promise<number[]> =>
  (await stagedOf(db, { document_id })).map((row) => toNumber(row.edition));
/** All staged index versions. */
export const allStaged = async (db: IndexDb): Promise<Pick<StagedRow, "edition" | "node">[]> =>
  (await db.selectFrom("index_staged").select(["edition", "node"]).execute()).map(
    ({ edition, node }) => ({ edition: toNumber(edition), node }),
  );

const stagedOf = prepared((db: IndexDb, { document_id }: Pick<StagedRow, "document_id">) =>
  db.selectFrom("index_staged").select("edition").where("document_id", "=", document_id),
);
