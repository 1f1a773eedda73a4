/** How a new server gets its first administrator: by link, command or settings. */
import { describe, expect, test } from "bun:test";
import { newId } from "../../core/base/ids";
import type { Db } from "../../core/sdk";
import { FirstAdmin } from "../../plugins/accounts/first-admin";
import { Passwords } from "../../plugins/accounts/passwords";
import { openBrowser, visit } from "../helpers/browser";
import { startTestServer, type TestServer, type TestServerOptions } from "../helpers/host";

const good = { email: "ada@example.com", password: "correct horse" };

/** A new server, and the token of the link it printed. */
async function newServer(
  options?: TestServerOptions,
): Promise<TestServer & { readonly token: string }> {
  const server = await startTestServer(options);
  return { ...server, token: await printedToken(server) };
}
/** The token that a start prints. */
const printedToken = async (server: TestServer): Promise<string> =>
  tokenOf((await server.accounts.signInHint()).split(" ").at(-1)!);
/** The token that `dossier setup` prints. */
const newToken = async ({ host }: TestServer): Promise<string> => {
  const printed: string[] = [];
  const { handler } = host.commands.find(({ command }) => command.name === "setup")!;
  await handler({
    args: [],
    options: { link: true },
    print: (line) => void printed.push(line),
    stdin: async () => "",
    about: () => undefined,
    ask: async () => "",
  });
  return tokenOf(printed[0]!);
};
const tokenOf = (link: string): string =>
  /^http:\/\/dossier\.test\/console\/setup#t=(dst_[0-9A-Za-z]{32})$/.exec(link)![1]!;
const links = (server: TestServer) =>
  server.store.db.selectFrom("accounts_setup_links").selectAll().execute();

const check = (server: TestServer, token: string) =>
  visit(server).send("POST", "/setup/check", { token });
const submit = (server: TestServer, fields: Record<string, unknown>) =>
  visit(server).send("POST", "/setup", fields);
const admins = async (server: TestServer) =>
  (await server.accounts.listUsers())
    .filter((user) => user.role === "admin")
    .map((user) => user.email);

test("set-up works from the printed link to the first folder", async () => {
  const server = await newServer();
  const browser = openBrowser(server.fetch, "http://dossier.test");
  expect((await browser.send("GET", "/session")).body).toMatchObject({
    user: null,
    setup_needed: true,
  });
  expect((await browser.send("POST", "/setup/check", { token: server.token })).status).toBe(204);
  const done = await browser.send("POST", "/setup", { ...good, token: server.token });
  expect([done.status, done.body]).toEqual([
    201,
    { user: { id: expect.stringMatching(/^usr_/), email: good.email, role: "admin" } },
  ]);
  expect((await browser.send("GET", "/session")).body).toMatchObject({
    user: { email: good.email, role: "admin" },
    setup_needed: false,
  });
  expect((await browser.send("POST", "/folders", { name: "My first folder" })).status).toBe(201);
  expect(await server.accounts.verifyPassword(good.email, good.password)).toMatchObject({
    role: "admin",
    active: true,
  });
});

test("set-up works once; afterwards every link is refused", async () => {
  const server = await newServer();
  const second = await newToken(server);
  expect((await submit(server, { ...good, token: server.token })).status).toBe(201);
  for (const token of [server.token, second, ""]) {
    for (const answer of [
      await check(server, token),
      await submit(server, { token, email: "eve@example.com", password: "correct horse" }),
    ]) {
      expect([answer.status, answer.body.code, answer.headers.get("set-cookie")]).toEqual([
        409,
        "already_set_up",
        null,
      ]);
    }
  }
  expect(await admins(server)).toEqual([good.email]);
  expect(await links(server)).toEqual([]);
});

