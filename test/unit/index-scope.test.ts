/** What a search covers is remembered by its folders, in bounded memory. */
import { expect, test } from "bun:test";
import { ScopeResolver } from "../../plugins/search-index/ranking/scope";

test("scopes of many folders without documents are forgotten when they take too much memory", async () => {
  const read: string[] = [];
  const reader = {
    version: () => Promise.resolve(1),
    segmentIds: (folder_id: string) => {
      read.push(folder_id);
      return Promise.resolve(new Float64Array(0));
    },
  };
  const directory = { packsOf: () => Promise.resolve([]) };
  const resolver = new ScopeResolver(reader as never, directory as never);
  const no_pauses = { due: false, pause: () => Promise.resolve() };
  const resolve = (folder: string) => {
    const request = { owner_id: "usr_ada", folder_ids: [folder] };
    return resolver.resolve(request, no_pauses);
  };
  await resolve("first");
  await resolve("first");
  expect(read).toEqual(["first"]);
  const folders = Array.from({ length: 40 }, (_, at) => `${at}${"x".repeat(2 ** 19)}`);
  for (const folder of folders) await resolve(folder);
  await resolve("first");
  expect(read).toEqual(["first", ...folders, "first"]);
});
