/**
 * Import runs over HTTP, on pages of a test site: which documents they create, skip and replace,
 * how runs fail, are cancelled and retried, and what the counters say.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin, fill, t } from "../../core/sdk";
import { ImportSources, SourceFailure, type ImportSource } from "../../plugins/imports/contract";
import { Prune } from "../../plugins/imports/jobs";
import * as store from "../../plugins/imports/store";
import { importRefusalCases } from "../cases/import-refusals";
import { filesOf } from "../helpers/data-directory";
import { placesWith } from "../helpers/databases";
import { expectSound, scriptedExtractor } from "../helpers/documents";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { webhookListener } from "../helpers/receiver";
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
const scripted = scriptedExtractor();
/** The webhook events that would be delivered. */
const { plugin: listener, events } = webhookListener();
/** A source from a plugin, with a fault. */
const tries = new Map<string, number>();
const odd: ImportSource<{ readonly uris: readonly string[] }> = {
  type: "odd",
  description: "Odd.",
  schema: t.Object({ uris: t.Array(t.String()) }),
  async *items({ uris }) {
    for (const uri of uris) yield { uri };
  },
  async read({ uri }) {
    tries.set(uri, (tries.get(uri) ?? 0) + 1);
    if (uri.endsWith("bad")) throw new TypeError("undefined is not a function");
    if (uri.startsWith("left:")) await removeOdd();
    if (uri.startsWith("late:") && tries.get(uri) === 1) throw new SourceFailure("Not yet.");
    return { name: uri, media_type: null, bytes: new Blob(["The otter."]).stream() as never };
  },
};
/** From now on its runs are of a plugin that is no longer there. */
const removeOdd = async (): Promise<never> => {
  await server.store.db
    .updateTable("imports_runs")
    .set({ source: '{"type":"left"}' })
    .where("source", "like", "%left:%")
    .execute();
  throw new TypeError("undefined is not a function");
};
const many: ImportSource<{ readonly count: number }> = {
  type: "many",
  description: "Many.",
  schema: t.Object({ count: t.Integer() }),
  async *items({ count }) {
    for (let i = 0; i < count; i++) yield { uri: `many:${i}`, error: "No." };
  },
};
const oddities = definePlugin({
  name: "oddities",
  version: "1.0.0",
  setup: () => ({ fills: [fill(ImportSources, odd), fill(ImportSources, many)] }),
});
const shelf = realpathSync(mkdtempSync(join(tmpdir(), "dossier-shelf-")));

