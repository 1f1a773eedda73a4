/** `/docs`: every page is public, and every link works. */
import { beforeAll, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { pages } from "../../plugins/documentation/pages";
import { DocumentationSite } from "../../plugins/documentation/site";
import { startTestServer, type TestServer } from "../helpers/host";

const root = resolve(import.meta.dir, "../..");
let server: TestServer;
/** Below a path, so that an address that lacks it is noticed. */
const base = "/dossier";
beforeAll(async () => {
  server = await startTestServer({ public_url: `https://nas.example${base}` });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  server.call(null, "GET", `//${path.slice(1)}`, undefined, headers);
const html = async (path: string) => (await get(path)).text();
const linksIn = (page: string): string[] =>
  [...page.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, link]) => link!);
const idsIn = (page: string) => [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);

test("other requests are served while the pages are rendered", async () => {
  let turns = 0;
  let rendering = true;
  const countTurns = (): void => {
    turns++;
    if (rendering) setImmediate(countTurns);
  };
  countTurns();
  await DocumentationSite.open("https://nas.example");
  rendering = false;
  expect(turns).toBeGreaterThanOrEqual(pages.length);
});

test("every page of docs/ is listed and served", async () => {
  const index = await html("/docs");
  const listed = linksIn(index).filter((link) => link.startsWith(`${base}/docs/`));
  for (const file of new Glob("*.md").scanSync({ cwd: join(root, "docs") })) {
    const slug = file === "README.md" ? "" : `/${file.slice(0, -3)}`;
    if (slug !== "") expect(listed).toContain(`${base}/docs${slug}`);
    const answer = await get(`/docs${slug}`);
    expect([file, answer.status]).toEqual([file, 200]);
  }
});

test("every link of every page works", async () => {
  const opened = new Map<string, string>();
  const open = async (path: string): Promise<string> => {
    const known = opened.get(path) ?? (await html(path.slice(base.length)));
    opened.set(path, known);
    return known;
  };
  const broken: string[] = [];
  const seen = new Set<string>();
  const queue = [`${base}/docs`];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    seen.add(path);
    const page = await open(path);
    expect([path, idsIn(page).length]).toEqual([path, new Set(idsIn(page)).size]);
    for (const link of linksIn(page)) {
      const [target = "", id] = link.startsWith("#") ? [path, link.slice(1)] : link.split("#");
      if (!target.startsWith(`${base}/docs`) || /\.css$|\/search$/.test(target)) continue;
      if (!seen.has(target) && !queue.includes(target)) queue.push(target);
      const there = await open(target);
      if (there.includes("There is no such page") || (id && !idsIn(there).includes(id)))
        broken.push(`${path}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
  expect(seen.size).toBeGreaterThan(10);
});

test("a page has no scripts or inline styles, is compressed, and revalidates by ETag", async () => {
  const answer = await get("/docs/api", { "accept-encoding": "gzip" });
  const page = new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(await answer.arrayBuffer())));
  expect(page).not.toMatch(/<script|<style| on\w+=| style=/);
  const policy = answer.headers.get("content-security-policy")!;
  expect(policy).toStartWith("default-src 'none'; style-src 'self'");
  const etag = answer.headers.get("etag")!;
  expect((await get("/docs/api", { "if-none-match": etag })).status).toBe(304);
  expect((await get("/docs/style.css")).headers.get("content-type")).toStartWith("text/css");
  expect(page).toContain('<h2 id="trying-again">');
  expect(page).not.toContain("&lt;!--");
});

const searches: [why: string, query: string, finds: RegExp][] = [
  ["a heading first", "webhooks", /<ol class="hits"><li><a href="[^"]*#webhooks">API › Webhooks/],
  ["all words", "cron schedule", /docs\/api#imports/],
  ["no match", "zyzzyva", /Nothing has all of these words: zyzzyva/],
  ["no words", "  ", /Type a word above/],
  ["markup is escaped", '<img src=x>"', /value="&lt;img src=x&gt;&quot;"/],
];
test.each(searches)("the search: %s", async (_why, query, finds) => {
  const page = await html(`/docs/search?q=${encodeURIComponent(query)}`);
  expect(page).toMatch(finds);
  expect(page).not.toContain("<img");
});

test("an unknown page says so, and the sitemap lists the existing ones", async () => {
  const missing = await get("/docs/nothing");
  expect([missing.status, await missing.text()]).toEqual([
    404,
    expect.stringContaining("There is no such page"),
  ]);
  expect(await html("/docs/sitemap.xml")).toContain("<loc>https://nas.example/dossier/docs/start<");
});
