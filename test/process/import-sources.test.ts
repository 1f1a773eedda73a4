/**
 * What imports create from each kind of source: sitemaps, archives, directories; and from sources
 * that could not be read completely.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expectSound } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { zip } from "../helpers/office";
import {
  counts,
  ended,
  file,
  importOf,
  page,
  problems,
  startWebsite,
  type SiteContent,
  type Website,
} from "../helpers/website";

let server: TestServer;
let site: Website;
let ada: Person;
const shelf = realpathSync(mkdtempSync(join(tmpdir(), "dossier-shelf-")));
const outside = realpathSync(mkdtempSync(join(tmpdir(), "dossier-outside-")));

beforeAll(async () => {
  site = await startWebsite();
  server = await startTestServer({
    env: {
      DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8",
      DOSSIER_IMPORTS_DIRECTORIES: shelf,
      DOSSIER_DOCUMENTS_UPLOAD_BYTES_MAX: "1MiB",
    },
  });
  ada = await person(server, "ada");
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  for (const directory of [shelf, outside]) rmSync(directory, { recursive: true, force: true });
});

const importing = (folder_id: string, source: object, more: object = {}) =>
  importOf(ada, { folder_id, source, ...more });
const path = (): string => site.freePath();
const put = (what: SiteContent): string => site.put(what);

describe("sources", () => {
  test("a sitemap index with compressed sitemaps and a broken one", async () => {
    const [a, b] = [put(page("A", "a")), put(page("B", "b"))];
    const packed = put(
      file(
        Bun.gzipSync(`<urlset><url><loc>${site.url}${a}</loc></url></urlset>`),
        "application/octet-stream",
      ),
    );
    const plain = put(
      file(
        `<urlset><url><loc>${b}</loc></url><url><loc>${site.url}${a}</loc></url></urlset>`,
        "text/xml",
      ),
    );
    const [broken, index] = [path(), path()];
    site.set(
      index,
      file(
        `<sitemapindex>${[packed, plain, broken, index].map((at) => `<sitemap><loc>${site.url}${at}</loc></sitemap>`).join("")}</sitemapindex>`,
        "text/xml",
      ),
    );
    const { run, items } = await importing(await ada.folder(), {
      type: "sitemap",
      url: site.url + index,
    });
    expect([run.status, run.error, counts(run)]).toEqual([
      "completed_with_errors",
      null,
      [3, 3, 2, 1, 0],
    ]);
    expect(items.map(({ uri }) => uri).toSorted()).toEqual(
      [a, b, broken].map((at) => site.url + at).toSorted(),
    );
  });

  test("an archive: its files are imported under safe names, its tricks refused", async () => {
    const folder = await ada.folder();
    const archive = put(
      file(
        zip({
          "a.txt": "The otter.",
          "deep/er/b.txt": "The heron.",
          "../../escape.txt": "The carp.",
          "/etc/absolute.txt": "The newt.",
          "c:\\windows\\d.txt": "The toad.",
          "__MACOSX/._a.txt": "no",
          ".hidden": "no",
          "folder/": "",
          "locked.txt": { data: "x", encrypted: true },
          "bomb.txt": { data: "0".repeat(2_000_000) },
          "liar.txt": { data: "0".repeat(300_000), claimed_bytes: 10 },
        }),
        "application/zip",
      ),
    );
    const { run, items } = await importing(folder, { type: "zip", url: site.url + archive });
    expect([run.status, counts(run)]).toEqual(["completed_with_errors", [8, 8, 5, 3, 0]]);
    expect((await ada.names(folder)).toSorted()).toEqual([
      "a.txt",
      "absolute.txt",
      "b.txt",
      "d.txt",
      "escape.txt",
    ]);
    expect(
      items.filter(({ status }) => status === "failed").map(({ error }) => error.message),
    ).toEqual([
      "This file in the archive is protected by a password.",
      "Unpacked, this file in the archive is larger than the limit of 1048576 bytes (1 MiB).",
      "This file in the archive is damaged.",
    ]);
    expect(site.paths().filter((path) => path === archive).length).toBe(1);
    const repeated = await importing(folder, { type: "zip", url: site.url + archive });
    expect(counts(repeated.run)).toEqual([8, 8, 5, 3, 5]);
    await ada.send("POST", `/imports/${run.id}/retry`);
    expect(counts((await ended(ada, run.id)).run)).toEqual([8, 8, 5, 3, 0]);
    await server.settle();
    await expectSound(server);
  });

  test("files that are not an archive or a feed", async () => {
    const at = put(page("No", "archive"));
    for (const type of ["zip", "feed", "sitemap"]) {
      const { run } = await importing(await ada.folder(), { type, url: site.url + at });
      expect([run.status, run.error.message]).toEqual([
        "failed",
        expect.stringMatching(/^This is not a/),
      ]);
    }
  });

  test("a directory that holds the server's data, which is left out", async () => {
    const around = realpathSync(mkdtempSync(join(tmpdir(), "dossier-around-")));
    const data = join(around, "data");
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(join(around, "readme.txt"), "The otter.");
    const inside = await startTestServer({ data, env: { DOSSIER_IMPORTS_DIRECTORIES: around } });
    const client = await person(inside, "ada");
    const folder_id = await client.folder();
    await client.upload(folder_id, "own.txt", "What somebody has uploaded.");
    const { items } = await importOf(client, {
      folder_id,
      source: { type: "directory", path: around },
    });
    expect(items.map(({ uri }: any) => uri)).toEqual([
      pathToFileURL(join(around, "readme.txt")).href,
    ]);
    for (const path of [data, join(data, "files")])
      expect(
        (await client.send("POST", "/imports", { folder_id, source: { type: "directory", path } }))
          .body.errors?.[0]?.pointer,
      ).toBe("/source/path");
    await inside.stop();
    rmSync(around, { recursive: true, force: true });
  });

  test("a directory: its directories become subfolders, links out of it are ignored", async () => {
    const root = join(shelf, "library");
    mkdirSync(join(root, "reports/2025/may"), { recursive: true });
    mkdirSync(join(root, ".git"));
    for (const [name, text] of Object.entries({
      "readme.txt": "The otter.",
      "reports/a.txt": "The heron.",
      "reports/2025/may/b.txt": "The carp.",
      ".git/config": "no",
      ".env": "no",
    }))
      writeFileSync(join(root, name), text);
    writeFileSync(join(outside, "secret.txt"), "The secret.");
    symlinkSync(join(outside, "secret.txt"), join(root, "link.txt"));
    symlinkSync(outside, join(root, "way-out"));
    const folder = await ada.folder("Library");
    const source = { type: "directory", path: root };
    const { run } = await importing(folder, source);
    expect([run.status, counts(run)]).toEqual(["completed", [3, 3, 3, 0, 0]]);
    const folders = (await ada.send("GET", "/folders?per_page=200")).body.data.filter(
      ({ parentId }: any) => parentId === folder,
    );
    expect(folders.map(({ name }: any) => name)).toEqual(["reports"]);
    expect([await ada.names(folder), (await ada.names(folders[0].id)).toSorted()]).toEqual([
      ["readme.txt"],
      ["2025/may/b.txt", "a.txt"],
    ]);
    expect(await ada.found("secret", [folder])).toEqual([]);
    writeFileSync(join(root, "reports/a.txt"), "The heron has moved.");
    const repeated = await importing(folder, source);
    expect(counts(repeated.run)).toEqual([3, 3, 3, 0, 2]);
    const subfolder = await ada.folder("Inner", folder);
    const below = await importing(subfolder, source);
    expect([counts(below.run), (await ada.names(subfolder)).toSorted()]).toEqual([
      [3, 3, 3, 0, 0],
      ["readme.txt", "reports/2025/may/b.txt", "reports/a.txt"],
    ]);
    symlinkSync(root, join(shelf, "alias"));
    expect(
      (
        await ada.send("POST", "/imports", {
          folder_id: folder,
          source: { type: "directory", path: join(shelf, "alias") },
          dry_run: true,
        })
      ).body.total_item_count,
    ).toBe(3);
    symlinkSync(outside, join(shelf, "escape"));
    expect(
      (
        await ada.send("POST", "/imports", {
          folder_id: folder,
          source: { type: "directory", path: join(shelf, "escape") },
        })
      ).status,
    ).toBe(400);
  });
});

describe("unreadable parts of a source", () => {
  test("a failed part of a sitemap is listed by a retry, and never becomes a document", async () => {
    const [index, part] = [path(), path()];
    site.set(
      index,
      file(
        `<sitemapindex><sitemap><loc>${site.url}${part}</loc></sitemap></sitemapindex>`,
        "text/xml",
      ),
    );
    site.set(part, new Response("no", { status: 500 }));
    const folder = await ada.folder();
    const { run, items } = await importing(folder, { type: "sitemap", url: site.url + index });
    expect([run.status, counts(run), problems(items)]).toEqual([
      "failed",
      [1, 1, 0, 1, 0],
      ["unlisted"],
    ]);
    site.set(
      part,
      file(
        `<urlset><url><loc>${site.url}${put(page("Part", "It came later."))}</loc></url></urlset>`,
        "text/xml",
      ),
    );
    const retried = await ada.send("POST", `/imports/${run.id}/retry`);
    expect([retried.status, counts(retried.body)]).toEqual([202, [0, 0, 0, 0, 0]]);
    const finished_run = await ended(ada, run.id);
    expect([finished_run.run.status, counts(finished_run.run), await ada.names(folder)]).toEqual([
      "completed",
      [1, 1, 1, 0, 0],
      ["Part"],
    ]);
  });

  test("an entry without an address fails as before, and nothing is fetched for it", async () => {
    const at = put(
      file("<rss><channel><item><title>Two</title></item></channel></rss>", "application/rss+xml"),
    );
    const folder = await ada.folder();
    const { run } = await importing(folder, { type: "feed", url: site.url + at });
    await ada.send("POST", `/imports/${run.id}/retry`);
    const finished_run = await ended(ada, run.id);
    expect([
      counts(finished_run.run),
      problems(finished_run.items),
      await ada.names(folder),
    ]).toEqual([[1, 1, 0, 1, 0], ["unlisted"], []]);
  });
});
