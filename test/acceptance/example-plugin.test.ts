/**
 * The plugin of examples/activity in the built executable: its table, route, job, event, slot and
 * settings work as its comments describe.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { packExample } from "../helpers/workbench";
import { openBrowser } from "../helpers/browser";
import { queryDatabase, corruptDatabase } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";

const source = resolve(import.meta.dir, "../../examples/activity/plugin.ts");
const start_limit_ms = 120_000;

let dossier: Executable;
let ada: string;
let folder_id: string;

beforeAll(async () => {
  dossier = await startExecutable({
    files: { "plugins/activity.ts": await Bun.file(source).text() },
  });
  ada = await dossier.createUser("ada@example.com");
  folder_id = (await dossier.api("POST", "/folders", { name: "Reports" }, { key: ada })).body.id;
}, start_limit_ms);
afterAll(() => dossier[Symbol.asyncDispose]());

/** Adds a text document of Ada's and waits until its indexing has ended. */
async function settled(name: string, content: string): Promise<string> {
  const { body } = await dossier.api(
    "POST",
    "/documents",
    { folder_id, name, content },
    { key: ada },
  );
  await dossier.until(`/documents/${body.id}`, (answer) => answer.body.status !== "syncing", {
    key: ada,
  });
  return body.id;
}
/** Ada's activity entries for a document, once there are any. */
const activityOf = async (document_id: string) => {
  const answer = await dossier.until(
    "/activity",
    ({ body }) => body.data.some((entry: any) => entry.document_id === document_id),
    { key: ada },
  );
  return answer.body.data.filter((entry: any) => entry.document_id === document_id);
};

