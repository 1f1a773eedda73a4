/** Lists of all folders, read by plugins that offer another protocol. */
import { expect, test } from "bun:test";
import { listFolders, type Asked } from "../../plugins/client/contract";

test("lists of all folders are read one at a time for each owner, and beside others", async () => {
  const begun: string[] = [];
  const held = Promise.withResolvers<void>();
  const { signal } = new AbortController();
  const askedBy = (owner_id: string): Asked => ({
    caller: { owner_id, key_id: "", scopes: ["read"] },
    request: { signal },
    api: async () => {
      begun.push(owner_id);
      await held.promise;
      return Response.json({ data: [], pagination: { next_page: null } });
    },
  });
  const lists = ["ada", "ada", "ada", "bob"].map((who) => listFolders(askedBy(who), 10));
  await Bun.sleep(1);
  expect(begun).toEqual(["ada", "bob"]);
  held.resolve();
  expect(await Promise.all(lists)).toEqual([[], [], [], []]);
  expect(begun).toEqual(["ada", "bob", "ada", "ada"]);
});
