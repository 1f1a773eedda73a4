/** Folders in this process: the shared cases, and the service for other plugins. */
import { beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, fill, HttpError } from "../../core/sdk";
import { FolderContents, Folders } from "../../plugins/folders/contract";
import { folderCases } from "../cases/folders";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";

describe("folders", () => folderCases(startTestServer));

let server: TestServer;
let send: TestServer["send"];
let folders: Folders;
/** The folders the slot was called with, and what it throws when set. */
const emptied: (readonly string[])[] = [];
let refusal: Error | null = null;
const neighbour = definePlugin({
  name: "neighbour",
  version: "1.0.0",
  needs: { folders: Folders },
  setup: ({ services }) => {
    folders = services.folders;
    return {
      fills: [
        fill(FolderContents, {
          async remove(tx, owner_id, folder_ids) {
            if (refusal) throw refusal;
            // The folders must already be gone, so that nothing in them is found any more.
            for (const id of folder_ids)
              await expect(services.folders.require(tx, owner_id, id)).rejects.toThrow("found");
            emptied.push(folder_ids);
          },
        }),
      ],
    };
  },
});

beforeAll(async () => {
  server = await startTestServer({ plugins: [neighbour] });
  ({ send } = server);
});

const create = async (who: string, body: object): Promise<any> => {
  const { status, body: record, text } = await send(who, "POST", "/folders", body);
  if (status !== 201) throw new Error(`expected 201, not ${status}: ${text}`);
  return record;
};
describe("deleting", () => {
  test("takes the subfolders with it, and tells plugins that keep something in them", async () => {
    const root = await create("gil", { name: "root" });
    const child = await create("gil", { name: "child", parentId: root.id });
    const other = await create("gil", { name: "other" });
    emptied.length = 0;
    const deleted = await send("gil", "DELETE", `/folders/${root.id}`);
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
    expect(emptied).toEqual([[child.id, root.id]]);
    for (const id of [root.id, child.id])
      expect((await send("gil", "GET", `/folders/${id}`)).status).toBe(404);
    expect((await send("gil", "DELETE", `/folders/${root.id}`)).status).toBe(404);
    expect((await send("gil", "GET", "/folders")).body.data).toEqual([other]);
  });
  test("takes a thousand subfolders in parts, and the folder with the last of them", async () => {
    const root = await create("gil", { name: "root" });
    const subfolders = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) => create("gil", { name: `${n}`, parentId: root.id })),
    );
    const ids = subfolders.map(({ id }) => id as string);
    emptied.length = 0;
    expect((await send("gil", "DELETE", `/folders/${root.id}`)).status).toBe(204);
    expect(emptied.map(({ length }) => length)).toEqual([500, 500, 1]);
    expect(emptied.flat().toSorted()).toEqual([...ids, root.id].sort());
    expect(emptied.at(-1)).toEqual([root.id]);
    await until(
      async () =>
        (
          await server.store.db
            .selectFrom("folders")
            .select("id")
            .where("id", "=", root.id)
            .execute()
        ).length === 0,
    );
    const left = server.store.db
      .selectFrom("folders")
      .select("id")
      .where("parent_id", "=", root.id);
    expect(await left.execute()).toEqual([]);
  });
  test("is rolled back when one of them fails", async () => {
    const root = await create("gil", { name: "root" });
    refusal = new HttpError(409, "conflict", "not now");
    expect((await send("gil", "DELETE", `/folders/${root.id}`)).status).toBe(409);
    refusal = null;
    expect((await send("gil", "GET", `/folders/${root.id}`)).status).toBe(200);
  });
});

describe("the service for other plugins", () => {
  let root: any;
  let child: any;
  let other: any;
  let foreign: any;
  beforeAll(async () => {
    root = await create("hal", { name: "root" });
    child = await create("hal", { name: "child", parentId: root.id });
    other = await create("hal", { name: "other" });
    foreign = await create("ivy", { name: "private" });
  });
  const scopes: [string, () => string[], () => string[]][] = [
    ["a root folder includes its subfolders", () => [root.id], () => [root.id, child.id]],
    ["each folder is listed once", () => [child.id, root.id, root.id], () => [child.id, root.id]],
    ["a subfolder is alone", () => [child.id], () => [child.id]],
    ["several roots", () => [other.id, root.id], () => [other.id, root.id, child.id]],
    ["no folders", () => [], () => []],
  ];
  for (const [why, folder_ids, expected] of scopes) {
    test(`with subfolders: ${why}`, async () =>
      expect(
        (
          await folders.requireWithSubfolders(server.store.db, "usr_hal", folder_ids(), "/x")
        ).toSorted(),
      ).toEqual(expected().sort()));
  }
  const refusals: [string, () => string[], number][] = [
    [
      "a missing one is 404 and names the field, even next to another user's",
      () => [root.id, foreign.id, "fld_none"],
      404,
    ],
    ["one of another user is 403", () => [root.id, foreign.id], 403],
  ];
  for (const [why, folder_ids, status] of refusals) {
    test(`with subfolders: ${why}`, async () => {
      const error = await folders
        .requireWithSubfolders(server.store.db, "usr_hal", folder_ids(), "/x")
        .then(
          () => null,
          (thrown: HttpError) => thrown,
        );
      expect([error?.status, error?.errors?.map(({ pointer }) => pointer)]).toEqual([
        status,
        ["/x"],
      ]);
    });
  }
  test("listIds: every folder of the owner and no other", async () => {
    expect((await folders.listIds(server.store.db, "usr_hal")).toSorted()).toEqual(
      [root.id, child.id, other.id].sort(),
    );
  });
  test("moveCounters: changes in one transaction are added up", async () => {
    await server.store.inTransaction((tx) =>
      folders.moveCounters(tx, [
        { folder_id: root.id, status: "syncing", by: 3 },
        { folder_id: root.id, status: "syncing", by: -1 },
        { folder_id: root.id, status: "synced", by: 1 },
        { folder_id: other.id, status: "sync_failed", by: 1 },
      ]),
    );
    const counts = async (id: string) => (await send("hal", "GET", `/folders/${id}`)).body;
    expect(await counts(root.id)).toMatchObject({
      document_count: 3,
      status_counts: { syncing: 2, synced: 1, sync_failed: 0 },
    });
    expect(await counts(other.id)).toMatchObject({
      document_count: 1,
      status_counts: { syncing: 0, synced: 0, sync_failed: 1 },
    });
    expect(await counts(child.id)).toMatchObject({ document_count: 0 });
  });
  const others = Array.from({ length: 1_000 }, (_, n) => `fld_${n}`);
  test.each<[reason: string, folder_ids: () => string[], count: number]>([
    ["one that has some", () => [root.id], 2],
    ["one that has none", () => [other.id], 0],
    ["a thousand", () => [...others, root.id], 2],
    ["a thousand others", () => others, 0],
  ])("countSyncing: of %s", async (_reason, folder_ids, count) =>
    expect(await folders.countSyncing(server.store.db, folder_ids())).toBe(count),
  );
});
