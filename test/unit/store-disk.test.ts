/**
 * The database and its disk: deleted text is really gone, and a full or failing disk leads to an
 * error answer, not to damage.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { jsonLog } from "../../core/base/log";
import { startThread } from "../../core/base/descriptors";
import { HttpError } from "../../core/base/errors";
import {
  isBusy,
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
/** The free space that the store sees. */
let disk: { free_bytes: number; reserve_bytes: number };

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "dossier-store-"));
  disk = { free_bytes: 2 ** 30, reserve_bytes: 2 ** 16 };
  store = new SqliteStore(join(directory, "dossier.db"), {
    log: jsonLog("error", () => undefined),
    freeSpace: () => disk,
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

  test("is gone as soon as the last reader that still sees it ends", async () => {
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

  test("is gone when truncation is requested inside the deleting transaction", async () => {
    await note("a", canary).execute();
    await store.inTransaction(async (tx) => {
      store.truncateWal();
      await tx.deleteFrom("notes").execute();
      await Bun.sleep(150);
    });
    await until(() => holders().length === 0);
  });

  test("left by a crash is gone when the database is next opened", async () => {
    await note("a", canary).execute();
    await store.db.deleteFrom("notes").execute();
    const copy = mkdtempSync(join(tmpdir(), "dossier-store-crash-"));
    for (const name of ["dossier.db", "dossier.db-wal"])
      await Bun.write(join(copy, name), Bun.file(join(directory, name)));
    expect(readFileSync(join(copy, "dossier.db-wal")).includes(canary)).toBe(true);
    const reopened = new SqliteStore(join(copy, "dossier.db"), { log: jsonLog("error") });
    expect(readdirSync(copy).some((name) => readFileSync(join(copy, name)).includes(canary))).toBe(
      false,
    );
    await reopened.close();
    rmSync(copy, { recursive: true });
  });
});

/** A transaction that adds a row. */
const add = (id: string, words = "", uses_reserve = false) =>
  store.inTransaction((tx) => tx.insertInto("notes").values({ id, words }).execute(), {
    uses_reserve,
  });
const big = "x".repeat(100_000);
const reserve_file = "dossier.db.ballast";

describe("a disk with little space", () => {
  /** The growth limit follows the disk after a moment. */
  const leave = async (free_bytes: number) => {
    disk = { ...disk, free_bytes };
    await Bun.sleep(300);
  };

  test("refuses a too large change as a whole, and still allows reads and deletions", async () => {
    await add("a");
    await leave(big.length);
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

  test("is not full after one large change, and accepts small ones beside it", async () => {
    await add("a");
    await leave(big.length);
    const added = ["b", "c", "d"].map((id) => add(id, id === "c" ? big : ""));
    expect((await Promise.allSettled(added)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect([await ids(), store.isDiskFull()]).toEqual([["a", "b", "d"], false]);
  });

  test("accepts a refused change once there is space", async () => {
    await leave(big.length);
    await errorOf(add("a", big));
    await leave(2 ** 30);
    await add("a", big);
    expect(await ids()).toEqual(["a"]);
  });

  test("keeps the log short enough for a deletion", async () => {
    await leave(4 * big.length);
    await errorOf(
      store.inTransaction(async (tx) => {
        for (let i = 0; i < 100; i++)
          await tx
            .insertInto("notes")
            .values({ id: `${i}`, words: big })
            .execute();
      }),
    );
    expect(statSync(join(directory, "dossier.db-wal")).size).toBe(0);
  });
});

describe("a full disk", () => {
  const fill = async () => {
    await add("a", big);
    disk = { ...disk, free_bytes: 0 };
    await Bun.sleep(300);
    await errorOf(add("b", big));
  };

  test("counts as full until there is as much space as the reserve", async () => {
    expect(store.isDiskFull()).toBe(false);
    await fill();
    expect([store.isDiskFull(), await store.failure()]).toEqual([
      true,
      expect.stringContaining("full"),
    ]);
    disk = { ...disk, free_bytes: 2 * disk.reserve_bytes };
    await until(() => !store.isDiskFull());
    expect([readdirSync(directory).includes(reserve_file), await store.failure()]).toEqual([
      true,
      null,
    ]);
  });

  test("gives the reserve to deletions only and restores it afterwards", async () => {
    await Bun.write(join(directory, reserve_file), "space");
    await fill();
    const is_kept = () => readdirSync(directory).includes(reserve_file);
    expect(is_kept()).toBe(true);
    Object.defineProperty(disk, "free_bytes", { get: () => (is_kept() ? 0 : 10 ** 6) });
    let tries = 0;
    await store.inTransaction(
      async (tx) => {
        tries += 1;
        await tx.insertInto("notes").values({ id: "what was deleted", words: big }).execute();
        await tx.deleteFrom("notes").where("id", "=", "a").execute();
      },
      { uses_reserve: true },
    );
    expect([tries, await ids()]).toEqual([3, ["what was deleted"]]);
    expect(statSync(join(directory, reserve_file)).size).toBe(disk.reserve_bytes);
  });

  const refused: [why: string, work: () => Promise<unknown>, status: number | null][] = [
    ["a change", () => add("b"), 507],
    ["a change outside a transaction", () => note("b").execute(), 507],
    ["a deletion", () => add("b", "", true), null],
    ["a deletion outside a transaction", () => store.db.deleteFrom("notes").execute(), null],
    ["a read", () => ids(), null],
  ];
  for (const [why, work, status] of refused)
    test(`whose reserve is in use ${status ? "refuses" : "takes"} ${why}`, async () => {
      await Bun.write(join(directory, reserve_file), "space");
      await fill();
      await errorOf(add("c", big, true));
      expect(
        await work().then(
          () => null,
          (error: HttpError) => error.status,
        ),
      ).toBe(status);
    });
});

describe("a failing disk", () => {
  test("that can't be written to gives 503 with Retry-After, and still allows reads", async () => {
    await note("a").execute();
    await sql`pragma query_only = 1`.execute(store.db);
    const error = await errorOf(note("b").execute());
    expect([error.status, error.headers["retry-after"]]).toEqual([503, "30"]);
    expect(await ids()).toEqual(["a"]);
    expect(await store.failure()).toMatch(/can't be written to: .*readonly/);
    await sql`pragma query_only = 0`.execute(store.db);
    await until(async () => (await store.failure()) === null);
  });
});

/** The error as the runtime throws it, without a code. */
function errorOfThread(): unknown {
  try {
    return startThread(() => {
      throw new TypeError("Failed to spawn worker thread");
    });
  } catch (error) {
    return error;
  }
}

describe("the kinds of an error", () => {
  const coded = (code: string) => Object.assign(new Error("x"), { code });
  const cases: [why: string, error: unknown, is: ((error: unknown) => boolean)[]][] = [
    ["a second row with a unique value", coded("SQLITE_CONSTRAINT_UNIQUE"), [isUnique]],
    ["a second row with a primary key", coded("SQLITE_CONSTRAINT_PRIMARYKEY"), [isUnique]],
    ["a dangling foreign key", coded("SQLITE_CONSTRAINT_FOREIGNKEY"), []],
    ["another writer", coded("SQLITE_BUSY"), [isBusy, isStorageFault]],
    [
      "another writer between a read and a write",
      coded("SQLITE_BUSY_SNAPSHOT"),
      [isBusy, isStorageFault],
    ],
    ["no space for the database", coded("SQLITE_FULL"), [isFull, isStorageFault]],
    ["no space for a file", coded("ENOSPC"), [isFull, isStorageFault]],
    ["a file at its size limit", coded("EFBIG"), [isFull, isStorageFault]],
    ["a failing write", coded("SQLITE_IOERR_WRITE"), [isReadOnly, isStorageFault]],
    [
      "a file that has become read-only",
      coded("SQLITE_READONLY_DBMOVED"),
      [isReadOnly, isStorageFault],
    ],
    [
      "a translated error keeps its kinds",
      translateError(coded("SQLITE_READONLY")),
      [isReadOnly, isStorageFault],
    ],
    ["too many open files", coded("EMFILE"), [isStorageFault]],
    ["a thread that can't be started", errorOfThread(), [isStorageFault]],
    [
      "a database that was moved away",
      coded("SQLITE_READONLY_DBMOVED"),
      [isReadOnly, isStorageFault],
    ],
    ["a programming error", new TypeError("x"), []],
    ["no error at all", undefined, []],
  ];
  const kinds = { isUnique, isBusy, isFull, isReadOnly, isStorageFault };
  for (const [why, error, is] of cases)
    test(why, () => {
      expect(Object.values(kinds).filter((kind) => kind(error))).toEqual(is);
    });

  test("a real unique violation of the database is recognised", async () => {
    await note("a").execute();
    expect(isUnique(await errorOf(note("a").execute()))).toBe(true);
  });
});
