/** How a new server gets its first administrator: by the pages, the command and the settings. */
import { describe, expect, test } from "bun:test";
import { newId } from "../core/base/ids";
import { createFirstAdmin } from "../plugins/accounts/first-admin";
import { createPasswords } from "../plugins/accounts/passwords";
import { startTestServer, type TestServer } from "./helpers/host";

const good = { email: "ada@example.com", password: "correct horse" };

/** A server that nobody has set up, and the token of the link it printed. */
async function newServer(): Promise<TestServer & { readonly token: string }> {
  const server = await startTestServer();
  return { ...server, token: await newToken(server) };
}
const newToken = async (server: TestServer): Promise<string> => /^http:\/\/dossier\.test\/setup\?token=(dst_[0-9A-Za-z]{32})$/.exec((await server.accounts.signInHint()).split(" ").at(-1)!)![1]!;

const open = (server: TestServer, token: string) => server.send(null, "GET", `//setup?token=${encodeURIComponent(token)}`);
const submit = (server: TestServer, fields: Record<string, string>) => server.sendRaw(null, "POST", "//setup", new URLSearchParams(fields).toString(), { "content-type": "application/x-www-form-urlencoded" });
const admins = async (server: TestServer) => (await server.accounts.listUsers()).filter((user) => user.role === "admin").map((user) => user.email);
const unescaped = (html: string): string => html.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)));

test("from the printed link to a first folder", async () => {
  const server = await newServer();
  const form = await open(server, server.token);
  expect(form.status).toBe(200);
  expect(form.text).toContain(`<input type="hidden" name="token" value="${server.token}">`);
  const done = await submit(server, { ...good, token: server.token });
  expect(done.status).toBe(200);
  const page = unescaped(done.text);
  const [key] = /dsk_[0-9A-Za-z]{50}/.exec(page)!;
  expect(page).toContain(`curl http://dossier.test/api/dev/v1/folders \\\n  -H "Authorization: Bearer ${key}"`);
  const folder = await server.send(null, "POST", "/folders", { name: "My first folder" }, { authorization: `Bearer ${key}` });
  expect(folder.status).toBe(201);
  expect(await server.accounts.verifyPassword(good.email, good.password)).toMatchObject({ role: "admin", active: true });
});

test("the link works once: afterwards every page says that there is an administrator, and how to make a key", async () => {
  const server = await newServer();
  await submit(server, { ...good, token: server.token });
  for (const [answer, status] of [[await open(server, server.token), 200], [await open(server, ""), 200], [await submit(server, { token: server.token, email: "eve@example.com", password: "correct horse" }), 409]] as const) {
    expect(answer.status).toBe(status);
    expect(answer.text).toContain("administrator already");
    expect(answer.text).toContain("dossier key create --user EMAIL --name NAME");
    expect(answer.text).not.toContain("dsk_");
  }
  expect(await admins(server)).toEqual([good.email]);
  expect(await server.store.db.selectFrom("accounts_setup_links").selectAll().execute()).toEqual([]);
});

