/** How many imports a user may run at a time, and how much of a source is kept and shown. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../helpers/host";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { importOf, startWebsite, type Website } from "../helpers/website";

let server: TestServer;
let site: Website;
let ada: Person;
beforeAll(async () => {
  site = await startWebsite();
  server = await startTestServer({ env: { DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.0/8" } });
  ada = await person(server, "ada");
});
afterAll(() => site[Symbol.asyncDispose]());
const urls = (...list: string[]) => ({ type: "urls", urls: list });

test("a long list of addresses is cut in lists, and shown in full for a single run", async () => {
  const ben = await person(server, "ben");
  const folder_id = await ben.folder();
  const addresses = Array.from(
    { length: 1_000 },
    (_, i) => `ftp://a.test/${i}/\\"${"x".repeat(20)}`,
  );
  for (const source of [
    { type: "urls", urls: addresses },
    { type: "urls", urls: [`ftp://a.test/${"x".repeat(20_000)}`] },
    { type: "feed", url: `ftp://a.test/${"x".repeat(20_000)}` },
  ]) {
    const { run } = await importOf(ben, { folder_id, source });
    expect(run.source).toEqual(source);
    expect(
      (await ben.send("POST", "/import-schedules", { folder_id, source, every: "0 0 1 1 *" })).body
        .source,
    ).toEqual(source);
  }
  for (const at of ["/imports", "/import-schedules"]) {
    const [feed, long, many] = (await ben.send("GET", `${at}?per_page=3`)).body.data.map(
      ({ source }: any) => source,
    );
    expect([feed, long]).toEqual([{ type: "feed" }, { type: "urls" }]);
    expect([many.urls.length > 100, many.urls]).toEqual([
      true,
      addresses.slice(0, many.urls.length),
    ]);
  }
});

test("a source that is too long to keep is refused", async () => {
  const source = urls(
    ...Array.from({ length: 900 }, (_, i) => `https://a.test/${i}/${"x".repeat(1_110)}`),
  );
  for (const at of ["/imports", "/import-schedules"]) {
    const { status, body } = await ada.send("POST", at, {
      folder_id: await ada.folder(),
      source,
      every: "0 0 1 1 *",
    });
    expect([status, body.errors?.[0]]).toEqual([
      400,
      {
        pointer: "/source",
        detail: "The source may have at most 1,000,000 characters. Import it in several parts.",
      },
    ]);
  }
});

test("a user may have two dry runs at a time", async () => {
  const silent = "/silent";
  site.set(silent, () => undefined);
  const client = new AbortController();
  const folder_id = await ada.folder();
  const look = (who: Person) =>
    who.send("POST", "/imports", {
      folder_id,
      source: { type: "feed", url: site.url + silent },
      dry_run: true,
    });
  const key = await server.key("ada");
  const looking = [1, 2].map(() =>
    server.fetch(
      new Request("http://dossier.test/api/dev/v1/imports", {
        method: "POST",
        signal: client.signal,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          folder_id,
          source: { type: "feed", url: site.url + silent },
          dry_run: true,
        }),
      }),
    ),
  );
  await until(() => site.paths().filter((path) => path === silent).length === 2);
  expect((await look(ada)).status).toBe(503);
  const ben = await person(server, "ben");
  expect(
    (
      await ben.send("POST", "/imports", {
        folder_id: await ben.folder(),
        source: urls(`${site.url}/a`),
        dry_run: true,
      })
    ).status,
  ).toBe(200);
  client.abort();
  await Promise.all(looking);
  expect(
    (
      await ada.send("POST", "/imports", {
        folder_id,
        source: urls(`${site.url}/a`),
        dry_run: true,
      })
    ).status,
  ).toBe(200);
});

test("a retry counts toward the limit of running imports", async () => {
  const cleo = await person(server, "cleo");
  const folder_id = await cleo.folder();
  const { run } = await importOf(cleo, { folder_id, source: urls("ftp://a.test/") });
  for (let n = 0; n < 100; n++) await cleo.send("POST", "/imports", { folder_id, source: urls() });
  await server.settle();
  await server.store.db
    .updateTable("imports_runs")
    .set({ finished_at: null })
    .where("owner_id", "=", "usr_cleo")
    .where("id", "!=", run.id)
    .execute();
  const { status, body } = await cleo.send("POST", `/imports/${run.id}/retry`);
  expect([status, body.code]).toEqual([403, "quota_exceeded"]);
});

test("a large body whose handling takes long doesn't block other users' bodies", async () => {
  site.set("/held", () => undefined);
  const client = new AbortController();
  const body = JSON.stringify({
    folder_id: await ada.folder(),
    source: { type: "feed", url: `${site.url}/held` },
    dry_run: true,
    unknown: "x".repeat(2 ** 19),
  });
  const headers = {
    authorization: `Bearer ${await server.key("ada")}`,
    "content-type": "application/json",
  };
  const looking = server.fetch(
    new Request("http://dossier.test/api/dev/v1/imports", {
      method: "POST",
      signal: client.signal,
      headers,
      body,
    }),
  );
  await until(() => site.paths().includes("/held"));
  expect(
    (
      await server.send("dan", "POST", "/prompts", {
        name: "Reports",
        text: "In short.",
        unknown: "x".repeat(2 ** 19),
      })
    ).status,
  ).toBe(201);
  client.abort();
  expect((await looking).status).not.toBe(200);
});

test("an endless title is cut to the longest name of a document", async () => {
  site.set(
    "/endless",
    new Response(
      `<rss><channel><item><title>${"Endless ".repeat(10_000)}</title><link>/page</link></item></channel></rss>`,
      { headers: { "content-type": "application/rss+xml" } },
    ),
  );
  site.set("/page", new Response("The otter.", { headers: { "content-type": "text/plain" } }));
  const file_limits = {
    folder_id: await ada.folder(),
    source: { type: "feed", url: `${site.url}/endless` },
  };
  expect(
    (await ada.send("POST", "/imports", { ...file_limits, dry_run: true })).body.items[0].name
      .length,
  ).toBe(1_000);
  const { items } = await importOf(ada, file_limits);
  expect((await ada.get(items[0].document_id)).name).toBe("Endless ".repeat(32).slice(0, 255));
});

test("a deactivated user's run is cancelled at its next step", async () => {
  const fay = await person(server, "fay");
  site.set("/later", new Response("no", { status: 503, headers: { "retry-after": "1" } }));
  const {
    body: { id },
  } = await fay.send("POST", "/imports", {
    folder_id: await fay.folder(),
    source: urls(`${site.url}/later`, `${site.url}/never`),
  });
  await until(() => site.paths().includes("/later"));
  await server.accounts.setUserActive("usr_fay", false);
  const run = () =>
    server.store.db
      .selectFrom("imports_runs")
      .select("status")
      .where("id", "=", id)
      .executeTakeFirst();
  await until(async () => (await run())!.status === "cancelled");
  expect(site.paths()).not.toContain("/never");
});