beforeAll(async () => {
  site = await startWebsite();
  server = await startTestServer({
    plugins: [scripted.plugin, listener, oddities],
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
  rmSync(shelf, { recursive: true, force: true });
});

const urls = (...paths: string[]) => ({
  type: "urls",
  urls: paths.map((path) => (path.startsWith("/") ? site.url + path : path)),
});
const importing = (folder_id: string, source: object, more: object = {}) =>
  importOf(ada, { folder_id, source, ...more });
const heldFile = (key: string) => file(`#!wait ${key}\nHeld back.`, "text/plain");
const path = (): string => site.freePath();
const put = (what: SiteContent): string => site.put(what);

describe("a run", () => {
  test("makes a document of each page, sends one webhook, and records the outcome", async () => {
    const folder = await ada.folder();
    const [otters, missing] = [put(page("Otters", "The otter sleeps in the reeds.")), path()];
    const source = urls(otters, missing);
    const begun = await ada.send("POST", "/imports", { folder_id: folder, source });
    expect([begun.status, begun.headers.get("location"), begun.headers.get("retry-after")]).toEqual(
      [202, `/api/dev/v1/imports/${begun.body.id}`, "1"],
    );
    expect(begun.body).toMatchObject({
      status: "pending",
      folder_id: folder,
      source,
      schedule_id: null,
      error: null,
      started_at: null,
      finished_at: null,
      overwrite: false,
    });
    expect(begun.body.id).toMatch(/^imp_[0-9A-HJKMNP-TV-Z]{26}$/);
    const { run, items } = await ended(ada, begun.body.id);
    expect([run.status, counts(run)]).toEqual(["completed_with_errors", [2, 2, 1, 1, 0]]);
    expect([run.created_at, run.started_at, run.finished_at].toSorted()).toEqual([
      run.created_at,
      run.started_at,
      run.finished_at,
    ]);
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^itm_/),
        uri: site.url + otters,
        status: "succeeded",
        document_id: expect.stringMatching(/^doc_/),
        error: null,
      },
      {
        id: expect.stringMatching(/^itm_/),
        uri: site.url + missing,
        status: "failed",
        document_id: null,
        error: { code: "http_status", message: `${site.host} responded with 404 Not Found.` },
      },
    ]);
    const document = await ada.get(items[0].document_id);
    expect(document).toMatchObject({
      name: "Otters",
      status: "synced",
      media_type: "text/html",
      folder_ids: [folder],
      content: "# Otters\n\nThe otter sleeps in the reeds.",
      source: { kind: "import", uri: site.url + otters, run_id: run.id },
    });
    expect((await ada.send("GET", `/documents/${document.id}/file`)).text).toBe(
      page("Otters", "The otter sleeps in the reeds."),
    );
    expect(await ada.found("otter", [folder])).toEqual([document.id]);
    await server.settle();
    expect(events.filter(({ body }) => body.import_run_id === run.id)).toEqual([
      {
        owner_id: "usr_ada",
        event_type: "import.finished",
        body: {
          event: "import.finished",
          import_run_id: run.id,
          status: "completed_with_errors",
          completed_item_count: 2,
          succeeded_item_count: 1,
          failed_item_count: 1,
        },
      },
    ]);
  });

  test("imported again skips unchanged pages and makes new versions of changed ones", async () => {
    const folder = await ada.folder();
    const [same, other] = [put(page("Same", "It stays.")), put(page("Other", "It was old."))];
    const first = await importing(folder, urls(same, other));
    site.set(same, page("Same", "It stays.", "<meta name='generated' content='today'>"));
    site.set(other, page("Other", "It is new."));
    const repeated = await importing(folder, urls(same, other));
    expect([repeated.run.status, counts(repeated.run)]).toEqual(["completed", [2, 2, 2, 0, 1]]);
    expect(repeated.items.map(({ status, document_id }) => [status, document_id])).toEqual([
      ["skipped", first.items[0].document_id],
      ["succeeded", first.items[1].document_id],
    ]);
    expect(
      (await Promise.all(repeated.items.map(({ document_id }) => ada.get(document_id)))).map(
        ({ version, content }) => [version, content],
      ),
    ).toEqual([
      [1, "# Same\n\nIt stays."],
      [2, "# Other\n\nIt is new."],
    ]);
    expect((await ada.names(folder)).length).toBe(2);
    const forced = await importing(folder, urls(same), { overwrite: true });
    expect([counts(forced.run), (await ada.get(forced.items[0].document_id)).version]).toEqual([
      [1, 1, 1, 0, 0],
      2,
    ]);
    await expectSound(server);
  });

  const ends: [reason: string, paths: () => string[], status: string, counted: number[]][] = [
    ["no items", () => [], "completed", [0, 0, 0, 0, 0]],
    ["none failed", () => [put(page("A", "a"))], "completed", [1, 1, 1, 0, 0]],
    ["all failed", () => [path(), path()], "failed", [2, 2, 0, 2, 0]],
    [
      "an address given twice counts once",
      () => {
        const at = put(page("A", "a"));
        return [at, at];
      },
      "completed",
      [1, 1, 1, 0, 0],
    ],
    [
      "invalid addresses",
      () => ["nonsense", "", "ftp://a.test/", "http://localhost/", "http://user:word@a.test/"],
      "failed",
      [5, 5, 0, 5, 0],
    ],
    ["an address that is too long", () => [`/${"x".repeat(5_000)}`], "failed", [1, 1, 0, 1, 0]],
  ];
  test.each(ends)("ends: %s", async (_reason, paths, status, counted) => {
    const { run } = await importing(await ada.folder(), urls(...paths()));
    expect([run.status, counts(run)]).toEqual([status, counted]);
    await server.settle();
    expect(
      events.filter(({ body }) => body.import_run_id === run.id).map(({ body }) => body.status),
    ).toEqual([status]);
  });

  test("counts an item as succeeded or failed once its document is indexed", async () => {
    const folder = await ada.folder();
    const paths = [
      heldFile("indexed"),
      file("#!fail encrypted\n", "text/plain"),
      file("", "text/plain"),
    ].map(put);
    const {
      body: { id },
    } = await ada.send("POST", "/imports", { folder_id: folder, source: urls(...paths) });
    await until(async () => (await ada.send("GET", `/imports/${id}`)).body.failed_item_count === 2);
    expect((await ada.send("GET", `/imports/${id}`)).body).toMatchObject({
      status: "running",
      completed_item_count: 2,
      finished_at: null,
    });
    expect((await ada.send("GET", `/imports/${id}/items?status=pending`)).body.data).toMatchObject([
      { uri: site.url + paths[0], document_id: expect.stringMatching(/^doc_/) },
    ]);
    scripted.open("indexed");
    const { run, items } = await ended(ada, id);
    expect([run.status, items.map(({ error }) => error?.code)]).toEqual([
      "completed_with_errors",
      [undefined, "encrypted", "empty"],
    ]);
  });

  test("detects file types by content, and names files by header or address", async () => {
    const folder = await ada.folder();
    site.set(
      "/files/notes%20of%20may.txt",
      file("The walrus was seen.", "application/octet-stream"),
    );
    site.set(
      "/files/get?id=7",
      file("a;b\n1;2\n", "text/csv", {
        "content-disposition": `attachment; filename="x"; filename*=UTF-8''m%C3%B6wen.csv`,
      }),
    );
    site.set("/files/lies", file(page("Lies", "Declared as a picture."), "image/png"));
    site.set("/files/page.html", file("%PDF-1.7 but it is not", "text/html"));
    const { items } = await importing(
      folder,
      urls("/files/notes%20of%20may.txt", "/files/get?id=7", "/files/lies", "/files/page.html"),
    );
    expect(
      await Promise.all(
        items.slice(0, 3).map(async ({ document_id }) => (await ada.get(document_id)).name),
      ),
    ).toEqual(["notes of may.txt", "möwen.csv", "Lies"]);
    expect(items[3]).toMatchObject({ status: "failed" });
  });

  test("uses a page's canonical address as its source only if on the same host", async () => {
    const folder = await ada.folder();
    const canonical = (href: string) => `<link rel="canonical" href="${href}">`;
    const page_url = put(page("Own", "One.", canonical("/canonical-own#top")));
    const foreign = put(page("Foreign", "Two.", canonical("https://victim.test/page")));
    const { items } = await importing(folder, urls(page_url, foreign));
    const uris = await Promise.all(
      items.map(async ({ document_id }) => (await ada.get(document_id)).source.uri),
    );
    expect(uris).toEqual([`${site.url}/canonical-own`, site.url + foreign]);
    const twice = await importing(
      folder,
      urls(`${page_url}?utm=1`.replace("?utm=1", ""), page_url),
    );
    expect(counts(twice.run)).toEqual([1, 1, 1, 0, 1]);
  });

  test("keeps pages with one canonical address apart, and merges redirects", async () => {
    const folder = await ada.folder();
    const broken = ["One.", "Two."].map((text) =>
      put(page(text, text, `<link rel="canonical" href="/same-for-all">`)),
    );
    const apart = await importing(folder, urls(...broken));
    expect(new Set(apart.items.map(({ document_id }) => document_id)).size).toBe(2);
    const target = put(page("Target", "The end of both ways."));
    const ways = [
      put(new Response(null, { status: 301, headers: { location: target } })),
      put(new Response(null, { status: 302, headers: { location: site.url + target } })),
    ];
    const { run, items } = await importing(folder, urls(...ways));
    expect([
      counts(run),
      new Set(items.map(({ document_id }) => document_id)).size,
      items.map(({ status }) => status).toSorted(),
    ]).toEqual([[2, 2, 2, 0, 1], 1, ["skipped", "succeeded"]]);
    expect((await ada.get(items[0].document_id)).source.uri).toBe(site.url + target);
  });
});

