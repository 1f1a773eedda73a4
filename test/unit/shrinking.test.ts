/** The database file shrinks after deletions; an older file shrinks by being rewritten. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { jsonLog } from "../../core/base/log";
import { compactDatabase, removeCompactions } from "../../core/store/compaction";
import { SqliteStore } from "../../core/store/sqlite-store";
import { until } from "../helpers/jobs";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "dossier-shrinking-"));
  path = join(directory, "dossier.db");
});
afterEach(() => rmSync(directory, { recursive: true }));

const log = jsonLog("error", () => {});
const open = (): SqliteStore => new SqliteStore(path, { log });
const rows = 3_000;
const word = "marmalade";

/** Fills a table with some megabytes. */
async function fill(store: SqliteStore, filled = rows): Promise<void> {
  await sql`create table notes (id integer primary key, words text)`.execute(store.db);
  await sql`insert into notes with recursive n(i) as (
      select 1 union all select i + 1 from n where i < ${filled})
    select i, ${word} || hex(zeroblob(2000)) from n`.execute(store.db);
}
const remove = (store: SqliteStore, up_to: number) =>
  store.inDeletion((tx) => sql`delete from notes where id <= ${up_to}`.execute(tx));
const count = async (store: SqliteStore): Promise<number> =>
  (await sql<{ n: number }>`select count(*) as n from notes`.execute(store.db)).rows[0]!.n;

describe("a new database", () => {
  test("gives back the space of deleted rows while writes go on", async () => {
    const store = open();
    await fill(store);
    const full = await store.space();
    await remove(store, rows - 200);
    expect((await store.space()).free_bytes).toBeGreaterThan(full.bytes / 2);
    store.truncateWal();
    let written = 0;
    await until(async () => {
      await store.inTransaction((tx) =>
        sql`insert into notes (words) values (${"new"})`.execute(tx),
      );
      written += 1;
      return (await store.space()).bytes < full.bytes / 2;
    });
    // Emptying the log at the end truncates the file too.
    await until(async () => statSync(path).size < full.bytes / 2);
    expect(await count(store)).toBe(200 + written);
    const { rows: found } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(
      store.db,
    );
    expect(found).toEqual([{ integrity_check: "ok" }]);
    await store.close();
  });

  test("cuts off a large file in parts", async () => {
    const store = open();
    await fill(store, 5 * rows);
    store.truncateWal();
    const full = statSync(path).size;
    await remove(store, 5 * rows);
    const sizes = new Set<number>();
    const timer = setInterval(() => sizes.add(statSync(path).size), 1);
    await until(() => Math.min(...sizes) < full / 8);
    clearInterval(timer);
    const between = [...sizes].filter((size) => size < full && size > full / 4);
    expect(between.length).toBeGreaterThan(0);
    await store.close();
  });

  test("continues shrinking after a restart", async () => {
    const store = open();
    await fill(store);
    const { bytes } = await store.space();
    await remove(store, rows);
    await store.close();
    expect(statSync(path).size).toBe(bytes);
    const next = open();
    await until(async () => (await next.space()).bytes < bytes);
    await next.close();
  });

  test("leaves no deleted text in the shrunken file", async () => {
    const store = open();
    await fill(store);
    await sql`insert into notes (words) values (${"kept"})`.execute(store.db);
    const { bytes } = await store.space();
    await remove(store, rows);
    store.truncateWal();
    await until(async () => (await store.space()).bytes < bytes / 2);
    await store.close();
    expect(readFileSync(path).includes(word)).toBe(false);
    expect(readFileSync(path).includes("kept")).toBe(true);
  });
});

describe("a database of an earlier version", () => {
  /** A database as earlier versions created it. */
  async function makeOld(): Promise<void> {
    new Database(path, { create: true }).run("pragma journal_mode = wal");
    const store = open();
    await fill(store);
    await remove(store, rows - 10);
    await store.close();
  }

  test("does not shrink, and reports that", async () => {
    await makeOld();
    const store = open();
    expect((await store.space()).shrinks).toBe(false);
    await store.close();
  });

  test("is rewritten while no process uses it, and shrinks by itself from then on", async () => {
    await makeOld();
    const size = statSync(path).size;
    const { before, after } = compactDatabase(path);
    expect([before, after]).toEqual([size, statSync(path).size]);
    expect(after).toBeLessThan(size / 10);
    const store = open();
    expect([(await store.space()).shrinks, await count(store)]).toEqual([true, 10]);
    await store.close();
  });

  test("is not rewritten while another process is using it", async () => {
    await makeOld();
    const other = new Database(path);
    other.query("select count(*) from notes").get();
    expect(() => compactDatabase(path)).toThrow(`another process is using ${path}`);
    expect(existsSync(`${path}.compact`)).toBe(false);
    other.close();
  });

  test("leaves no file of an interrupted rewrite after the next start", async () => {
    await makeOld();
    writeFileSync(`${path}.compact`, word);
    await removeCompactions(path);
    expect([existsSync(`${path}.compact`), existsSync(path)]).toEqual([false, true]);
  });
});
