/** A page of chats that use hundreds of folders each is read in parts. */
import { expect, test } from "bun:test";
import { withUses } from "../../plugins/chats/store";
import { startTestServer } from "../helpers/host";
import { person } from "../helpers/person";

test("no statement reads what a whole page of chats uses", async () => {
  const server = await startTestServer();
  const ada = await person(server, "ada");
  const usedFolders: string[] = [];
  for (let at = 0; at < 100; at++) usedFolders.push(await ada.folder(`${at}`));
  for (let at = 0; at < 25; at++) await ada.create("/chats", { usedFolders });
  let longest = 0;
  const measured = server.store.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      longest = Math.max(longest, result.rows.length);
      return result;
    },
  });
  const rows = await server.store.db.selectFrom("chats").selectAll().execute();
  const chats = await withUses(measured as never, rows as never);
  expect(chats.map(({ id }) => id)).toEqual(rows.map((row) => row["id"] as string));
  for (const { folder_ids } of chats) expect(folder_ids).toEqual(usedFolders);
  expect(longest).toBe(1_000);
});
