/** A folder whose deletion the disk has no room for: what is large goes first, in parts. */
import { beforeAll, expect, test } from "bun:test";
import { definePlugin, fill, HttpError } from "../../core/sdk";
import { FolderContents } from "../../plugins/folders/contract";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";

let server: TestServer;
/** So many deletions find no room. */
let failures = 0;
const fault = definePlugin({
  name: "fault",
  version: "1.0.0",
  setup: () => ({
    fills: [
      fill(FolderContents, {
        remove: async () => {
          if (failures-- > 0) throw new HttpError(507, "storage_full", "The storage is full.");
        },
      }),
    ],
  }),
});
beforeAll(async () => {
  server = await startTestServer({ plugins: [fault] });
});

const made = async (path: string, body: object): Promise<string> =>
  (await server.send("ada", "POST", path, body)).body.id;
async function filled() {
  await until(() => !server.store.isDiskFull());
  const folder = await made("/folders", { name: "Large" }),
    sub = await made("/folders", { name: "Sub", parentId: folder }),
    other = await made("/folders", { name: "Other" });
  const alone = await Promise.all(
    [folder, folder, sub].map((folder_id, n) =>
      made("/documents", {
        folder_id,
        content: `Number ${n} nests on the cliff. ${"More. ".repeat(60_000 * n)}`,
      }),
    ),
  );
  const shared = await made("/documents", { folder_id: folder, content: "The shared one sleeps." });
  await server.send("ada", "POST", `/documents/${shared}/links`, { folder_id: other });
  await server.settle();
  return { folder, sub, other, alone, shared };
}
const status = async (path: string): Promise<number> =>
  (await server.send("ada", "GET", path)).status;

test("it goes, with what only it held", async () => {
  const { folder, sub, alone, shared } = await filled();
  // The store tries once more by itself.
  failures = 2;
  expect((await server.send("ada", "DELETE", `/folders/${folder}`)).status).toBe(204);
  for (const gone of [
    `/folders/${folder}`,
    `/folders/${sub}`,
    ...alone.map((id) => `/documents/${id}`),
  ])
    expect(await status(gone)).toBe(404);
  expect(await status(`/documents/${shared}`)).toBe(200);
});

test("when there is no room even then, the answer is 507, what went is gone, and the counters say so", async () => {
  const { folder, sub, alone, shared } = await filled();
  failures = 100;
  const answer = await server.send("ada", "DELETE", `/folders/${folder}`);
  failures = 0;
  expect([answer.status, answer.body.code]).toEqual([507, "storage_full"]);
  for (const id of alone) expect(await status(`/documents/${id}`)).toBe(404);
  const counts = async (id: string) =>
    (await server.send("ada", "GET", `/folders/${id}`)).body.status_counts;
  expect([await counts(folder), await counts(sub)]).toEqual([
    { syncing: 0, synced: 1, sync_failed: 0 },
    { syncing: 0, synced: 0, sync_failed: 0 },
  ]);
  expect(
    (await server.send("ada", "GET", `/documents?folder_id=${folder}`)).body.data.map(
      ({ id }: { id: string }) => id,
    ),
  ).toEqual([shared]);
  expect((await server.send("ada", "POST", "/search", { query: "nests cliff" })).body.data).toEqual(
    [],
  );
  expect((await server.send("ada", "DELETE", `/folders/${folder}`)).status).toBe(204);
});
