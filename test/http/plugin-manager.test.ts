/**
 * Plugins in the console's API: what administrators see of them, what they can change for the next
 * start, and who may change files.
 */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { signedIn, type Browser } from "../helpers/browser";
import { form } from "../helpers/forms";
import { startTestServer, type TestServer } from "../helpers/host";

setDefaultTimeout(60_000);

const plugin = (name: string, version: string, rest = "setup: () => ({})") =>
  `import { definePlugin, Duration, Secret, Size, t } from "dossier"; export default definePlugin({ name: "${name}", version: "${version}", ${rest} });`;
const config = `config: t.Object({
  title: t.String({ description: "Above the notes." }),
  many: t.Integer({ default: 3, minimum: 1, description: "How many." }),
  share: t.Number({ default: 0.5, description: "Of them." }),
  loud: t.Boolean({ default: false, description: "So that all hear." }),
  every: Duration({ default: "30s", description: "How often." }),
  room: Size({ default: "1MiB", description: "At most." }),
  look: t.Union([t.Literal("wide"), t.Literal("narrow")], { default: "wide", description: "Which." }),
  token: t.Optional(Secret({ description: "Of the service." })),
})`;

let closed: TestServer;
let open: TestServer;
let member: Browser;
let watcher: Browser;
let root: Browser;
beforeAll(async () => {
  closed = await startTestServer();
  watcher = await signedIn(closed, "root", { role: "admin" });
  member = await signedIn(closed, "ada");
  open = await startTestServer({ env: { DOSSIER_PLUGINS_INSTALL_IN_CONSOLE: "true" } });
  root = await signedIn(open, "root", { role: "admin" });
});

const files = () => {
  const directory = join(open.data, "plugins");
  return existsSync(directory) ? readdirSync(directory).sort() : [];
};
const add = (browser: Browser, name: string, text: string, query = "") =>
  browser.send("POST", `/plugins${query}`, form(name, text));

test.each([
  ["GET", "/plugins"],
  ["GET", "/plugins/folders"],
  ["POST", "/plugins/folders/disable"],
  ["DELETE", "/plugins/folders"],
])("only administrators get %s %s", async (method, path) => {
  expect((await member.send(method, path)).status).toBe(403);
});

test("no key can reach them, not even an administrator's", async () => {
  const { status } = await closed.send("root", "GET", "/plugins");
  expect(status).toBe(404);
});

test("the list has the built-in plugins, and says that files can't be changed here", async () => {
  const { body } = await watcher.send("GET", "/plugins");
  expect(body.installs).toBe(false);
  expect(body.data.find(({ name }: any) => name === "rate-limit")).toEqual({
    name: "rate-limit",
    version: "1.0.0",
    built_in: true,
    file: null,
    sha256: null,
    status: "loaded",
    reason: null,
    next_start: null,
  });
});

test("one plugin is described by its parts", async () => {
  const { body } = await watcher.send("GET", "/plugins/audit");
  expect(body).toMatchObject({
    section: "audit",
    needs: ["accounts"],
    tables: [{ name: "audit_entries", rows: expect.any(Number) }],
  });
  expect(body.fills).toContain("http.request_observer");
  expect(body.routes.some(({ path }: any) => path.endsWith("/audit"))).toBe(true);
});

describe("refused without any change", () => {
  const cases: [reason: string, call: () => Promise<any>, status: number, code: string][] = [
    [
      "adding a file, unless the server's configuration allows it",
      () => add(watcher, "x.ts", plugin("x", "1.0.0")),
      403,
      "not_allowed",
    ],
    [
      "a removal, unless the server's configuration allows it",
      () => watcher.send("DELETE", "/plugins/audit"),
      403,
      "not_allowed",
    ],
    ["a file that isn't a plugin", () => add(root, "x.ts", "export default 5"), 400, "bad_plugin"],
    [
      "the name of a built-in plugin",
      () => add(root, "x.ts", plugin("audit", "1")),
      409,
      "name_taken",
    ],
    [
      "a file with another hash than given",
      () => add(root, "x.ts", plugin("x", "1.0.0"), `?sha256=${"0".repeat(64)}`),
      400,
      "wrong_sha256",
    ],
    [
      "a truncated hash",
      () => add(root, "x.ts", plugin("x", "1"), "?sha256=12"),
      400,
      "invalid_request",
    ],
    ["removing a built-in plugin", () => root.send("DELETE", "/plugins/audit"), 409, "built_in"],
    ["removing an unknown plugin", () => root.send("DELETE", "/plugins/none"), 404, "not_found"],
    ["reading an unknown plugin", () => root.send("GET", "/plugins/none"), 404, "not_found"],
    [
      "disabling a plugin that others need",
      () => root.send("POST", "/plugins/folders/disable"),
      409,
      "needed",
    ],
    [
      "disabling an unknown plugin",
      () => root.send("POST", "/plugins/none/disable"),
      404,
      "not_found",
    ],
  ];
  test.each(cases)("%s", async (_, call, status, code) => {
    const answer = await call();
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(files()).toEqual([]);
  });
});

