/** Every SQL statement that deletes from the index. The database is the first parameter. */
import { firstWithin } from "../../core/lib/batch";
import { nextTurn } from "../../core/lib/chunked-work";
import { sql, toNumber } from "../../core/sdk";
import { segmentsGone } from "./backend/backend-store";
import { inIdBatches, type IndexDb } from "./store";

const segmentIds = (tx: IndexDb, index_versions: readonly number[]) =>
  tx.selectFrom("index_segments").select("id").where("edition", "in", index_versions);
const deleteVectorsOf = async (
  tx: IndexDb,
  segments: ReturnType<typeof segmentIds> | readonly number[],
): Promise<void> => {
  await tx.deleteFrom("index_vectors").where("segment_id", "in", segments).execute();
  await tx.deleteFrom("index_float_vectors").where("segment_id", "in", segments).execute();
  await tx.deleteFrom("index_vectors_waiting").where("segment_id", "in", segments).execute();
};

/** Deletes every pack with one of these segments, which are about to be deleted. */
async function deletePacksOf(
  tx: IndexDb,
  segments: ReturnType<typeof segmentIds> | readonly number[],
): Promise<void> {
  const packs = await tx
    .selectFrom("index_packed")
    .select("pack_id")
    .distinct()
    .where("segment_id", "in", segments)
    .execute();
  await deletePacks(
    tx,
    packs.map(({ pack_id }) => pack_id),
  );
}

/** Their segments are searched singly until they are packed again. */
export const deletePacks = (tx: IndexDb, ids: readonly number[]): Promise<void> =>
  inIdBatches(ids, async (batch) => {
    await tx.deleteFrom("index_pack_parts").where("pack_id", "in", batch).execute();
    await tx.deleteFrom("index_packed").where("pack_id", "in", batch).execute();
    await tx.deleteFrom("index_packs").where("id", "in", batch).execute();
  });

/** Deletes the segments of these index versions, with their chunks, links and vectors. */
export const deleteIndexVersions = (tx: IndexDb, ids: readonly number[]): Promise<void> =>
  inIdBatches(ids, async (batch) => {
    const segments = segmentIds(tx, batch);
    await segmentsGone(tx, segments);
    await deletePacksOf(tx, segments);
    await deleteVectorsOf(tx, segments);
    await tx.deleteFrom("index_scope").where("segment_id", "in", segments).execute();
    await tx.deleteFrom("index_chunks").where("segment_id", "in", segments).execute();
    await tx.deleteFrom("index_segments").where("edition", "in", batch).execute();
    await tx.deleteFrom("index_staged").where("edition", "in", batch).execute();
  });

/** Removes an index version from every folder, and from those that wait for vectors. */
export async function hideIndexVersion(tx: IndexDb, index_version: number): Promise<void> {
  const segments = segmentIds(tx, [index_version]);
  await segmentsGone(tx, segments);
  await tx.deleteFrom("index_scope").where("segment_id", "in", segments).execute();
  await tx.deleteFrom("index_vectors_waiting").where("segment_id", "in", segments).execute();
}

/**
 * The limits for one transaction: this many segments, or fewer of this many bytes, at least one.
 */
const part_segments_max = 128;
const part_bytes_max = 512 * 1024;
/**
 * Deletes some segments of these index versions, with their chunks, links and vectors: as many as
 * fit into one transaction. True when none is left.
 */
export async function deleteSomeSegments(
  tx: IndexDb,
  index_versions: readonly number[],
): Promise<boolean> {
  if (index_versions.length === 0) return true;
  const candidates = await tx
    .selectFrom("index_segments")
    .select(["id", sql<number>`length(data)`.as("bytes")])
    .where("edition", "in", index_versions)
    .limit(part_segments_max)
    .execute();
  const batch = firstWithin(candidates, part_bytes_max, ({ bytes }) => toNumber(bytes));
  const ids = batch.map(({ id }) => id);
  if (ids.length > 0) {
    await segmentsGone(tx, ids);
    await deletePacksOf(tx, ids);
    await deleteVectorsOf(tx, ids);
    await tx.deleteFrom("index_scope").where("segment_id", "in", ids).execute();
    await tx.deleteFrom("index_chunks").where("segment_id", "in", ids).execute();
    await tx.deleteFrom("index_segments").where("id", "in", ids).execute();
  }
  return ids.length === candidates.length && candidates.length < part_segments_max;
}

/** All index versions of these documents: published, staged, or waiting to be deleted. */
export async function indexVersionsOf(
  tx: IndexDb,
  document_ids: readonly string[],
): Promise<number[]> {
  const editions: number[] = [];
  await inIdBatches(document_ids, async (batch) => {
    for (const table of ["index_documents", "index_staged"] as const)
      editions.push(
        ...(
          await tx.selectFrom(table).select("edition").where("document_id", "in", batch).execute()
        ).map(({ edition }) => toNumber(edition)),
      );
  });
  return editions;
}

/** Segments per read, which takes some milliseconds. */
const page_size = 1_000;
/**
 * The index versions whose segments exist, by document, even if no row names the version. Reads all
 * segments, yielding to the event loop in between.
 */
export async function storedVersions(
  db: IndexDb,
  document_ids: ReadonlySet<string>,
): Promise<Map<string, Set<number>>> {
  const versions = new Map<string, Set<number>>();
  for (let after = 0; ; await nextTurn()) {
    const rows = await db
      .selectFrom("index_segments")
      .select(["id", "edition", "document_id"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(page_size)
      .execute();
    for (const { edition, document_id } of rows)
      if (document_ids.has(document_id)) {
        const of_document = versions.get(document_id) ?? new Set();
        versions.set(document_id, of_document.add(toNumber(edition)));
      }
    if (rows.length < page_size) return versions;
    after = toNumber(rows.at(-1)!.id);
  }
}

/** Deletes what remains of these documents without their segments. */
export const deleteDocuments = (tx: IndexDb, document_ids: readonly string[]): Promise<void> =>
  inIdBatches(document_ids, async (batch) => {
    await tx.deleteFrom("index_staged").where("document_id", "in", batch).execute();
    await tx.deleteFrom("index_documents").where("document_id", "in", batch).execute();
  });
