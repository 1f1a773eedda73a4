/** Lists of a large folder in every order and with every filter: results, and indexes used. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { batchesOf } from "../../core/lib/batch";
import { file_types } from "../../core/lib/file-types";
import type { Folder } from "../../plugins/folders/contract";
import { DocumentLists, type ListQuery } from "../../plugins/documents/lists/list-store";
import { nameFolded, nameOrder } from "../../plugins/documents/creation/names";
import { onSqlite } from "../helpers/databases";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { plansOf, Watch } from "../helpers/query-plans";

/** More links than are sorted in memory, for each common status. */
const count = 4_500;
const deleted_count = 40;
const signal = new AbortController().signal;
const statuses = ["sync_failed", "syncing", "synced"] as const;

interface Link {
  readonly document_id: string;
  readonly name_key: string;
  readonly name_order: string;
  readonly status: (typeof statuses)[number];
  readonly size_bytes: number;
  readonly file_type: string;
  readonly updated_at: number;
  readonly document_created_at: number;
  readonly is_deleted: number;
  readonly deleted_at: number | null;
}
const now_ms = Date.now();
/** Every value occurs more than once, in runs of any length. */
function linkOf(id: string, at: number): Link {
  const name_key = `${at % 3 === 0 ? "Report" : "report"} ${(at * 7) % 450}${at % 11 ? "" : ".txt"}`;
  const is_deleted = at < deleted_count ? 1 : 0;
  return {
    document_id: `${id}${String((at * 7_919) % 100_003).padStart(6, "0")}`,
    name_key,
    name_order: nameOrder(name_key),
    status: at % 40 === 5 ? "sync_failed" : statuses[1 + (at % 2)]!,
    size_bytes: at % 5 < 2 ? 0 : (at * 31) % 700,
    file_type: at % 50 === 0 ? "pdf" : at % 3 ? "text" : "web",
    updated_at: 1_000 + ((at * 13) % 2_000),
    document_created_at: 1_000 + (at >> 2),
    is_deleted,
    // Today, so that the hourly purge of old deletions does not remove them during the test.
    deleted_at: is_deleted ? now_ms : null,
  };
}

let server: TestServer;
let ada: Person;
let folder: Folder;
let links: Link[];
beforeAll(async () => {
  server = await startTestServer();
  ada = await person(server, "ada");
  const folder_id = await ada.folder();
  const { id } = await ada.text(folder_id, "Rain.", "Report");
  links = Array.from({ length: count + deleted_count }, (_, at) => linkOf(id, at));
  await server.store.inTransaction(async (tx) => {
    const row: any = await tx
      .selectFrom("documents")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    const template: any = await tx.selectFrom("documents_links").selectAll().executeTakeFirst();
    await tx.deleteFrom("documents_links").execute();
    for (const batch of batchesOf(links, 200)) {
      const documents = batch.map((link) => ({
        ...row,
        id: link.document_id,
        name: link.name_key,
        status: link.status,
        size_bytes: link.size_bytes,
        updated_at: link.updated_at,
        created_at: link.document_created_at,
      }));
      await tx.insertInto("documents").values(documents).execute();
      const copies = batch.map((link) => ({ ...template, ...link }));
      await tx.insertInto("documents_links").values(copies).execute();
    }
  });
  const live = (status: string) =>
    links.filter((link) => link.is_deleted === 0 && link.status === status).length;
  const counted = {
    syncing_count: live("syncing"),
    synced_count: live("synced"),
    failed_count: live("sync_failed"),
    restorable_count: deleted_count,
  };
  await server.store.db.updateTable("folders").set(counted).execute();
  folder = { ...counted, id: folder_id, owner_id: "ada", name: "", parent_id: null };
}, 60_000);
afterAll(() => server.stop());

/** The expected list, computed by scanning every link. */
function expected({ sort = "created", order, status, type, name, deleted = false }: ListQuery) {
  const falls = ["created", "updated", "size"].includes(sort);
  const sign = (order ?? (falls ? "desc" : "asc")) === "asc" ? 1 : -1;
  const digits = (text: string) =>
    nameFolded(text).replaceAll(/\d+/g, (number) => number.padStart(15, "0"));
  const keys: Record<string, (link: Link) => string | number> = {
    created: () => 0,
    name: (link) => digits(link.name_key),
    type: (link) => link.file_type,
    size: (link) => link.size_bytes,
    updated: (link) => link.updated_at,
    status: (link) => statuses.indexOf(link.status),
  };
  const keyOf = keys[sort]!;
  const newest = sort === "created" ? sign : -1;
  return links
    .filter(
      (link) =>
        link.is_deleted === Number(deleted) &&
        (status === undefined || link.status === status) &&
        (type === undefined || link.file_type === type) &&
        nameFolded(link.name_key).includes(nameFolded(name ?? "")),
    )
    .sort((a, b) => {
      const [key, other_key] = [keyOf(a), keyOf(b)];
      if (key !== other_key) return key < other_key ? -sign : sign;
      const apart = a.document_created_at - b.document_created_at;
      return newest * (apart || (a.document_id < b.document_id ? -1 : 1));
    })
    .map(({ document_id }) => document_id);
}

