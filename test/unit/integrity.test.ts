/** Checking a database for damage: at once when it is small, otherwise in pieces. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findDamage, type DamageFound, type SearchPlace } from "../../core/store/integrity";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "dossier-integrity-"));
  path = join(directory, "dossier.db");
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Three tables; the middle one has `rows` rows of a kilobyte, and every tenth one is long. */
function fill(rows: number): Database {
  const database = new Database(path, { create: true });
  database.run("pragma journal_mode = wal");
  for (const table of ["a_few", "b_many", "c_none"])
    database.run(`create table ${table} (id text primary key, words text, data blob, n integer)`);
  database.run("create index b_many_n on b_many (n) where n > 2");
  database.run("create index b_many_words on b_many (words, n)");
  const insert = (table: string, count: number): void =>
    void database.run(
      `insert into ${table} with recursive i(i) as (
         select 1 union all select i + 1 from i where i < ?)
       select 'id-' || i, hex(randomblob(500)),
         zeroblob(case when i % 10 = 0 then 9000 else 10 end), i % 7 from i`,
      [count],
    );
  insert("a_few", 3);
  insert("b_many", rows);
  database.run("pragma wal_checkpoint(truncate)");
  return database;
}

async function searchAll(each: (found: DamageFound) => void = () => {}): Promise<string[]> {
  const problems: string[] = [];
  for (let from: SearchPlace | null = null; ;) {
    const found: DamageFound = await findDamage(path, from);
    problems.push(...found.problems);
    each(found);
    if (found.next === null) return problems;
    from = found.next;
  }
}
async function spoil(first_page: number, pages: number): Promise<void> {
  const bytes = new Uint8Array(await Bun.file(path).arrayBuffer());
  bytes.fill(0xff, 4_096 * first_page, 4_096 * (first_page + pages));
  await Bun.write(path, bytes);
}

/** Row counts: a few, and so many that the file is not checked at once. */
const small = 100;
const large = 3_500;
for (const [why, rows] of [
  ["a small database", small],
  ["a large database", large],
] as const)
  describe(why, () => {
    test("that is intact has no damage", async () => {
      fill(rows).close();
      expect(await searchAll()).toEqual([]);
    });
    test("that is damaged is reported", async () => {
      fill(rows).close();
      await spoil(40, 2);
      expect((await searchAll()).length).toBeGreaterThan(0);
    });
  });

test("damage in a large database is reported by table, and the rest is still read", async () => {
  const database = fill(large);
  const { rootpage } = database
    .query<{ rootpage: number }, []>("select rootpage from sqlite_schema where name = 'b_many'")
    .get()!;
  database.close();
  // Page numbers start at one.
  await spoil(rootpage - 1, 1);
  const done: number[] = [];
  const problems = await searchAll(({ tables_done }) => done.push(tables_done));
  expect(problems).toEqual([expect.stringMatching(/^b_many: database disk image is malformed/)]);
  expect(done.at(-1)).toBe(3);
});

test("the write-ahead log can be truncated between reads", async () => {
  const database = fill(large);
  database.run("pragma busy_timeout = 0");
  const emptied: boolean[] = [];
  let searching = true;
  const search = searchAll().finally(() => {
    searching = false;
  });
  while (searching) {
    database.run("update a_few set n = n + 1");
    const { busy } = database.query<{ busy: number }, []>("pragma wal_checkpoint(truncate)").get()!;
    emptied.push(busy === 0);
    await Bun.sleep(1);
  }
  expect(await search).toEqual([]);
  // Reads block this process, so only the pauses between them are observed.
  expect(new Set(emptied)).toEqual(new Set([true]));
  database.close();
});

test("a file that isn't a database is damaged", async () => {
  await Bun.write(path, "x".repeat(20 * 2 ** 20));
  expect(await searchAll()).toEqual([expect.stringMatching(/not a database/)]);
});
test("a missing file can't be checked", async () => {
  await expect(searchAll()).rejects.toThrow("unable to open");
});
