/**
 * Single sign-on with a real provider: who may sign in with which role, what is refused, and the
 * messages when the provider is down.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openBrowser, type Browser, type BrowserResponse } from "../helpers/browser";
import { startOidcProvider, type OidcProvider, type Person } from "../helpers/oidc";

export interface SignInServer extends AsyncDisposable {
  /** `http://dossier.test` */
  readonly base: string;
  fetch(request: Request): Promise<Response>;
}

const root = { email: "root@example.com", password: "correct horse battery staple" };
export const env = { DOSSIER_ADMIN_EMAIL: root.email, DOSSIER_ADMIN_PASSWORD: root.password };

const secret = "the secret of the client";
const ada: Person = { sub: "ada-1", email: "ada@example.com", email_verified: true };

export function singleSignOnCases(
  start: (env: Readonly<Record<string, string>>) => Promise<SignInServer>,
): void {
  let server: SignInServer;
  let provider: OidcProvider;
  let admin: Browser;
  const browserNow = () => openBrowser((request) => server.fetch(request), server.base);
  beforeAll(async () => {
    server = await start(env);
    const redirect_uris = [`${server.base}/console/api/v1/sign-in/oidc/callback`];
    const post_logout_redirect_uris = [`${server.base}/console/sign-in`];
    const common = { redirect_uris, post_logout_redirect_uris };
    provider = await startOidcProvider(() => [
      { ...common, client_id: "dossier", client_secret: secret },
      {
        ...common,
        client_id: "posts",
        client_secret: secret,
        token_endpoint_auth_method: "client_secret_post",
      },
      { ...common, client_id: "public", token_endpoint_auth_method: "none" },
    ]);
    admin = browserNow();
    expect((await admin.send("POST", "/session", root)).status).toBe(200);
  }, 180_000);
  afterAll(async () => {
    await provider?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const keys = [
    "client_id",
    "client_secret",
    "role_claim",
    "admin_values",
    "member_values",
    "allowed_domains",
    "require_verified_email",
    "create_users",
    "link_by_email",
    "title",
    "issuer",
  ];
  /** Missing values have defaults. */
  async function set(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const wanted = {
      issuer: provider.issuer,
      client_id: "dossier",
      client_secret: secret,
      ...settings,
    };
    const body = Object.fromEntries(
      keys.map((key) => [`oidc.${key}`, wanted[key as keyof typeof wanted] ?? null]),
    );
    const { status, text } = await admin.send("PATCH", "/settings", body);
    if (status !== 200) throw new Error(text);
  }
  beforeEach(async () => {
    provider.person = ada;
    provider.tamper = null;
    await set();
  });

  const begin = async (browser: Browser, to = "/"): Promise<string> => {
    const { status, body, text } = await browser.send("POST", "/sign-in/oidc", { to });
    if (status !== 200) throw new Error(text);
    return body.location;
  };
  const arrive = (browser: Browser, at: URL): Promise<BrowserResponse> =>
    browser.send("GET", `/${at.pathname}${at.search}`);
  const signIn = async (
    browser: Browser,
    person: Person | null = ada,
  ): Promise<BrowserResponse> => {
    provider.person = person;
    return arrive(browser, await provider.follow(await begin(browser)));
  };
  /** The sign-in page's message about the last failure. */
  const messageOf = async (browser: Browser): Promise<string> =>
    (await browser.send("GET", "/sign-in")).body.problem;
  const who = async (browser: Browser) => (await browser.send("GET", "/session")).body.user;
  const refusal = async (person: Person | null) => {
    const browser = browserNow();
    const { status } = await signIn(browser, person);
    expect(await who(browser)).toBeNull();
    return `${status} ${await messageOf(browser)}`;
  };

  test("the sign-in page has its button with the configured label", async () => {
    await set({ title: "Example account" });
    expect((await browserNow().send("GET", "/sign-in")).body.ways).toContainEqual({
      id: "oidc",
      title: "Example account",
      automatic: false,
    });
    await set({ issuer: null, client_id: null, client_secret: null });
    const none = await browserNow().send("GET", "/sign-in");
    expect(none.body.ways.map(({ id }: { id: string }) => id)).not.toContain("oidc");
  });

  test("a user signs in, returns to the requested page, and signs out at the provider too", async () => {
    const browser = browserNow();
    const at = await provider.follow(await begin(browser, "/chats?page=2"));
    const { status, headers } = await arrive(browser, at);
    expect([status, headers.get("location")]).toEqual([302, "/console/chats?page=2"]);
    const first = await who(browser);
    expect(first).toMatchObject({ email: ada.email, role: "member" });
    expect((await browser.send("GET", "/account")).body.has_password).toBe(false);
    const { body } = await browser.send("DELETE", "/session");
    const out = new URL(body.location);
    expect(out.origin + out.pathname).toBe(`${provider.issuer}/session/end`);
    expect(out.searchParams.get("post_logout_redirect_uri")).toBe(`${server.base}/console/sign-in`);
    expect(out.searchParams.get("id_token_hint")).toMatch(/^ey/);
    const second_browser = browserNow();
    await signIn(second_browser, { ...ada, email: "ada.married@example.com" });
    expect(await who(second_browser)).toEqual(first);
  });

  test("the role follows the provider at every sign-in", async () => {
    await set({ role_claim: "groups", admin_values: "ops", member_values: "staff" });
    const person = { sub: "rita", email: "rita@example.com", email_verified: true };
    const roles: unknown[] = [];
    let browser = browserNow();
    for (const groups of [["staff"], ["staff", "ops"], ["staff"], "no ops, staff"]) {
      const earlier = browser;
      browser = browserNow();
      await signIn(browser, { ...person, groups });
      // An earlier session gets the current role, too.
      roles.push([(await who(browser))?.role, (await who(earlier))?.role]);
    }
    expect(roles).toEqual([
      ["member", undefined],
      ["admin", "admin"],
      ["member", "member"],
      [undefined, "member"],
    ]);
    expect(await messageOf(browser)).toContain("no role that gives access");
    await set({ role_claim: "realm_access.roles", admin_values: "dossier-admin" });
    await signIn(browser, { ...person, realm_access: { roles: ["dossier-admin"] } });
    expect((await who(browser)).role).toBe("admin");
  });

  describe("a removed user is signed out at the next request", () => {
    test.each([
      ["deactivated", "PATCH", { active: false }, "This user is deactivated"],
      ["deleted", "DELETE", undefined, null],
    ] as const)("%s", async (_, method, body, says) => {
      const browser = browserNow();
      const person = {
        sub: `gone-${method}`,
        email: `${method}@example.com`,
        email_verified: true,
      };
      await signIn(browser, person);
      const { id } = await who(browser);
      const { token } = (await browser.send("POST", "/keys", { name: "k" })).body;
      const byKey = () =>
        server
          .fetch(
            new Request(`${server.base}/api/dev/v1/folders`, {
              headers: { authorization: `Bearer ${token}` },
            }),
          )
          .then(({ status }) => status);
      expect([(await browser.send("GET", "/folders")).status, await byKey()]).toEqual([200, 200]);
      await admin.send(method, `/users/${id}`, body);
      expect([(await browser.send("GET", "/folders")).status, await byKey()]).toEqual([401, 401]);
      if (says !== null) expect(await refusal(person)).toContain(says);
    });
  });

  describe("a refused user sees the reason:", () => {
    const eve = { sub: "eve", email: "eve@example.com", email_verified: true };
    test.each([
      ["cancelled at the provider", {}, null, /^403 .*denied or cancelled/],
      ["without an email address", {}, { sub: "eve" }, /^403 .*email address/],
      ["with an unverified address", {}, { ...eve, email_verified: false }, /^403 .*not verified/],
      [
        "from a domain that isn't allowed",
        { allowed_domains: "example.org" },
        eve,
        /^403 .*example\.com/,
      ],
      ["unknown, where users aren't created", { create_users: false }, eve, /^403 .*invitation/],
      ["with an administrator's address", {}, { ...eve, email: root.email }, /^403 .*another way/],
      [
        "with an administrator's address, where members are linked",
        { link_by_email: "members" },
        { ...eve, email: root.email.toUpperCase() },
        /^403 .*another way/,
      ],
      [
        "with an administrator's unverified address",
        { link_by_email: "everybody", require_verified_email: false },
        { ...eve, email: root.email, email_verified: false },
        /^403 .*another way/,
      ],
      ["with an invalid address", {}, { ...eve, email: "<b>eve" }, /^40. .*address/],
    ] as const)("%s", async (_, settings, person, says) => {
      await set(settings);
      expect(await refusal(person)).toMatch(says);
    });
  });

  test("an existing member is linked only where the settings allow it", async () => {
    const { user } = (
      await admin.send("POST", "/users", { email: "old@example.com", role: "member" })
    ).body;
    const person = { sub: "old", email: "OLD@example.com", email_verified: true };
    expect(await refusal(person)).toContain("another way");
    await set({ link_by_email: "members" });
    const browser = browserNow();
    await signIn(browser, person);
    expect((await who(browser)).id).toBe(user.id);
  });

  describe("callbacks that don't belong to the sign-in are refused", () => {
    type Attack = (browser: Browser) => Promise<BrowserResponse>;
    const rows: [why: string, attack: Attack, status: number, says: RegExp][] = [
      [
        "a forged state",
        async (browser) => {
          const at = await provider.follow(await begin(browser));
          at.searchParams.set("state", "forged");
          return arrive(browser, at);
        },
        403,
        /newer sign-in was started/,
      ],
      [
        "a callback replayed with its cookie",
        async (browser) => {
          const at = await provider.follow(await begin(browser));
          const cookie = browser.cookie();
          await arrive(browser, at);
          await browser.send("DELETE", "/session");
          browser.setCookies(cookie);
          return arrive(browser, at);
        },
        403,
        /already used/,
      ],
      [
        "an attacker's sign-in opened in a victim's browser",
        async (browser) => arrive(browser, await provider.follow(await begin(browserNow()))),
        403,
        /started in another browser/,
      ],
      [
        "the code of another sign-in in the same browser",
        async (browser) => {
          const earlier = await provider.follow(await begin(browser));
          const at = await provider.follow(await begin(browser));
          at.searchParams.set("code", earlier.searchParams.get("code")!);
          return arrive(browser, at);
        },
        403,
        /already used or has expired/,
      ],
      [
        "another nonce",
        async (browser) => {
          const to = new URL(await begin(browser));
          to.searchParams.set("nonce", "another");
          return arrive(browser, await provider.follow(to.href));
        },
        403,
        /does not match this sign-in/,
      ],
      [
        "another provider's response",
        async (browser) => {
          const at = await provider.follow(await begin(browser));
          at.searchParams.set("iss", "https://evil.test");
          return arrive(browser, at);
        },
        403,
        /does not match this sign-in/,
      ],
      [
        "a tampered token",
        async (browser) => {
          const at = await provider.follow(await begin(browser));
          provider.tamper = (path, body) =>
            path === "/token" ? body.replace(/(id_token":"[^.]+\.[^.]+\.)(.)/, "$1_$2") : body;
          return arrive(browser, at);
        },
        403,
        /does not match this sign-in/,
      ],
      [
        "user info about another user",
        async (browser) => {
          const at = await provider.follow(await begin(browser));
          provider.tamper = (path, body) =>
            path === "/me" ? body.replace(ada.sub, "somebody-else") : body;
          return arrive(browser, at);
        },
        502,
        /can't be used/,
      ],
      [
        "two codes",
        async (browser) => {
          const at = await provider.follow(await begin(browser));
          at.searchParams.append("code", "another");
          return arrive(browser, at);
        },
        403,
        /does not match this sign-in/,
      ],
      [
        "a very long code",
        async (browser) => {
          const at = await provider.follow(await begin(browser));
          at.searchParams.set("code", "x".repeat(7_000));
          return arrive(browser, at);
        },
        403,
        /already used or has expired/,
      ],
    ];
    test.each(rows)("%s", async (_, attack, status, says) => {
      const browser = browserNow();
      expect((await attack(browser)).status).toBe(status);
      expect(await who(browser)).toBeNull();
      expect(await messageOf(browser)).toMatch(says);
    });
  });

  describe("the way to send the client secret is detected", () => {
    test.each([
      ["in the header", { client_id: "dossier" }],
      ["in the body", { client_id: "posts" }],
      ["not at all", { client_id: "public", client_secret: null }],
    ])("%s", async (_, settings) => {
      await set(settings);
      const browser = browserNow();
      for (let n = 0; n < 2; n++) {
        await signIn(browser);
        expect(await who(browser)).toMatchObject({ email: ada.email });
      }
    });
  });

  test("an unreachable provider is reported, and used again when it is back", async () => {
    const [waits, fresh] = [browserNow(), browserNow()];
    const at = await provider.follow(await begin(waits));
    await provider.pause();
    try {
      expect((await arrive(waits, at)).status).toBe(502);
      expect(await messageOf(waits)).toContain("is not responding");
      // As after a start, nothing is cached about the provider.
      await set({ title: "Another" });
      const { status, body } = await fresh.send("POST", "/sign-in/oidc", {});
      expect([status, body.code]).toEqual([502, "provider_failed"]);
      expect(body.detail).toContain("is not responding");
    } finally {
      await provider.resume();
    }
    await signIn(fresh);
    expect(await who(fresh)).toMatchObject({ email: ada.email });
  });

  test("a wrong secret is reported as the server's fault, not the user's", async () => {
    await set({ client_secret: "wrong" });
    expect(await refusal(ada)).toMatch(/^502 .*client ID or secret/);
  });

  describe("the settings can be tested", () => {
    test.each([
      [
        "as they are",
        {},
        "ok",
        null,
        /knows this server.*\/console\/api\/v1\/sign-in\/oidc\/callback/,
      ],
      [
        "with the secret in the body",
        { client_id: "posts", client_secret: secret },
        "ok",
        null,
        /knows this server/,
      ],
      [
        "with a wrong secret",
        { client_secret: "wrong" },
        "fail",
        "oidc.client_id",
        /does not accept the client dossier/,
      ],
      [
        "with an unknown client",
        { client_id: "none" },
        "fail",
        "oidc.client_id",
        /the client none/,
      ],
      [
        "at the address of its discovery document",
        { issuer: "/.well-known/openid-configuration" },
        "ok",
        null,
        /knows this server/,
      ],
      [
        "at another path",
        { issuer: "/realms/main" },
        "fail",
        "oidc.issuer",
        /has nothing at \/realms\/main\/\.well-known/,
      ],
      [
        "where nothing listens",
        { issuer: "http://127.0.0.1:1" },
        "fail",
        "oidc.issuer",
        /Nothing is listening/,
      ],
    ] as const)("%s", async (_, changes, status, setting, says) => {
      const body = Object.fromEntries(
        Object.entries(changes).map(([key, value]) => [
          `oidc.${key}`,
          value.startsWith("/") ? provider.issuer + value : value,
        ]),
      );
      const tried = await admin.send("POST", "/settings/oidc/test", body);
      expect(tried.body).toMatchObject({ status, setting });
      expect(tried.body.detail).toMatch(says);
    });

    test("a saved secret is not sent to another address", async () => {
      const other = await startOidcProvider(() => []);
      await using _ = other;
      const body = { "oidc.issuer": other.issuer };
      const tried = await admin.send("POST", "/settings/oidc/test", body);
      expect(tried.body.detail).toContain("The stored key was not sent");
    });
  });

  test("the audit log has every sign-in and failure, and no secrets", async () => {
    const browser = browserNow();
    await signIn(browser);
    const { id } = await who(browser);
    await refusal(null);
    const { body, text } = await admin.send("GET", "/audit?action=finishSignIn&per_page=200");
    expect(body.data).toContainEqual(
      expect.objectContaining({ actor: ada.email, record: id, outcome: "done" }),
    );
    expect(body.data).toContainEqual(
      expect.objectContaining({ record: "oidc", outcome: "refused", status: 403 }),
    );
    expect(text).not.toMatch(/code=|state=|the secret/);
  });

  describe("conflicting settings are refused by name", () => {
    test.each([
      ["no client", { client_id: null }, /oidc\.client_id is required/],
      ["no address", { issuer: "sso.example.com" }, /oidc\.issuer must start/],
      ["no openid", { scopes: "email" }, /must include openid/],
      ["values of no claim", { admin_values: "ops" }, /oidc\.role_claim is required/],
    ] as const)("%s", async (_, change, says) => {
      const body = Object.fromEntries(
        Object.entries(change).map(([key, value]) => [`oidc.${key}`, value]),
      );
      const { status, text } = await admin.send("PATCH", "/settings", body);
      expect(status).toBe(400);
      expect(text).toMatch(says);
    });
  });
}
