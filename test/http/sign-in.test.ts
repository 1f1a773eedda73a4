/**
 * Sign-in methods from plugins: what a browser begins ends in the same browser, once, at the page
 * where it began; how external users map to accounts; turning passwords off.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { definePlugin, fill, HttpError, sql } from "../../core/sdk";
import { Accounts, type ExternalUser } from "../../plugins/accounts/contract";
import { SignIn } from "../../plugins/sign-in/contract";
import { returnPath } from "../../plugins/sign-in/return-path";
import { SingleUse, used_scope } from "../../plugins/sign-in/single-use";
import { localShared } from "../helpers/shared";
import { signedIn, visit, type Browser } from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

/** The user the test's provider reports as signed in. */
let somebody: ExternalUser = { email: "eve@example.com", external_id: "eve" };
/** What the callback last received. */
let returned: { url: string; remembered: string } | null = null;

const elsewhere = definePlugin({
  name: "elsewhere",
  version: "1.0.0",
  needs: { accounts: Accounts },
  setup: ({ services: { accounts } }) => {
    const who = async () => ({ user: await accounts.ensureUser(somebody), kept: "a token" });
    const way = { title: "Sign in elsewhere", start: who };
    return {
      fills: [
        fill(SignIn, {
          id: "elsewhere",
          title: "Sign in elsewhere",
          start: async ({ state, callback_url }) => ({
            redirect: `https://sso.test/?state=${state}&back=${encodeURIComponent(callback_url)}`,
            remember: `nonce of ${state}`,
          }),
          callback: ({ url, remembered }) => {
            returned = { url: url.href, remembered };
            if (url.searchParams.get("code") === "refused")
              throw new HttpError(403, "refused_there", "They <b>say</b> no.");
            if (url.searchParams.get("code") === "broken") throw new Error("a secret detail");
            return who();
          },
          signOut: async ({ kept, back_url }) => `https://sso.test/out?of=${kept}&to=${back_url}`,
        }),
        fill(SignIn, { ...way, id: "request" }),
        fill(SignIn, { ...way, id: "hidden", offer: () => null }),
        fill(SignIn, { ...way, id: "lost", start: async () => ({ redirect: "javascript:1" }) }),
      ],
    };
  },
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ plugins: [elsewhere] });
  await signedIn(server, "root", { role: "admin" });
});

async function began(browser: Browser, to = "/"): Promise<URLSearchParams> {
  const { status, body } = await browser.send("POST", "/sign-in/elsewhere", { to });
  expect(status).toBe(200);
  return new URL(body.location).searchParams;
}
const back = (browser: Browser, state: string | null, code = "ok") =>
  browser.send("GET", `/sign-in/elsewhere/callback?code=${code}&state=${state}`);
const whoIs = async (browser: Browser) => (await browser.send("GET", "/session")).body.user?.email;

test("the sign-in page gets the available methods", async () => {
  const { body } = await visit(server).send("GET", "/sign-in");
  expect(body).toEqual({
    password: true,
    ways: [
      { id: "elsewhere", title: "Sign in elsewhere", automatic: false },
      { id: "request", title: "Sign in elsewhere", automatic: false },
      { id: "lost", title: "Sign in elsewhere", automatic: false },
    ],
    problem: null,
  });
});

test("a user signs in at a provider, gets the requested page, and signs out there", async () => {
  somebody = { email: "ann@example.com", external_id: "ann" };
  const browser = visit(server);
  const params = await began(browser, "/folders/fld_1?page=2#row");
  expect(params.get("back")).toBe("http://dossier.test/console/api/v1/sign-in/elsewhere/callback");
  const answer = await back(browser, params.get("state"));
  expect([answer.status, answer.headers.get("location")]).toEqual([
    302,
    "/console/folders/fld_1?page=2#row",
  ]);
  expect(returned).toEqual({
    url: `${params.get("back")}?code=ok&state=${params.get("state")}`,
    remembered: `nonce of ${params.get("state")}`,
  });
  expect(await whoIs(browser)).toBe("ann@example.com");
  expect(browser.cookie()).toMatch(/^dossier=dss_\w+$/);
  const out = await browser.send("DELETE", "/session");
  expect([out.status, out.body]).toEqual([
    200,
    { location: "https://sso.test/out?of=a token&to=http://dossier.test/console/sign-in" },
  ]);
  expect(await whoIs(browser)).toBeUndefined();
});

