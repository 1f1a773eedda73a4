/**
 * The database and its disk: deleted text goes, a full or failing disk is an answer and not a
 * wreck.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { jsonLog } from "../../core/base/log";
import { HttpError } from "../../core/base/errors";
import {
  isBusy,
  isForeignKey,
  isFull,
  isReadOnly,
  isStorageFault,
  isUnique,
  translateError,
} from "../../core/store/storage-errors";
import { SqliteStore } from "../../core/store/sqlite-store";
import type { Store } from "../../core/store/store";
import { until } from "../helpers/jobs";

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "dossier-store-"));
  store = new SqliteStore(join(directory, "dossier.db"), {
    log: jsonLog("error", () => undefined),
  });
  await store.db.schema
    .createTable("notes")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("words", "text")
    .execute();
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const note = (id: string, words = "") => store.db.insertInto("notes").values({ id, words });
const ids = async (): Promise<string[]> =>
  (await store.db.selectFrom("notes").select("id").orderBy("id").execute()).map((row) => row.id);
/** The error of a promise that must fail. */
const errorOf = (work: Promise<unknown>): Promise<any> =>
  work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error,
  );

describe("deleted text", () => {
  const canary = "the-canary-that-must-be-gone";
  const holders = () =>
    readdirSync(directory).filter((name) => readFileSync(join(directory, name)).includes(canary));

  test("is in no file of the directory after the log is truncated", async () => {
    await note("a", canary.repeat(500)).execute();
    expect(holders()).not.toEqual([]);
    await store.db.deleteFrom("notes").execute();
    store.truncateWal();
    await until(() => holders().length === 0);
  });

  test("goes as soon as a reader that holds on to it lets go", async () => {
    await note("a", canary).execute();
    const reader = new Database(store.path, { readonly: true });
    reader.run("begin");
    reader.query("select * from notes").all();
    await store.db.deleteFrom("notes").execute();
    store.truncateWal();
    await Bun.sleep(300);
    expect(holders()).not.toEqual([]);
    reader.run("rollback");
    reader.close();
    await until(() => holders().length === 0);
  });

  test("goes when truncation is asked for inside the deleting transaction", async () => {
    await note("a", canary).execute();
    await store.inTransaction(async (tx) => {
      store.truncateWal();
      await tx.deleteFrom("notes").execute();
      await Bun.sleep(150);
    });
    await until(() => holders().length === 0);
  });

  test("of a crash goes at the next opening", async () => {
    await note("a", canary).execute();
    await store.db.deleteFrom("notes").execute();
    const copy = mkdtempSync(join(tmpdir(), "dossier-store-crash-"));
    for (const name of ["dossier.db", "dossier.db-wal"])
      await Bun.write(join(copy, name), Bun.file(join(directory, name)));
    expect(readFileSync(join(copy, "dossier.db-wal")).includes(canary)).toBe(true);
    const again = new SqliteStore(join(copy, "dossier.db"), { log: jsonLog("error") });
    expect(readdirSync(copy).some((name) => readFileSync(join(copy, name)).includes(canary))).toBe(
      false,
    );
    await again.close();
    rmSync(copy, { recursive: true });
  });
});

describe("a failing disk", () => {
  const limitPages = async () => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
    await sql.raw(`pragma max_page_count = ${rows[0]!.page_count}`).execute(store.db);
  };
  const big = "x".repeat(100_000);

  test("that is full answers 507, keeps nothing of the transaction, and still reads and deletes", async () => {
    await note("a").execute();
    await limitPages();
    const error = await errorOf(
      store.inTransaction(async (tx) => {
        await tx.insertInto("notes").values({ id: "b" }).execute();
        await tx.insertInto("notes").values({ id: "c", words: big }).execute();
      }),
    );
    expect(error).toBeInstanceOf(HttpError);
    expect([error.status, error.code]).toEqual([507, "storage_full"]);
    expect(await ids()).toEqual(["a"]);
    await store.db.deleteFrom("notes").execute();
    expect(await ids()).toEqual([]);
  });

  test("does not fail the first who meets it, when there is room to give up", async () => {
    await limitPages();
    let attempts = 0;
    await store.inTransaction(async (tx) => {
      attempts += 1;
      if (attempts === 2) await sql`pragma max_page_count = 100000`.execute(tx);
      await tx.insertInto("notes").values({ id: "a", words: big }).execute();
    });
    expect([attempts, await ids()]).toEqual([2, ["a"]]);
  });

  test("that was full is full until there is room for the reserve file again", async () => {
    await limitPages();
    expect(store.isDiskFull()).toBe(false);
    await errorOf(note("a", big).execute());
    expect(store.isDiskFull()).toBe(true);
    await until(() => !store.isDiskFull());
    expect(readdirSync(directory)).toContain("dossier.db.ballast");
  });

  test("that can't be written to answers 503 with Retry-After, and still reads", async () => {
    await note("a").execute();
    await sql`pragma query_only = 1`.execute(store.db);
    const error = await errorOf(note("b").execute());
    expect([error.status, error.headers["retry-after"]]).toEqual([503, "30"]);
    expect(await ids()).toEqual(["a"]);
  });
});

describe("what an error means", () => {
  const coded = (code: string) => Object.assign(new Error("x"), { code });
  const cases: [why: string, error: unknown, is: ((error: unknown) => boolean)[]][] = [
    ["a second row with a unique value", coded("SQLITE_CONSTRAINT_UNIQUE"), [isUnique]],
    ["a second row with a primary key", coded("SQLITE_CONSTRAINT_PRIMARYKEY"), [isUnique]],
    ["a row that points nowhere", coded("SQLITE_CONSTRAINT_FOREIGNKEY"), [isForeignKey]],
    ["another writer", coded("SQLITE_BUSY"), [isBusy, isStorageFault]],
    [
      "another writer between a read and a write",
      coded("SQLITE_BUSY_SNAPSHOT"),
      [isBusy, isStorageFault],
    ],
    ["no room for the database", coded("SQLITE_FULL"), [isFull, isStorageFault]],
    ["no room for a file", coded("ENOSPC"), [isFull, isStorageFault]],
    ["a failing write", coded("SQLITE_IOERR_WRITE"), [isReadOnly, isStorageFault]],
    [
      "a file that can only be read",
      coded("SQLITE_READONLY_DBMOVED"),
      [isReadOnly, isStorageFault],
    ],
    [
      "a translated error still says what it was",
      translateError(coded("SQLITE_READONLY")),
      [isReadOnly, isStorageFault],
    ],
    ["an error of the code", new TypeError("x"), []],
    ["no error at all", undefined, []],
  ];
  const kinds = { isUnique, isForeignKey, isBusy, isFull, isReadOnly, isStorageFault };
  for (const [why, error, is] of cases)
    test(why, () => {
      expect(Object.values(kinds).filter((kind) => kind(error))).toEqual(is);
    });

  test("a unique violation of the database itself is one", async () => {
    await note("a").execute();
    expect(isUnique(await errorOf(note("a").execute()))).toBe(true);
  });
});
