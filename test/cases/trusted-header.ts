/** A proxy that passes the signed-in user in a header: trusted from the configured proxies only. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openBrowser, type Browser } from "../helpers/browser";
import type { SignInServer } from "./single-sign-on";

const root = { email: "root@example.com", password: "correct horse battery staple" };
const settings = {
  DOSSIER_ADMIN_EMAIL: root.email,
  DOSSIER_ADMIN_PASSWORD: root.password,
  DOSSIER_SIGNIN_HEADER_NAME: "X-Forwarded-User",
  DOSSIER_SIGNIN_HEADER_EMAIL: "X-Forwarded-Email",
  DOSSIER_SIGNIN_HEADER_ROLE: "X-Forwarded-Groups",
  DOSSIER_SIGNIN_HEADER_ADMIN_VALUES: "ops",
  DOSSIER_SIGNIN_HEADER_SIGN_OUT_URL: "/oauth2/sign_out",
};
type Headers = Readonly<Record<string, string>>;
const named = (name: string, groups = "staff"): Headers => ({
  "x-forwarded-user": name,
  "x-forwarded-email": `${name}@example.com`,
  "x-forwarded-groups": groups,
});

export function trustedHeaderCases(
  start: (env: Readonly<Record<string, string>>) => Promise<SignInServer>,
): void {
  /** Two servers: one trusts the sender of the requests, the other a different address. */
  let trusting: SignInServer;
  let wary: SignInServer;
  beforeAll(async () => {
    [trusting, wary] = await Promise.all([
      start({ ...settings, DOSSIER_SERVER_TRUSTED_PROXIES: "127.0.0.0/8" }),
      start({
        ...settings,
        DOSSIER_SERVER_TRUSTED_PROXIES: "127.0.0.0/8",
        DOSSIER_SIGNIN_HEADER_NETWORKS: "192.0.2.0/24",
      }),
    ]);
  }, 180_000);
  afterAll(async () => {
    await trusting?.[Symbol.asyncDispose]();
    await wary?.[Symbol.asyncDispose]();
  });

  const browserOf = (server: SignInServer, headers: Headers = {}): Browser =>
    openBrowser((request) => server.fetch(request), server.base, { headers });
  const ways = async (browser: Browser) => (await browser.send("GET", "/sign-in")).body.ways;
  const begin = (browser: Browser) => browser.send("POST", "/sign-in/signin-header", {});
  const who = async (browser: Browser, headers: Headers = {}) =>
    (await browser.send("GET", "/session", undefined, headers)).body.user;
  const signedIn = async (headers: Headers) => {
    const browser = browserOf(trusting, headers);
    expect((await begin(browser)).status).toBe(200);
    return browser;
  };
  const admin = async (server = trusting) => {
    const browser = browserOf(server);
    expect((await browser.send("POST", "/session", root)).status).toBe(200);
    return browser;
  };

  test("a user named by a trusted proxy is signed in at once, and signs out at the proxy", async () => {
    const browser = browserOf(trusting, named("ada"));
    expect(await ways(browser)).toEqual([
      { id: "signin-header", title: "Sign in", automatic: true },
    ]);
    expect((await begin(browser)).body).toEqual({ location: "/console/" });
    expect(await who(browser)).toMatchObject({ email: "ada@example.com", role: "member" });
    const out = await browser.send("DELETE", "/session");
    expect([out.status, out.body]).toEqual([200, { location: "/oauth2/sign_out" }]);
  });

  test("without the header the normal sign-in page is shown", async () => {
    const browser = browserOf(trusting);
    expect(await ways(browser)).toEqual([]);
    const { status, body } = await begin(browser);
    expect([status, body.code]).toEqual([403, "not_named"]);
    expect(await who(await admin())).toMatchObject({ email: root.email });
  });

  test("the role follows the proxy at every sign-in", async () => {
    const roles: string[] = [];
    for (const groups of ["staff", "staff, ops", "no ops|staff"])
      roles.push((await who(await signedIn(named("rita", groups)))).role);
    expect(roles).toEqual(["member", "admin", "member"]);
  });

  describe("the header from an untrusted peer is ignored", () => {
    test("no one is signed in by it", async () => {
      const browser = browserOf(wary, {
        ...named("eve", "ops"),
        "x-forwarded-for": "192.0.2.1",
      });
      expect(await ways(browser)).toEqual([]);
      const { status, body } = await begin(browser);
      expect([status, body.code]).toEqual([403, "not_named"]);
      expect(body.detail).not.toContain("eve");
      expect(await who(browser)).toBeNull();
    });

    test("another user's session continues", async () => {
      const browser = await admin(wary);
      expect(await who(browser, named("eve", "ops"))).toMatchObject({ email: root.email });
      const folders = await browser.send("GET", "/folders", undefined, named("eve"));
      expect(folders.status).toBe(200);
    });
  });

  describe("a session ends", () => {
    const rows: [why: string, headers: Headers][] = [
      ["when the proxy names another user", named("other")],
      ["when the proxy names no one", { "x-forwarded-user": "" }],
      ["when two names are sent", { ...named("kim"), "x-forwarded-user": "kim, other" }],
    ];
    test.each(rows)("%s", async (_, headers) => {
      const browser = await signedIn(named("kim"));
      expect((await who(browser)).email).toBe("kim@example.com");
      expect(await who(browser, headers)).toBeNull();
      expect((await browser.send("GET", "/folders", undefined, headers)).status).toBe(401);
      expect((await who(browser)).email).toBe("kim@example.com");
    });

    test.each([
      ["when its user is deactivated", "PATCH", { active: false }],
      ["when its user is deleted", "DELETE", undefined],
    ] as const)("%s", async (_, method, body) => {
      const name = `gone-${method.toLowerCase()}`;
      const browser = await signedIn(named(name));
      await (await admin()).send(method, `/users/${(await who(browser)).id}`, body);
      expect((await browser.send("GET", "/folders")).status).toBe(401);
      if (method === "DELETE") return;
      const { status, body: body_text } = await begin(browser);
      expect([status, body_text.code]).toEqual([403, "deactivated"]);
    });

    test("even one started with a password, when the proxy names another user", async () => {
      const browser = await admin();
      expect(await who(browser, named("ada"))).toBeNull();
      expect(await who(browser)).toMatchObject({ email: root.email });
    });
  });

  describe("headers that sign in no one", () => {
    test.each([
      ["two names", { ...named("eve"), "x-forwarded-user": "ada, eve" }, null],
      ["a very long name", { ...named("eve"), "x-forwarded-user": "x".repeat(400) }, null],
      ["spaces", { ...named("eve"), "x-forwarded-user": "   " }, null],
      ["no address", { ...named("eve"), "x-forwarded-email": "" }, "no_email"],
      ["two addresses", { ...named("eve"), "x-forwarded-email": "a@b.test,c@d.test" }, "no_email"],
      [
        "an administrator's address",
        { ...named("eve"), "x-forwarded-email": root.email },
        "email_in_use",
      ],
      ["an invalid address", { ...named("eve"), "x-forwarded-email": "<b>@" }, "invalid_request"],
    ] as const)("%s", async (_, headers, code) => {
      const browser = browserOf(trusting, headers);
      const { status, body } = await begin(browser);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body.code).toBe(code ?? "not_named");
      expect(await who(browser)).toBeNull();
    });
  });

  test("another site can't trigger a sign-in, and the API ignores the header", async () => {
    const browser = browserOf(trusting, named("ada"));
    const forged = await browser.send(
      "POST",
      "/sign-in/signin-header",
      {},
      {
        "sec-fetch-site": "cross-site",
      },
    );
    expect([forged.status, forged.body.code]).toEqual([403, "cross_site"]);
    const api = await browser.send("GET", "//api/dev/v1/folders");
    expect(api.status).toBe(401);
  });

  test("the audit log has its sign-ins and refusals", async () => {
    await signedIn(named("logged"));
    await begin(browserOf(trusting));
    const { body } = await (await admin()).send("GET", "/audit?action=startSignIn&per_page=200");
    expect(body.data).toContainEqual(
      expect.objectContaining({ actor: "logged@example.com", outcome: "done" }),
    );
    expect(body.data).toContainEqual(
      expect.objectContaining({ record: "signin-header", outcome: "refused", status: 403 }),
    );
  });
}