describe("the activity plugin", () => {
  test("is loaded, and no plugin was left out", async () => {
    expect((await dossier.api("GET", "/health")).body).toMatchObject({ status: "ok", plugins: [] });
    const list = JSON.parse(await dossier.mustCli(["plugin", "list", "--json"]));
    expect(list.find(({ name }: any) => name === "activity")).toMatchObject({
      version: "1.0.0",
      built_in: false,
      status: "loaded",
    });
  });

  test("lists an indexed document under its name", async () => {
    const document_id = await settled("Minutes", "The committee met on Tuesday and chose a chair.");
    expect(await activityOf(document_id)).toEqual([
      {
        document_id,
        document_name: "Minutes",
        version: 1,
        status: "synced",
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    ]);
  });

  test("lists a document that could not be indexed", async () => {
    const document_id = await settled("Nothing", "");
    expect(await activityOf(document_id)).toMatchObject([
      { document_name: "Nothing", status: "sync_failed" },
    ]);
  });

  test("returns its list in pages, latest first", async () => {
    const { status, body } = await dossier.api("GET", "/activity?per_page=1", undefined, {
      key: ada,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: [{ document_name: "Nothing" }],
      pagination: {
        count: 1,
        total: 2,
        per_page: 1,
        total_pages: 2,
        next_page: 2,
        previous_page: null,
      },
    });
  });

  test("hides other users' activity", async () => {
    const bob = await dossier.createUser("bob@example.com");
    expect((await dossier.api("GET", "/activity", undefined, { key: bob })).body.data).toEqual([]);
  });

  const refused: [reason: string, path: string, key: () => string | null, status: number][] = [
    ["without a key", "/activity", () => null, 401],
    ["with an invalid page number", "/activity?page=first", () => ada, 400],
    ["with page zero", "/activity?page=0", () => ada, 400],
  ];
  for (const [reason, path, key, status] of refused)
    test(`is refused by the host ${reason}`, async () => {
      expect((await dossier.api("GET", path, undefined, { key: key() })).status).toBe(status);
    });

  test("refuses other methods and names the allowed ones", async () => {
    const { status, headers } = await dossier.api("POST", "/activity", {}, { key: ada });
    expect([status, headers.get("allow")]).toEqual([405, expect.stringContaining("GET")]);
  });

  test("is in the OpenAPI document", async () => {
    const { body } = await dossier.api("GET", "/openapi.json", undefined, { key: null });
    expect(Object.values(body.paths).flatMap((path: any) => path.get?.operationId ?? [])).toContain(
      "listActivity",
    );
  });

  test("has a console page whose module is served under the console's policy", async () => {
    const browser = openBrowser(fetch, dossier.url());
    await browser.send("POST", "/session", {
      email: "ada@example.com",
      password: "correct horse battery staple",
    });
    const { status, body } = await browser.send("GET", "/pages");
    expect([status, body]).toEqual([
      200,
      [
        {
          plugin: "activity",
          path: "activity",
          title: "Activity",
          group: "work",
          module: "/console/modules/pages/activity.js",
        },
      ],
    ]);
    const module = await fetch(`${dossier.url()}${body[0].module}`);
    const policy = module.headers.get("content-security-policy");
    expect([
      module.status,
      module.headers.get("content-type"),
      module.headers.get("x-content-type-options"),
      policy,
    ]).toEqual([
      200,
      "text/javascript; charset=utf-8",
      "nosniff",
      expect.stringContaining("trusted-types"),
    ]);
    const text = await module.text();
    expect(new Bun.Transpiler({ loader: "js" }).scan(text)).toMatchObject({
      exports: ["default"],
      imports: [],
    });
    expect(text).not.toContain("innerHTML");
    expect((await browser.send("GET", "/activity")).body.data[0]).toMatchObject({
      document_name: "Nothing",
    });
    expect((await fetch(`${dossier.url()}/console/modules/pages/other.js`)).status).toBe(404);
  });

  test("deletes its entries when a document is purged", async () => {
    const document_id = await settled("Secret", "Nobody should remember this.");
    await activityOf(document_id);
    expect(
      (await dossier.api("DELETE", `/folders/${folder_id}`, undefined, { key: ada })).status,
    ).toBe(204);
    const remembered = async () =>
      (await dossier.api("GET", "/activity", undefined, { key: ada })).body.data;
    while ((await remembered()).length > 0) await Bun.sleep(20);
    expect(await remembered()).toEqual([]);
  });
});

test(
  "its job deletes only entries older than its setting",
  async () => {
    await using kept = await startExecutable({
      files: { "plugins/activity.ts": await Bun.file(source).text() },
      env: { DOSSIER_ACTIVITY_KEEP: "2d" },
    });
    const ids = async () =>
      (await queryDatabase<{ id: string }>(kept.data, "select id from activity order by id")).map(
        ({ id }) => id,
      );
    for (const [id, days] of [
      ["a_today", 0],
      ["b_yesterday", 1],
      ["c_last_week", 7],
    ] as const)
      await corruptDatabase(
        kept.data,
        "insert into activity (id, owner_id, document_id, version, status, at) values (?, " +
          "'usr_a', 'doc_a', 1, 'synced', ?)",
        [id, Date.now() - days * 86_400_000],
      );
    await kept.restart();
    await kept.untilTrue(async () => (await ids()).length < 3);
    expect(await ids()).toEqual(["a_today", "b_yesterday"]);
  },
  start_limit_ms,
);

test(
  "the same plugin packed into one JavaScript file is loaded too",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "dossier-packed-"));
    try {
      await packExample("activity", join(directory, "activity.js"));
      await using packed = await startExecutable({
        files: { "plugins/activity.js": await Bun.file(join(directory, "activity.js")).text() },
      });
      await packed.createUser();
      expect((await packed.api("GET", "/activity")).body).toMatchObject({
        data: [],
        pagination: { total: 0 },
      });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
  start_limit_ms,
);

test(
  "an invalid plugin setting leaves the plugin out and names the setting; the server runs",
  async () => {
    await using strange = await startExecutable({
      files: { "plugins/activity.ts": await Bun.file(source).text() },
      env: { DOSSIER_ACTIVITY_KEEP: "soon" },
    });
    const { body } = await strange.api("GET", "/health");
    expect(body.status).toBe("degraded");
    expect(body.plugins).toEqual([{ name: "activity", reason: expect.stringContaining("keep") }]);
  },
  start_limit_ms,
);
