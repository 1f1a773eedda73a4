/** The database: transactions that can't be bypassed, work after commit, reads, the lock. */
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { Database } from "bun:sqlite";
import { chmodSync, mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompiledQuery, sql } from "kysely";
import type { HttpError } from "../../core/base/errors";
import { jsonLog } from "../../core/base/log";
import { toNumber } from "../../core/store/columns";
import { LogSync } from "../../core/store/log-sync";
import { lockDirectory } from "../../core/store/lock";
import { SqliteStore } from "../../core/store/sqlite-store";
import type { Db, Store } from "../../core/store/store";
import { rowsOf } from "../../core/store/raw-statements";

let directory: string;
let store: Store;
let lines: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "dossier-store-"));
  lines = [];
  store = new SqliteStore(join(directory, "dossier.db"), {
    log: jsonLog("debug", (line) => lines.push(line)),
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
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const around = "a query went around the open transaction: pass `tx` down, not the database";
/** The error of a promise that must fail. */
const errorOf = (work: Promise<unknown>): Promise<any> =>
  work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error,
  );

describe("the database file", () => {
  const pragmas: [why: string, pragma: string, value: string | number][] = [
    ["has writers wait for another process", "busy_timeout", 5000],
    ["has readers not wait for the writer", "journal_mode", "wal"],
    ["enforces foreign keys", "foreign_keys", 1],
    ["overwrites deleted text", "secure_delete", 1],
    ["has pages of 4 KiB", "page_size", 4096],
    ["sorts in memory, not in temporary files", "temp_store", 2],
  ];
  for (const [why, pragma, value] of pragmas)
    test(why, async () => {
      const { rows } = await store.db.executeQuery<Record<string, unknown>>(
        CompiledQuery.raw(`pragma ${pragma}`),
      );
      expect(Object.values(rows[0]!)[0]).toBe(value);
    });

  test("is not written to when it is reopened", async () => {
    const path = join(directory, "again.db");
    const open = () => new SqliteStore(path, { log: jsonLog("error", () => {}) });
    await open().close();
    utimesSync(path, 1, 1);
    await open().close();
    expect(statSync(path).mtimeMs).toBe(1_000);
  });

  const write = (id: string, waits_for_disk?: boolean) =>
    store.inTransaction((tx) => tx.insertInto("notes").values({ id }).execute(), {
      waits_for_disk,
    });
  const written: [why: string, work: () => Promise<unknown>, syncs: number][] = [
    [
      "a transaction",
      () => store.inTransaction((tx) => tx.insertInto("notes").values({ id: "a" }).execute()),
      1,
    ],
    ["a statement outside a transaction", () => note("a").execute(), 1],
    [
      "the creation of a table",
      () => store.db.schema.createTable("more").addColumn("id", "text").execute(),
      1,
    ],
    [
      "a write that begins with a CTE",
      () =>
        sql`with x as (select 'a' as id) insert into notes (id, words) select id, '' from x`.execute(
          store.db,
        ),
      1,
    ],
    [
      "a pragma that writes",
      () =>
        store.inTransaction((tx) => tx.executeQuery(CompiledQuery.raw("pragma user_version = 0"))),
      1,
    ],
    ["a read", () => ids(), 0],
    [
      "a transaction that only reads",
      () => store.inTransaction((tx) => tx.selectFrom("notes").selectAll().execute()),
      0,
    ],
    ["a transaction that does not wait for the disk", () => write("a", false), 0],
    [
      "one that does not wait, between two that do",
      () => Promise.all([write("a"), write("b", false), write("c")]),
      1,
    ],
    [
      "one that does not wait, before one that does",
      () => Promise.all([write("a", false), write("b")]),
      1,
    ],
    [
      "a read that begins with a CTE",
      () => sql`with x as (select 'a' as id) select id from x`.execute(store.db),
      0,
    ],
  ];
  test.each(written)("syncs the log to disk only as needed for %s", async (_why, work, syncs) => {
    const sync = spyOn(LogSync.prototype, "sync");
    await work();
    expect(sync).toHaveBeenCalledTimes(syncs);
    sync.mockRestore();
  });

  test("in a missing directory gives an error with its path", () => {
    expect(() => new SqliteStore("/nowhere/at/all/dossier.db", { log: jsonLog("error") })).toThrow(
      "/nowhere/at/all/dossier.db",
    );
  });

  test.skipIf(process.getuid?.() === 0)(
    "is refused at once when it is read-only for this process",
    async () => {
      const path = join(directory, "readonly.db");
      new SqliteStore(path, { log: jsonLog("error") }).close();
      chmodSync(path, 0o400);
      expect(() => new SqliteStore(path, { log: jsonLog("error") })).toThrow(path);
    },
  );
});

describe("a transaction", () => {
  test("keeps all of its writes", async () => {
    const result = await store.inTransaction(async (tx) => {
      await tx.insertInto("notes").values({ id: "a" }).execute();
      await tx.insertInto("notes").values({ id: "b" }).execute();
      return "both";
    });
    expect(result).toBe("both");
    expect(await ids()).toEqual(["a", "b"]);
  });

  test("keeps nothing when it throws", async () => {
    const error = await errorOf(
      store.inTransaction(async (tx) => {
        await tx.insertInto("notes").values({ id: "a" }).execute();
        throw new Error("changed my mind");
      }),
    );
    expect(error.message).toBe("changed my mind");
    expect(await ids()).toEqual([]);
  });

  const detours: [why: string, step: () => Promise<unknown>, message: string][] = [
    [
      "a read of the root database",
      () => store.db.selectFrom("notes").selectAll().execute(),
      around,
    ],
    ["a write of the root database", () => note("b").execute(), around],
    ["a raw statement of the root database", () => sql`select 1`.execute(store.db), around],
    ["a second transaction", () => store.inTransaction(async () => undefined), around],
    ["Kysely's own transaction", async () => store.db.transaction(), "use `inTransaction`"],
    ["Kysely's own begin", async () => store.db.startTransaction(), "use `inTransaction`"],
    [
      "the connection itself",
      async () => store.db.connection(),
      "use the database or `inTransaction`",
    ],
  ];
  for (const [why, step, message] of detours)
    test(`can't be bypassed by ${why}: it is an error, not a hang`, async () => {
      const error = await errorOf(
        store.inTransaction(async (tx) => {
          await tx.insertInto("notes").values({ id: "a" }).execute();
          await step();
        }),
      );
      expect(error.message).toContain(message);
      expect(await ids()).toEqual([]);
    });

  test("does not affect a timer that outlives it", async () => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    await store.inTransaction(async (tx) => {
      setTimeout(() => void ids().then(resolve, reject), 20);
      await tx.insertInto("notes").values({ id: "a" }).execute();
    });
    expect(await promise).toEqual(["a"]);
  });

  test("does not affect a promise that outlives it", async () => {
    const end = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;
    await store.inTransaction(async () => {
      late = end.promise.then(() =>
        store.inTransaction((tx) => tx.insertInto("notes").values({ id: "late" }).execute()),
      );
    });
    end.resolve();
    await late;
    expect(await ids()).toEqual(["late"]);
  });

  describe("refuses one of its queries after its end,", () => {
    const ended = /the transaction has ended|already committed/;
    const stray = (tx: Store["db"], id = "stray") =>
      errorOf(tx.insertInto("notes").values({ id }).execute()).then(({ message }) => message);
    /** Other transactions before and after it share the commit. */
    const amongOthers = async (work: (tx: Store["db"]) => Promise<unknown>) => {
      const kept = (id: string) =>
        store.inTransaction((tx) => tx.insertInto("notes").values({ id }).execute());
      await Promise.allSettled([kept("a"), store.inTransaction(work), kept("b"), kept("c")]);
      return ids();
    };

    test("once it is on disk", async () => {
      let kept_db = store.db;
      await store.inTransaction(async (tx) => {
        kept_db = tx;
      });
      expect(await stray(kept_db)).toMatch(ended);
    });

    test("when an `await` was forgotten", async () => {
      let outcome: Promise<string> | undefined;
      const left = await amongOthers(async (tx) => {
        outcome = Bun.sleep(0).then(() => stray(tx));
      });
      expect([await outcome!, left]).toEqual([expect.stringMatching(ended), ["a", "b", "c"]]);
    });

    test("when earlier queries are already on their way", async () => {
      const ids = ["v", "w", "x", "y", "z"];
      let said: Promise<PromiseSettledResult<unknown>[]> | undefined;
      const left = await amongOthers(async (tx) => {
        let before: Promise<unknown> = Promise.resolve();
        const write = (id: string) =>
          (before = before.then(() => tx.insertInto("notes").values({ id }).execute()));
        said = Promise.allSettled(ids.map(write));
      });
      const outcomes = (await said!).map(({ status }) => status);
      expect(outcomes).toContain("rejected");
      const in_time = ids.filter((_, i) => outcomes[i] === "fulfilled");
      expect(left).toEqual(["a", "b", "c", ...in_time]);
    });

    test("when another query of it failed", async () => {
      let outcome: Promise<string> | undefined;
      const left = await amongOthers((tx) => {
        const slow = (async () => {
          for (let i = 0; i < 5; i++) await tx.selectFrom("notes").selectAll().execute();
          await tx.insertInto("notes").values({ id: "stray" }).execute();
        })();
        outcome = errorOf(slow).then(({ message }) => message);
        return Promise.all([slow, Promise.reject(new Error("no"))]);
      });
      expect([await outcome!, left]).toEqual([expect.stringMatching(ended), ["a", "b", "c"]]);
    });
  });

  test("waits for earlier ones, in request order", async () => {
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const begun_ms = performance.now();
    let second_ms = Infinity;
    const works = [
      store.inTransaction(async () => {
        await first.promise;
        order.push("first");
      }),
      store.inTransaction(async () => {
        second_ms = performance.now();
        order.push("second");
      }),
      ids().then(() => order.push("a read")),
    ];
    first.resolve();
    await Promise.all(works);
    // A group is closed after 20 ms, and reads come before the next one.
    const share_group = second_ms - begun_ms < 20;
    expect(order).toEqual(
      share_group || order[1] === "second"
        ? ["first", "second", "a read"]
        : ["first", "a read", "second"],
    );
  });

  test("takes the write lock when it begins, so that what it read stays valid", async () => {
    await note("a").execute();
    const other = new Database(store.path);
    other.run("pragma busy_timeout = 0");
    await store.inTransaction(async (tx) => {
      await tx.selectFrom("notes").selectAll().execute();
      expect(() => other.run("insert into notes (id) values ('b')")).toThrow("locked");
    });
    other.run("insert into notes (id) values ('b')");
    other.close();
    expect(await ids()).toEqual(["a", "b"]);
  });

  test("waiting among many lets requests be answered in between", async () => {
    const ran: string[] = [];
    const works = Array.from({ length: 40 }, (_, at) =>
      store.inTransaction(async () => {
        for (const until_ms = performance.now() + 5; performance.now() < until_ms;);
        ran.push(`transaction ${at}`);
        if (at === 0) setImmediate(() => ran.push("a request"));
      }),
    );
    await Promise.all(works);
    expect(ran.slice(0, 20)).toContain("a request");
  });

  test("with many statements lets requests be answered in between, and keeps their order", async () => {
    const ran: string[] = [];
    const insert = async (tx: Db, at: number): Promise<void> => {
      for (const until_ms = performance.now() + 3; performance.now() < until_ms;);
      if (at % 2 === 0) await rowsOf(tx, "insert into notes (id) values (?)", [`${at}`]);
      else
        await tx
          .insertInto("notes")
          .values({ id: `${at}` })
          .execute();
      ran.push(`${at}`);
    };
    await store.inTransaction(async (tx) => {
      setImmediate(() => ran.push("a request"));
      for (let at = 0; at < 10; at++) await insert(tx, at);
      setImmediate(() => ran.push("another"));
      await Promise.all(Array.from({ length: 10 }, (_, at) => insert(tx, 10 + 2 * at)));
    });
    const at_request = ran.indexOf("a request");
    // A busy machine may give way even before the first statement.
    expect(at_request).toBeGreaterThan(-1);
    expect(at_request).toBeLessThan(10);
    expect(ran).toContain("another");
    const together = Array.from({ length: 10 }, (_, at) => `${10 + 2 * at}`);
    expect(ran.filter((word) => /^\d\d$/.test(word))).toEqual(together);
    expect(await ids()).toHaveLength(20);
  });
});

