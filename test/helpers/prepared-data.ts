/**
 * Prepared data for the executable, which saves the processor time of creating it for every test: a
 * database as the executable creates it, and users as `dossier user create` and `dossier key
 * create` leave them.
 */
import { SQL } from "bun";
import { Database } from "bun:sqlite";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { newId } from "../../core/base/ids";
import { newKeyRow } from "../../plugins/accounts/key";
import { newUserRow } from "../../plugins/accounts/user";
import { executable } from "../../scripts/build";
import { mustRun } from "../../scripts/lib/launch";
import { addReserveFile, temporaryDirectory } from "./data-directory";
import {
  createDatabase,
  databaseUrlOf,
  hasDatabase,
  insertRows,
  on_postgres,
  moveDatabase,
} from "./databases";

/** The password of every user. */
export const password = "correct horse battery staple";
/** The hash of that password, which `dossier user create` would take a moment to compute. */
const password_hash =
  "$argon2id$v=19$m=65536,t=2,p=1$XjTcONBoqkwqlUU48J/V9F9qw57l+NUxn69J4aCf7Oo$" +
  "Lx0tg7JI9HyIy0k6/XYtenoF11lvUikXaAZQpkkColk";

let preparation: Promise<string> | undefined;

/** Gives a new data directory a database with all tables and no rows. */
export async function prepareDatabase(data: string): Promise<void> {
  const prepared = await (preparation ??= preparedDatabase());
  if (on_postgres) await createDatabase(data, prepared);
  else {
    copyFileSync(prepared, join(data, "dossier.db"));
    addReserveFile(data);
  }
}

/** Created once per executable. Resolves to its path, or the name of the PostgreSQL database. */
async function preparedDatabase(): Promise<string> {
  const { size, mtimeMs } = statSync(executable);
  const directory = join(dirname(executable), "prepared");
  const path = join(directory, `${size}-${Math.floor(mtimeMs)}.db`);
  if (on_postgres ? await hasDatabase(path) : existsSync(path)) return path;
  const data = temporaryDirectory();
  // A command that works on an empty directory.
  await mustRun(data, ["setup", "--link"], {
    ...(on_postgres && { env: { DOSSIER_DATABASE_URL: await createDatabase(data) } }),
  });
  await emptyDatabase(data);
  // Another test may be creating it at this moment.
  if (on_postgres) await moveDatabase(data, path);
  else {
    keepOnly(path);
    const fresh = `${path}.${process.pid}`;
    copyFileSync(join(data, "dossier.db"), fresh);
    renameSync(fresh, path);
  }
  rmSync(data, { recursive: true, force: true });
  return path;
}

/** Removes what the command has left, including the mark of this directory's key. */
async function emptyDatabase(data: string): Promise<void> {
  const tables = ["accounts_setup_links", "audit_entries"];
  if (on_postgres) {
    await using sql = new SQL(databaseUrlOf(data), { max: 1 });
    for (const table of [...tables, "core_secret"]) await sql.unsafe(`delete from ${table}`);
    return;
  }
  using database = new Database(join(data, "dossier.db"));
  for (const table of tables) database.run(`delete from ${table}`);
  database.run("pragma wal_checkpoint(truncate)");
}

/** Those of earlier executables are deleted. */
function keepOnly(path: string): void {
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true });
  for (const old of readdirSync(directory).filter((other) => !other.startsWith(basename(path))))
    rmSync(join(directory, old), { force: true });
}

const ids = { now_ms: Date.now, newId };
const passwords = { hash: async () => password_hash };

/** A user with an API key, in the database of this directory. Returns the key. */
export async function addUser(
  data: string,
  email: string,
  role: "admin" | "member" = "member",
): Promise<string> {
  const user = await newUserRow({ email, password, role }, { ...ids, passwords });
  const { row: key, token } = newKeyRow(user.id, { name: "made by a script" }, ids);
  await insertRows(data, [
    ["accounts_users", user],
    ["accounts_keys", key],
  ]);
  return token;
}