test("a method that needs no redirect signs in at once", async () => {
  somebody = { email: "bea@example.com", external_id: "bea" };
  const browser = visit(server);
  const { body } = await browser.send("POST", "/sign-in/request", { to: "/chats" });
  expect(body).toEqual({ location: "/console/chats" });
  expect(await whoIs(browser)).toBe("bea@example.com");
});

describe("a callback is refused", () => {
  const cases: [why: string, come: (browser: Browser) => Promise<unknown>, says: RegExp][] = [
    ["without an attempt", (browser) => back(browser, "x"), /started in another browser/],
    [
      "with a forged state",
      async (browser) => {
        await began(browser);
        return back(browser, "x");
      },
      /newer sign-in/,
    ],
    [
      "with two states",
      async (browser) => back(browser, `${(await began(browser)).get("state")}&state=x`),
      /newer sign-in/,
    ],
    [
      "without a state",
      async (browser) => {
        await began(browser);
        return back(browser, "");
      },
      /newer sign-in/,
    ],
    [
      "with the state of another browser",
      async (browser) => {
        const of_another = await began(visit(server));
        await began(browser);
        return back(browser, of_another.get("state"));
      },
      /newer sign-in/,
    ],
    [
      "in a browser that did not begin it",
      async (browser) => back(browser, (await began(visit(server))).get("state")),
      /started in another browser/,
    ],
    [
      "for another method than the one begun",
      async (browser) => {
        const state = (await began(browser)).get("state");
        return browser.send("GET", `/sign-in/request/callback?state=${state}`);
      },
      /sign-in method could not be found/,
    ],
    [
      "with a forged cookie",
      (browser) => {
        browser.setCookies("dossier-sign-in-attempt=v1.AAAA");
        return back(browser, "x");
      },
      /started in another browser/,
    ],
    [
      "a second time with the same cookie",
      async (browser) => {
        const state = (await began(browser)).get("state");
        const cookie = browser.cookie();
        await back(browser, state);
        browser.setCookies(cookie);
        return back(browser, state);
      },
      /already used/,
    ],
    [
      "when the provider refuses",
      async (browser) => back(browser, (await began(browser)).get("state"), "refused"),
      /They &lt;b&gt;say&lt;\/b&gt; no/,
    ],
    [
      "when the method fails, without details",
      async (browser) => back(browser, (await began(browser)).get("state"), "broken"),
      /^(?!.*secret detail).*server's log/,
    ],
  ];
  test.each(cases)("%s", async (_, come, says) => {
    somebody = { email: "cid@example.com", external_id: "cid" };
    const browser = visit(server);
    const answer = (await come(browser)) as Awaited<ReturnType<Browser["send"]>>;
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text.replaceAll("&#x27;", "'")).toMatch(says);
    expect(browser.cookie()).not.toContain("dossier=");
    // It redirects to a page of the console, which shows the same message once.
    expect(answer.text).toContain(`content="0;url=/console/`);
    const [first, second] = [
      await browser.send("GET", "/sign-in"),
      await browser.send("GET", "/sign-in"),
    ];
    expect(first.body.problem).toBeString();
    expect(second.body.problem).toBeNull();
  });
});

