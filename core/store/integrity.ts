/**
 * Looks through a database for damage. Reads all of it: for a child process, which nobody waits
 * for.
 */
import { Database } from "bun:sqlite";

const problems_max = 5;

/**
 * What is wrong with the file, in the words of SQLite; empty when nothing is. @throws Error when it
 * can't be opened.
 */
export function findDamage(path: string): string[] {
  const database = new Database(path, { readonly: true });
  try {
    const rows = database
      .query<{ quick_check: string }, []>(`pragma quick_check(${problems_max})`)
      .all();
    return rows.map((row) => row.quick_check).filter((line) => line !== "ok");
  } finally {
    database.close();
  }
}
