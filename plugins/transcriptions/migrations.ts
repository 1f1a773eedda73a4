/** The tables of transcription runs and their transcripts. */
import { batchesOf } from "../../core/lib/batch";
import { sql, type Db, type Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_transcriptions",
    up: async (tx) => {
      await tx.schema
        .createTable("transcriptions")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("folder_id", "text", (c) => c.notNull())
        .addColumn("status", "text", (c) => c.notNull())
        .addColumn("name", "text")
        .addColumn("url", "text")
        .addColumn("kind", "text")
        .addColumn("media_type", "text")
        .addColumn("sha256", "text")
        .addColumn("size_bytes", "bigint", (c) => c.notNull())
        .addColumn("progress", "double precision", (c) => c.notNull())
        .addColumn("duration_s", "double precision")
        .addColumn("language", "text")
        .addColumn("document_id", "text")
        .addColumn("error_code", "text")
        .addColumn("error_message", "text")
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addColumn("started_at", "bigint")
        .addColumn("finished_at", "bigint")
        .execute();
      await tx.schema
        .createIndex("transcriptions_by_owner")
        .on("transcriptions")
        .columns(["owner_id", "created_at", "id"])
        .execute();
      await tx.schema
        .createIndex("transcriptions_by_folder")
        .on("transcriptions")
        .columns(["folder_id"])
        .execute();
      await tx.schema
        .createIndex("transcriptions_by_document")
        .on("transcriptions")
        .columns(["document_id"])
        .where(sql.ref("document_id"), "is not", null)
        .execute();
      await tx.schema
        .createIndex("transcriptions_by_file")
        .on("transcriptions")
        .columns(["sha256"])
        .where(sql.ref("sha256"), "is not", null)
        .execute();
      await tx.schema
        .createTable("transcriptions_results")
        .addColumn("run_id", "text", (c) => c.primaryKey())
        .addColumn("transcript", "text", (c) => c.notNull())
        .execute();
    },
  },
  {
    id: "0002_unfinished",
    up: async (tx) => {
      // For counting an owner's unfinished runs.
      await tx.schema
        .createIndex("transcriptions_unfinished")
        .on("transcriptions")
        .column("owner_id")
        .where(sql<boolean>`status in ('pending', 'running')`)
        .execute();
    },
  },
  {
    id: "0003_finished",
    up: async (tx) => {
      // For finding runs past their retention time.
      await tx.schema
        .createIndex("transcriptions_finished")
        .on("transcriptions")
        .column("finished_at")
        .where("finished_at", "is not", null)
        .execute();
    },
  },
  {
    id: "0004_segments",
    up: async (tx) => {
      // A long transcript is stored, read and sent in parts.
      await tx.schema
        .createTable("transcriptions_segments")
        .addColumn("run_id", "text", (c) => c.notNull())
        .addColumn("part", "integer", (c) => c.notNull())
        .addColumn("segments", "text", (c) => c.notNull())
        .addPrimaryKeyConstraint("transcriptions_segments_key", ["run_id", "part"])
        .execute();
      const results = await tx.selectFrom("transcriptions_results").select("run_id").execute();
      for (const { run_id } of results) await splitResult(tx, run_id);
    },
  },
];

const segments_per_part = 200;
/** Stores the segments of an earlier result in parts. */
async function splitResult(tx: Db<any>, run_id: string): Promise<void> {
  const { transcript } = await tx
    .selectFrom("transcriptions_results")
    .select("transcript")
    .where("run_id", "=", run_id)
    .executeTakeFirstOrThrow();
  const { segments, language, duration_s } = JSON.parse(transcript);
  for (const [part, of_part] of [...batchesOf<unknown>(segments, segments_per_part)].entries())
    await tx
      .insertInto("transcriptions_segments")
      .values({ run_id, part, segments: JSON.stringify(of_part) })
      .execute();
  await tx
    .updateTable("transcriptions_results")
    .set({ transcript: JSON.stringify({ language, duration_s }) })
    .where("run_id", "=", run_id)
    .execute();
}
