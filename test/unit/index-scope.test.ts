/** What a search covers: the segments of its folders; they are remembered, in bounded memory. */
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

/** Segments of folders, more of which are read together or in pages. */
const range = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + at);
const scopes = [
  ["one small folder", [[3, 1, 2]]],
  ["one folder in several pages", [range(0, 20_000)]],
  ["several small folders that share documents", [[1, 2, 3], [2, 3, 4], [], [9, 1]]],
  ["a large folder among small ones", [[5, 30_000], range(0, 9_000), [8_999, 9_000]]],
  ["more folders than are read together", range(0, 600).map((at) => [at, 599 - at])],
] as const satisfies (readonly [string, readonly (readonly number[])[]])[];
test.each(scopes)("each segment is there once, in order: %s", async (_, folders) => {
  const idsOf = (folder_id: string): number[] => folders[Number(folder_id)]!.toSorted(byNumber);
  const reader = {
    version: () => Promise.resolve(1),
    segmentIds: async (folder_id: string, after: number, limit: number) =>
      Float64Array.from(
        idsOf(folder_id)
          .filter((id) => id > after)
          .slice(0, limit),
      ),
    allSegmentIds: async (folder_ids: readonly string[], limit: number) => {
      const ids = folder_ids.flatMap(idsOf).toReversed();
      return ids.length > limit ? null : Float64Array.from(ids);
    },
  };
  const resolver = new ScopeResolver(
    reader as never,
    { packsOf: () => Promise.resolve([]) } as never,
  );
  const request = { owner_id: "usr_ada", folder_ids: folders.map((_, at) => String(at)) };
  const scope = await resolver.resolve(request, { due: false, pause: () => Promise.resolve() });
  expect([...scope.ids]).toEqual([...new Set(folders.flat())].toSorted(byNumber));
});
const byNumber = (one: number, other: number): number => one - other;