test("of two who send the form at the same time one becomes administrator", async () => {
  const server = await newServer();
  const second = await newToken(server);
  const answers = await Promise.all([submit(server, { ...good, token: server.token }), submit(server, { email: "eve@example.com", password: "correct horse", token: second })]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect((await admins(server)).length).toBe(1);
});

describe("a token that opens nothing", () => {
  const cases: [string, (token: string) => string][] = [
    ["none", () => ""], ["a guessed one", () => `dst_${"0".repeat(32)}`], ["one cut short", (token) => token.slice(0, -1)], ["one in other letters", (token) => token.toLowerCase()], ["markup", () => `"><script>alert(1)</script>`],
  ];
  for (const [why, change] of cases) test(why, async () => {
    const server = await newServer();
    const token = change(server.token);
    for (const answer of [await open(server, token), await submit(server, { ...good, token })]) {
      expect([answer.status, answer.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"]);
      expect(answer.text).toContain("dossier setup --link");
      expect(answer.text).not.toContain("<script");
    }
    expect(await admins(server)).toEqual([]);
  });

  test("one that is older than 24 hours", async () => {
    const server = await newServer();
    const link = await server.store.db.selectFrom("accounts_setup_links").selectAll().executeTakeFirstOrThrow();
    expect(link.expires_at - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect(link.expires_at - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    await server.store.db.updateTable("accounts_setup_links").set({ expires_at: Date.now() - 1 }).execute();
    expect((await open(server, server.token)).status).toBe(403);
    expect((await submit(server, { ...good, token: server.token })).status).toBe(403);
    await newToken(server);
    expect((await server.store.db.selectFrom("accounts_setup_links").selectAll().execute()).length).toBe(1);
  });
});

test("a new link leaves the earlier ones valid", async () => {
  const server = await newServer();
  const second = await newToken(server);
  expect(second).not.toBe(server.token);
  expect([(await open(server, server.token)).status, (await open(server, second)).status]).toEqual([200, 200]);
});

test("a token is kept as a digest", async () => {
  const server = await newServer();
  expect(JSON.stringify(await server.store.db.selectFrom("accounts_setup_links").selectAll().execute())).not.toContain(server.token.slice(4));
});

describe("what was entered and won't do comes back as the form, and the link stays valid", () => {
  const cases: [string, Record<string, string>, RegExp][] = [
    ["a short password", { password: "short" }, /at least 10 characters/],
    ["no password", { password: "" }, /at least 10 characters/],
    ["something that is no email", { email: "ada" }, /must be an address/],
    ["nothing at all", { email: "", password: "" }, /must be an address/],
    ["markup as email", { email: `"><img src=x onerror=alert(1)>@x` }, /must be an address/],
    ["the email of a member", { email: "member@example.com" }, /already/],
  ];
  for (const [why, entered, sentence] of cases) test(why, async () => {
    const server = await newServer();
    await server.accounts.createUser({ email: "member@example.com", password: "correct horse", role: "member" });
    const answer = await submit(server, { ...good, ...entered, token: server.token });
    expect(answer.status).toBe(400);
    expect(unescaped(answer.text)).toMatch(sentence);
    expect(answer.text).not.toContain("<img");
    expect(unescaped(answer.text)).toContain(`value="${{ ...good, ...entered }.email}"`);
    expect(answer.text).not.toContain(good.password);
    expect(await admins(server)).toEqual([]);
    expect((await submit(server, { ...good, token: server.token })).status).toBe(200);
  });
});

describe("what is not the form", () => {
  const cases: [string, string, string, number][] = [
    ["JSON", JSON.stringify(good), "application/json", 415],
    ["no type", "token=x", "", 415],
    ["more than 16 KiB", `token=${"x".repeat(20_000)}`, "application/x-www-form-urlencoded", 413],
    ["fields of other names", "a=b", "application/x-www-form-urlencoded; charset=utf-8", 403],
  ];
  for (const [why, body, type, status] of cases) test(why, async () => {
    const server = await newServer();
    expect((await server.sendRaw(null, "POST", "//setup", body, { "content-type": type })).status).toBe(status);
  });

  test("more than 16 KiB in pieces of unknown number", async () => {
    const server = await newServer();
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(4_096))) });
    expect((await server.sendRaw(null, "POST", "//setup", body, { "content-type": "application/x-www-form-urlencoded" })).status).toBe(413);
  });
});

describe("every page", () => {
  test("loads nothing, runs nothing, is kept by nobody and framed by nobody", async () => {
    const server = await newServer();
    for (const answer of [await server.send(null, "GET", "//"), await open(server, server.token), await open(server, "dst_wrong"), await submit(server, { ...good, token: server.token }), await open(server, "")]) {
      expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
      expect(answer.headers.get("x-request-id")).not.toBeNull();
      expect(answer.headers.get("x-ratelimit-limit")).not.toBeNull();
      expect(answer.text).not.toMatch(/<script|\son\w+=|(?:src|href)="(?:https?:)?\/\/|style="/);
      const style = /<style>([^]*)<\/style>/.exec(answer.text)![1]!;
      expect(answer.headers.get("content-security-policy")).toContain(new Bun.CryptoHasher("sha256").update(style).digest("base64"));
    }
  });

  test("at the root says what runs here, needs no key, and is not in the API's document", async () => {
    const server = await newServer();
    const landing = await server.send(null, "GET", "//");
    expect(landing.status).toBe(200);
    for (const part of [`href="/api/dev/v1/openapi.json"`, `href="/health"`, "dossier key create", "dossier setup --link"]) expect(landing.text).toContain(part);
    const document = (await server.send(null, "GET", "/openapi.json")).body;
    expect(Object.keys(document.paths).filter((path) => path.endsWith("/setup") || path === "/")).toEqual([]);
  });

  test("is not there for other methods", async () => {
    const server = await newServer();
    const answer = await server.send(null, "DELETE", "//setup");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});

describe("the first administrator of the settings", () => {
  const settings = (email: string, password: string) => ({ DOSSIER_ADMIN_EMAIL: email, DOSSIER_ADMIN_PASSWORD: password });

  test("is there at the start, and the hint speaks of keys", async () => {
    const server = await startTestServer({ env: settings("root@example.com", "correct horse") });
    expect(await server.accounts.verifyPassword("root@example.com", "correct horse")).toMatchObject({ role: "admin" });
    expect(await server.accounts.signInHint()).toBe(`Make an API key with: dossier key create --user EMAIL --name NAME --data ${JSON.stringify(server.data)}`);
  });

  const cases: [string, Record<string, string>, RegExp][] = [
    ["a password without an email", { DOSSIER_ADMIN_PASSWORD: "correct horse" }, /both settings, admin\.email and admin\.password/],
    ["an email without a password", { DOSSIER_ADMIN_EMAIL: "root@example.com" }, /both settings, admin\.email and admin\.password/],
    ["a password that is too short", settings("root@example.com", "short"), /admin\.password: .*at least 10 characters/],
  ];
  for (const [why, env, sentence] of cases) test(`stops the start with a sentence: ${why}`, async () => {
    expect(await startTestServer({ env }).then(() => "started", (error: Error) => error.message)).toMatch(sentence);
  });
});

test("settings are read only while there is no administrator", async () => {
  const server = await newServer();
  await submit(server, { ...good, token: server.token });
  const { db, inTransaction } = server.store;
  const firstAdmin = createFirstAdmin({ db, inTransaction, now_ms: Date.now, newId, passwords: createPasswords(), public_url: () => "", data: "" });
  expect(await firstAdmin.fromSettings({ email: "other@example.com", password: "too short" })).toBeNull();
  expect(await admins(server)).toEqual([good.email]);
});