describe("outside an open transaction", () => {
  const reads: [why: string, read: (db: Db) => Promise<unknown>][] = [
    ["a query", (db) => db.selectFrom("notes").select("id").execute()],
    ["a hand-written statement", (db) => rowsOf(db, "select id from notes", [])],
    [
      "a query that begins with a CTE",
      async (db) => (await sql`with x as (select id from notes) select id from x`.execute(db)).rows,
    ],
  ];
  test.each(reads)("%s reads what is committed, without waiting", async (_why, read) => {
    await note("before").execute();
    const end = Promise.withResolvers<void>();
    const written = store.inTransaction(async (tx) => {
      await tx.insertInto("notes").values({ id: "inside" }).execute();
      await end.promise;
    });
    await nextTurn();
    expect(await read(store.db)).toEqual([{ id: "before" }]);
    end.resolve();
    await written;
    expect(await read(store.db)).toEqual([{ id: "before" }, { id: "inside" }]);
  });

  test("a write waits for its end", async () => {
    const order: string[] = [];
    const written = store.inTransaction(async (tx) => {
      await nextTurn();
      await tx.insertInto("notes").values({ id: "a" }).execute();
      order.push("inside");
    });
    const alone = note("b")
      .execute()
      .then(() => order.push("alone"));
    await Promise.all([written, alone]);
    expect(order).toEqual(["inside", "alone"]);
  });
});

