/** The copy for a backup: it has the originals of its moment, whatever is deleted meanwhile. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeCopy } from "../../plugins/backups/child/archive-maker";

test("an original added before the copy begins and deleted while it is written is held", async () => {
  const directory = mkdtempSync(join(tmpdir(), "dossier-copy-"));
  const [files, work] = [join(directory, "files"), join(directory, "work")];
  for (const path of [join(files, "aa"), work]) mkdirSync(path, { recursive: true });
  const nameOf = (n: number) => `aa${n.toString(16).padStart(62, "0")}`;
  for (let n = 0; n < 1_000; n++) writeFileSync(join(files, "aa", nameOf(n)), "");
  const database = join(directory, "dossier.db");
  using writer = new Database(database);
  writer.run("pragma journal_mode = wal");
  writer.run("create table originals (name text)");
  const late = join(files, "aa", nameOf(1_000));
  let parts = 0;
  await takeCopy({ database, files, work }, ({ stage }) => {
    if (stage === "originals") {
      writeFileSync(late, "");
      writer.run("insert into originals values ('late')");
      // The log comes first, which is the moment, and then the rest.
    } else if (++parts === 2) rmSync(late);
  });
  expect(parts).toBe(2);
  expect(readdirSync(join(work, "files", "aa"))).toContain(nameOf(1_000));
  using copy = new Database(join(work, "dossier.db"), { readonly: true });
  expect(copy.query("select name from originals").values()).toEqual([["late"]]);
  rmSync(directory, { recursive: true });
});
