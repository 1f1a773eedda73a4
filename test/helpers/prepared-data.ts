/**
 * What the executable of a test begins with, without the processor time of making it each time: a
 * database as the executable makes it, and users as `dossier user create` and `dossier key create`
 * leave them.
 */
import { Database, type SQLQueryBindings } from "bun:sqlite";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { newId } from "../../core/base/ids";
import { newKeyRow } from "../../plugins/accounts/key";
import { newUserRow } from "../../plugins/accounts/user";
import { executable } from "../../scripts/build";
import { mustRun } from "../../scripts/lib/launch";
import { temporaryDirectory } from "./data-directory";

export const password = "correct horse battery staple";
/** Of that password: what `dossier user create` would take a core for a moment to make. */
const password_hash =
  "$argon2id$v=19$m=65536,t=2,p=1$XjTcONBoqkwqlUU48J/V9F9qw57l+NUxn69J4aCf7Oo$" +
  "Lx0tg7JI9HyIy0k6/XYtenoF11lvUikXaAZQpkkColk";

let made: Promise<string> | undefined;

/** Puts a database with every table and nothing in them into a new data directory. */
export async function prepareDatabase(data: string): Promise<void> {
  copyFileSync(await (made ??= preparedDatabase()), join(data, "dossier.db"));
}

/** Made once of each executable. Resolves to its path. */
async function preparedDatabase(): Promise<string> {
  const { size, mtimeMs } = statSync(executable);
  const directory = join(dirname(executable), "prepared");
  const name = `${size}-${Math.floor(mtimeMs)}.db`;
  const path = join(directory, name);
  if (existsSync(path)) return path;
  const data = temporaryDirectory();
  // A command that may be the first on a directory.
  await mustRun(data, ["setup", "--link"]);
  const file = join(data, "dossier.db");
  {
    using database = new Database(file);
    for (const table of ["accounts_setup_links", "audit_entries"])
      database.run(`delete from ${table}`);
    database.run("pragma wal_checkpoint(truncate)");
  }
  mkdirSync(directory, { recursive: true });
  for (const old of readdirSync(directory).filter((other) => !other.startsWith(name)))
    rmSync(join(directory, old), { force: true });
  // Another test may make it at this moment.
  const fresh = `${path}.${process.pid}`;
  copyFileSync(file, fresh);
  renameSync(fresh, path);
  rmSync(data, { recursive: true, force: true });
  return path;
}

const ids = { now_ms: Date.now, newId };
const passwords = { hash: async () => password_hash };

/** A user with an API key, in the SQLite database of this directory. Answers the key. */
export async function addUser(
  data: string,
  email: string,
  role: "admin" | "member" = "member",
): Promise<string> {
  const user = await newUserRow({ email, password, role }, { ...ids, passwords });
  const { row: key, token } = newKeyRow(user.id, { name: "made by a script" }, ids);
  using database = new Database(join(data, "dossier.db"));
  database.run("pragma busy_timeout = 10000");
  database.run("pragma foreign_keys = on");
  database.transaction(() => {
    insert(database, "accounts_users", user);
    insert(database, "accounts_keys", key);
  })();
  return token;
}

function insert(database: Database, table: string, row: object): void {
  const names = Object.keys(row);
  const places = names.map(() => "?").join(", ");
  database.run(
    `insert into ${table} (${names.join(", ")}) values (${places})`,
    Object.values(row) as SQLQueryBindings[],
  );
}