describe("work after commit", () => {
  test("runs after the commit, outside the transaction", async () => {
    const seen: unknown[] = [];
    let after: Promise<unknown> | undefined;
    await store.inTransaction(async (tx) => {
      store.afterCommit(() => {
        after = Promise.all([store.reads.get("select id from notes"), ids()]).then((found) =>
          seen.push(...found),
        );
      });
      await tx.insertInto("notes").values({ id: "a" }).execute();
      expect(seen).toEqual([]);
    });
    await after;
    expect(seen).toEqual([{ id: "a" }, ["a"]]);
  });

  test("is dropped when the transaction is rolled back", async () => {
    let ran = false;
    await errorOf(
      store.inTransaction(async () => {
        store.afterCommit(() => {
          ran = true;
        });
        throw new Error("no");
      }),
    );
    await Bun.sleep(1);
    expect(ran).toBe(false);
  });

  test("runs either its commit or its rollback callback, once", async () => {
    const ran: string[] = [];
    const noteBoth = (): void =>
      store.afterCommit(
        () => ran.push("kept"),
        () => ran.push("undone"),
      );
    await store.inTransaction(async () => noteBoth());
    expect(ran.splice(0)).toEqual(["kept"]);
    const failing = store.inTransaction(async () => {
      noteBoth();
      throw new Error("no");
    });
    await errorOf(failing);
    expect(ran.splice(0)).toEqual(["undone"]);
    noteBoth();
    expect(ran).toEqual(["kept"]);
  });

  test("runs at once outside a transaction", () => {
    let ran = false;
    store.afterCommit(() => {
      ran = true;
    });
    expect(ran).toBe(true);
  });

  test("that throws is logged and fails neither the transaction nor later work", async () => {
    let ran = false;
    await store.inTransaction(async () => {
      store.afterCommit(() => {
        throw new Error("broken bell");
      });
      store.afterCommit(() => {
        ran = true;
      });
    });
    expect(ran).toBe(true);
    expect(lines.join("\n")).toContain("broken bell");
  });
});