describe("refused", () => importRefusalCases(startTestServer));

describe("reading runs", () => {
  test("lists are paged, newest first, of the caller only; items can be filtered", async () => {
    const ben = await person(server, "ben");
    const folder = await ben.folder();
    const first = await importOf(ben, {
      folder_id: folder,
      source: urls(put(page("A", "a")), path()),
    });
    const second = await importOf(ben, { folder_id: folder, source: urls() });
    const { body } = await ben.send("GET", "/imports?per_page=1");
    expect([body.data.map(({ id }: any) => id), body.pagination]).toEqual([
      [second.run.id],
      { count: 1, total: 2, per_page: 1, total_pages: 2, next_page: 2, previous_page: null },
    ]);
    expect(
      (await ben.send("GET", `/imports/${first.run.id}/items?status=failed`)).body,
    ).toMatchObject({ data: [{ status: "failed" }], pagination: { total: 1 } });
    for (const path of [`/imports/${first.run.id}`, `/imports/${first.run.id}/items`]) {
      expect([
        (await ada.send("GET", path)).status,
        (await ada.send("GET", path.replace(first.run.id, "imp_none"))).status,
      ]).toEqual([403, 404]);
    }
    for (const verb of ["cancel", "retry"])
      expect([
        (await ada.send("POST", `/imports/${first.run.id}/${verb}`)).status,
        (await ada.send("POST", `/imports/imp_none/${verb}`)).status,
      ]).toEqual([403, 404]);
  });

  test("unknown fields are ignored and not kept", async () => {
    const { run } = await importing(await ada.folder(), { ...urls(), token: "secret" });
    expect(run.source).toEqual(urls());
  });

  test("a dry run shows what would be imported and writes nothing", async () => {
    const folder = await ada.folder();
    const at = put(
      file(
        "<rss><channel><item><title>One</title><link>/one</link></item><item><title>Two</title></item></channel></rss>",
        "application/rss+xml",
      ),
    );
    const before = site.paths().length;
    const { status, body } = await ada.send("POST", "/imports", {
      folder_id: folder,
      source: { type: "feed", url: site.url + at },
      dry_run: true,
    });
    expect([status, body]).toEqual([
      200,
      {
        total_item_count: 2,
        more: false,
        items: [
          { uri: `${site.url}/one`, name: "One", folder: null, error: null },
          {
            uri: `${site.url}${at}#entry-2`,
            name: null,
            folder: null,
            error: "This entry of the feed has no address.",
          },
        ],
      },
    ]);
    expect(site.paths().slice(before)).toEqual([at]);
    expect((await ada.send("GET", `/documents?folder_id=${folder}`)).body.pagination.total).toBe(0);
    const unreadable = await ada.send("POST", "/imports", {
      folder_id: folder,
      source: { type: "feed", url: site.url + path() },
      dry_run: true,
    });
    expect([unreadable.status, unreadable.body]).toEqual([
      200,
      {
        items: [],
        total_item_count: 0,
        more: false,
        error: { code: expect.any(String), message: expect.stringMatching(/\.$/) },
      },
    ]);
    const unfit = await ada.send("POST", "/imports", {
      folder_id: folder,
      source: {
        type: "urls",
        urls: ["no address", "http://intranet/a", site.url, `${site.url}/a#part`],
      },
      dry_run: true,
    });
    expect(unfit.body.items.map(({ error }: any) => error)).toEqual([
      expect.stringContaining("must not contain spaces"),
      expect.stringContaining("intranet is an internal name"),
      null,
      null,
    ]);
    const many = await ada.send("POST", "/imports", {
      folder_id: folder,
      source: urls(...Array.from({ length: 1_001 }, (_, i) => `/x${i}`)),
      dry_run: true,
    });
    expect([many.body.items.length, many.body.more]).toEqual([1_000, true]);
  });
});

