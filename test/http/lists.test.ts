/** Lists page by page: at any page size, the pages together are the whole list. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { person, type Person } from "../helpers/person";
import { startTestServer, type TestServer } from "../helpers/host";

let server: TestServer;
let ada: Person;
let folder_id: string;
const documents = 9;

beforeAll(async () => {
  server = await startTestServer();
  ada = await person(server, "ada");
  folder_id = await ada.folder();
  const other_id = await ada.folder();
  const created = [];
  // Every third document is empty and ends as `sync_failed`.
  for (let i = 0; i < documents; i++)
    created.push(await ada.newText(folder_id, i % 3 === 0 ? "" : "Fog.", `Note ${i % 2} of ${i}`));
  const in_both = created[4];
  await ada.send("POST", `/documents/${in_both.id}/links`, { folder_id: other_id });
  for (const { id } of created.slice(0, 4)) {
    await ada.send("POST", `/documents/${id}/links`, { folder_id: other_id });
    await ada.send("DELETE", `/documents/${id}?folder_id=${other_id}`);
  }
  for (let i = 0; i < 5; i++) await ada.create("/prompts", { name: `Prompt ${i}`, text: "Why?" });
  await server.settle();
  deleted_in = other_id;
});
afterAll(() => server.stop());
let deleted_in: string;

const lists: [why: string, path: () => string, total: number][] = [
  ["a folder's documents", () => `/documents?folder_id=${folder_id}`, documents],
  ["documents of one status", () => `/documents?folder_id=${folder_id}&status=sync_failed`, 3],
  ["documents of another status", () => `/documents?folder_id=${folder_id}&status=synced`, 6],
  ["documents of an unused status", () => `/documents?folder_id=${folder_id}&status=syncing`, 0],
  ["documents by name", () => `/documents?folder_id=${folder_id}&name=NOTE%201`, 4],
  [
    "documents by name and status",
    () => `/documents?folder_id=${folder_id}&name=note%201&status=sync_failed`,
    1,
  ],
  ["restorable documents", () => `/documents?folder_id=${deleted_in}&deleted=true`, 4],
  [
    "restorable documents of one status",
    () => `/documents?folder_id=${deleted_in}&deleted=true&status=sync_failed`,
    2,
  ],
  [
    "restorable documents by name",
    () => `/documents?folder_id=${deleted_in}&deleted=true&name=note%201`,
    2,
  ],
  ["folders", () => "/folders?", 2],
  ["prompts", () => "/prompts?", 5],
];

describe("the pages of a list together are the whole list", () => {
  for (const [why, path, total] of lists)
    test(why, async () => {
      const page = async (number: number, per_page: number): Promise<any> =>
        (await ada.send("GET", `${path()}&per_page=${per_page}&page=${number}`)).body;
      const whole = await page(1, 100);
      const ids: string[] = whole.data.map(({ id }: { id: string }) => id);
      expect([ids.length, whole.pagination.total]).toEqual([total, total]);
      // Ids are ordered by time.
      expect(ids).toEqual(ids.toSorted().reverse());
      for (const per_page of [1, 2, 4]) {
        const found: any[] = [];
        for (let number = 1; number <= Math.ceil(total / per_page) + 1; number++) {
          const { data, pagination } = await page(number, per_page);
          expect([pagination.total, pagination.count]).toEqual([total, data.length]);
          found.push(...data);
        }
        expect(found).toEqual(whole.data);
      }
    });
});
