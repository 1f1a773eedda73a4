/**
 * The plugin of examples/import-source in the built executable: its source is offered, checked,
 * listed and imported like a built-in one.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { resolve } from "node:path";
import { startExecutable, type Executable } from "../helpers/executable";
import { importOf, page, startWebsite, type ImportClient, type Website } from "../helpers/website";

const plugin = resolve(import.meta.dir, "../../examples/import-source/plugin.ts");
const start_limit_ms = 120_000;

let dossier: Executable;
let site: Website;
let folder_id: string;
const client: ImportClient = { send: (method, path, body) => dossier.api(method, path, body) };

beforeAll(async () => {
  site = await startWebsite();
  dossier = await startExecutable({
    files: { "plugins/reading-list.ts": await Bun.file(plugin).text() },
    env: { DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.1" },
  });
  await dossier.createUser();
  folder_id = (await dossier.api("POST", "/folders", { name: "Reading" })).body.id;
  site.set("/otters", page("Otters", "The otter sleeps in the reeds."));
  site.set("/herons", page("Herons", "The heron stands in the water."));
  site.set("/carp.txt", new Response("The carp.", { headers: { "content-type": "text/plain" } }));
  site.set(
    "/links.md",
    new Response(
      `# Animals\n[top](#birds) and [mail](mailto:a@b.test)\n## Birds\n- [Herons](/herons ` +
        `"Birds")\n## Others\n- [Otters](<${site.url}/otters>)\n- ${site.url}/carp.txt\n`,
      { headers: { "content-type": "text/markdown" } },
    ),
  );
}, start_limit_ms);
afterAll(async () => {
  await dossier?.[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});
const source = (more: object = {}) => ({
  type: "reading-list",
  url: `${site.url}/links.md`,
  ...more,
});

test("every link in the text becomes a document", async () => {
  const { run, items } = await importOf(client, { folder_id, source: source() });
  expect([run.status, items.map(({ uri }) => uri)]).toEqual([
    "completed",
    ["/herons", "/otters", "/carp.txt"].map((path) => site.url + path),
  ]);
  const documents = (await dossier.api("GET", `/documents?folder_id=${folder_id}`)).body.data;
  expect(documents.map(({ name }: any) => name).toSorted()).toEqual([
    "Herons",
    "Otters",
    "carp.txt",
  ]);
  expect((await dossier.api("POST", "/search", { query: "heron" })).body.data[0].quote).toContain(
    "The heron stands in the water.",
  );
});

test("a dry run lists only the links of a section", async () => {
  const { body } = await dossier.api("POST", "/imports", {
    folder_id,
    source: source({ section: "birds" }),
    dry_run: true,
  });
  expect(body).toEqual({
    total_item_count: 1,
    more: false,
    items: [{ uri: `${site.url}/herons`, name: "Herons", folder: null, error: null }],
  });
});

test("a failed run reports the plugin's own error message", async () => {
  const { run } = await importOf(client, { folder_id, source: source({ section: "Fish" }) });
  expect([run.status, run.error]).toEqual([
    "failed",
    { code: "unreadable", message: "The text has no heading “Fish”." },
  ]);
});

const refused: [reason: string, source: object, pointer: string][] = [
  ["a missing field", { type: "reading-list" }, "/source/url"],
  [
    "a field of the wrong type",
    { type: "reading-list", url: "https://a.test/", section: 7 },
    "/source/section",
  ],
];
test.each(refused)("refused: %s", async (_reason, source, pointer) => {
  const { status, body } = await dossier.api("POST", "/imports", { folder_id, source: source });
  expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
});

test("an unknown type is refused; the error lists the plugin's type too", async () => {
  const { status, body } = await dossier.api("POST", "/imports", {
    folder_id,
    source: { type: "pigeon" },
  });
  expect([status, body.detail]).toEqual([
    400,
    "The source type must be one of urls, sitemap, feed, zip, directory, reading-list.",
  ]);
});
