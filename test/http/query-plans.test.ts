/** Statements that are run for each of thousands of records use the index made for them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, type Db } from "../../core/sdk";
import * as chatDeletion from "../../plugins/chats/deletion/deletion-store";
import { findImported } from "../../plugins/documents/links/link-store";
import { Folders } from "../../plugins/folders/contract";
import * as folders from "../../plugins/folders/store";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { publishedAmong } from "../../plugins/search-index/backend/backend-store";
import { chunker_version } from "../../plugins/search-index/chunks/chunker";
import { storedVersions } from "../../plugins/search-index/deletion-store";
import { countOutdated } from "../../plugins/search-index/outdated";
import { deleteScope, insertScopes } from "../../plugins/search-index/store";
import { onSqlite } from "../helpers/databases";
import { startTestServer, type TestServer } from "../helpers/host";
import { plansOf, Watch } from "../helpers/query-plans";

let server: TestServer;
let folder_service: Folders;
const neighbour = definePlugin({
  name: "neighbour",
  version: "1.0.0",
  needs: { folders: Folders },
  setup: ({ services }) => {
    folder_service = services.folders;
    return {};
  },
});
beforeAll(async () => {
  server = await startTestServer({ plugins: [neighbour] });
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
  [
    "documents of an earlier analyzer or chunker, not all; a new version needs a migration step",
    "index_documents",
    (db) => countOutdated(db as never, { analyzer: analyzer.version, chunker: chunker_version }, 9),
    ["SCAN index_documents USING INDEX index_documents_outdated"],
  ],
  [
    "segments are sent to a search backend: their documents, not all",
    "index_documents",
    (db) => publishedAmong(db as never, [1, 2]),
    [
      "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH d USING INDEX sqlite_autoindex_index_documents_1 (document_id=?)",
    ],
  ],
  [
    "a repair looks for segments that no row names: a page of them at a time",
    "index_segments",
    (db) => storedVersions(db as never, new Set(["doc_a"])),
    ["SEARCH index_segments USING INTEGER PRIMARY KEY (rowid>?)"],
  ],
  [
    "documents leave a folder: their own segments",
    "index_segments",
    (db) => deleteScope(db as never, ["doc_a"], "fld_a"),
    [
      "SEARCH d USING INDEX sqlite_autoindex_index_documents_1 (document_id=?)",
      "SEARCH s USING COVERING INDEX index_segments_by_edition (edition=?)",
      "SEARCH index_scope USING COVERING INDEX sqlite_autoindex_index_scope_1 (folder_id=? AND segment_id=?)",
      "LIST SUBQUERY 1",
    ],
  ],
];
for (const [why, table, run, plan] of cases)
  onSqlite("plans").test(why, async () => {
    const watch = new Watch();
    await run(watch.watched(server.store.db));
    // A subquery is also recorded by itself.
    expect([...new Set(await plansOf(watch, server.store.db, table))]).toEqual(plan);
  });

const many_folders = Array.from({ length: 1_000 }, (_, at) => `fld_${at}`);
const few: [why: string, run: (db: Db) => Promise<unknown>][] = [
  [
    "a document in a thousand folders changes their counters",
    (db) =>
      folder_service.moveCounters(
        db,
        many_folders.flatMap((folder_id) => [
          { folder_id, status: "syncing", by: -1 },
          { folder_id, status: "synced", by: 1 },
        ]),
      ),
  ],
  ["… and becomes visible in them", (db) => insertScopes(db as never, many_folders, 1)],
];
for (const [why, run] of few)
  test(`${why} with a few statements`, async () => {
    const watch = new Watch();
    await run(watch.watched(server.store.db));
    expect(watch.written.length + watch.nodes.length).toBeGreaterThan(0);
    expect(watch.written.length + watch.nodes.length).toBeLessThan(10);
  });
