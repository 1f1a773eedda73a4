/** Deleting a folder on a full disk: as a whole or not at all, and its contents in parts. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { definePlugin, fill, HttpError } from "../../core/sdk";
import { DocumentUses } from "../../plugins/documents/contract";
import { FolderContents } from "../../plugins/folders/contract";
import { expectSound } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { until } from "../helpers/server";

let server: TestServer;
/** How many transactions find no room: those that mark, and those that purge. */
let failures = { marking: 0, purging: 0 };
const full = (which: keyof typeof failures): void => {
  if (failures[which]-- > 0) throw new HttpError(507, "storage_full", "The storage is full.");
};
const fault = definePlugin({
  name: "fault",
  version: "1.0.0",
  setup: () => ({
    fills: [
      fill(FolderContents, { remove: async () => full("marking") }),
      fill(DocumentUses, { remove: async () => full("purging") }),
    ],
  }),
});
beforeAll(async () => {
  server = await startTestServer({ plugins: [fault] });
});
beforeEach(() => {
  failures = { marking: 0, purging: 0 };
});

const create = async (path: string, body: object): Promise<string> =>
  (await server.send("ada", "POST", path, body)).body.id;
async function filled() {
  await until(() => !server.store.isDiskFull());
  const folder = await create("/folders", { name: "Large" });
  const sub = await create("/folders", { name: "Sub", parentId: folder });
  const other = await create("/folders", { name: "Other" });
  const alone = await Promise.all(
    [folder, folder, sub].map((folder_id, n) =>
      create("/documents", {
        folder_id,
        content: `Number ${n} nests on the cliff. ${"More. ".repeat(60_000 * n)}`,
      }),
    ),
  );
  const shared = await create("/documents", {
    folder_id: folder,
    content: "The shared one sleeps.",
  });
  await server.send("ada", "POST", `/documents/${shared}/links`, { folder_id: other });
  await server.settle();
  return { folder, sub, alone, shared };
}
const statuses = (paths: readonly string[]): Promise<number[]> =>
  Promise.all(paths.map(async (path) => (await server.send("ada", "GET", path)).status));
const pathsOf = ({ folder, sub, alone }: Awaited<ReturnType<typeof filled>>): string[] => [
  `/folders/${folder}`,
  `/folders/${sub}`,
  ...alone.map((id) => `/documents/${id}`),
];

const cases: [string, Partial<typeof failures>][] = [
  ["marking succeeds at the second try, from the reserve", { marking: 1 }],
  ["the purge finds no room for a while", { purging: 2 }],
];
for (const [why, some] of cases)
  test(`a folder is deleted with what only it held: ${why}`, async () => {
    const all = await filled();
    failures = { ...failures, ...some };
    expect((await server.send("ada", "DELETE", `/folders/${all.folder}`)).status).toBe(204);
    expect(await statuses(pathsOf(all))).toEqual([404, 404, 404, 404, 404]);
    expect(await statuses([`/documents/${all.shared}`])).toEqual([200]);
    await server.settle();
    await expectSound(server);
  });

test("without room even for marking, the response is 507 and everything is kept", async () => {
  const all = await filled();
  failures.marking = 100;
  const answer = await server.send("ada", "DELETE", `/folders/${all.folder}`);
  expect([answer.status, answer.body.code]).toEqual([507, "storage_full"]);
  expect(await statuses(pathsOf(all))).toEqual([200, 200, 200, 200, 200]);
  expect((await server.send("ada", "POST", "/search", { query: "nests cliff" })).body.data).toEqual(
    expect.arrayContaining(
      all.alone.map((document_id) => expect.objectContaining({ document_id })),
    ),
  );
  failures.marking = 0;
  expect((await server.send("ada", "DELETE", `/folders/${all.folder}`)).status).toBe(204);
  await server.settle();
  await expectSound(server);
});
