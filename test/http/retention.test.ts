/**
 * Records are deleted after their retention time, with no word of them left in any file of the data
 * directory; newer ones are kept.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JobRef } from "../../core/jobs/contract";
import { Prune as PruneAudit } from "../../plugins/audit/jobs";
import { PurgeDocuments } from "../../plugins/documents/jobs";
import { Prune as PruneImports } from "../../plugins/imports/jobs";
import { Prune as PruneTranscriptions } from "../../plugins/transcriptions/jobs";
import { Prune as PruneDeliveries } from "../../plugins/webhooks/jobs";
import { placesWith } from "../helpers/databases";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/jobs";

const day_ms = 24 * 3_600_000;
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    env: {
      DOSSIER_AUDIT_KEEP: "10d",
      DOSSIER_IMPORTS_KEEP_RUNS: "10d",
      DOSSIER_TRANSCRIPTION_KEEP_RUNS: "10d",
      DOSSIER_WEBHOOKS_KEEP_DELIVERIES: "10d",
    },
  });
  await server.send("ada", "POST", "/folders", { name: "Reports" });
});
afterAll(() => server.stop());

interface Kept {
  readonly table: string;
  /** A record created at this time, containing the word. */
  readonly row: (word: string, at: number) => object;
  readonly prune: JobRef;
}
const kept_rows: readonly (readonly [reason: string, Kept])[] = [
  [
    "an entry of the audit log",
    {
      table: "audit_entries",
      row: (word, at) => ({ created_at: at, via: "api", action: word, outcome: "done" }),
      prune: PruneAudit,
    },
  ],
  [
    "a finished import, with its source",
    {
      table: "imports_runs",
      row: (word, at) => ({
        owner_id: "usr_ada",
        folder_id: "fld_none",
        kind: "source",
        overwrite: 0,
        status: "failed",
        listed: 1,
        total: 0,
        succeeded: 0,
        failed: 0,
        skipped: 0,
        created_at: at,
        finished_at: at,
        source: JSON.stringify({ type: "urls", urls: [word] }),
      }),
      prune: PruneImports,
    },
  ],
  [
    "a finished transcription",
    {
      table: "transcriptions",
      row: (word, at) => ({
        owner_id: "usr_ada",
        folder_id: "fld_none",
        status: "failed",
        name: word,
        size_bytes: 0,
        progress: 0,
        created_at: at,
        finished_at: at,
      }),
      prune: PruneTranscriptions,
    },
  ],
  [
    "a finished delivery, with its body",
    {
      table: "webhooks_deliveries",
      row: (word, at) => ({
        webhook_id: "whk_none",
        message_id: "whd_none",
        event_type: "import.finished",
        status: "dropped",
        request_body: word,
        attempts: 3,
        created_at: at,
      }),
      prune: PruneDeliveries,
    },
  ],
];

test.each(kept_rows)("%s", async (_reason, { table, row, prune }) => {
  const { db, inTransaction } = server.store;
  const insert = (id: string, word: string, age_ms: number) =>
    db
      .insertInto(table)
      .values({ id, ...row(word, Date.now() - age_ms) })
      .execute();
  const [old_word, young_word] = [`quagga-${table}`, `okapi-${table}`];
  await insert("old", old_word, 11 * day_ms);
  await insert("young", young_word, 9 * day_ms);
  expect(await placesWith(server.data, old_word)).not.toEqual([]);
  await inTransaction((tx) => server.host.queue.enqueue(tx, prune, {}));
  await server.settle();
  await until(async () => (await placesWith(server.data, old_word)).length === 0);
  expect(await placesWith(server.data, young_word)).not.toEqual([]);
  const left = await db
    .selectFrom(table)
    .select("id")
    .where("id", "in", ["old", "young"])
    .execute();
  expect(left).toEqual([{ id: "young" }]);
});

/** A server that restores nothing for longer than a moment, with a folder. */
async function hasty() {
  const short = await startTestServer({ env: { DOSSIER_DOCUMENTS_RESTORE_FOR: "1ms" } });
  const folder_id: string = (await short.send("ada", "POST", "/folders", { name: "Reports" })).body
    .id;
  return { short, folder_id };
}

const documents: [reason: string, add: (word: string) => object | FormData][] = [
  ["a text", (word) => ({ content: `The ${word} ran. `.repeat(50) })],
  [
    "a file, with its original",
    (word) => {
      const form = new FormData();
      form.append("file", new File([`The ${word} ran. `.repeat(50)], `${word}.txt`));
      return form;
    },
  ],
];
test.each(documents)("a document that is no longer in any folder: %s", async (_reason, add) => {
  const { short, folder_id } = await hasty();
  await using _ = short;
  const create = async (word: string): Promise<string> => {
    const body = add(word);
    const { status, body: document } = await (body instanceof FormData
      ? short.send("ada", "POST", `/documents/file?folder_id=${folder_id}`, body)
      : short.send("ada", "POST", "/documents", { folder_id, ...body }));
    expect(status).toBe(201);
    return document.id;
  };
  const id = await create("quagga");
  await create("okapi");
  await short.settle();
  expect((await short.send("ada", "POST", "/search", { query: "quagga" })).body.data).not.toEqual(
    [],
  );
  expect(await placesWith(short.data, "quagga")).not.toEqual([]);
  await short.send("ada", "DELETE", `/documents/${id}?folder_id=${folder_id}`);
  await until(async () => {
    await short.host.queue.enqueue(short.store.db, PurgeDocuments, {});
    await short.settle();
    return (await placesWith(short.data, "quagga")).length === 0;
  });
  expect(await placesWith(short.data, "okapi")).not.toEqual([]);
});