describe("prepared reads", () => {
  const found = () => store.reads.all<{ id: string }>("select id from notes order by id");
  const writes: [why: string, write: () => Promise<unknown>][] = [
    ["a statement", () => note("a").execute()],
    [
      "a transaction",
      () =>
        store.inTransaction((tx) =>
          tx.insertInto("notes").values({ id: "a", words: "" }).execute(),
        ),
    ],
  ];
  for (const [why, write] of writes)
    test(`see what ${why} has written, also right after an earlier read`, async () => {
      const before = found();
      const written = write().then(found);
      expect(await before).toEqual([]);
      expect(await written).toEqual([{ id: "a" }]);
    });

  test("of one moment see the same, whatever another connection writes between them", async () => {
    const other = new Database(join(directory, "dossier.db"));
    const reads = [found()];
    other.run("insert into notes (id) values ('a')");
    reads.push(found());
    expect(await Promise.all(reads)).toEqual([[], []]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await found()).toEqual([{ id: "a" }]);
    other.close();
  });

  test("for a request see what another connection has written before it arrived", async () => {
    const other = new Database(join(directory, "dossier.db"));
    const reads: Promise<unknown>[] = [];
    // A snapshot that is begun here is open when the next requests arrive.
    await new Promise<void>((resolve) =>
      setImmediate(() => {
        reads.push(found());
        other.run("insert into notes (id) values ('a')");
        store.noteRequest();
        reads.push(found());
        resolve();
      }),
    );
    expect(await Promise.all(reads)).toEqual([[], [{ id: "a" }]]);
    other.close();
  });

  test("of requests that arrive together see the same", async () => {
    const other = new Database(join(directory, "dossier.db"));
    store.noteRequest();
    const reads = [found()];
    other.run("insert into notes (id) values ('a')");
    store.noteRequest();
    reads.push(found());
    expect(await Promise.all(reads)).toEqual([[], []]);
    other.close();
  });

  test("never see uncommitted changes and do not wait for them", async () => {
    await store.inTransaction(async (tx) => {
      await tx.insertInto("notes").values({ id: "a" }).execute();
      expect(await store.reads.all("select id from notes")).toEqual([]);
    });
    expect(await store.reads.all("select id from notes")).toEqual([{ id: "a" }]);
  });

  test("of a missing row are undefined", async () => {
    expect(await store.reads.get("select id from notes where id = ?", "none")).toBeUndefined();
  });

  test("are answered until the database is closed, and refused with 503 from then on", async () => {
    const other = new SqliteStore(join(directory, "other.db"), { log: jsonLog("error", () => {}) });
    const found: unknown[] = [];
    let is_closed = false;
    const closing = other.close().then(() => void (is_closed = true));
    while (!is_closed)
      found.push(await other.reads.all("select 1").catch(({ status }: HttpError) => status));
    await closing;
    const refused = found.indexOf(503);
    expect(refused).toBeGreaterThan(0);
    expect(new Set(found.slice(refused))).toEqual(new Set([503]));
    expect(await errorOf(other.reads.get("select 1"))).toMatchObject({ status: 503 });
  });

  test("can't write", async () => {
    expect(
      await errorOf(store.reads.get("insert into notes (id) values ('a') returning id")),
    ).toBeInstanceOf(Error);
  });

  test("see new columns after a table was altered", async () => {
    await note("a").execute();
    expect(await store.reads.get("select * from notes")).toEqual({ id: "a", words: "" });
    expect(await store.db.selectFrom("notes").selectAll().execute()).toEqual([
      { id: "a", words: "" },
    ]);
    await store.db.schema.alterTable("notes").addColumn("weight", "integer").execute();
    store.forgetStatements();
    expect(await store.reads.get("select * from notes")).toEqual({
      id: "a",
      words: "",
      weight: null,
    });
    expect(await store.db.selectFrom("notes").selectAll().execute()).toEqual([
      { id: "a", words: "", weight: null },
    ]);
  });
});

