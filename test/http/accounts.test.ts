/** Users and API keys: over HTTP, and through the commands. */
import { beforeAll, describe, expect, test } from "bun:test";
import { HttpError } from "../../core/base/errors";
import type { Accounts, NewUser } from "../../plugins/accounts/contract";
import { accessCases } from "../cases/access";
import { startTestServer, type TestServer } from "../helpers/host";

let server: TestServer;
let accounts: Accounts;
beforeAll(async () => {
  server = await startTestServer();
  accounts = server.accounts;
  await Promise.all(["ada", "bob", "carol"].map(server.key));
});

const call = (token: string, method = "GET", body?: unknown) =>
  server.send(null, method, "/prompts", body, { authorization: `Bearer ${token}` });
const statusOf = async (token: string): Promise<number> => (await call(token)).status;
const createKey = async (of: string, input: Partial<Parameters<Accounts["createKey"]>[1]> = {}) =>
  accounts.createKey(`usr_${of}`, { name: "test", ...input });
const change = (id: string, values: object) =>
  server.store.db.updateTable("accounts_keys").set(values).where("id", "=", id).execute();
const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error("was accepted");
    },
    (error: unknown) => error,
  );

/** Runs a command as the executable would; answers the lines it printed. */
async function run(
  name: string,
  options: Record<string, string | boolean> = {},
  { args = [] as string[], stdin = "" } = {},
): Promise<string[]> {
  const lines: string[] = [];
  const { handler } = server.host.commands.find(({ command }) => command.name === name)!;
  await handler({
    args,
    options,
    print: (line) => lines.push(line),
    stdin: async () => stdin,
    about: () => undefined,
    ask: async () => "",
  });
  return lines;
}

describe("authentication", () => accessCases(startTestServer));

describe("a key stops working", () => {
  test("at the next request after it is deactivated; other keys still work", async () => {
    const [one, two] = [await createKey("ada"), await createKey("ada")];
    expect([await statusOf(one.token), await statusOf(two.token)]).toEqual([200, 200]);
    expect(await accounts.deactivateKey(one.key.id)).toMatchObject({
      id: one.key.id,
      active: false,
    });
    expect([await statusOf(one.token), await statusOf(two.token)]).toEqual([401, 200]);
  });

  test("when its user is deactivated, and works again when the user is reactivated", async () => {
    const { token } = await createKey("bob");
    await accounts.setUserActive("usr_bob", false);
    expect(await statusOf(token)).toBe(401);
    await accounts.setUserActive("usr_bob", true);
    expect(await statusOf(token)).toBe(200);
  });

  test("when it expires", async () => {
    const { key, token } = await createKey("ada", { expires_at: Date.now() + 3_600_000 });
    expect(await statusOf(token)).toBe(200);
    // Expiry is moved in the database, since its clock can't be.
    await change(key.id, { expires_at: Date.now() - 1_000 });
    expect(await statusOf(token)).toBe(401);
  });

  test("only when its owner deactivates it, not another user", async () => {
    const { key, token } = await createKey("ada");
    expect(await refusal(accounts.deactivateKey(key.id, "usr_bob"))).toMatchObject({ status: 404 });
    expect(await statusOf(token)).toBe(200);
    await accounts.deactivateKey(key.id, "usr_ada");
    expect(await statusOf(token)).toBe(401);
  });
});

describe("scopes", () => {
  const body = { name: "a", text: "b" };
  const cases: [string, ("read" | "write")[] | undefined, number, number][] = [
    ["both by default", undefined, 200, 201],
    ["read only", ["read"], 200, 403],
    ["write only", ["write"], 403, 201],
    ["both, repeated and in any order", ["write", "read", "write"], 200, 201],
  ];
  for (const [why, scopes, get, post] of cases)
    test(why, async () => {
      const { token } = await createKey("carol", scopes ? { scopes } : {});
      expect([(await call(token)).status, (await call(token, "POST", body)).status]).toEqual([
        get,
        post,
      ]);
    });
});

test("a key is stored as a digest, and no listed field can be used as a key", async () => {
  const { key, token } = await createKey("ada", { name: "laptop" });
  const stored = JSON.stringify(
    await server.store.db.selectFrom("accounts_keys").selectAll().execute(),
  );
  expect(stored).not.toContain(token.slice(16));
  expect(stored).toContain(new Bun.CryptoHasher("sha256").update(token).digest("hex"));
  const listed = await accounts.listKeys("usr_ada");
  expect(listed[0]).toEqual(key);
  expect(token.startsWith(key.prefix)).toBe(true);
  expect(JSON.stringify(listed)).not.toContain(token.slice(16));
});

