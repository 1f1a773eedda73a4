/**
 * Migrations: the ledger, one transaction per step or for a new database, own tables only, and the
 * backup that is made first.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { version } from "../../core/base/version";
import { coreSchema } from "../../core/plugin/migrations";
import type { Migration, Schema } from "../../core/store/schema";
import { migrate } from "../../core/store/migrator";
import { SqliteStore } from "../../core/store/sqlite-store";
import type { Store } from "../../core/store/store";
import { movableClock } from "../helpers/jobs";

let directory: string;
let backups: string;
let store: Store;
const clock = movableClock();
const log = jsonLog("error");

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "dossier-migrate-"));
  backups = join(directory, "backups");
  store = new SqliteStore(join(directory, "dossier.db"), { log });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const table = (id: string, name: string): Migration => ({
  id,
  up: async (tx) => {
    await tx.schema
      .createTable(name)
      .addColumn("id", "text", (c) => c.primaryKey())
      .execute();
  },
});
const schema = (
  name: string,
  tables: readonly string[],
  migrations: readonly Migration[],
): Schema => ({ name, version: "1.0.0", tables, migrations });
const run = (...plugins: Schema[]) => migrate(store, plugins, clock, { backups, log });
const failureOf = (...plugins: Schema[]): Promise<string> =>
  run(...plugins).then(
    () => {
      throw new Error("it did not fail");
    },
    (error: Error) => error.message,
  );
const tables = async () =>
  (
    await store.reads.all<{ name: string }>(
      "select name from sqlite_master where type = 'table' order by name",
    )
  ).map((row) => row.name);
const ledger = () =>
  store.reads.all<{ plugin: string; id: string; applied_at: number }>(
    "select * from core_migrations order by plugin, id",
  );

const shelves = schema(
  "shelves",
  ["shelves", "shelves_marks"],
  [table("0001_create", "shelves"), table("0002_marks", "shelves_marks")],
);
const boxes = schema("boxes", ["boxes"], [table("0001_create", "boxes")]);

describe("migrating", () => {
  test("applies all missing steps, with plugins and their steps in the given order", async () => {
    expect(await run(shelves, boxes)).toEqual([
      "shelves/0001_create",
      "shelves/0002_marks",
      "boxes/0001_create",
    ]);
    expect(await tables()).toEqual(["boxes", "core_migrations", "shelves", "shelves_marks"]);
    expect((await ledger())[0]).toEqual({
      plugin: "boxes",
      id: "0001_create",
      applied_at: clock.now_ms(),
    });
  });

  test("applies nothing the second time", async () => {
    await run(shelves);
    expect(await run(shelves)).toEqual([]);
  });

  test("skips what another process has applied since the ledger was read", async () => {
    await run({ ...shelves, migrations: shelves.migrations.slice(0, 1) });
    // The clock is read to name the backup, which is after reading the ledger and before any step.
    const meanwhile = {
      ...clock,
      now_ms: () => {
        using other = new Database(join(directory, "dossier.db"));
        other.run(
          "insert into core_migrations (plugin, id, applied_at) values ('shelves', '0002_marks', " +
            "1) on conflict do nothing",
        );
        return clock.now_ms();
      },
    };
    expect(await migrate(store, [shelves], meanwhile, { backups, log })).toEqual([]);
    expect(await tables()).toEqual(["core_migrations", "shelves"]);
  });

  test("applies a new step of an existing plugin", async () => {
    await run({ ...shelves, migrations: shelves.migrations.slice(0, 1) });
    expect(await run(shelves, boxes)).toEqual(["shelves/0002_marks", "boxes/0001_create"]);
  });

  test("leaves the tables of a removed plugin", async () => {
    await run(shelves, boxes);
    expect(await run(boxes)).toEqual([]);
    expect(await tables()).toContain("shelves");
  });

  test("may drop own tables, change rows and read columns of an earlier step", async () => {
    const steps: Migration[] = [
      table("0001_create", "boxes"),
      {
        id: "0002_label",
        up: async (tx) => {
          await tx.insertInto("boxes").values({ id: "a" }).execute();
          await tx.selectFrom("boxes").selectAll().execute();
          await tx.schema.alterTable("boxes").addColumn("label", "text").execute();
        },
      },
      {
        id: "0003_fill",
        up: async (tx) => {
          await tx.updateTable("boxes").set({ label: "x" }).execute();
        },
      },
      table("0004_old", "boxes_old"),
      {
        id: "0005_no_old",
        up: async (tx) => {
          await tx.schema.dropTable("boxes_old").execute();
        },
      },
    ];
    await run(schema("boxes", ["boxes", "boxes_old"], steps));
    expect(await store.db.selectFrom("boxes").selectAll().execute()).toEqual([
      { id: "a", label: "x" },
    ]);
    expect(await tables()).not.toContain("boxes_old");
  });

  test("creates the tables of core itself", async () => {
    await run(coreSchema, boxes);
    expect(await tables()).toEqual([
      "boxes",
      "core_clock",
      "core_file_pins",
      "core_file_removals",
      "core_jobs",
      "core_migrations",
      "core_nodes",
      "core_numbers",
      "core_secret",
      "core_settings",
      "core_settings_origins",
      "core_shared",
      "core_ticks",
      "core_versions",
    ]);
  });
});

describe("refused and rolled back:", () => {
  const halfway: Migration = {
    id: "0002_half",
    up: async (tx) => {
      await tx.schema.createTable("boxes_half").addColumn("id", "text").execute();
      throw new Error("out of tape");
    },
  };
  const cases: [why: string, plugin: Schema, message: string][] = [
    [
      "a step that fails halfway",
      schema("boxes", ["boxes", "boxes_half"], [table("0001_create", "boxes"), halfway]),
      "migration boxes/0002_half failed and was undone: out of tape",
    ],
    [
      "a table that was not declared",
      schema("boxes", ["boxes"], [table("0001_create", "boxes"), table("0002_more", "boxes_more")]),
      "not boxes_more",
    ],
    [
      "a table of another plugin",
      schema(
        "boxes",
        ["boxes"],
        [
          table("0001_create", "boxes"),
          {
            id: "0002_drop",
            up: async (tx) => {
              await tx.schema.dropTable("shelves").execute();
            },
          },
        ],
      ),
      "not shelves",
    ],
    [
      "a view that was not declared",
      schema(
        "boxes",
        ["boxes"],
        [
          table("0001_create", "boxes"),
          {
            id: "0002_view",
            up: async (tx) => {
              await tx.schema.createView("peek").as(tx.selectFrom("shelves").selectAll()).execute();
            },
          },
        ],
      ),
      "not peek",
    ],
    [
      "a query that bypasses the transaction",
      schema(
        "boxes",
        ["boxes"],
        [
          table("0001_create", "boxes"),
          {
            id: "0002_around",
            up: async () => {
              await store.db.selectFrom("boxes").selectAll().execute();
            },
          },
        ],
      ),
      "pass `tx` down",
    ],
  ];
  for (const [why, plugin, message] of cases)
    test(why, async () => {
      await run(shelves);
      expect(await failureOf(shelves, plugin)).toContain(message);
      expect(await tables()).toEqual(["boxes", "core_migrations", "shelves", "shelves_marks"]);
      expect((await ledger()).filter((row) => row.plugin === "boxes").map((row) => row.id)).toEqual(
        ["0001_create"],
      );
    });

  test("every step of a new database, together", async () => {
    const plugin = schema("boxes", ["boxes"], [table("0001_create", "boxes"), halfway]);
    expect(await failureOf(shelves, plugin)).toContain("boxes/0002_half failed and was undone");
    expect(await tables()).toEqual([]);
    expect(await run(shelves)).toEqual(["shelves/0001_create", "shelves/0002_marks"]);
  });

  test("a database of a newer build, before anything is changed", async () => {
    await run(shelves);
    const older = { ...shelves, migrations: shelves.migrations.slice(0, 1) };
    const message = await failureOf(older, boxes);
    expect(message).toContain("plugin shelves: the database was written by a newer build");
    expect(message).toContain("0002_marks");
    expect(await tables()).not.toContain("boxes");
  });

  test("steps that are not in order", async () => {
    expect(
      await failureOf(
        schema("boxes", ["boxes"], [table("0002_b", "boxes"), table("0001_a", "boxes")]),
      ),
    ).toContain("0001_a must sort after");
  });
});

describe("the backup made before migrating", () => {
  const idsIn = (name: string) => {
    const copy = new Database(join(backups, name), { readonly: true });
    const rows = copy
      .query<{ id: string }, []>("select id from boxes")
      .all()
      .map((row) => row.id);
    expect(
      copy.query<{ integrity_check: string }, []>("pragma integrity_check").get()!.integrity_check,
    ).toBe("ok");
    copy.close();
    return rows;
  };

  const tablesIn = (name: string) => {
    using copy = new Database(join(backups, name), { readonly: true });
    const names = "select name from sqlite_master where type = 'table' order by name";
    return copy.query(names).values().flat();
  };

  test("is not made of an empty database or when nothing is to be applied", async () => {
    await run(boxes);
    await run(boxes);
    expect(existsSync(backups)).toBe(false);
  });

  test("holds the previous data, and its name has the time and the new version", async () => {
    await run(boxes);
    await store.db.insertInto("boxes").values({ id: "kept" }).execute();
    await run(boxes, shelves);
    expect(readdirSync(backups)).toEqual([`20260105T120000Z-before-${version}.db`]);
    expect(idsIn(readdirSync(backups)[0]!)).toEqual(["kept"]);
  });

  test("is not overwritten by another one in the same second", async () => {
    await run(boxes);
    await store.db.insertInto("boxes").values({ id: "first" }).execute();
    await run(shelves);
    await store.db.insertInto("boxes").values({ id: "second" }).execute();
    await run(schema("crates", ["crates"], [table("0001_create", "crates")]));
    expect(readdirSync(backups).sort().map(idsIn).sort()).toEqual([["first"], ["first", "second"]]);
  });

  test("is kept with the two before it; only older and unfinished ones are deleted", async () => {
    await run(boxes);
    for (let n = 0; n < 5; n++) {
      clock.move(1_000);
      if (n === 3)
        for (const name of ["mine.db", "20260105T120000Z-before-0.0.1.db.unfinished"])
          await Bun.write(join(backups, name), "x");
      await run(schema(`crates${n}`, [`crates${n}`], [table("0001_create", `crates${n}`)]));
    }
    const times = [3, 4, 5].map((second) => `20260105T12000${second}Z-before-${version}.db`);
    expect(readdirSync(backups).sort()).toEqual([...times, "mine.db"]);
    clock.move(-5_000);
  });

  describe("of a migration that was interrupted", () => {
    const halted: Migration = {
      id: "0002_halted",
      up: async () => {
        throw new Error("halted");
      },
    };
    const crates = (...more: Migration[]) =>
      schema("crates", ["crates", "crates_marks"], [table("0001_create", "crates"), ...more]);
    const upgrade = (...plugins: Schema[]) =>
      migrate(store, plugins, clock, { backups, continues: true, log });
    const add = (id: string) => store.db.insertInto("boxes").values({ id }).execute();

    test("is the one from before its first step, however often it is tried again", async () => {
      await run(boxes);
      await add("before");
      for (let n = 0; n < 5; n++) {
        clock.move(1_000);
        await expect(upgrade(boxes, crates(halted))).rejects.toThrow("halted");
      }
      await upgrade(boxes, crates(table("0002_marks", "crates_marks")));
      const [copy, ...others] = readdirSync(backups);
      expect(others).toEqual([]);
      expect(tablesIn(copy!)).toEqual(["boxes", "core_migrations"]);
      expect((await ledger()).map(({ plugin }) => plugin)).toEqual(["boxes", "crates", "crates"]);
      await add("after");
      clock.move(1_000);
      await upgrade(boxes, shelves, crates(table("0002_marks", "crates_marks")));
      expect(readdirSync(backups).sort().map(idsIn)).toEqual([["before"], ["before", "after"]]);
    });

    test("is made again when it is gone", async () => {
      await run(boxes);
      await expect(upgrade(boxes, crates(halted))).rejects.toThrow("halted");
      rmSync(backups, { recursive: true });
      await upgrade(boxes, crates(table("0002_marks", "crates_marks")));
      expect(readdirSync(backups).map(tablesIn)).toEqual([["boxes", "core_migrations", "crates"]]);
    });

    test("is not that of a later one, after a version that has just its steps", async () => {
      await run(boxes);
      await expect(upgrade(boxes, crates(halted))).rejects.toThrow("halted");
      await upgrade(boxes, crates());
      await add("after");
      clock.move(1_000);
      await upgrade(boxes, crates(table("0002_marks", "crates_marks")));
      expect(readdirSync(backups).sort().map(idsIn)).toEqual([[], ["after"]]);
    });
  });

  test("of a step that fails at each start replaces that of the start before", async () => {
    await run(boxes);
    await run(boxes, shelves);
    for (let n = 0; n < 5; n++) {
      clock.move(1_000);
      await store.db
        .insertInto("boxes")
        .values({ id: `${n}` })
        .execute();
      await failureOf(schema("crates", [], [table("0001_create", "crates")]));
    }
    expect(readdirSync(backups).sort().map(idsIn)).toEqual([[], ["0", "1", "2", "3", "4"]]);
  });

  test("exists even when the migration then fails", async () => {
    await run(boxes);
    await failureOf(schema("crates", [], [table("0001_create", "crates")]));
    expect(readdirSync(backups).length).toBe(1);
  });
});
