/**
 * Checks that this process has the same key for secrets as the others: each must be able to read
 * what another has sealed.
 */
import { join } from "node:path";
import { key_file, type Seal } from "./seal";
import type { Store } from "./store";
import { rowsOf } from "./raw-statements";

const known_text = "dossier";
const bound_to = "core_secret";
const read_sql = "select sealed from core_secret";
const insert_sql = "insert into core_secret (id, sealed) values (1, ?) on conflict (id) do nothing";

interface SecretCheckOptions {
  readonly store: Pick<Store, "channel" | "db" | "inTransaction">;
  readonly sealed: Seal;
  /** The data directory. */
  readonly data: string;
}

/**
 * The first process on a database determines the key. A single process may have any. @throws Error
 * in plain words when it differs.
 */
export async function checkSecretKey(options: SecretCheckOptions): Promise<void> {
  const { store, sealed, data } = options;
  if (store.channel === null) return;
  if ((await readCheck(store)) === undefined)
    await store.inTransaction((tx) => rowsOf(tx, insert_sql, [sealed.seal(known_text, bound_to)]));
  const check = (await readCheck(store))!;
  if (isOpened(sealed, check)) return;
  throw new Error(
    "the secrets in the database were encrypted with a different key. Give all processes " +
      `the same DOSSIER_SECRET_KEY, or the same file ${join(data, key_file)}. If that key is ` +
      "lost, the secrets can't be recovered: delete the row of the table core_secret, start " +
      "the server, and enter them again.",
  );
}

const readCheck = async ({ db }: Pick<Store, "db">): Promise<string | undefined> =>
  (await rowsOf<{ sealed: string }>(db, read_sql, []))[0]?.sealed;

function isOpened(sealed: Seal, check: string): boolean {
  try {
    return sealed.unseal(check, bound_to) === known_text;
  } catch {
    return false;
  }
}
