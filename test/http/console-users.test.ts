/**
 * A user's own keys, and users as administrators manage them: invited, changed, deactivated, and
 * given a new password.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { sha256 } from "../../plugins/accounts/token";
import { signedIn, visit, type Browser } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

const password = "correct horse battery staple";
let server: TestServer;
let root: Browser;
beforeAll(async () => {
  server = await startTestServer();
  root = await signedIn(server, "root", { role: "admin" });
});

const tokenIn = (url: string): string =>
  /^http:\/\/dossier\.test\/console\/invite#t=(dsi_[0-9A-Za-z]{32})$/.exec(url)![1]!;
const invite = async (email: string, role = "member") => {
  const { status, body } = await root.send("POST", "/users", { email, role });
  expect(status).toBe(201);
  return { user: body.user, token: tokenIn(body.invite_url) };
};
const accept = (token: string, word = password) =>
  visit(server).send("POST", "/invite", { token, password: word });

describe("a user's own key", () => {
  test("is shown once, works, and stops as soon as it is deactivated", async () => {
    const ada = await signedIn(server, "ada");
    const {
      status,
      body: created,
      headers,
    } = await ada.send("POST", "/keys", {
      name: `laptop <b>`,
      expires_at: "2099-01-01",
      scopes: ["read"],
    });
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    const { token, ...key } = created;
    expect(key).toEqual({
      id: expect.stringMatching(/^key_/),
      name: "laptop <b>",
      prefix: token.slice(0, 16),
      scopes: ["read"],
      active: true,
      created_at: expect.any(String),
      expires_at: "2099-01-01T00:00:00.000Z",
      last_used_at: null,
    });
    const use = (method: string) =>
      server
        .fetch(
          new Request("http://dossier.test/api/dev/v1/folders", {
            method,
            headers: { authorization: `Bearer ${token}` },
          }),
        )
        .then((answer) => answer.status);
    expect([await use("GET"), await use("POST")]).toEqual([200, 403]);
    const list = await ada.send("GET", "/keys");
    expect(list.text).not.toContain(token.slice(16));
    expect(list.body.data.find(({ id }: any) => id === key.id)).toMatchObject({
      name: "laptop <b>",
      active: true,
    });
    expect((await ada.send("POST", `/keys/${key.id}/deactivate`)).body).toMatchObject({
      id: key.id,
      active: false,
    });
    expect(await use("GET")).toBe(401);
  });

  const refused: [string, object, string][] = [
    ["without a name", {}, "/name"],
    ["with a blank name", { name: " " }, "/name"],
    ["that has expired", { name: "x", expires_at: "2020-01-01" }, "/expires_at"],
    ["with an invalid expiry", { name: "x", expires_at: "never" }, "/expires_at"],
    ["with an unknown scope", { name: "x", scopes: ["admin"] }, "/scopes/0"],
    ["without a scope", { name: "x", scopes: [] }, "/scopes"],
  ];
  test.each(refused)("is refused %s", async (_why, body, pointer) => {
    const answer = await root.send("POST", "/keys", body);
    expect([answer.status, answer.body.errors?.[0].pointer]).toEqual([400, pointer]);
  });

  test("can't be seen or deactivated by others, not even an administrator", async () => {
    const ada = await signedIn(server, "ada");
    const { body } = await ada.send("POST", "/keys", { name: "mine" });
    expect((await root.send("POST", `/keys/${body.id}/deactivate`)).status).toBe(404);
    expect((await root.send("GET", "/keys")).text).not.toContain(body.id);
    expect((await ada.send("GET", "/keys?per_page=1&page=1")).body.pagination).toMatchObject({
      count: 1,
      per_page: 1,
    });
  });
});

describe("administration", () => {
  const calls: [string, string, object?][] = [
    ["GET", "/users"],
    ["POST", "/users", { email: "x@example.com", role: "admin" }],
    ["PATCH", "/users/usr_root", { active: false }],
    ["POST", "/users/usr_root/reset"],
    ["GET", "/system"],
    ["GET", "/system/jobs"],
    ["POST", "/system/jobs/job_x/retry"],
    ["GET", "/system/logs"],
    ["GET", "/system/config"],
  ];
  for (const [method, path, body] of calls)
    test(`${method} ${path} is refused to members and when signed out`, async () => {
      const ada = await signedIn(server, "ada");
      const answer = await ada.send(method, path, body);
      expect([answer.status, answer.body.code]).toEqual([403, "admin_only"]);
      expect((await visit(server).send(method, path, body)).status).toBe(401);
    });
  test("is available as long as a user is an administrator, from the next request on", async () => {
    const ada = await signedIn(server, "grace");
    const change = async (role: string) =>
      (await root.send("PATCH", "/users/usr_grace", { role })).body.role;
    const look = async () => [
      (await ada.send("GET", "/users")).status,
      (await ada.send("GET", "/session")).body.user.role,
    ];
    expect(await look()).toEqual([403, "member"]);
    expect(await change("admin")).toBe("admin");
    expect(await look()).toEqual([200, "admin"]);
    expect(await change("member")).toBe("member");
    expect(await look()).toEqual([403, "member"]);
  });
});

describe("an invitation", () => {
  test("creates a user who can do nothing until it is used, and works once", async () => {
    const { user, token } = await invite("Bob@Example.com");
    expect(user).toEqual({
      id: expect.stringMatching(/^usr_/),
      email: "Bob@Example.com",
      role: "member",
      active: true,
      invited: true,
      created_at: expect.any(String),
      last_seen_at: null,
      invite_expires_at: expect.stringMatching(/^\d{4}-/),
    });
    expect((await visit(server).send("POST", "/invite/check", { token })).body).toEqual({
      email: "Bob@Example.com",
      kind: "invitation",
    });
    for (const word of ["", "anything at all"])
      expect(
        (await visit(server).send("POST", "/session", { email: "bob@example.com", password: word }))
          .status,
      ).toBe(401);
    const browser = visit(server);
    const used = await browser.send("POST", "/invite", { token, password });
    expect([used.status, used.body.user]).toEqual([
      200,
      { id: user.id, email: "Bob@Example.com", role: "member" },
    ]);
    expect((await browser.send("GET", "/folders")).status).toBe(200);
    const { body } = await root.send("GET", "/users");
    expect(body.data.find(({ id }: any) => id === user.id)).toMatchObject({
      invited: false,
      last_seen_at: expect.any(String),
    });
    for (const path of ["/invite", "/invite/check"])
      expect(await visit(server).send("POST", path, { token, password })).toMatchObject({
        status: 403,
        body: { code: "bad_link" },
      });
    expect(await server.accounts.verifyPassword("bob@example.com", password)).not.toBeNull();
  });

  test("used several times at once works once", async () => {
    const { token } = await invite("race@example.com");
    const answers = await Promise.all([
      accept(token, "the first horse"),
      accept(token, "the second horse"),
      accept(token, "the third horse"),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403]);
    const words = ["the first horse", "the second horse", "the third horse"];
    const won = words[answers.findIndex(({ status }) => status === 200)]!;
    expect(await server.accounts.verifyPassword("race@example.com", won)).not.toBeNull();
  });

  const bad: [string, (token: string, user_id: string) => Promise<string>][] = [
    ["made up", async () => `dsi_${"0".repeat(32)}`],
    ["empty", async () => ""],
    ["cut short", async (token) => token.slice(0, -1)],
    [
      "eight days old",
      async (token) => {
        await server.store.db
          .updateTable("accounts_password_links")
          .set({ expires_at: Date.now() - 1 })
          .where("token_sha256", "=", sha256(token))
          .execute();
        return token;
      },
    ],
    [
      "of a user who was deactivated",
      async (token, user_id) => {
        await server.accounts.setUserActive(user_id, false);
        return token;
      },
    ],
    [
      "replaced by a newer one",
      async (token, user_id) => {
        await root.send("POST", `/users/${user_id}/reset`);
        return token;
      },
    ],
    ["a set-up link", async () => `dst_${"0".repeat(32)}`],
  ];
  test.each(bad)("does not work when it is %s", async (why, change) => {
    const { user, token } = await invite(`${why.replaceAll(" ", "-")}@example.com`);
    const wrong = await change(token, user.id);
    for (const path of ["/invite", "/invite/check"])
      expect(await visit(server).send("POST", path, { token: wrong, password })).toMatchObject({
        status: 403,
        body: { code: "bad_link" },
      });
  });

  test("is valid for seven days, and is stored as a digest", async () => {
    const { user, token } = await invite("week@example.com");
    const rows = await server.store.db
      .selectFrom("accounts_password_links")
      .selectAll()
      .where("user_id", "=", user.id)
      .execute();
    expect(rows).toEqual([
      { user_id: user.id, token_sha256: sha256(token), expires_at: expect.any(Number) },
    ]);
    expect(rows[0]!.expires_at - Date.now()).toBeWithin(6.99 * 86_400_000, 7 * 86_400_000 + 1);
  });

  const refused: [string, object, number, string][] = [
    ["an invalid address", { email: "bob", role: "member" }, 400, "invalid_request"],
    ["an unknown role", { email: "x@example.com", role: "owner" }, 400, "invalid_request"],
    [
      "an email that is taken, in another case",
      { email: "WEEK@example.com", role: "member" },
      409,
      "email_taken",
    ],
  ];
  test.each(refused)("is not made for %s", async (_why, body, status, code) => {
    expect(await root.send("POST", "/users", body)).toMatchObject({ status, body: { code } });
  });

  test("stays valid after an invalid password", async () => {
    const { token } = await invite("picky@example.com");
    expect(await accept(token, "short")).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/password" }] },
    });
    expect((await accept(token)).status).toBe(200);
  });
});

describe("a password reset link", () => {
  test("keeps the old password and sessions until it is used", async () => {
    const { user, token } = await invite("forgetful@example.com");
    const old = visit(server);
    await old.send("POST", "/invite", { token, password });
    const { body } = await root.send("POST", `/users/${user.id}/reset`);
    const reset = tokenIn(body.reset_url);
    expect((await visit(server).send("POST", "/invite/check", { token: reset })).body).toEqual({
      email: "forgetful@example.com",
      kind: "reset",
    });
    expect((await old.send("GET", "/folders")).status).toBe(200);
    expect((await accept(reset, "an entirely new horse")).status).toBe(200);
    expect((await old.send("GET", "/folders")).status).toBe(401);
    expect([
      await server.accounts.verifyPassword("forgetful@example.com", password),
      (await accept(reset)).status,
    ]).toEqual([null, 403]);
  });
  test("lasts one day", async () => {
    const { body } = await root.send("POST", "/users/usr_root/reset");
    const row = await server.store.db
      .selectFrom("accounts_password_links")
      .selectAll()
      .where("token_sha256", "=", sha256(tokenIn(body.reset_url)))
      .executeTakeFirstOrThrow();
    expect(row.expires_at - Date.now()).toBeWithin(0.99 * 86_400_000, 86_400_001);
  });
  test("ends when the password is changed", async () => {
    const { user, token } = await invite("changed@example.com");
    await server.accounts.changePassword(user.id, password);
    expect((await accept(token)).status).toBe(403);
  });
  const refused: [string, string, number][] = [
    ["an unknown user", "usr_nobody", 404],
    ["a deactivated user", "usr_off", 409],
  ];
  test.each(refused)("is not created for %s", async (_why, id, status) => {
    await server.key("off");
    await server.accounts.setUserActive("usr_off", false);
    expect((await root.send("POST", `/users/${id}/reset`)).status).toBe(status);
  });
});

describe("a deactivated user", () => {
  test("is locked out at once, in the browser and by key, until reactivated", async () => {
    const eve = await signedIn(server, "eve");
    const status = async () => [
      (await eve.send("GET", "/folders")).status,
      (await server.send("eve", "GET", "/folders")).status,
    ];
    expect(await status()).toEqual([200, 200]);
    expect((await root.send("PATCH", "/users/usr_eve", { active: false })).body).toMatchObject({
      id: "usr_eve",
      active: false,
    });
    expect(await status()).toEqual([401, 401]);
    expect((await root.send("PATCH", "/users/usr_eve", { active: true })).body.active).toBe(true);
    // Keys work again, but a browser must sign in again.
    expect(await status()).toEqual([401, 200]);
  });
  test("is not found when the id is wrong", async () =>
    expect((await root.send("PATCH", "/users/usr_nobody", { active: false })).status).toBe(404));
});

describe("the last administrator", () => {
  const cases: [string, object][] = [
    ["can't be made a member", { role: "member" }],
    ["can't be deactivated", { active: false }],
  ];
  for (const [why, change] of cases)
    test(why, async () => {
      const own_server = await startTestServer();
      const admin = await signedIn(own_server, "root", { role: "admin" });
      // Neither an invited nor a deactivated administrator counts.
      await admin.send("POST", "/users", { email: "invited@example.com", role: "admin" });
      await signedIn(own_server, "off", { role: "admin" });
      await own_server.store.db
        .updateTable("accounts_users")
        .set({ active: 0 })
        .where("id", "=", "usr_off")
        .execute();
      expect(await admin.send("PATCH", "/users/usr_root", change)).toMatchObject({
        status: 409,
        body: { code: "last_admin" },
      });
      expect((await admin.send("GET", "/users")).status).toBe(200);
      await signedIn(own_server, "second", { role: "admin" });
      expect((await admin.send("PATCH", "/users/usr_root", change)).status).toBe(200);
    });
  test("remains when two resign at the same time", async () => {
    const own_server = await startTestServer();
    const [one, two] = [
      await signedIn(own_server, "one", { role: "admin" }),
      await signedIn(own_server, "two", { role: "admin" }),
    ];
    const answers = await Promise.all([
      one.send("PATCH", "/users/usr_two", { role: "member" }),
      two.send("PATCH", "/users/usr_one", { active: false }),
      one.send("PATCH", "/users/usr_one", { role: "member" }),
    ]);
    // The one who remains may also deactivate the one who resigned.
    expect(answers.filter(({ status }) => status === 200).length).toBeWithin(1, 3);
    const left = await own_server.store.db
      .selectFrom("accounts_users")
      .select("id")
      .where("role", "=", "admin")
      .where("active", "=", 1)
      .execute();
    expect(left.length).toBe(1);
  });
});

test("the last use of a user's session or key is shown, also after the session ends", async () => {
  const own_server = await startTestServer();
  const admin = await signedIn(own_server, "root", { role: "admin" });
  const seen = async (id: string): Promise<string | null> =>
    (await admin.send("GET", "/users")).body.data.find((user: any) => user.id === id).last_seen_at;
  await own_server.key("eve");
  expect(await seen("usr_eve")).toBe(null);
  await own_server.send("eve", "GET", "/folders");
  const by_key = await seen("usr_eve");
  expect(by_key).not.toBe(null);
  const eve = await signedIn(own_server, "eve");
  await eve.send("GET", "/folders");
  const in_console = await seen("usr_eve");
  expect(in_console! >= by_key!).toBe(true);
  await eve.send("DELETE", "/session");
  expect(await seen("usr_eve")).toBe(in_console);
});
