/**
 * The data of the rival: one owner's key, folders, and documents of one folder in plain tables,
 * texts in SQLite's own full-text index.
 */
import type { Database } from "bun:sqlite";

/** How much data the rival has. */
export interface RawData {
  readonly key: string;
  readonly folders: number;
  /** Documents in one folder. */
  readonly documents?: number;
  readonly texts: readonly string[];
}

/** The tables and rows that answer GET /folders; `count` folders of one owner. */
export function fillFolders(db: Database, key: string, count: number): void {
  db.run(
    "create table keys (hash blob primary key, owner_id text not null, deactivated_at integer) " +
      "without rowid",
  );
  db.run(
    "create table folders (id text primary key, owner_id text not null, name text not null, " +
      "description text, parent_id text, syncing integer not null, synced integer not null, " +
      "failed integer not null, created_at integer not null, updated_at integer not null)",
  );
  db.run("create index folders_by_owner on folders (owner_id, created_at desc, id desc)");
  db.prepare("insert into keys values (?, 'owner', null)").run(Bun.SHA256.hash(key) as Uint8Array);
  const insert = db.prepare("insert into folders values (?, 'owner', ?, ?, null, 0, 0, 0, ?, ?)");
  db.transaction(() => {
    for (let i = 0; i < count; i++)
      insert.run(
        `fld_${String(i).padStart(26, "0")}`,
        folderName(i),
        folderDescription(i),
        1_700_000_000_000 + i,
        1_700_000_000_000 + i,
      );
  })();
}

/** The table and rows that answer a list of documents of one type, by size. */
export function fillDocuments(db: Database, count: number): void {
  db.run(
    "create table documents (id text primary key, folder_id text not null, name text not null, " +
      "type text not null, status text not null, size integer not null, " +
      "created_at integer not null, updated_at integer not null)",
  );
  const insert = db.prepare("insert into documents values (?, 'folder', ?, 'text', ?, ?, ?, ?)");
  db.transaction(() => {
    for (let i = 0; i < count; i++) {
      const at = 1_700_000_000_000 + i;
      insert.run(`doc_${String(i).padStart(26, "0")}`, `Text ${i}`, "synced", mixed(i), at, at);
    }
  })();
  db.run("create index by_size on documents (folder_id, type, size, created_at, id)");
}
/** Sizes in random order. */
const mixed = (index: number): number => (index * 7_919) % 5_003;

/** The same for both servers. */
export const folderName = (index: number): string => `Folder number ${index}`;
/** The same for both servers. */
export const folderDescription = (index: number): string =>
  `What the ${index}th folder of this benchmark is for, in a sentence.`;

/** Adds texts to a full-text index with stemming, each in a durable transaction of its own. */
export function fillTexts(db: Database, texts: readonly string[]): void {
  db.run(
    "create virtual table texts using fts5(text, folder unindexed, tokenize = 'porter unicode61')",
  );
  const insert = db.prepare("insert into texts (text, folder) values (?, 'folder')");
  for (const text of texts) insert.run(text);
}