test("more statements than are cached still work", async () => {
  await note("a").execute();
  for (let i = 0; i < 900; i++)
    expect(await store.reads.get(`select id, ${i} as i from notes`)).toEqual({ id: "a", i });
  for (let i = 0; i < 900; i++)
    expect((await sql.raw(`select id, ${i} as i from notes`).execute(store.db)).rows).toEqual([
      { id: "a", i },
    ]);
});

test("a stream gives every row and releases the connection, even when left early", async () => {
  for (const id of ["a", "b", "c"]) await note(id).execute();
  const streamed = async (most: number) => {
    const seen: string[] = [];
    for await (const row of store.db.selectFrom("notes").select("id").orderBy("id").stream())
      if (seen.push(row.id) === most) break;
    return seen;
  };
  expect(await streamed(9)).toEqual(["a", "b", "c"]);
  expect(await streamed(1)).toEqual(["a"]);
  await store.db.deleteFrom("notes").execute();
  expect(await streamed(9)).toEqual([]);
});

describe("a number from the database", () => {
  const cases: [why: string, value: number | bigint | string | null, number: number][] = [
    ["as a number", 3, 3],
    ["as text", "42", 42],
    ["as a bigint", 9n, 9],
    ["as the null sum of no rows", null, 0],
  ];
  for (const [why, value, number] of cases) test(why, () => expect(toNumber(value)).toBe(number));
  for (const value of [2 ** 53, "1.5", "x"])
    test(`${value} is refused`, () => expect(() => toNumber(value)).toThrow(RangeError));
});

describe("the lock on a data directory", () => {
  test("is held once, names its file in the error, and can be released", () => {
    const release = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(join(directory, "dossier.lock"));
    release();
    lockDirectory(directory)();
  });

  test("is free after its process was killed", async () => {
    const code =
      `const { lockDirectory } = await import("./core/store/lock"); lockDirectory(` +
      `${JSON.stringify(directory)}); console.log("held"); await Bun.sleep(60_000);`;
    const child = Bun.spawn([process.execPath, "-e", code], {
      cwd: join(import.meta.dir, "../.."),
      stdout: "pipe",
    });
    await child.stdout.getReader().read();
    expect(() => lockDirectory(directory)).toThrow("another server is running");
    child.kill("SIGKILL");
    await child.exited;
    lockDirectory(directory)();
  });
});
