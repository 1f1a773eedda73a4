/** The audit log: what is recorded and what is not, who may read it, and its export. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonLog } from "../../core/base/log";
import { Recorder } from "../../plugins/audit/recorder";
import type { NewEntry } from "../../plugins/audit/entries";
import { signedIn, visit, type Browser } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

const canary = "xylophonecanary";
let server: TestServer;
let admin: Browser;
let ada: Browser;
beforeAll(async () => {
  server = await startTestServer();
  admin = await signedIn(server, "grace", { role: "admin" });
  ada = await signedIn(server, "ada");
});
afterAll(() => server.stop());

const entries = async (query: string): Promise<any[]> =>
  (await admin.send("GET", `/audit?${query}`)).body.data;
const newest = async (query = ""): Promise<any> => (await entries(query))[0];

describe("what is recorded", () => {
  let folder_id = "";
  test("creating and deleting folders and documents by key, with owner and address", async () => {
    folder_id = (await server.send("ada", "POST", "/folders", { name: canary })).body.id;
    expect(await newest()).toMatchObject({
      actor_id: "usr_ada",
      actor: "ada@dossier.test",
      via: "api",
      address: "127.0.0.1",
      action: "createFolder",
      record: folder_id,
      outcome: "done",
      status: 201,
      key_id: expect.stringMatching(/^key_/),
      request_id: expect.stringMatching(/^req_/),
    });
    const { id } = (await server.send("ada", "POST", "/documents", { folder_id, content: canary }))
      .body;
    expect(await newest()).toMatchObject({ action: "createDocument", record: id });
    await server.settle();
    await server.send("ada", "DELETE", `/folders/${folder_id}`);
    expect(await newest()).toMatchObject({
      action: "deleteFolder",
      record: folder_id,
      status: 204,
    });
  });

  test("a sign-in, and a wrong password for a known and an unknown user", async () => {
    await server.accounts.changePassword("usr_ada", "correct horse battery");
    const far = visit(server, { address: "192.0.2.9" });
    const wrong = { email: "ada@dossier.test", password: `${canary} wrong` };
    await far.send("POST", "/session", wrong);
    expect(await newest()).toMatchObject({
      action: "signIn",
      actor_id: "usr_ada",
      record: "usr_ada",
      address: "192.0.2.9",
      outcome: "refused",
      status: 401,
    });
    await far.send("POST", "/session", { email: `${canary}@example.com`, password: "whatever it" });
    expect(await newest()).toMatchObject({ action: "signIn", actor_id: null, record: null });
    ada = visit(server);
    await ada.send("POST", "/session", {
      email: "ada@dossier.test",
      password: "correct horse battery",
    });
    expect(await newest()).toMatchObject({
      action: "signIn",
      actor: "ada@dossier.test",
      status: 200,
    });
  });

  test("keys, users and roles, with the id of the new record", async () => {
    const { id } = (await ada.send("POST", "/keys", { name: canary })).body;
    expect(await newest()).toMatchObject({ action: "createKey", record: id, via: "console" });
    const { user } = (
      await admin.send("POST", "/users", { email: "bob@example.com", role: "member" })
    ).body;
    expect(await newest()).toMatchObject({ action: "inviteUser", record: user.id });
    await admin.send("PATCH", `/users/${user.id}`, { role: "admin" });
    expect(await newest()).toMatchObject({ action: "changeUser", record: user.id, status: 200 });
  });

  test("a request refused for lack of permission", async () => {
    const { id } = (await server.send("grace", "POST", "/folders", { name: "Hers" })).body;
    await server.send("ada", "DELETE", `/folders/${id}`);
    expect(await newest()).toMatchObject({ record: id, outcome: "refused", status: 403 });
  });

  const nothing: readonly [reason: string, method: string, path: string, body: unknown][] = [
    ["a read", "GET", "/folders", undefined],
    ["a search", "POST", "/search", { query: canary }],
    ["an invalid request", "POST", "/folders", { name: 7 }],
    ["a missing record", "DELETE", "/folders/fld_00000000000000000000000000", undefined],
    ["an unknown path", "POST", `/${canary}`, undefined],
  ];
  test.each(nothing)("nothing for %s", async (_reason, method, path, body) => {
    const before = await newest();
    await server.send("ada", method, path, body);
    expect(await newest()).toEqual(before);
  });

  test("no entry contains user text or a secret", async () => {
    const rows = await server.store.db.selectFrom("audit_entries").selectAll().execute();
    const text = JSON.stringify(rows);
    expect(text).not.toContain(canary);
    expect(text).not.toMatch(/dsk_|dss_|dsi_|horse/);
  });
});

describe("audit.reads", () => {
  test("reads in the console are recorded, and reads by key are not", async () => {
    await using reading = await startTestServer({ env: { DOSSIER_AUDIT_READS: "true" } });
    const boss = await signedIn(reading, "grace", { role: "admin" });
    const { id } = (await reading.send("grace", "POST", "/folders", { name: "Mine" })).body;
    await reading.send("grace", "GET", `/folders/${id}`);
    await boss.send("GET", `/folders/${id}`);
    await boss.send("GET", "/folders");
    const { data } = (await boss.send("GET", "/audit")).body;
    expect(data.map((entry: any) => [entry.action, entry.via])).toEqual([
      ["getFolder", "console"],
      ["createFolder", "api"],
    ]);
  });
});

describe("who may read the log", () => {
  test("only an administrator, in the console or by key", async () => {
    const requests = [
      (await admin.send("GET", "/audit")).status,
      (await server.send("grace", "GET", "/audit")).status,
      (await ada.send("GET", "/audit")).status,
      (await server.send("ada", "GET", "/audit")).status,
      (await server.send("ada", "GET", "/audit/export")).status,
      (await server.send(null, "GET", "/audit")).status,
    ];
    expect(requests).toEqual([200, 200, 403, 403, 403, 401]);
  });
});

describe("filters", () => {
  const only = async (query: string, field: string): Promise<unknown[]> => [
    ...new Set((await entries(query)).map((entry) => entry[field])),
  ];
  test("by user, action, record, outcome and time", async () => {
    expect(await only("actor=usr_ada", "actor_id")).toEqual(["usr_ada"]);
    expect(await only("actor=ada@dossier.test", "actor")).toEqual(["ada@dossier.test"]);
    expect(await only("action=createFolder", "action")).toEqual(["createFolder"]);
    expect(await only("outcome=refused", "outcome")).toEqual(["refused"]);
    const { record } = await newest("action=createFolder");
    expect(await only(`record=${record}`, "record")).toEqual([record]);
    expect(await entries("until=2020-01-01T00:00:00Z")).toEqual([]);
    expect(await entries("since=2020-01-01T00:00:00Z")).not.toEqual([]);
  });

  const bad: readonly [reason: string, query: string, pointer: string][] = [
    ["an invalid time", "since=yesterday", "?since"],
    ["a year without month and day", "until=2026", "?until"],
    ["an unknown outcome", "outcome=well", "?outcome"],
  ];
  test.each(bad)("%s is refused, naming the parameter", async (_reason, query, pointer) => {
    const { status, body } = await admin.send("GET", `/audit?${query}`);
    expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
  });
});

describe("the export", () => {
  test("CSV and JSON hold every entry once, newest first, across batches", async () => {
    const at = Date.now() - 1_000_000;
    const rows = Array.from({ length: 2_500 }, (_, place) => ({
      id: `aud_many${String(place).padStart(6, "0")}`,
      // Several share a timestamp, so that the id must decide their order.
      created_at: at + Math.floor(place / 7),
      actor_id: null,
      actor: place === 0 ? '=cmd|"x"' : "many",
      via: "api",
      key_id: null,
      address: null,
      action: "many",
      record: null,
      outcome: "done",
      status: 200,
      request_id: null,
    }));
    for (let from = 0; from < rows.length; from += 500)
      await server.store.db
        .insertInto("audit_entries")
        .values(rows.slice(from, from + 500))
        .execute();
    const json = await admin.send("GET", "/audit/export?action=many&format=json");
    expect(json.headers.get("content-disposition")).toBe('attachment; filename="audit.json"');
    expect(json.body.map(({ id }: { id: string }) => id)).toEqual(
      rows.map(({ id }) => id).toReversed(),
    );
    const csv = await admin.send("GET", "/audit/export?action=many");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const lines = csv.text.split("\r\n");
    expect(lines.length).toBe(1 + rows.length + 1);
    expect(lines[0]).toStartWith("at,id,actor,");
    // A spreadsheet must not run it as a formula.
    expect(lines.at(-2)).toContain(`,"'=cmd|""x""",`);
  });

  test("a filter that finds nothing makes an empty file", async () => {
    expect((await admin.send("GET", "/audit/export?action=none&format=json")).body).toEqual([]);
    const { text } = await admin.send("GET", "/audit/export?action=none");
    expect(text.split("\r\n").length).toBe(2);
  });
});

const entry: NewEntry = {
  actor_id: null,
  actor: null,
  via: "api",
  key_id: null,
  address: null,
  action: "test",
  record: null,
  outcome: "done",
  status: 200,
  request_id: null,
};

test("entries that arrive during a write are written by the next one", async () => {
  let transactions = 0;
  const recorder: Recorder = new Recorder({
    inTransaction: async (work) => {
      transactions++;
      recorder.record({ ...entry, action: "gathered" });
      return server.store.inTransaction(work);
    },
    log: jsonLog("info", () => undefined),
    newId: (prefix) => `${prefix}_${crypto.randomUUID()}`,
    now_ms: Date.now,
    accounts: server.accounts,
  });
  recorder.record({ ...entry, action: "gathered" });
  await recorder.flush();
  expect(transactions).toBe(1);
  expect((await entries("action=gathered")).length).toBe(1);
  await recorder.flush();
  expect((await entries("action=gathered")).length).toBe(2);
});

describe("an entry that can't be written", () => {
  test("is reported once, kept, and written when possible", async () => {
    const lines: string[] = [];
    let broken = true;
    const recorder = new Recorder({
      inTransaction: (work) =>
        broken ? Promise.reject(new Error("the disk is full")) : server.store.inTransaction(work),
      log: jsonLog("info", (line) => lines.push(line)),
      newId: (prefix) => `${prefix}_late`,
      now_ms: Date.now,
      accounts: server.accounts,
    });
    recorder.record(entry);
    await recorder.flush();
    await recorder.flush();
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([
      "entries of the audit log could not be written yet",
    ]);
    expect(recorder.failure()).toContain("the disk is full");
    broken = false;
    await recorder.flush();
    expect(recorder.failure()).toBeNull();
    expect((await entries("action=test")).map(({ id }) => id)).toEqual(["aud_late"]);
  });
});
