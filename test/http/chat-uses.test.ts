/** A page of chats that use hundreds of folders each is read in parts. */
import { expect, test } from "bun:test";
import { partsWithUses } from "../../plugins/chats/store";
import { startTestServer } from "../helpers/host";
import { person } from "../helpers/person";

test("what a page of chats uses is read only as far as it is asked for", async () => {
  const server = await startTestServer();
  const ada = await person(server, "ada");
  const usedFolders: string[] = [];
  for (let at = 0; at < 100; at++) usedFolders.push(await ada.folder(`${at}`));
  for (let at = 0; at < 25; at++) await ada.create("/chats", { usedFolders });
  const read: number[] = [];
  const measured = server.store.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      read.push(result.rows.length);
      return result;
    },
  });
  const rows = await server.store.db.selectFrom("chats").selectAll().execute();
  const ids: unknown[] = [];
  for await (const part of partsWithUses(measured as never, rows as never)) {
    if (ids.length === 0) expect(read).toEqual([1_000, 0]);
    for (const { folder_ids } of part) expect(folder_ids).toEqual(usedFolders);
    ids.push(...part.map(({ id }) => id));
  }
  expect(ids).toEqual(rows.map((row) => row["id"]));
  expect(Math.max(...read)).toBe(1_000);

  const { body } = await ada.send("GET", "/chats?per_page=200");
  expect(body.data.map((chat: { usedFolders: string[] }) => chat.usedFolders)).toEqual(
    Array.from({ length: 25 }, () => usedFolders),
  );
  expect(body.pagination).toMatchObject({ count: 25, total: 25 });
});
