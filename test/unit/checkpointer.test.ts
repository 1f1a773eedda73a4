/** The write-ahead log is checkpointed while writes continue, and nothing written is lost. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { jsonLog } from "../../core/base/log";
import { SqliteStore } from "../../core/store/sqlite-store";
import { until } from "../helpers/server";

const mib = 2 ** 20;
let directory: string;
let store: SqliteStore;
const path = () => join(directory, "dossier.db");
const sizeOf = (file: string) => statSync(file).size;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "dossier-checkpoint-"));
  store = new SqliteStore(path(), { log: jsonLog("error", () => undefined) });
  await sql`create table blobs (id integer primary key, data blob)`.execute(store.db);
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const write = (id: number) =>
  store.inTransaction((tx) =>
    sql`insert into blobs values (${id}, zeroblob(${mib}))`.execute(tx).then(() => undefined),
  );

test("a long log is checkpointed without blocking a write", async () => {
  // The log is checked after some commits only, so commit until it was found long enough.
  let written = 0;
  await until(async () => {
    await write(written++);
    return sizeOf(path()) > 15 * mib;
  });
  // Far below the size at which a write waits for the checkpoint.
  expect(written).toBeLessThan(40);
});

test("many concurrent writes leave a log of bounded length and lose no row", async () => {
  const count = 120;
  let longest = 0;
  await Promise.all(
    Array.from({ length: count }, async (_, id) => {
      await write(id);
      longest = Math.max(longest, sizeOf(`${path()}-wal`));
    }),
  );
  expect(longest).toBeLessThan(100 * mib);
  const other = new Database(path(), { readonly: true });
  const { rows } = other.query<{ rows: number }, []>("select count(*) as rows from blobs").get()!;
  other.close();
  expect(rows).toBe(count);
});

test("a store that is closed right away leaves no log", async () => {
  for (let id = 0; id < 18; id++) await write(id);
  await store.close();
  expect(sizeOf(path())).toBeGreaterThan(18 * mib);
  store = new SqliteStore(path(), { log: jsonLog("error", () => undefined) });
  expect(sizeOf(`${path()}-wal`)).toBe(0);
});
