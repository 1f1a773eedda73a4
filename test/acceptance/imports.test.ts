/**
 * Acceptance, on the executable: the records of imports, and that no import is lost, duplicated or
 * left hanging when the server is killed.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importRefusalCases } from "../cases/import-refusals";
import { rfc3339 } from "../helpers/contract";
import { corruptDatabase } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";
import { startNameServer, type NameServer } from "../../scripts/lib/name-server";
import { zip } from "../helpers/office";
import {
  ended,
  importOf,
  page,
  startWebsite,
  type ImportClient,
  type SiteContent,
  type Website,
} from "../helpers/website";

let server: Executable;
let site: Website;
let names: NameServer;
let ada: string;
const shelf = realpathSync(mkdtempSync(join(tmpdir(), "dossier-shelf-")));
const client: ImportClient = {
  send: (method, path, body) => server.api(method, path, body, { key: ada }),
};

beforeAll(async () => {
  [site, names] = [await startWebsite(), await startNameServer()];
  server = await startExecutable({
    env: {
      DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.1/32",
      DOSSIER_IMPORTS_DIRECTORIES: shelf,
      DOSSIER_WEBHOOKS_DNS_SERVERS: names.address,
      DOSSIER_SERVER_LOG_LEVEL: "error",
    },
  });
  ada = await server.createUser("ada@example.com");
}, 180_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  names[Symbol.dispose]();
  await site[Symbol.asyncDispose]();
  rmSync(shelf, { recursive: true, force: true });
});

const folder = async (): Promise<string> =>
  (await client.send("POST", "/folders", { name: "Imports" })).body.id;
const documentsOf = async (folder_id: string): Promise<any[]> => {
  const all: any[] = [];
  for (let page: number | null = 1; page !== null;) {
    const { body }: { body: any } = await client.send(
      "GET",
      `/documents?folder_id=${folder_id}&per_page=200&page=${page}`,
    );
    all.push(...body.data);
    page = body.pagination.next_page;
  }
  return all;
};
const time = expect.stringMatching(rfc3339);

describe("records", () => {
  test("a run, its items, a schedule and a dry run have exactly the fields of the contract", async () => {
    site.set("/one", page("One", "The otter sleeps."));
    const folder_id = await folder();
    const source = { type: "urls", urls: [`${site.url}/one`, `${site.url}/none`] };
    const { run, items } = await importOf(client, { folder_id, source });
    expect(run).toEqual({
      id: expect.stringMatching(/^imp_[0-9A-HJKMNP-TV-Z]{26}$/),
      status: "completed_with_errors",
      folder_id,
      source,
      overwrite: false,
      schedule_id: null,
      error: null,
      total_item_count: 2,
      completed_item_count: 2,
      succeeded_item_count: 1,
      failed_item_count: 1,
      skipped_item_count: 0,
      created_at: time,
      started_at: time,
      finished_at: time,
    });
    expect(items).toEqual([
      {
        id: expect.any(String),
        uri: source.urls[0],
        status: "succeeded",
        document_id: expect.stringMatching(/^doc_/),
        error: null,
      },
      {
        id: expect.any(String),
        uri: source.urls[1],
        status: "failed",
        document_id: null,
        error: { code: "http_status", message: expect.any(String) },
      },
    ]);
    const { body: schedule } = await client.send("POST", "/import-schedules", {
      folder_id,
      source,
      every: "0 6 * * *",
    });
    expect(schedule).toEqual({
      id: expect.stringMatching(/^sch_[0-9A-HJKMNP-TV-Z]{26}$/),
      folder_id,
      source,
      every: "0 6 * * *",
      next_run_at: time,
      created_at: time,
    });
    expect((await client.send("GET", "/import-schedules")).body).toEqual({
      data: [schedule],
      pagination: {
        count: 1,
        total: 1,
        per_page: 50,
        total_pages: 1,
        next_page: null,
        previous_page: null,
      },
    });
    expect((await client.send("DELETE", `/import-schedules/${schedule.id}`)).status).toBe(204);
    expect(
      (await client.send("POST", "/imports", { folder_id, source, dry_run: true })).body,
    ).toEqual({
      total_item_count: 2,
      more: false,
      items: source.urls.map((uri) => ({ uri, name: null, folder: null, error: null })),
    });
  });
});

describe("refused", () => importRefusalCases(startExecutable));

describe("every kind of source", () => {
  beforeAll(() => {
    for (const name of ["a", "b"])
      site.set(`/${name}`, page(name.toUpperCase(), `The page ${name}.`));
    site.set(
      "/sitemap.xml",
      new Response(
        Bun.gzipSync(
          `<urlset><url><loc>${site.url}/a</loc></url><url><loc>${site.url}/b</loc></url></urlset>`,
        ),
      ),
    );
    site.set(
      "/rss.xml",
      new Response(`<rss><channel><item><link>${site.url}/a</link></item></channel></rss>`),
    );
    site.set(
      "/atom.xml",
      new Response(`<feed><entry><link href="/a"/></entry><entry><link href="/b"/></entry></feed>`),
    );
    site.set(
      "/files.zip",
      new Response(zip({ "x/a.txt": "The file a.", "../b.txt": "The file b." }) as never),
    );
    writeFileSync(join(shelf, "c.txt"), "The file c.");
  });
  const cases: [reason: string, source: () => object, names: string[]][] = [
    ["URLs", () => ({ type: "urls", urls: [`${site.url}/a`] }), ["A"]],
    ["a gzipped sitemap", () => ({ type: "sitemap", url: `${site.url}/sitemap.xml` }), ["A", "B"]],
    ["RSS", () => ({ type: "feed", url: `${site.url}/rss.xml` }), ["A"]],
    ["Atom", () => ({ type: "feed", url: `${site.url}/atom.xml` }), ["A", "B"]],
    ["an archive", () => ({ type: "zip", url: `${site.url}/files.zip` }), ["a.txt", "b.txt"]],
    ["a directory", () => ({ type: "directory", path: shelf }), ["c.txt"]],
  ];
  test.each(cases)(
    "%s",
    async (_reason, source, names) => {
      const folder_id = await folder();
      const { run } = await importOf(client, { folder_id, source: source() });
      expect([
        run.status,
        (await documentsOf(folder_id)).map(({ name, status }) => [name, status]).toSorted(),
      ]).toEqual(["completed", names.map((name) => [name, "synced"])]);
      const repeated = await importOf(client, { folder_id, source: source() });
      expect([repeated.run.succeeded_item_count, repeated.run.skipped_item_count]).toEqual([
        names.length,
        names.length,
      ]);
    },
    60_000,
  );

  test("the configured name servers are used; private addresses are refused", async () => {
    names.set("site.test", ["127.0.0.1"]);
    names.set("inside.test", ["127.0.0.1", "192.168.0.1"]);
    const port = new URL(site.url).port;
    const { items } = await importOf(client, {
      folder_id: await folder(),
      source: {
        type: "urls",
        urls: [
          `http://site.test:${port}/a`,
          `http://inside.test:${port}/a`,
          "http://169.254.169.254/",
        ],
      },
    });
    expect(items.map(({ status, error }) => error?.code ?? status)).toEqual([
      "succeeded",
      "address_refused",
      "address_refused",
    ]);
  }, 60_000);
});

describe("a killed server", () => {
  const pages = 40;
  /** Answers slowly, so that the server is killed during the import. */
  const slow =
    (name: string): SiteContent =>
    (_request, response) =>
      void setTimeout(
        () =>
          response
            .writeHead(200, { "content-type": "text/html" })
            .end(page(name, `This is ${name} and no other.`)),
        25,
      );

  test("resumes an import where it was: every page once, and every run ends", async () => {
    const folder_id = await folder();
    const urls = Array.from({ length: pages }, (_, i) => `${site.url}/slow/${i}`);
    for (const [i] of urls.entries()) site.set(`/slow/${i}`, slow(`page ${i}`));
    const {
      body: { id },
    } = await client.send("POST", "/imports", { folder_id, source: { type: "urls", urls } });
    for (let kills = 1; kills <= 5; kills++) {
      await server.untilTrue(
        () => site.requests.filter(({ path }) => path.startsWith("/slow/")).length >= kills * 6,
      );
      await server.kill();
      await server.restart();
    }
    const { run, items } = await ended(client, id);
    expect(run).toMatchObject({
      status: "completed",
      total_item_count: pages,
      completed_item_count: pages,
      succeeded_item_count: pages,
      failed_item_count: 0,
      error: null,
    });
    expect(items.every(({ status }) => status === "succeeded")).toBe(true);
    const documents = await documentsOf(folder_id);
    expect(documents.map(({ name }) => name).toSorted()).toEqual(
      urls.map((_, i) => `page ${i}`).toSorted(),
    );
    expect(
      documents.every(
        ({ status, version, source }) =>
          status === "synced" && version === 1 && source.run_id === id,
      ),
    ).toBe(true);
    expect(new Set(items.map(({ document_id }) => document_id))).toEqual(
      new Set(documents.map((document) => document.id)),
    );
  }, 180_000);

  test("reports which uploaded files of an import must be sent again", async () => {
    const folder_id = await folder();
    const body = new FormData();
    body.append("files", new Blob(["The otter."]), "a.txt");
    const {
      body: { id },
    } = await server.api("POST", `/imports/files?folder_id=${folder_id}`, body, { key: ada });
    await ended(client, id);
    await server.stop();
    // The state after a kill between two files.
    await corruptDatabase(
      server.data,
      "update imports_runs set status = 'running', finished_at = null, total = 2 where id = ?",
      [id],
    );
    await corruptDatabase(
      server.data,
      "insert into imports_items (id, run_id, ordinal, uri, host, status, attempts, joined) " +
        "values ('itm_left', ?, 1, 'b.txt', '', 'pending', 0, 0)",
      [id],
    );
    await server.restart();
    const { run, items } = await ended(client, id);
    expect([run.status, items.map(({ uri, error }) => [uri, error?.code])]).toEqual([
      "completed_with_errors",
      [
        ["a.txt", undefined],
        ["b.txt", "interrupted"],
      ],
    ]);
  }, 120_000);

  test("lists an interrupted source again and counts every item once", async () => {
    const folder_id = await folder();
    for (let i = 0; i < 5; i++) site.set(`/part/${i}`, page(`part ${i}`, `This is part ${i}.`));
    let request_count = 0;
    const gate = Promise.withResolvers<void>();
    site.set(
      "/parts.xml",
      new Response(
        `<sitemapindex><sitemap><loc>${site.url}/first.xml</loc></sitemap><sitemap><loc>${site.url}/second.xml</loc></sitemap></sitemapindex>`,
      ),
    );
    const list = (from: number, to: number) =>
      `<urlset>${Array.from({ length: to - from }, (_, i) => `<url><loc>${site.url}/part/${from + i}</loc></url>`).join("")}</urlset>`;
    site.set("/first.xml", new Response(list(0, 3)));
    site.set(
      "/second.xml",
      (_request, response) =>
        void (request_count++ === 0 ? gate.resolve() : response.writeHead(200).end(list(2, 5))),
    );
    const {
      body: { id },
    } = await client.send("POST", "/imports", {
      folder_id,
      source: { type: "sitemap", url: `${site.url}/parts.xml` },
    });
    await gate.promise;
    await server.kill();
    await server.restart();
    const { run } = await ended(client, id);
    expect(run).toMatchObject({
      status: "completed",
      total_item_count: 5,
      succeeded_item_count: 5,
    });
    expect((await documentsOf(folder_id)).length).toBe(5);
  }, 120_000);
});