describe("cancelling and retrying", () => {
  test("a cancelled run ends at once, keeps finished items, and sends no webhook", async () => {
    const folder = await ada.folder();
    const closed = Promise.withResolvers<void>();
    const [first, endless] = [
      put(page("First", "It is in.")),
      put((_request, response) => {
        response.writeHead(200).write("x");
        response.on("close", () => closed.resolve());
      }),
    ];
    const rest = Array.from({ length: 5 }, () => put(page("Never", "asked for")));
    const {
      body: { id },
    } = await ada.send("POST", "/imports", {
      folder_id: folder,
      source: urls(first, endless, ...rest),
    });
    await until(() => site.paths().includes(endless));
    await until(
      async () => (await ada.send("GET", `/imports/${id}`)).body.succeeded_item_count === 1,
    );
    const cancelled = await ada.send("POST", `/imports/${id}/cancel`);
    expect([
      cancelled.status,
      cancelled.body.status,
      counts(cancelled.body),
      cancelled.body.finished_at,
    ]).toEqual([202, "cancelled", [7, 1, 1, 0, 0], expect.any(String)]);
    await closed.promise;
    const { items } = await ended(ada, id);
    expect(items.map(({ status, error }) => [status, error?.code])).toEqual([
      ["succeeded", undefined],
      ...Array.from({ length: 6 }, () => ["skipped", "cancelled"]),
    ]);
    await server.settle();
    expect(site.paths().filter((path) => rest.includes(path))).toEqual([]);
    expect(await ada.names(folder)).toEqual(["First"]);
    expect(events.filter(({ body }) => body.import_run_id === id)).toEqual([]);
    expect([
      (await ada.send("POST", `/imports/${id}/cancel`)).status,
      (await ada.send("POST", `/imports/${id}/retry`)).status,
    ]).toEqual([409, 409]);
  });

  test("a document being indexed is finished after its run is cancelled", async () => {
    const folder = await ada.folder();
    const {
      body: { id },
    } = await ada.send("POST", "/imports", {
      folder_id: folder,
      source: urls(put(heldFile("late"))),
    });
    await until(
      async () =>
        typeof (await ada.send("GET", `/imports/${id}/items`)).body.data[0]?.document_id ===
        "string",
    );
    const { body } = await ada.send("POST", `/imports/${id}/cancel`);
    scripted.open("late");
    await server.settle();
    const { run, items } = await ended(ada, id);
    expect([run, items[0].status, (await ada.get(items[0].document_id)).status]).toEqual([
      body,
      "skipped",
      "synced",
    ]);
  });

  test("a retry imports only failed items, and sends a webhook at its end", async () => {
    const folder = await ada.folder();
    const [good, bad, worse] = [put(page("Good", "good")), path(), path()];
    const { run } = await importing(folder, urls(good, bad, worse));
    expect(counts(run)).toEqual([3, 3, 1, 2, 0]);
    site.set(bad, page("Better", "better"));
    const before = site.paths().length;
    const retried = await ada.send("POST", `/imports/${run.id}/retry`);
    expect([
      retried.status,
      retried.body.status,
      counts(retried.body),
      retried.body.finished_at,
    ]).toEqual([202, "running", [3, 1, 1, 0, 0], null]);
    const finished_run = await ended(ada, run.id);
    expect([
      finished_run.run.status,
      counts(finished_run.run),
      problems(finished_run.items),
    ]).toEqual(["completed_with_errors", [3, 3, 2, 1, 0], ["http_status"]]);
    expect(site.paths().slice(before)).toEqual([bad, worse]);
    await server.settle();
    expect(events.filter(({ body }) => body.import_run_id === run.id).length).toBe(2);
    site.set(worse, page("Best", "best"));
    await ada.send("POST", `/imports/${run.id}/retry`);
    expect((await ended(ada, run.id)).run).toMatchObject({
      status: "completed",
      succeeded_item_count: 3,
    });
    expect((await ada.send("POST", `/imports/${run.id}/retry`)).status).toBe(409);
  });

  test("a retry covers a document that could not be indexed", async () => {
    const at = put(file("#!fail corrupt\n", "text/plain"));
    const { run, items } = await importing(await ada.folder(), urls(at));
    expect(items[0]).toMatchObject({ status: "failed", error: { code: "corrupt" } });
    await ada.send("POST", `/imports/${run.id}/retry`);
    const finished_run = await ended(ada, run.id);
    expect([
      finished_run.run.status,
      finished_run.items[0].error.code,
      (await ada.get(items[0].document_id)).version,
    ]).toEqual(["failed", "corrupt", 2]);
    await expectSound(server);
  });

  test("a retry covers more failed items than one part, and ends after the last", async () => {
    const uris = Array.from({ length: 120 }, (_, at) => `late:${at}`);
    const { run } = await importing(await ada.folder(), { type: "odd", uris });
    expect(counts(run)).toEqual([120, 120, 0, 120, 0]);
    await ada.send("POST", `/imports/${run.id}/retry`);
    expect(counts((await ended(ada, run.id)).run)).toEqual([120, 120, 120, 0, 0]);
    await server.settle();
    expect(events.filter(({ body }) => body.import_run_id === run.id).length).toBe(2);
  });

  test("all items of a host fail when their source is gone, in parts", async () => {
    const uris = Array.from({ length: 1_200 }, (_, at) => `left:${at}`);
    const { run, items } = await importing(await ada.folder(), { type: "odd", uris });
    expect([run.status, counts(run)]).toEqual(["failed", [1_200, 1_200, 0, 1_200, 0]]);
    expect(items[0].error.message).toBe("The source type left no longer exists.");
    expect(events.filter(({ body }) => body.import_run_id === run.id).length).toBe(1);
  });

  test("thousands of items and jobs of a cancelled run end after it", async () => {
    const hosts = Array.from({ length: 1_200 }, (_, at) => `127.1.${at >> 7}.${at & 127}`);
    const source = { type: "urls", urls: hosts.map((host) => `http://${host}:9/`) };
    const { body } = await ada.send("POST", "/imports", { folder_id: await ada.folder(), source });
    const at = `/imports/${body.id}`;
    await until(async () => (await ada.send("GET", at)).body.total_item_count === 1_200);
    expect((await ada.send("POST", `${at}/cancel`)).body.status).toBe("cancelled");
    await server.settle();
    expect((await ada.send("GET", `${at}/items?status=pending`)).body.data).toEqual([]);
    expect(
      await server.store.db
        .selectFrom("core_jobs")
        .select("id")
        .where("subject", "=", body.id)
        .where("state", "in", ["ready", "running"])
        .execute(),
    ).toEqual([]);
  });

  test("a retry reads a source again that could not be read", async () => {
    const at = path();
    const { run } = await importing(await ada.folder(), { type: "sitemap", url: site.url + at });
    expect([run.status, run.error, counts(run)]).toEqual([
      "failed",
      { code: "http_status", message: `${site.host} responded with 404 Not Found.` },
      [0, 0, 0, 0, 0],
    ]);
    site.set(
      at,
      file(`<urlset><url><loc>${put(page("A", "a"))}</loc></url></urlset>`, "application/xml"),
    );
    await ada.send("POST", `/imports/${run.id}/retry`);
    expect((await ended(ada, run.id)).run).toMatchObject({
      status: "completed",
      error: null,
      succeeded_item_count: 1,
    });
  });
});

