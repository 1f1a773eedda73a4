/**
 * The tables of the index: what is published, its segments and chunks, and the folders in which
 * they are visible.
 */
import { bytes, rowKey, type Db, type Migration } from "../../core/sdk";
import { indexOutdated, mergePlaces } from "./migrations-later";

export const migrations: readonly Migration[] = [
  {
    id: "0001_index",
    up: async (tx) => {
      await createDocuments(tx);
      await createStaged(tx);
      await createSegments(tx);
      await createChunks(tx);
      await createScope(tx);
    },
  },
  {
    id: "0002_headings",
    up: async (tx) => {
      await tx.schema.alterTable("index_documents").addColumn("headings", "text").execute();
    },
  },
  {
    id: "0003_vectors",
    up: async (tx) => {
      await createVectorSets(tx);
      await createVectors(tx);
      await createVectorsWaiting(tx);
    },
  },
  {
    id: "0004_times",
    up: async (tx) => {
      await tx.schema.alterTable("index_documents").addColumn("times", "text").execute();
      await tx.schema
        .alterTable("index_chunks")
        .addColumn("time_start", "double precision")
        .execute();
      await tx.schema
        .alterTable("index_chunks")
        .addColumn("time_end", "double precision")
        .execute();
    },
  },
  {
    id: "0005_packs",
    up: async (tx) => {
      await createPacks(tx);
      await createPackParts(tx);
      await createPacked(tx);
    },
  },
  {
    id: "0006_places",
    up: async (tx) => {
      // For documents whose text is stored elsewhere, instead of `index_chunks`.
      await tx.schema
        .createTable("index_places")
        .addColumn("segment_id", rowKey(), (c) => c.primaryKey())
        .addColumn("text_id", "bigint", (c) => c.notNull())
        .addColumn("in_first_piece", "integer", (c) => c.notNull())
        .addColumn("data", bytes(), (c) => c.notNull())
        .execute();
    },
  },
  {
    id: "0007_adopted_sets",
    up: async (tx) => {
      await tx.schema
        .alterTable("index_vector_sets")
        .addColumn("adopted", "integer", (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
  { id: "0008_waiting_documents", up: addWaitingDocuments },
  {
    id: "0009_int8_vectors",
    up: async (tx) => {
      // Existing vectors are converted in the background, and searched meanwhile.
      await tx.schema.alterTable("index_vectors").renameTo("index_float_vectors").execute();
      await createInt8Vectors(tx);
    },
  },
  {
    id: "0010_references",
    up: async (tx) => {
      await tx.schema
        .createTable("index_vector_references")
        .addColumn("set_id", "bigint", (c) => c.primaryKey())
        .addColumn("version", "integer", (c) => c.notNull())
        .addColumn("data", bytes(), (c) => c.notNull())
        .execute();
    },
  },
  {
    id: "0011_staged_node",
    up: async (tx) => {
      await tx.schema
        .alterTable("index_staged")
        .addColumn("node", "text", (c) => c.notNull().defaultTo(""))
        .execute();
    },
  },
  {
    id: "0012_looked_to",
    up: async (tx) => {
      await tx.schema.alterTable("index_vector_sets").addColumn("looked_to", "text").execute();
    },
  },
  { id: "0013_backend", up: createBackend },
  { id: "0014_segments_with_places", up: mergePlaces },
  // Again at each change of a version: the condition of the index names them.
  { id: "0015_outdated", up: (tx) => indexOutdated(tx, { analyzer: 1, chunker: 4 }) },
];

/**
 * One row for each document that can be found. `edition` is its index version, one encoding of one
 * version of it: the id of the first segment.
 */
async function createDocuments(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_documents")
    .addColumn("document_id", "text", (c) => c.primaryKey())
    .addColumn("edition", "bigint", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("analyzer", "integer", (c) => c.notNull())
    .addColumn("chunker", "integer", (c) => c.notNull())
    .addColumn("chunks", "integer", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("index_documents_by_maker")
    .on("index_documents")
    .columns(["analyzer", "chunker"])
    .execute();
}

/** Unpublished index versions: no search finds them, and the next start deletes them. */
async function createStaged(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_staged")
    .addColumn("edition", "bigint", (c) => c.primaryKey())
    .addColumn("document_id", "text", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("index_staged_by_document")
    .on("index_staged")
    .columns(["document_id"])
    .execute();
}

async function createSegments(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_segments")
    .addColumn("id", "bigint", (c) => c.primaryKey())
    .addColumn("edition", "bigint", (c) => c.notNull())
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("data", bytes(), (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("index_segments_by_edition")
    .on("index_segments")
    .columns(["edition"])
    .execute();
  await tx.schema
    .createIndex("index_segments_by_document")
    .on("index_segments")
    .columns(["document_id"])
    .execute();
}

/**
 * `text` is the chunk and the white space up to the next one, so that the whole text can be
 * restored.
 */
async function createChunks(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_chunks")
    .addColumn("segment_id", "bigint", (c) => c.notNull())
    .addColumn("ordinal", "integer", (c) => c.notNull())
    .addColumn("first_point", "integer", (c) => c.notNull())
    .addColumn("end_point", "integer", (c) => c.notNull())
    .addColumn("page", "integer")
    .addColumn("page_end", "integer")
    .addColumn("heading", "text")
    .addColumn("text", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("index_chunks_pk", ["segment_id", "ordinal"])
    .execute();
}

/** The folders in which a segment is visible. */
async function createScope(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_scope")
    .addColumn("folder_id", "text", (c) => c.notNull())
    .addColumn("segment_id", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("index_scope_pk", ["folder_id", "segment_id"])
    .execute();
  await tx.schema
    .createIndex("index_scope_by_segment")
    .on("index_scope")
    .columns(["segment_id"])
    .execute();
}

/**
 * One row for each model and length of vectors: the set that queries are compared with, and the one
 * that is being filled. `asked_dimensions` 0: as many as the model returns; `dimensions` 0: not
 * known yet.
 */
async function createVectorSets(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_vector_sets")
    .addColumn("id", "bigint", (c) => c.primaryKey())
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("asked_dimensions", "integer", (c) => c.notNull())
    .addColumn("dimensions", "integer", (c) => c.notNull())
    .addColumn("serving", "integer", (c) => c.notNull())
    .execute();
}

/**
 * The vectors of a segment's chunks, concatenated: 32-bit floats, little-endian, each of length 1,
 * or 0 where there is none.
 */
async function createVectors(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_vectors")
    .addColumn("set_id", "bigint", (c) => c.notNull())
    .addColumn("segment_id", "bigint", (c) => c.notNull())
    .addColumn("data", bytes(), (c) => c.notNull())
    .addPrimaryKeyConstraint("index_vectors_pk", ["set_id", "segment_id"])
    .execute();
  await tx.schema
    .createIndex("index_vectors_by_segment")
    .on("index_vectors")
    .columns(["segment_id"])
    .execute();
}

/** The vectors of a segment's chunks, see `vector-block.ts`. */
async function createInt8Vectors(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_vectors")
    .addColumn("id", rowKey(), (c) => c.primaryKey())
    .addColumn("set_id", "bigint", (c) => c.notNull())
    .addColumn("segment_id", "bigint", (c) => c.notNull())
    .addColumn("data", bytes(), (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("index_vectors_of_set")
    .on("index_vectors")
    .columns(["set_id", "segment_id"])
    .unique()
    .execute();
  await tx.schema
    .createIndex("index_vectors_of_segment")
    .on("index_vectors")
    .columns(["segment_id"])
    .execute();
}

/** Published segments without vectors in the newest set. */
async function createVectorsWaiting(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_vectors_waiting")
    .addColumn("segment_id", "bigint", (c) => c.primaryKey())
    .addColumn("tries", "integer", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("index_vectors_waiting_next")
    .on("index_vectors_waiting")
    .columns(["tries", "segment_id desc"])
    .execute();
}

/** Packs: the content of many segments of one owner, by term (`pack.ts`). */
async function createPacks(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_packs")
    .addColumn("id", "bigint", (c) => c.primaryKey())
    .addColumn("owner_id", "text", (c) => c.notNull())
    .addColumn("head", bytes(), (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("index_packs_by_owner")
    .on("index_packs")
    .columns(["owner_id", "id"])
    .execute();
}

async function createPackParts(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_pack_parts")
    .addColumn("pack_id", "bigint", (c) => c.notNull())
    .addColumn("part", "integer", (c) => c.notNull())
    .addColumn("data", bytes(), (c) => c.notNull())
    .addPrimaryKeyConstraint("index_pack_parts_pk", ["pack_id", "part"])
    .execute();
}

/** The pack that contains a segment, if any. */
async function createPacked(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_packed")
    .addColumn("segment_id", "bigint", (c) => c.primaryKey())
    .addColumn("pack_id", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("index_packed_by_pack")
    .on("index_packed")
    .columns(["pack_id"])
    .execute();
}

/** Waiting segments get their document and its owner: owners take turns, and folders count. */
async function addWaitingDocuments(tx: Db): Promise<void> {
  // The documents plugin fills it in for what is published already.
  await tx.schema
    .alterTable("index_documents")
    .addColumn("owner_id", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await tx.schema
    .alterTable("index_vector_sets")
    .addColumn("followed", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  // Filled again at the next start, because it follows no set.
  await tx.schema.dropTable("index_vectors_waiting").execute();
  await tx.schema
    .createTable("index_vectors_waiting")
    .addColumn("segment_id", "bigint", (c) => c.primaryKey())
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("owner_id", "text", (c) => c.notNull())
    .addColumn("passages", "integer", (c) => c.notNull())
    .addColumn("tries", "integer", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("index_vectors_waiting_by_owner")
    .on("index_vectors_waiting")
    .columns(["owner_id", "tries", "segment_id desc"])
    .execute();
  await tx.schema
    .createIndex("index_vectors_waiting_by_document")
    .on("index_vectors_waiting")
    .columns(["document_id"])
    .execute();
}

/** What another engine contains of the index, and the segments to be sent to it. */
async function createBackend(tx: Db): Promise<void> {
  await tx.schema
    .createTable("index_backend")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("contents", "text", (c) => c.notNull())
    .addColumn("set_id", "bigint", (c) => c.notNull())
    .addColumn("dimensions", "integer", (c) => c.notNull())
    .addColumn("begun", "integer", (c) => c.notNull())
    .addColumn("filled_to", "bigint")
    .execute();
  await tx.schema
    .createTable("index_backend_waiting")
    .addColumn("segment_id", "bigint", (c) => c.primaryKey())
    .addColumn("owner_id", "text", (c) => c.notNull())
    .addColumn("revision", "text", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("index_backend_waiting_by_owner")
    .on("index_backend_waiting")
    .columns(["owner_id", "segment_id"])
    .execute();
}