const sorts = ["created", "name", "type", "size", "status", "updated"] as const;
const filters: [why: string, filter: ListQuery][] = [
  ["all", {}],
  ["a rare status", { status: "sync_failed" }],
  ["a common status", { status: "synced" }],
  ["a rare type", { type: "pdf" }],
  ["a common type", { type: "text" }],
  ["an unused type", { type: "mail" }],
  ["a type and a status", { type: "text", status: "synced" }],
  ["a rare name", { name: "EPORT 42" }],
  ["a common name", { name: "port" }],
  ["a common name and a status", { name: "ort", status: "syncing" }],
  ["a common name and a type", { name: "R", type: "text" }],
  ["a name with SQL wildcards", { name: "report_1%" }],
  ["restorable documents", { deleted: true }],
  ["restorable documents of a status", { deleted: true, status: "synced" }],
  ["restorable documents by name", { deleted: true, name: "report 1" }],
];

/** The query plans for reading links. */
const linkPlans = (watch: Watch): Promise<string[]> =>
  plansOf(watch, server.store.db, "documents_links");

describe("pages of a large folder match a full scan", () => {
  for (const [why, filter] of filters)
    for (const sort of sorts)
      test(`${why}, by ${sort}`, async () => {
        for (const order of ["asc", "desc"] as const) {
          const query = { ...filter, sort, order };
          const all = expected(query);
          const watch = new Watch();
          const lists = new DocumentLists(watch.watched(server.store.db));
          const per_page = 70;
          const last = Math.max(1, Math.ceil(all.length / per_page));
          for (const page of new Set([1, (last >> 1) + 1, last, last + 1])) {
            const { rows, total } = await lists.list(folder, query, { page, per_page }, signal);
            expect([page, total, rows.map(({ id }) => id)]).toEqual([
              page,
              all.length,
              all.slice((page - 1) * per_page, page * per_page),
            ]);
          }
          // Each must use an index from its first column on, without sorting by the database.
          for (const plan of await linkPlans(watch))
            expect(plan).toMatch(
              /^SEARCH l USING (COVERING )?INDEX documents_links_by_\w+ \(folder_id=\? AND is_deleted=\?/,
            );
        }
      });
});

onSqlite("plans").test("what a single index covers is read from it alone", async () => {
  const cases: [ListQuery, string][] = [
    [{}, "created"],
    [{ sort: "name" }, "name"],
    [{ sort: "name", order: "desc" }, "name"],
    [{ sort: "size" }, "size"],
    [{ sort: "size", order: "asc", type: "text" }, "size"],
    [{ sort: "updated", type: "pdf" }, "updated"],
    [{ sort: "type" }, "type"],
    [{ type: "text" }, "type"],
    [{ status: "synced" }, "status"],
    [{ sort: "status" }, "status"],
    [{ status: "synced", type: "text" }, "status"],
  ];
  for (const [query, name] of cases) {
    const watch = new Watch();
    const lists = new DocumentLists(watch.watched(server.store.db));
    await lists.list(folder, query, { page: 20, per_page: 50 }, signal);
    const plans = await linkPlans(watch);
    expect(plans.length).toBeGreaterThan(0);
    const own_plan = `USING COVERING INDEX documents_links_by_${name} `;
    // The index by type may be used too, to count documents of a type or of other types.
    const other =
      /USING COVERING INDEX documents_links_by_type \(folder_id=\? AND is_deleted=\? AND file_type[=<>]\?\)/;
    expect([query, plans.filter((plan) => !plan.includes(own_plan) && !other.test(plan))]).toEqual([
      query,
      [],
    ]);
  }
});

test("the ids of filtered documents match a full scan", async () => {
  const lists = new DocumentLists(server.store.db);
  for (const [, filter] of filters) {
    if (filter.deleted) continue;
    const all = expected(filter);
    expect(await lists.ids(folder, filter, 50_000, signal)).toEqual({
      ids: all,
      total: all.length,
    });
    expect(await lists.ids(folder, filter, 7, signal)).toEqual({
      ids: all.slice(0, 7),
      total: all.length,
    });
  }
});

test("an aborted list query stops", async () => {
  const disconnection = new AbortController();
  const lists = new DocumentLists(server.store.db);
  const list = lists.list(
    folder,
    { name: "port", sort: "size" },
    { per_page: 10 },
    disconnection.signal,
  );
  disconnection.abort(new Error("gone"));
  await expect(list).rejects.toThrow("gone");
});

test("generated links have valid file types", () => {
  expect(new Set(links.map(({ file_type }) => file_type)).isSubsetOf(new Set(file_types))).toBe(
    true,
  );
});