describe("the cookie of a sign-in attempt", () => {
  test.each([
    ["over HTTP", {}, "dossier-sign-in-attempt", "SameSite=Lax; Max-Age=600"],
    [
      "over HTTPS",
      { "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.1" },
      "__Host-dossier-sign-in-attempt",
      "SameSite=Lax; Max-Age=600; Secure",
    ],
  ] as const)("%s", async (_, headers, name, flags) => {
    const origin = "x-forwarded-proto" in headers ? "https://dossier.test" : "http://dossier.test";
    await using own_server = await startTestServer({
      plugins: [elsewhere],
      env: { DOSSIER_SERVER_TRUSTED_PROXIES: "127.0.0.1" },
    });
    const answer = await visit(own_server, { headers, origin }).send(
      "POST",
      "/sign-in/elsewhere",
      {},
    );
    const cookie = answer.headers.get("set-cookie")!;
    expect(cookie.startsWith(`${name}=v1.`)).toBe(true);
    expect(cookie.endsWith(`; Path=/; HttpOnly; ${flags}`)).toBe(true);
    expect(cookie.length).toBeLessThan(4_096);
    expect(new URL(answer.body.location).searchParams.get("back")).toStartWith(`${origin}/`);
  });
});

test.each([
  ["a page", "/folders/fld_1?page=2#x", "/console/folders/fld_1?page=2#x"],
  ["nothing", "", "/console/"],
  ["another host", "//evil.test/", "/console//evil.test/"],
  ["another host by a backslash", "/\\evil.test/", "/console/"],
  ["an address", "https://evil.test/", "/console/"],
  ["a script URL", "javascript:alert(1)", "/console/"],
  ["a path upwards", "/../..//evil.test", "/console/"],
  ["an escaped path upwards", "/%2e%2e/%2e%2e//evil.test", "/console/"],
  ["an API call", "/api/v1/session", "/console/"],
  ["an injected header", "/a\r\nset-cookie: b", "/console/"],
  ["a path that is too long", `/${"a".repeat(900)}`, "/console/"],
] as const)("the return path always leads to a console page: %s", (_, to, path) => {
  expect(returnPath(to)).toBe(path);
});