describe("a key is refused with", () => {
  const cases: [string, object, number][] = [
    ["a blank name", { name: " " }, 400],
    ["a name of 256 characters", { name: "x".repeat(256) }, 400],
    ["no scopes", { scopes: [] }, 400],
    ["an unknown scope", { scopes: ["admin"] }, 400],
    ["an expiry in the past", { expires_at: Date.now() - 1 }, 400],
  ];
  for (const [why, input, status] of cases)
    test(why, async () => expect(await refusal(createKey("ada", input))).toMatchObject({ status }));
  test("an unknown user", async () =>
    expect(await refusal(createKey("nobody"))).toMatchObject({ status: 404 }));
});

describe("creating users", () => {
  const password = "correct horse";
  const cases: [string, Partial<NewUser>, number | string][] = [
    [
      "an email keeps its case and loses surrounding spaces",
      { email: " Grace@Example.com " },
      "Grace@Example.com",
    ],
    ["an address on this machine", { email: "root@localhost" }, "root@localhost"],
    ["letters of any script", { email: "jörg@exämple.de" }, "jörg@exämple.de"],
    ["a tag", { email: "grace+dossier@example.com" }, "grace+dossier@example.com"],
    ["the same email in another case", { email: "GRACE@example.COM" }, 409],
    ["no email", { email: "" }, 400],
    ["no domain", { email: "grace@" }, 400],
    ["no name", { email: "@example.com" }, 400],
    ["two @ signs", { email: "a@b@c" }, 400],
    ["a space inside", { email: "gr ace@example.com" }, 400],
    ["a line break", { email: "grace@example.com\nx" }, 400],
    ["two dots in a row", { email: "a@b..c" }, 400],
    ["a trailing dot", { email: "a@b." }, 400],
    ["a local part of 65 characters", { email: `${"x".repeat(65)}@example.com` }, 400],
    ["markup", { email: "<b>@example.com" }, 400],
    ["a password of nine characters", { email: "short@example.com", password: "123456789" }, 400],
  ];
  for (const [why, input, expected] of cases)
    test(why, async () => {
      const attempt = accounts.createUser({
        email: "x@example.com",
        password,
        role: "member",
        ...input,
      });
      if (typeof expected === "string")
        expect(await attempt).toMatchObject({
          id: expect.stringMatching(/^usr_[0-9A-Z]{26}$/),
          email: expected,
          role: "member",
          active: true,
        });
      else expect(await refusal(attempt)).toMatchObject({ status: expected });
    });

  test("only one of several simultaneous users gets the same email", async () => {
    const emails = ["lin@example.com", "Lin@example.com", "LIN@EXAMPLE.COM", "lin@Example.com"];
    const outcomes = await Promise.allSettled(
      emails.map((email) => accounts.createUser({ email, password, role: "member" })),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected")
        expect((outcome.reason as HttpError).code).toBe("email_taken");
  });
});

test("a password signs in its active user only, by email in any case", async () => {
  const user = await accounts.createUser({
    email: "Kay@example.com",
    password: "correct horse",
    role: "member",
  });
  expect(await accounts.verifyPassword("kay@EXAMPLE.com", "correct horse")).toEqual(user);
  expect(await accounts.verifyPassword("kay@example.com", "correct horsf")).toBeNull();
  expect(await accounts.verifyPassword("nobody@example.com", "correct horse")).toBeNull();
  await accounts.changePassword(user.id, "another horse");
  expect(await accounts.verifyPassword("kay@example.com", "correct horse")).toBeNull();
  expect(await accounts.verifyPassword("kay@example.com", "another horse")).toEqual(user);
  await accounts.setUserActive(user.id, false);
  expect(await accounts.verifyPassword("kay@example.com", "another horse")).toBeNull();
});

test("the last active administrator can't be deactivated", async () => {
  const [one, two] = await Promise.all(
    ["one", "two"].map((name) =>
      accounts.createUser({
        email: `${name}@admin.test`,
        password: "correct horse",
        role: "admin",
      }),
    ),
  );
  expect(await accounts.setUserActive(one!.id, false)).toMatchObject({ active: false });
  expect(await refusal(accounts.setUserActive(two!.id, false))).toMatchObject({ status: 409 });
  expect(await accounts.findUser(two!.id)).toMatchObject({ active: true });
});

describe("commands", () => {
  test("create a user and a key that works", async () => {
    const [created] = await run(
      "user create",
      { email: "cli@example.com", role: "member" },
      { stdin: "correct horse" },
    );
    expect(created).toMatch(/^Created cli@example\.com \(usr_[0-9A-Z]{26}\), member\.$/);
    const printed = await run("key create", {
      user: "CLI@example.com",
      name: "laptop",
      scopes: "read",
      expires: "2999-01-01",
    });
    expect(printed).toEqual([expect.stringMatching(/^dsk_[0-9A-Za-z]{50}$/)]);
    expect([
      (await call(printed[0]!)).status,
      (await call(printed[0]!, "POST", { name: "a", text: "b" })).status,
    ]).toEqual([200, 403]);
  });

  test("list as a single JSON array", async () => {
    const { id } = await accounts.findUser("cli@example.com");
    const users = JSON.parse((await run("user list", { json: true })).join("\n"));
    expect(users.find((user: { id: string }) => user.id === id)).toEqual({
      id,
      email: "cli@example.com",
      role: "member",
      active: true,
      created_at: expect.stringContaining("T"),
    });
    expect(JSON.parse((await run("key list", { user: id, json: true })).join("\n"))).toEqual([
      {
        id: expect.stringMatching(/^key_/),
        name: "laptop",
        prefix: expect.stringMatching(/^dsk_[0-9A-Za-z]{12}$/),
        scopes: ["read"],
        active: true,
        created_at: expect.stringContaining("T"),
        expires_at: "2999-01-01T00:00:00.000Z",
        last_used_at: null,
      },
    ]);
  });

  test("list as aligned columns by default", async () => {
    const [head, row] = (await run("key list", { user: "cli@example.com" })) as [string, string];
    expect(head.indexOf("name")).toBe(row.indexOf("laptop"));
    expect(row).toContain("read");
    await accounts.createUser({
      email: "keyless@example.com",
      password: "correct horse",
      role: "member",
    });
    expect(await run("key list", { user: "keyless@example.com" })).toEqual([
      "keyless@example.com has no keys.",
    ]);
    expect(await run("key list", { user: "keyless@example.com", json: true })).toEqual(["[]"]);
  });

  test("change a password", async () => {
    await run("user passwd", { email: "cli@example.com" }, { stdin: "another horse" });
    expect(await accounts.verifyPassword("cli@example.com", "another horse")).not.toBeNull();
  });

  test("deactivate a key at once", async () => {
    const { key, token } = await createKey("ada");
    expect((await run("key deactivate", {}, { args: [key.id] }))[0]).toContain(key.id);
    expect(await statusOf(token)).toBe(401);
  });

  const cases: [string, () => Promise<unknown>, RegExp][] = [
    [
      "an unknown user",
      () => run("key create", { user: "nobody@example.com", name: "x", scopes: "read" }),
      /user could not be found/,
    ],
    [
      "an unknown key",
      () => run("key deactivate", {}, { args: ["key_none"] }),
      /key could not be found/,
    ],
    [
      "an empty password",
      () => run("user create", { email: "e@example.com", role: "member" }),
      /at least 10 characters/,
    ],
    [
      "an email that is taken",
      () =>
        run(
          "user create",
          { email: "cli@example.com", role: "member" },
          { stdin: "correct horse" },
        ),
      /already/,
    ],
    [
      "an unknown scope",
      () => run("key create", { user: "cli@example.com", name: "x", scopes: "read,admin" }),
      /no scope "admin"/,
    ],
    [
      "an expiry in the past",
      () =>
        run("key create", {
          user: "cli@example.com",
          name: "x",
          scopes: "read",
          expires: "2001-01-01",
        }),
      /in the past/,
    ],
    [
      "a blank name",
      () => run("key create", { user: "cli@example.com", name: " ", scopes: "read" }),
      /must not be blank/,
    ],
    [
      "a set-up link when there already is an administrator",
      () => run("setup", { link: true }),
      /already has an administrator/,
    ],
  ];
  for (const [why, attempt, sentence] of cases)
    test(`refuse ${why}`, async () => {
      expect(((await refusal(attempt())) as Error).message).toMatch(sentence);
    });
});

test("the last use of a key is written at shutdown, not by a request", async () => {
  const own_server = await startTestServer();
  await own_server.key("ada");
  const lastUse = async () => (await own_server.accounts.listKeys("usr_ada"))[0]!.last_used_at;
  const before = Date.now();
  await own_server.send("ada", "GET", "/prompts");
  expect(await lastUse()).toBeNull();
  await own_server.host.stop(0);
  expect(await lastUse()).toBeGreaterThanOrEqual(before);
  await own_server.stop();
});