test("an added plugin is loaded at the next start, and can be configured before", async () => {
  const added = await add(
    root,
    "any name.ts",
    plugin("notes", "1.0.0", `${config}, setup: () => ({})`),
  );
  expect([added.status, added.body.name]).toEqual([201, "notes"]);
  expect(files()).toEqual(["notes.ts"]);
  const { body } = await root.send("GET", "/plugins/notes");
  expect(body).toMatchObject({
    status: "not_loaded",
    next_start: "added",
    sha256: added.body.sha256,
    section: "notes",
  });
  const settings = (await root.send("GET", "/settings")).body.filter(({ setting }: any) =>
    setting.startsWith("notes."),
  );
  expect(settings.map(({ setting, kind }: any) => `${setting} ${kind}`)).toEqual([
    "notes.title text",
    "notes.many integer",
    "notes.share number",
    "notes.loud boolean",
    "notes.every duration",
    "notes.room size",
    "notes.look choice",
    "notes.token secret",
  ]);
  const { body: document } = await open.send("root", "GET", "/openapi.json");
  expect(Object.keys(document.components.schemas.NewSettings.properties)).toContain("notes.many");
  const wrong = await root.send("PATCH", "/settings", { "notes.many": "0" });
  expect(wrong.body.errors).toEqual([{ pointer: "/notes.many", detail: expect.any(String) }]);
  const changes = { "notes.title": "Mine", "notes.every": "5m", "notes.token": "very secret" };
  const saved = await root.send("PATCH", "/settings", changes);
  expect(saved.body.map(({ stored }: any) => stored)).toEqual(["Mine", "5m", "[secret]"]);
  const audit = (await root.send("GET", "/audit?record=notes")).body.data;
  expect(audit[0]).toMatchObject({ record: "notes", outcome: "done" });
});

test("an update replaces the file only with replace=true", async () => {
  const update = plugin("notes", "2.0.0");
  expect((await add(root, "notes.ts", update)).status).toBe(409);
  expect((await add(root, "notes.js", update, "?replace=true")).status).toBe(201);
  expect(files()).toEqual(["notes.js"]);
  const { body } = await root.send("GET", "/plugins");
  expect(body.data.find(({ name }: any) => name === "notes")).toMatchObject({
    version: "2.0.0",
    next_start: "added",
  });
});

test("disabling a plugin is stored for the next start, and can be undone", async () => {
  const row = async () =>
    (await root.send("GET", "/plugins")).body.data.find(({ name }: any) => name === "prompts");
  const cases: [string, string | null][] = [
    ["disable", "disabled"],
    ["disable", "disabled"],
    ["enable", null],
  ];
  // No other plugin needs the rate limit.
  const of = async () =>
    (await root.send("GET", "/plugins")).body.data.find(({ name }: any) => name === "rate-limit");
  for (const [what, next] of cases) {
    expect((await root.send("POST", `/plugins/rate-limit/${what}`)).status).toBe(204);
    expect(await of()).toMatchObject({ status: "loaded", next_start: next });
  }
  expect((await row()).next_start).toBeNull();
});

test("plugins disabled at the same time are all disabled", async () => {
  const names = ["rate-limit", "prompts", "metrics", "audit"];
  const states = async () =>
    (await root.send("GET", "/plugins")).body.data
      .filter((plugin: any) => names.includes(plugin.name) && plugin.next_start === "disabled")
      .map((plugin: any) => plugin.name)
      .sort();
  const all = (what: string) =>
    Promise.all(names.map((name) => root.send("POST", `/plugins/${name}/${what}`)));
  const answers = await all("disable");
  const done = names.filter((_, at) => answers[at]!.status === 204).sort();
  expect(done.length).toBeGreaterThan(1);
  expect(await states()).toEqual(done);
  await all("enable");
  expect(await states()).toEqual([]);
});

test("a removed plugin's file is deleted", async () => {
  expect((await root.send("DELETE", "/plugins/notes")).status).toBe(204);
  expect(files()).toEqual([]);
  expect((await root.send("GET", "/plugins/notes")).status).toBe(404);
});