test("a sign-in starts only from the server's own page, with an existing method", async () => {
  const browser = visit(server);
  const start = (way: string, headers = {}) => browser.send("POST", `/sign-in/${way}`, {}, headers);
  expect((await start("elsewhere", { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await start("nothing")).status).toBe(404);
  expect((await start("lost")).status).toBe(500);
});

test("the callback address is the configured public one only", async () => {
  await using own_server = await startTestServer({
    plugins: [elsewhere],
    public_url: "https://papers.test/dossier",
    env: { DOSSIER_SERVER_PUBLIC_URL: "https://papers.test/dossier" },
  });
  const right = visit(own_server, { origin: "https://papers.test" });
  const { body, headers } = await right.send("POST", "/sign-in/elsewhere", { to: "/chats" });
  const params = new URL(body.location).searchParams;
  expect(params.get("back")).toStartWith("https://papers.test/dossier/console/api/v1/sign-in/");
  expect(headers.get("set-cookie")).toMatch(/^__Secure-.*; Path=\/dossier; HttpOnly/);
  const answer = await back(right, params.get("state"));
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/dossier/console/chats"]);
  const wrong = await visit(own_server, { origin: "http://127.0.0.1" }).send(
    "POST",
    "/sign-in/elsewhere",
    {},
  );
  expect([wrong.status, wrong.body.code]).toEqual([409, "wrong_address"]);
});

describe("an external user", () => {
  let n = 0;
  const ensured = (input: Partial<ExternalUser>) =>
    server.accounts.ensureUser({ email: `p${n}@example.com`, external_id: `p${n}`, ...input }).then(
      ({ id, role, has_password, invited }) => ({ id, role, has_password, invited }),
      (error: HttpError) => error.code,
    );
  const known = async (role: "admin" | "member", active = true) => {
    const user = await server.accounts.createUser({
      email: `P${n}@example.com`,
      password: "correct horse battery staple",
      role,
    });
    if (!active) await server.accounts.setUserActive(user.id, false);
    return user.id;
  };
  test.each([
    [
      "becomes a user once",
      async () => {
        const first = await ensured({});
        expect(first).toMatchObject({ role: "member", has_password: false, invited: false });
        expect(await ensured({ email: "another@example.com" })).toEqual(first);
      },
    ],
    [
      "becomes one user in parallel sign-ins",
      async () => {
        const [one, other] = await Promise.all([ensured({}), ensured({})]);
        expect(one).toEqual(other);
      },
    ],
    [
      "is not created when creation is off",
      async () => {
        expect(await ensured({ create: false })).toBe("not_a_user");
      },
    ],
    [
      "has the role from the provider, updated each time",
      async () => {
        expect(await ensured({ role: "admin" })).toMatchObject({ role: "admin" });
        expect(await ensured({})).toMatchObject({ role: "admin" });
        expect(await ensured({ role: "member" })).toMatchObject({ role: "member" });
      },
    ],
    [
      "is not linked to a user with the same email",
      async () => {
        await known("member");
        expect(await ensured({})).toBe("email_in_use");
      },
    ],
    [
      "is linked to a member if allowed, and stays linked",
      async () => {
        const id = await known("member");
        expect(await ensured({ link: "members" })).toMatchObject({ id, has_password: true });
        expect(await ensured({ email: "else@example.com" })).toMatchObject({ id });
      },
    ],
    [
      "is not linked to an administrator when only members are allowed",
      async () => {
        await known("admin");
        expect(await ensured({ link: "members" })).toBe("email_in_use");
      },
    ],
    [
      "is linked to an administrator if allowed",
      async () => {
        const id = await known("admin");
        expect(await ensured({ link: "everybody" })).toMatchObject({ id, role: "admin" });
      },
    ],
    [
      "is not linked to a user already linked at the same provider",
      async () => {
        const id = await known("member");
        expect(await ensured({ link: "everybody" })).toMatchObject({ id });
        expect(await ensured({ link: "everybody", external_id: `q${n}` })).toBe("email_in_use");
        const elsewhere = { link: "everybody", provider: "other" } as const;
        expect(await ensured(elsewhere)).toMatchObject({ id });
      },
    ],
    [
      "is refused when the user is deactivated",
      async () => {
        await known("member", false);
        expect(await ensured({ link: "everybody" })).toBe("deactivated");
        n++;
        const { id } = (await ensured({})) as { id: string };
        await server.accounts.setUserActive(id, false);
        expect(await ensured({})).toBe("deactivated");
      },
    ],
    [
      "is refused without a valid id",
      async () => {
        expect(await ensured({ external_id: "" })).toBe("invalid_request");
        expect(await ensured({ external_id: "x".repeat(501) })).toBe("invalid_request");
        expect(await ensured({ email: "no address" })).toBe("invalid_request");
      },
    ],
  ] as const)("%s", async (_, run) => {
    n++;
    await run();
  });

  test("remains an administrator when the last one", async () => {
    await using own_server = await startTestServer();
    const ensure = (role: "admin" | "member") =>
      own_server.accounts.ensureUser({ email: "a@example.com", external_id: "a", role });
    await ensure("admin");
    expect(await ensure("member")).toMatchObject({ role: "admin" });
  });

  test("is locked out at the next request when deactivated or deleted", async () => {
    somebody = { email: "out@example.com", external_id: "out" };
    for (const remove of ["setUserActive", "deleteUser"] as const) {
      const browser = visit(server);
      await browser.send("POST", "/sign-in/request", {});
      const { id } = await server.accounts.findUser("out@example.com");
      const { token } = await server.accounts.createKey(id, { name: "k" });
      const list = () =>
        server.fetch(
          new Request("http://dossier.test/api/dev/v1/folders", {
            headers: { authorization: `Bearer ${token}` },
          }),
        );
      expect([(await browser.send("GET", "/folders")).status, (await list()).status]).toEqual([
        200, 200,
      ]);
      await (remove === "deleteUser"
        ? server.accounts.deleteUser(id)
        : server.accounts.setUserActive(id, false));
      expect([(await browser.send("GET", "/folders")).status, (await list()).status]).toEqual([
        401, 401,
      ]);
      if (remove === "setUserActive") await server.accounts.setUserActive(id, true);
    }
  });
});

test("the rate limit of an address covers sign-in attempts", async () => {
  await using own_server = await startTestServer({
    plugins: [elsewhere],
    env: { DOSSIER_RATE_LIMIT_REQUESTS: "4" },
  });
  const statuses: number[] = [];
  const browser = visit(own_server);
  for (let n = 0; n < 3; n++) {
    statuses.push((await browser.send("POST", "/sign-in/elsewhere", {})).status);
    statuses.push((await back(browser, "forged")).status);
  }
  expect(statuses).toEqual([200, 403, 200, 403, 429, 429]);
  const { rows } = await sql<{ n: number }>`select count(*) as n from accounts_sessions`.execute(
    own_server.store.db,
  );
  expect(Number(rows[0]!.n)).toBe(0);
});

test("the audit log records successful and refused sign-ins", async () => {
  somebody = { email: "log@example.com", external_id: "log" };
  const [good, bad] = [visit(server), visit(server)];
  await back(good, (await began(good)).get("state"));
  await began(bad);
  await back(bad, "forged");
  const root = await signedIn(server, "root", { role: "admin" });
  const { body } = await root.send("GET", "/audit?action=finishSignIn&per_page=200");
  const { id } = await server.accounts.findUser("log@example.com");
  expect(body.data).toContainEqual(
    expect.objectContaining({ record: id, outcome: "done", actor: "log@example.com" }),
  );
  expect(body.data).toContainEqual(
    expect.objectContaining({ record: "elsewhere", outcome: "refused", status: 403 }),
  );
});

describe("with passwords turned off", () => {
  const email = "pw@example.com";
  const password = "correct horse battery staple";
  const off = { DOSSIER_SIGN_IN_PASSWORD: "false" };

  test("no password and no password link works", async () => {
    await using own_server = await startTestServer({ plugins: [elsewhere], env: off });
    const { id } = await own_server.accounts.createUser({ email, password, role: "admin" });
    const browser = visit(own_server);
    expect((await browser.send("GET", "/sign-in")).body.password).toBe(false);
    const refused = await browser.send("POST", "/session", { email, password });
    expect([refused.status, refused.body.code]).toEqual([403, "password_off"]);
    expect(refused.body.detail).toContain("Sign in elsewhere");
    const admin = await signedIn(own_server, "root", { role: "admin" });
    const { body } = await admin.send("POST", `/users/${id}/reset`);
    const token = new URL(body.reset_url).hash.slice(3);
    const accepted = await browser.send("POST", "/invite", { token, password });
    expect([accepted.status, accepted.body.code]).toEqual([403, "password_off"]);
  });

  test("they work again once turned on, and whenever there is no other method", async () => {
    await using alone = await startTestServer({ env: off });
    await alone.accounts.createUser({ email, password, role: "admin" });
    expect((await visit(alone).send("POST", "/session", { email, password })).status).toBe(200);
    await using own_server = await startTestServer({ plugins: [elsewhere] });
    await own_server.accounts.createUser({ email, password, role: "admin" });
    const admin = await signedIn(own_server, "root", { role: "admin" });
    const signIn = async () =>
      (await visit(own_server).send("POST", "/session", { email, password })).status;
    await admin.send("PATCH", "/settings", { "sign_in.password": false });
    expect(await signIn()).toBe(403);
    await admin.send("PATCH", "/settings", { "sign_in.password": null });
    expect(await signIn()).toBe(200);
  });
});

test("used values are remembered for a time, up to a limit", async () => {
  const clock = { now_ms: 0 };
  const shared = localShared(() => clock.now_ms);
  const used = new SingleUse({ shared, keep_ms: 1_000 });
  const used_count = () => shared.state.size(used_scope);
  const redeemed = [await used.redeem("a"), await used.redeem("a"), await used.redeem("b")];
  expect(redeemed).toEqual([true, false, true]);
  clock.now_ms = 1_001;
  expect([await used.redeem("c"), used_count()]).toEqual([true, 1]);
  for (let n = 0; n < 25_000; n++) await used.redeem(`n${n}`);
  expect(used_count()).toBeLessThanOrEqual(20_000);
});
