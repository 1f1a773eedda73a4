/** Importing one item of a list doesn't read the whole list, which may be long. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { SqliteStore } from "../../core/store/sqlite-store";
import type { ImportContext } from "../../plugins/imports/context";
import { SourceFailure } from "../../plugins/imports/contract";
import { migrations } from "../../plugins/imports/migrations";
import { newRun } from "../../plugins/imports/runs";
import { urlsSource } from "../../plugins/imports/sources/address-lists";
import { openSource } from "../../plugins/imports/source-tools";
import { insertRun } from "../../plugins/imports/store";

test("a source is opened without its fields, which are read when they are needed", async () => {
  const directory = mkdtempSync(join(tmpdir(), "dossier-imports-"));
  const store = new SqliteStore(join(directory, "dossier.db"), { log: jsonLog("error") });
  for (const { up } of migrations) await store.inTransaction(up);
  const ctx = {
    db: store.db,
    paths: { temporary: directory },
    accounts: { findUser: async (id: string) => ({ id, email: "ada@example.com" }) },
    documents: { upload_bytes_max: () => 1 },
    fetcher: { timeout_ms: () => 1 },
    robots: { ofRun: () => new Map() },
    sources: () => [urlsSource],
  } as unknown as ImportContext;
  const common = { owner_id: "usr_ada", folder_id: "fld_1", kind: "source", overwrite: 0 } as const;
  const whole = { type: "urls", urls: ["https://example.com/"] };
  const opened = async (id: string, source: string) => {
    const of_run = { schedule_id: null, created_at: 1 };
    await insertRun(store.db, newRun({ id, source, ...common, ...of_run }));
    const access = await openSource(ctx, id, new AbortController().signal);
    if (access instanceof SourceFailure) throw access;
    return access;
  };
  const broken = await opened("imp_1", '{"type":"urls","urls":[');
  expect(broken.source).toBe(urlsSource);
  await expect(broken.fields()).rejects.toThrow(SyntaxError);
  expect(await (await opened("imp_2", JSON.stringify(whole))).fields()).toEqual(whole);
  await store.close();
  rmSync(directory, { recursive: true });
});