describe("changes during a run, and failures", () => {
  test("a run that has ended is not started again", async () => {
    const { run } = await importing(await ada.folder(), urls(path()));
    expect([
      await store.startRun(server.store.db as never, run.id, 1),
      (await ada.send("GET", `/imports/${run.id}`)).body,
    ]).toEqual([undefined, run]);
  });

  test("deleting the folder ends its run as failed", async () => {
    const folder = await ada.folder();
    const endless = put((_request, response) => void response.writeHead(200).write("x"));
    const {
      body: { id },
    } = await ada.send("POST", "/imports", {
      folder_id: folder,
      source: urls(put(heldFile("folder")), endless),
    });
    await until(() => site.paths().includes(endless));
    await ada.send("DELETE", `/folders/${folder}`);
    scripted.open("folder");
    const { run, items } = await ended(ada, id);
    expect([run.status, run.error.code, counts(run)]).toEqual([
      "failed",
      "folder_deleted",
      [2, 2, 0, 2, 0],
    ]);
    expect([items, run.source]).toEqual([[], { type: "urls" }]);
    expect((await ada.send("POST", `/imports/${id}/retry`)).status).toBe(404);
    await server.settle();
    await expectSound(server);
  });

  test("names and addresses of imported items are deleted with the folder", async () => {
    const folder = await ada.folder();
    site.set(
      "/zqaddressxq",
      file(
        `<rss><channel><item><title>A zqtitlexq</title><link>${put(page("Page", "The otter."))}</link></item></channel></rss>`,
        "application/rss+xml",
      ),
    );
    const { run } = await importing(folder, { type: "feed", url: `${site.url}/zqaddressxq` });
    await server.send(
      "ada",
      "POST",
      `/imports/files?folder_id=${folder}`,
      (() => {
        const form = new FormData();
        form.append("files", new Blob(["The heron."]), "zqfilexq.txt");
        return form;
      })(),
    );
    await server.settle();
    const left = async () => {
      const words = ["zqtitlexq", "zqaddressxq", "zqfilexq"];
      const places = await Promise.all(words.map((word) => placesWith(server.data, word)));
      return places.filter((place) => place.length > 0);
    };
    expect((await left()).length).toBe(3);
    await ada.send("DELETE", `/folders/${folder}`);
    await until(async () => (await left()).length === 0);
    expect((await ada.send("GET", `/imports/${run.id}`)).body).toEqual({
      ...run,
      source: { type: "feed" },
    });
  });

  test("items over a quota fail", async () => {
    const small = await startTestServer({
      env: { DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8", DOSSIER_QUOTAS_DOCUMENTS: "1" },
    });
    const client = await person(small, "ada");
    const { run, items } = await importOf(client, {
      folder_id: await client.folder(),
      source: urls(put(page("A", "a")), put(page("B", "b"))),
    });
    expect([run.status, problems(items)]).toEqual(["completed_with_errors", ["quota_exceeded"]]);
    await small.settle();
    await expectSound(small);
    await small.stop();
  });

  test("an unexpected error fails an item after three tries, and blocks no other", async () => {
    const [bad, good] = ["bad", "good"].map((name) => `odd:${name}`);
    const { run, items } = await importing(await ada.folder(), { type: "odd", uris: [bad, good] });
    expect([
      run.status,
      items.map(({ status, error }) => error?.code ?? status),
      tries.get(bad!),
    ]).toEqual(["completed_with_errors", ["internal_error", "succeeded"], 3]);
  }, 60_000);

  test("a source with too many items fails, and the error states the limit", async () => {
    const { run } = await importing(await ada.folder(), { type: "many", count: 50_001 });
    expect([run.status, run.error, counts(run)]).toEqual([
      "failed",
      {
        code: "unreadable",
        message: "The source has more items than the limit of 50000 per import.",
      },
      [50_000, 50_000, 0, 50_000, 0],
    ]);
  }, 120_000);

  test("an old run is deleted with its items", async () => {
    const { run } = await importing(await ada.folder(), urls(path()));
    const { db } = server.store;
    await db.updateTable("imports_runs").set({ finished_at: 1 }).where("id", "=", run.id).execute();
    const { id, ...item } = await db
      .selectFrom("imports_items")
      .selectAll()
      .where("run_id", "=", run.id)
      .executeTakeFirstOrThrow();
    const more = Array.from({ length: 500 }, (_, at) => ({
      ...item,
      id: `${id}${at}`,
      uri: `${item["uri"]}${at}`,
      source_uri: null,
    }));
    await db.insertInto("imports_items").values(more).execute();
    await server.host.queue.enqueue(db, Prune, {});
    await server.settle();
    expect((await ada.send("GET", `/imports/${run.id}`)).status).toBe(404);
    expect(
      await db.selectFrom("imports_items").selectAll().where("run_id", "=", run.id).execute(),
    ).toEqual([]);
  });

  test("no fetched file is left behind", async () => {
    await server.settle();
    expect(filesOf(server.data).filter((name) => name.startsWith("tmp/"))).toEqual([]);
    await expectSound(server);
  });
});
