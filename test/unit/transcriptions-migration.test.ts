/** Transcripts of earlier versions, each stored as one value, are split into parts. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { SqliteStore } from "../../core/store/sqlite-store";
import { migrations } from "../../plugins/transcriptions/migrations";
import { savedTranscript, sentTranscript } from "../../plugins/transcriptions/stored-transcript";
import { assemble } from "../../plugins/transcriptions/transcript";

test("an earlier transcript is the same in parts", async () => {
  const directory = mkdtempSync(join(tmpdir(), "dossier-transcripts-"));
  const store = new SqliteStore(join(directory, "dossier.db"), { log: jsonLog("error") });
  const at = migrations.findIndex(({ id }) => id === "0004_segments");
  for (const { up } of migrations.slice(0, at)) await store.inTransaction(up);
  const segments = Array.from({ length: 450 }, (_, n) => ({
    start: n,
    end: n + 1,
    text: `Heron ${n}`,
    speaker: null,
  }));
  const transcript = { segments, language: "en", duration_s: 450 };
  await store.db
    .insertInto("transcriptions_results")
    .values({ run_id: "trn_1", transcript: JSON.stringify(transcript) })
    .execute();
  await store.inTransaction(migrations[at]!.up);
  const { segments: _, ...head } = transcript;
  const saved = await savedTranscript(store.db, "trn_1");
  const { text, times } = assemble(segments);
  expect(saved).toEqual({ ...head, text, times: JSON.stringify(times) });
  const parts = await Array.fromAsync(sentTranscript(store.db, "trn_1", head).segments());
  expect(parts.flat()).toEqual(segments);
  expect(parts.length).toBe(3);
  await store.close();
  rmSync(directory, { recursive: true });
});
