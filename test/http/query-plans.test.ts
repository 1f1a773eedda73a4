/** Statements that are run for each of thousands of records use the index made for them. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Db } from "../../core/sdk";
import * as chatDeletion from "../../plugins/chats/deletion/deletion-store";
import { findImported } from "../../plugins/documents/links/link-store";
import * as folders from "../../plugins/folders/store";
import { onSqlite } from "../helpers/databases";
import { startTestServer, type TestServer } from "../helpers/host";
import { plansOf, Watch } from "../helpers/query-plans";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const parent = { owner_id: "usr_a", parent_id: "fld_a" };
const subfolder = { id: "fld_b", created_at: 1 };
const cases: [why: string, table: string, run: (db: Db) => Promise<unknown>, plan: string[]][] = [
  [
    "a page is imported again: its document, not all of the folder",
    "documents",
    (db) => findImported(db as never, "fld_a", "https://a.example/"),
    [
      "SEARCH d USING INDEX documents_by_source (source_uri=?)",
      "SEARCH l EXISTS USING INDEX sqlite_autoindex_documents_links_1 (document_id=? AND folder_id=?)",
      "USE TEMP B-TREE FOR ORDER BY",
    ],
  ],
  [
    "an item is imported into a subfolder: that one, not all",
    "folders",
    (db) => folders.findSubfolderNamed(db as never, parent, ["a"]),
    ["SEARCH folders USING INDEX folders_by_name (owner_id=? AND parent_id=? AND name=?)"],
  ],
  [
    "a page of subfolders is not sorted",
    "folders",
    (db) => folders.subfoldersAfter(db as never, "fld_a", subfolder, 10),
    [
      "SEARCH folders USING INDEX folders_by_parent (parent_id=? AND deleted_at=? AND (created_at,id)>(?,?))",
    ],
  ],
  [
    "the ids of subfolders come from the index alone",
    "folders",
    (db) => folders.idsWithSubfolders(db as never, ["fld_a"]),
    [
      "SEARCH folders USING COVERING INDEX folders_by_parent (parent_id=? AND deleted_at=?)",
      "SEARCH folders USING INDEX sqlite_autoindex_folders_1 (id=?)",
    ],
  ],
  [
    "the sessions of a deleted user, not everybody's",
    "chats",
    (db) => chatDeletion.chatsOf(db as never, "usr_a", 10),
    [
      "SEARCH chats USING INDEX chats_pinned (owner_id=?)",
      "SEARCH chats USING INDEX chats_deleted (owner_id=?)",
    ],
  ],
];
for (const [why, table, run, plan] of cases)
  onSqlite("plans").test(why, async () => {
    const watch = new Watch();
    await run(watch.watched(server.store.db));
    expect(await plansOf(watch, server.store.db, table)).toEqual(plan);
  });
