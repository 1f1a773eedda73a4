/**
 * Creates very many documents in a data directory: some through the server, the others as copies of
 * their rows with new ids.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";

/** Higher than any id that a small server has assigned. */
const id_step = 2 ** 32;

/** Columns with document ids, and those with numbers of the index or of texts. */
const numbers = ["id", "edition", "segment_id", "text_id"];
const tables = [
  "documents",
  "documents_links",
  "documents_versions",
  "index_documents",
  "index_scope",
  "index_segments",
  "index_vectors",
  "texts_pieces",
];

/** Copies each document that many times, in a database that no server has open. */
export function multiply(data: string, times: number): void {
  using database = new Database(join(data, "dossier.db"));
  database.run("pragma synchronous = off");
  database.run("pragma foreign_keys = off");
  for (const table of tables) {
    const columns = database
      .query<{ name: string }, []>(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name);
    const values = columns.map((name) => valueOf(table, name));
    database.run(`create temp table once as select * from "${table}"`);
    const copy = database.prepare(
      `insert into "${table}" (${columns.map((name) => `"${name}"`).join(", ")})
       select ${values.join(", ")} from once`,
    );
    database.transaction(() => {
      for (let n = 1; n < times; n++)
        copy.run({ $step: n * id_step, $mark: n.toString(36).padStart(4, "0") } as never);
    })();
    database.run("drop table once");
  }
  database.run(
    `update folders set synced_count = synced_count * ${times},
       held_documents = held_documents * ${times}`,
  );
  database.run("pragma wal_checkpoint(truncate)");
}

function valueOf(table: string, name: string): string {
  const column = `"${name}"`;
  const is_document = name === "document_id" || (table === "documents" && name === "id");
  if (is_document) return `${column} || $mark`;
  if (numbers.includes(name)) return `${column} + $step`;
  if (name === "name_key") return `${column} || $mark`;
  return column;
}
