/**
 * The built console: one small page without inline code, all the files it refers to, and the pure
 * parts that decide what is shown.
 */
import { describe, expect, test } from "bun:test";
import { assets, index_html as template } from "../../plugins/console/assets.gen";
import { deviceOf } from "../../plugins/console/web/pages/account/user-agent";
import { matching, pathOf, subtreeOf, treeOf } from "../../plugins/console/web/pages/folders/tree";
import type { Folder } from "../../plugins/console/web/api/types";

/** As served when the server has no base path. */
const index_html = template.replaceAll("{{base}}", "");

const first_load_max = 150 * 1024;
const names = (text: string): string[] =>
  [...text.matchAll(/["'(](\/console\/assets\/[^"')]+)/g)].map(([, path]) => path!);

/** As the browser receives it, and its text. */
async function read(path: string): Promise<{ packed: number; text: string }> {
  const { file, gzip } = assets[path]!;
  const bytes = await Bun.file(file).bytes();
  return {
    packed: bytes.length,
    text: new TextDecoder().decode(gzip ? Bun.gunzipSync(bytes) : bytes),
  };
}

/**
 * Everything that is fetched before the first page can be shown: what the page names, and what its
 * scripts import at once.
 */
async function firstLoad(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const waiting = names(index_html);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    if (!path.endsWith(".js")) continue;
    for (const [, imported] of (await read(path)).text.matchAll(
      /(?:from|import)"(?:\.|\/console\/assets)\/([^"]+)"/g,
    ))
      waiting.push(`/console/assets/${imported}`);
  }
  return found;
}

test("the first load is small", async () => {
  const paths = [...(await firstLoad())];
  expect(paths.length).toBeGreaterThan(4);
  const sizes = await Promise.all(paths.map(async (path) => (await read(path)).packed));
  expect(
    sizes.reduce(
      (sum, size) => sum + size,
      Bun.gzipSync(new TextEncoder().encode(index_html)).length,
    ),
  ).toBeLessThan(first_load_max);
});

test("the page loads only its own files and has no inline code or styles", () => {
  expect(
    index_html.match(
      /<script(?![^>]*\ssrc="\/console\/assets\/)|<style|\sstyle=|\son\w+=|https?:/g,
    ),
  ).toBeNull();
  expect(names(index_html).filter((path) => !assets[path])).toEqual([]);
});

test("every file that a script or a style sheet refers to exists", async () => {
  const texts = Object.keys(assets).filter((path) =>
    /^\/console\/assets\/[^/]+\.(js|css)$/.test(path),
  );
  expect(texts.length).toBeGreaterThan(10);
  const missing = await Promise.all(
    texts.map(async (path) =>
      names((await read(path)).text).filter(
        (named) => /-[a-z0-9]{8,}\.\w+$/.test(named) && !assets[named],
      ),
    ),
  );
  expect(missing.flat()).toEqual([]);
});

test("the style sheet is valid for browsers, and its font is a file", async () => {
  const { text } = await read(names(index_html).find((path) => path.endsWith(".css"))!);
  expect(text).toContain("light-dark(");
  // A theme changes only colours.
  expect(text).not.toContain("prefers-color-scheme");
  expect(text.match(/\[data-theme[^{]*\{[^}]*\}/g)).toEqual([
    expect.stringMatching(/\{\s*color-scheme: light;\s*\}/),
    expect.stringMatching(/\{\s*color-scheme: dark;\s*\}/),
  ]);
  expect(text).not.toContain("data:font");
  expect(text).not.toContain("--buncss");
});

const folder = (id: string, parentId: string | null, document_count = 0): Folder => ({
  id,
  name: `Folder ${id}`,
  description: null,
  parentId,
  document_count,
  status_counts: { syncing: 0, synced: document_count, sync_failed: 0 },
  vectors_pending: 0,
  created_at: "2026-03-01T09:30:00.000Z",
  updated_at: "2026-03-01T09:30:00.000Z",
});
const folders = [folder("a", null, 2), folder("a1", "a", 3), folder("b", null), folder("a2", "a")];
const shape = (tree: ReturnType<typeof treeOf>) =>
  tree.map(({ folder: { id }, subfolders }) => [id, ...subfolders.map((sub) => sub.id)]);

describe("filtering the folder tree:", () => {
  const cases: [reason: string, query: string, shown: string[][]][] = [
    ["without a query, all folders are shown", "", [["a", "a1", "a2"], ["b"]]],
    ["spaces don't count as a query", "  ", [["a", "a1", "a2"], ["b"]]],
    ["a matching root is shown with its subfolders", "folder a", [["a", "a1", "a2"]]],
    ["a matching subfolder is shown with its root", "A2", [["a", "a2"]]],
    ["no match shows nothing", "zebra", []],
  ];
  for (const [reason, query, shown] of cases)
    test(reason, () => expect(shape(matching(treeOf(folders), query))).toEqual(shown));
  test("the folders deleted along with a folder", () => {
    expect(subtreeOf(folders[0]!, folders)).toMatchObject({
      documents: 5,
      subfolders: [{ id: "a1" }, { id: "a2" }],
    });
    expect(subtreeOf(folders[1]!, folders)).toEqual({ documents: 3, subfolders: [] });
  });
  test("a path begins with the root", () =>
    expect([pathOf(folders[1]!, folders), pathOf(folders[0]!, folders)]).toEqual([
      "Folder a / Folder a1",
      "Folder a",
    ]));
});

describe("the device of a user agent:", () => {
  const cases: [reason: string, user_agent: string | null, said: string | null][] = [
    [
      "Firefox",
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:143.0) Gecko/20100101 Firefox/143.0",
      "Firefox on macOS",
    ],
    [
      "Chrome, which also mentions Safari",
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 " +
        "Safari/537.36",
      "Chrome on Linux",
    ],
    [
      "Edge, which also mentions Chrome",
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
        "Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
      "Edge on Windows",
    ],
    [
      "a phone",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like " +
        "Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    ["a program", "curl/8.11.0", "curl"],
    ["anything else, shortened", `Robot ${"x".repeat(80)}`, `Robot ${"x".repeat(54)}`],
    ["an empty header", "", null],
    ["no header", null, null],
  ];
  for (const [reason, user_agent, message] of cases)
    test(reason, () => expect(deviceOf(user_agent)).toBe(message));
});