test("of several who use links at the same time, one becomes administrator", async () => {
  const server = await newServer();
  const second = await newToken(server);
  const answers = await Promise.all([
    submit(server, { ...good, token: server.token }),
    submit(server, { email: "eve@example.com", password: "correct horse", token: second }),
    submit(server, { email: "mal@example.com", password: "correct horse", token: server.token }),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  expect((await admins(server)).length).toBe(1);
  expect(
    answers.filter(({ headers }) => headers.has("set-cookie")).map(({ status }) => status),
  ).toEqual([201]);
});

describe("an invalid token", () => {
  const cases: [string, (token: string) => string][] = [
    ["none", () => ""],
    ["guessed", () => `dst_${"0".repeat(32)}`],
    ["truncated", (token) => token.slice(0, -1)],
    ["in another case", (token) => token.toLowerCase()],
    ["markup", () => `"><script>alert(1)</script>`],
  ];
  for (const [why, change] of cases)
    test(why, async () => {
      const server = await newServer();
      const token = change(server.token);
      for (const answer of [await check(server, token), await submit(server, { ...good, token })]) {
        expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
          403,
          "bad_link",
          expect.stringContaining("dossier setup"),
        ]);
      }
      expect(await admins(server)).toEqual([]);
    });

  test("older than 24 hours", async () => {
    const server = await newServer();
    const link = await server.store.db
      .selectFrom("accounts_setup_links")
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(link.expires_at - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect(link.expires_at - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    await server.store.db
      .updateTable("accounts_setup_links")
      .set({ expires_at: Date.now() - 1 })
      .execute();
    expect([
      (await check(server, server.token)).status,
      (await submit(server, { ...good, token: server.token })).status,
    ]).toEqual([403, 403]);
    await newToken(server);
    expect((await links(server)).length).toBe(1);
  });
});

test("a new link leaves earlier ones valid", async () => {
  const server = await newServer();
  const second = await newToken(server);
  expect(second).not.toBe(server.token);
  expect([
    (await check(server, server.token)).status,
    (await check(server, second)).status,
  ]).toEqual([204, 204]);
});

test("a token is stored as a digest", async () => {
  const server = await newServer();
  expect(JSON.stringify(await links(server))).not.toContain(server.token.slice(4));
});

describe("repeated starts print one link", () => {
  const cases: [why: string, between: (server: TestServer) => Promise<unknown>, same: boolean][] = [
    ["the same as before", async () => undefined, true],
    ["extended to another 24 hours", (server) => setExpiry(server, Date.now() + 60_000), true],
    ["a new one after it expired", (server) => setExpiry(server, Date.now() - 1), false],
    [
      "a new one after the secret key changed",
      async (server) => {
        const db: Db = server.store.db;
        await db.updateTable("accounts_setup_links").set({ sealed: "v1.AAAA" }).execute();
      },
      false,
    ],
  ];
  const setExpiry = (server: TestServer, expires_at: number) =>
    server.store.db.updateTable("accounts_setup_links").set({ expires_at }).execute();
  test.each(cases)("%s", async (_why, between, same) => {
    const server = await newServer();
    for (let starts = 0; starts < 5; starts++) {
      await between(server);
      const token = await printedToken(server);
      expect([token === server.token, (await check(server, token)).status]).toEqual([same, 204]);
      const [link, another] = await links(server);
      expect(another).toBeUndefined();
      expect(link!.expires_at - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    }
  });
});

describe("invalid input is refused, and the link stays valid", () => {
  const cases: [string, Record<string, unknown>, number, RegExp][] = [
    ["a short password", { password: "short" }, 400, /at least 10 characters/],
    ["no password", { password: "" }, 400, /at least 10 characters/],
    ["a missing password", { password: undefined }, 400, /password/],
    ["an invalid email", { email: "ada" }, 400, /must be an address/],
    ["markup as email", { email: `"><img src=x onerror=alert(1)>@x` }, 400, /must be an address/],
    ["the email of a member", { email: "member@example.com" }, 409, /already/],
    ["more than 16 KiB", { password: "x".repeat(20_000) }, 413, /16384/],
  ];
  for (const [why, entered, status, sentence] of cases)
    test(why, async () => {
      const server = await newServer();
      await server.accounts.createUser({
        email: "member@example.com",
        password: "correct horse",
        role: "member",
      });
      const answer = await submit(server, { ...good, ...entered, token: server.token });
      expect([answer.status, answer.body.detail]).toEqual([
        status,
        expect.stringMatching(sentence),
      ]);
      expect(await admins(server)).toEqual([]);
      expect((await submit(server, { ...good, token: server.token })).status).toBe(201);
    });
});

describe("the first administrator from the settings", () => {
  const settings = (email: string, password: string) => ({
    DOSSIER_ADMIN_EMAIL: email,
    DOSSIER_ADMIN_PASSWORD: password,
  });

  test("exists after the start, and the hint says where to sign in", async () => {
    const server = await startTestServer({ env: settings("root@example.com", "correct horse") });
    expect(await server.accounts.verifyPassword("root@example.com", "correct horse")).toMatchObject(
      { role: "admin" },
    );
    expect(await server.accounts.signInHint()).toBe("Sign in at http://dossier.test/console/");
  });

  const cases: [string, Record<string, string>, RegExp][] = [
    [
      "a password without an email",
      { DOSSIER_ADMIN_PASSWORD: "correct horse" },
      /set both admin\.email and admin\.password/,
    ],
    [
      "an email without a password",
      { DOSSIER_ADMIN_EMAIL: "root@example.com" },
      /set both admin\.email and admin\.password/,
    ],
    [
      "a password that is too short",
      settings("root@example.com", "short"),
      /admin\.password: .*at least 10 characters/,
    ],
  ];
  for (const [why, env, sentence] of cases)
    test(`stops the start with a message: ${why}`, async () => {
      expect(
        await startTestServer({ env }).then(
          () => "started",
          (error: Error) => error.message,
        ),
      ).toMatch(sentence);
    });
});

test("settings are ignored once there is an administrator", async () => {
  const server = await newServer();
  await submit(server, { ...good, token: server.token });
  const { db, inDeletion, inTransaction } = server.store;
  const firstAdmin = new FirstAdmin({
    db,
    emit: async () => undefined,
    inDeletion,
    inTransaction,
    now_ms: Date.now,
    certain_now_ms: Date.now,
    newId,
    passwords: new Passwords(),
    public_url: () => "",
    sealed: { seal: (text) => text, unseal: (text) => text },
  });
  expect(
    await firstAdmin.fromSettings({ email: "other@example.com", password: "too short" }),
  ).toBeNull();
  expect(await admins(server)).toEqual([good.email]);
});
