/**
 * Signing in to the console: the cookie, how long a session lasts, what ends it, and who is slowed
 * down.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { newId } from "../../core/base/ids";
import type { Caller, Client } from "../../core/http/route";
import { Lockout, lockout_scope } from "../../plugins/accounts/lockout";
import { localShared } from "../helpers/shared";
import { PasswordVerifier } from "../../plugins/accounts/password-verifier";
import { idle_ms, SessionService } from "../../plugins/accounts/sessions";
import {
  openBrowser,
  signedIn,
  signedInAs as signedInto,
  visit,
  type Browser,
} from "../helpers/browser";
import { startTestServer, type TestServer } from "../helpers/host";

const password = "correct horse battery staple";
const hour_ms = 3_600_000;
const far: Client = {
  address: "192.0.2.1",
  peer: "192.0.2.1",
  secure: false,
  host: "dossier.test",
  base_path: "",
};
const unused_seal = { seal: (text: string) => text, unseal: (sealed: string) => sealed };

let server: TestServer;
let password_hash: string;
beforeAll(async () => {
  // Any address in 10.0.0.0/8 is a trusted proxy.
  server = await startTestServer({ env: { DOSSIER_SERVER_TRUSTED_PROXIES: "10.0.0.0/8" } });
  const { id } = await server.accounts.createUser({
    email: "ada@example.com",
    password,
    role: "admin",
  });
  ({ password_hash } = await server.store.db
    .selectFrom("accounts_users")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow());
});
/** Another user with the same password, without the time it takes to hash it. */
async function newUser(name: string, more: object = {}): Promise<string> {
  await server.store.db
    .insertInto("accounts_users")
    .values({
      id: `usr_${name}`,
      email: `${name}@example.com`,
      email_folded: `${name}@example.com`,
      role: "member",
      password_hash,
      active: 1,
      created_at: Date.now(),
      ...more,
    })
    .execute();
  return `${name}@example.com`;
}
const signIn = (browser: Browser, email = "ada@example.com", word = password) =>
  browser.send("POST", "/session", { email, password: word });
const signedInAs = (user_id: string): Promise<Browser> => signedInto(server, user_id);
const sessions = () => server.store.db.selectFrom("accounts_sessions").selectAll().execute();

test("a password that changes while it is being checked no longer signs in", async () => {
  const email = await newUser("hasty");
  const { db, reads, inDeletion, inTransaction } = server.store;
  const change = async () => {
    await db
      .updateTable("accounts_users")
      .set({ password_hash: "another" })
      .where("id", "=", "usr_hasty")
      .execute();
    return true;
  };
  const service = new SessionService({
    db,
    reads,
    inDeletion,
    inTransaction,
    now_ms: Date.now,
    certain_now_ms: Date.now,
    newId,
    passwords: { hash: async () => "", verify: change },
    verifier: new PasswordVerifier({
      passwords: { verify: change },
      lockout: new Lockout({ shared: localShared() }),
    }),
    last_use: { note: () => undefined, lastOf: () => undefined },
    notify: () => undefined,
    rules: () => [],
    sealed: unused_seal,
  });
  const entering = service.signIn(
    { email, password },
    {
      request: new Request("http://dossier.test/", { method: "POST" }),
      client: far,
      about: () => undefined,
    },
  );
  expect(
    await entering.then(
      () => "in",
      (error) => error.code,
    ),
  ).toBe("invalid_credentials");
  expect((await sessions()).filter(({ user_id }) => user_id === "usr_hasty")).toEqual([]);
});

describe("the cookie", () => {
  test("over plain HTTP has its plain name, hidden from scripts and other sites", async () => {
    const { status, body, headers } = await signIn(visit(server));
    expect([status, body]).toEqual([
      200,
      { user: { id: expect.stringMatching(/^usr_/), email: "ada@example.com", role: "admin" } },
    ]);
    expect(headers.get("set-cookie")).toMatch(
      /^dossier=dss_[0-9A-Za-z]{32}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=1209600$/,
    );
    expect(headers.get("cache-control")).toBe("no-store");
  });

  const proxied: [string, Record<string, string>, string, boolean][] = [
    ["behind a trusted proxy that says https", { "x-forwarded-proto": "https" }, "10.0.0.1", true],
    [
      "behind two proxies, the last of which is trusted",
      { "x-forwarded-proto": "http, https" },
      "10.0.0.1",
      true,
    ],
    ["behind a trusted proxy that says http", { "x-forwarded-proto": "http" }, "10.0.0.1", false],
    ["from an untrusted https client", { "x-forwarded-proto": "https" }, "203.0.113.9", false],
  ];
  test.each(proxied)("%s", async (_why, headers, address, secure) => {
    const browser = visit(server, {
      address,
      headers,
      origin: secure ? "https://dossier.test" : "http://dossier.test",
    });
    const { status, headers: answered } = await signIn(browser);
    expect([status, answered.get("set-cookie")]).toEqual([
      200,
      secure
        ? expect.stringMatching(
            /^__Host-dossier=dss_\w+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=1209600; Secure$/,
          )
        : expect.stringMatching(/^dossier=dss_\w+; .*Max-Age=1209600$/),
    ]);
    expect((await browser.send("GET", "/folders")).status).toBe(200);
    // Under the other name the token must not be accepted.
    expect(
      (
        await browser.send("GET", "/folders", undefined, {
          cookie: browser
            .cookie()
            .replace(/^(__Host-)?dossier/, secure ? "dossier" : "__Host-dossier"),
        })
      ).status,
    ).toBe(401);
  });

  test("is secure when the public address is https and the request used it", async () => {
    const behind = await startTestServer({ public_url: "https://papers.example" });
    const signOut = async (origin: string) =>
      (await visit(behind, { origin }).send("DELETE", "/session")).headers.get("set-cookie");
    expect(await signOut("https://papers.example")).toStartWith("__Host-dossier=; ");
    expect(await signOut("http://127.0.0.1:4780")).toStartWith("dossier=; ");
  });

  test("is stored as a digest, and new every time", async () => {
    const browser = visit(server);
    await signIn(browser);
    const first = browser.cookie();
    expect(JSON.stringify(await sessions())).not.toContain(first.slice(12));
    await signIn(browser);
    expect(browser.cookie()).not.toBe(first);
  });

  test("known before the sign-in is useless afterwards", async () => {
    const victim = visit(server);
    victim.setCookies("dossier=dss_chosenByTheAttacker0000000000000");
    await signIn(victim);
    expect(victim.cookie()).not.toContain("chosenByTheAttacker");
    const attacker = visit(server);
    attacker.setCookies("dossier=dss_chosenByTheAttacker0000000000000");
    expect((await attacker.send("GET", "/folders")).status).toBe(401);
    // Signing in again ends the browser's previous session.
    const before = victim.cookie();
    await signIn(victim);
    attacker.setCookies(before);
    expect((await attacker.send("GET", "/folders")).status).toBe(401);
  });

  const nobodys: [string, string][] = [
    ["none", ""],
    ["an empty one", "dossier="],
    ["a made-up token", `dossier=dss_${"0".repeat(32)}`],
    ["an API key as cookie", "dossier=KEY"],
    ["another name", "session=TOKEN"],
    ["SQL", "dossier=' or 1=1 --"],
  ];
  test.each(nobodys)("is refused: %s", async (_why, cookie) => {
    const browser = visit(server);
    const key = await server.key("zoe");
    const { status, body, headers } = await browser.send("GET", "/folders", undefined, {
      cookie: cookie.replace("KEY", key),
    });
    expect([status, body.code, headers.get("www-authenticate")]).toEqual([
      401,
      "signed_out",
      `Session realm="dossier"`,
    ]);
    expect((await browser.send("GET", "/session", undefined, { cookie })).body.user).toBeNull();
  });
});

describe("a wrong sign-in", () => {
  const wrong: [string, object, number, string][] = [
    [
      "a wrong password",
      { email: "ada@example.com", password: "wrong horse" },
      401,
      "invalid_credentials",
    ],
    ["an unknown email", { email: "nobody@example.com", password }, 401, "invalid_credentials"],
    ["a deactivated user", { email: "gone@example.com", password }, 401, "invalid_credentials"],
    [
      "a user who was only invited",
      { email: "new@example.com", password: "" },
      401,
      "invalid_credentials",
    ],
    ["no password", { email: "ada@example.com" }, 400, "invalid_request"],
    [
      "a password of a megabyte",
      { email: "ada@example.com", password: "x".repeat(2 ** 20) },
      413,
      "too_large",
    ],
    ["an object as email", { email: { $ne: "" }, password }, 400, "invalid_request"],
  ];
  test.each(wrong)("%s", async (why, body, status, code) => {
    if (why === "a deactivated user") await newUser("gone", { active: 0 });
    if (why === "a user who was only invited") await newUser("new", { password_hash: "" });
    const answer = await visit(server, { address: `192.0.2.${why.length}` }).send(
      "POST",
      "/session",
      body,
    );
    expect([answer.status, answer.body.code, answer.headers.get("set-cookie")]).toEqual([
      status,
      code,
      null,
    ]);
  });

  test("says the same for an unknown email as for a wrong password", async () => {
    const [known, unknown] = await Promise.all(
      ["ada@example.com", "nobody@example.com"].map((email, at) =>
        signIn(visit(server, { address: `192.0.2.${100 + at}` }), email, "wrong horse"),
      ),
    );
    expect({ ...known!.body, request_id: "" }).toEqual({ ...unknown!.body, request_id: "" });
  });

  test("repeated at one address makes only that address wait, and says how long", async () => {
    const attacker = visit(server, { address: "198.51.100.1" });
    for (let n = 0; n < 5; n++)
      expect((await signIn(attacker, "ada@example.com", `wrong ${n}`)).status).toBe(401);
    const answer = await signIn(attacker);
    expect([answer.status, answer.body.code, Number(answer.headers.get("retry-after"))]).toEqual([
      429,
      "locked_out",
      expect.any(Number),
    ]);
    expect(Number(answer.headers.get("retry-after"))).toBeWithin(1, 6);
    expect((await signIn(visit(server, { address: "198.51.100.2" }))).status).toBe(200);
  });

  test("in many parallel requests gets no more attempts than in sequence", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        signIn(visit(server, { address: "198.51.100.3" }), "ada@example.com", `wrong ${n}`),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...Array(5).fill(401),
      ...Array(7).fill(429),
    ]);
  });
});

describe("parallel sign-ins with the right password", () => {
  const visitors = (count: number, address: string) =>
    Array.from({ length: count }, () => visit(server, { address }));

  test("all succeed, from one address and for one account", async () => {
    const answers = await Promise.all(
      visitors(20, "198.51.100.4").map((browser) => signIn(browser)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const tokens = answers.map(({ headers }) => headers.get("set-cookie"));
    expect(new Set(tokens).size).toBe(20);
  });

  test("succeed between wrong ones that stay below the limit", async () => {
    const words = ["wrong 1", "wrong 2", "wrong 3", ...Array<string>(6).fill(password)];
    const browsers = visitors(words.length, "198.51.100.5");
    const answers = await Promise.all(
      words.map((word, n) => signIn(browsers[n]!, "ada@example.com", word)),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, ...Array(6).fill(200)]);
  });

  test("from one address let another address in after at most two of them", async () => {
    const order: string[] = [];
    const verify = async (word: string) => {
      order.push(word);
      await Bun.sleep(1);
      return true;
    };
    const trials = new PasswordVerifier({
      passwords: { verify },
      lockout: new Lockout({ shared: localShared() }),
    });
    const attempt = (word: string, address: string) =>
      trials.verify({ account: "ada", password: word, password_hash: "x" }, { ...far, address });
    const many = Array.from({ length: 30 }, (_, n) => attempt(`mine ${n}`, "192.0.2.1"));
    await attempt("another's", "192.0.2.2");
    expect(order.indexOf("another's")).toBeLessThanOrEqual(2);
    expect(await Promise.all(many)).toEqual(Array(30).fill(true));
  });

  test("from one address are refused when too many wait, but not from another", async () => {
    const opened = Promise.withResolvers<void>();
    const trials = new PasswordVerifier({
      passwords: {
        verify: async () => {
          await opened.promise;
          return true;
        },
      },
      lockout: new Lockout({ shared: localShared() }),
    });
    const attempt = (n: number, address: string) =>
      trials
        .verify({ account: "ada", password: `${n}`, password_hash: "x" }, { ...far, address })
        .catch(({ status }: { status: number }) => status);
    const many = Array.from({ length: 60 }, (_, n) => attempt(n, "192.0.2.1"));
    const other = attempt(0, "192.0.2.2");
    opened.resolve();
    expect(await Promise.all([...many, other])).toEqual([
      ...Array(50).fill(true),
      ...Array(10).fill(503),
      true,
    ]);
  });
});

describe("the wait after failures", () => {
  const at = (clock: { now_ms: number }) =>
    new Lockout({ shared: localShared(() => clock.now_ms) });
  const fail = async (lockout: Lockout, times: number, account = "ada", address = "192.0.2.1") => {
    let wait_s = 0;
    for (let n = 0; n < times; n++) wait_s = await lockout.enter(account, address);
    return wait_s;
  };

  test("begins after the fifth and doubles up to 15 minutes", async () => {
    const clock = { now_ms: 0 };
    const lockout = at(clock);
    expect(await fail(lockout, 5)).toBe(0);
    const waits: number[] = [];
    for (let n = 0; n < 10; n++) {
      const wait_s = await lockout.enter("ada", "192.0.2.1");
      waits.push(wait_s);
      clock.now_ms += wait_s * 1_000;
      expect(await lockout.enter("ada", "192.0.2.1")).toBe(0);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900, 900]);
  });

  const cases: [
    string,
    (lockout: Lockout, clock: { now_ms: number }) => Promise<number>,
    number,
  ][] = [
    [
      "four failures cause no wait",
      async (lockout) => {
        await fail(lockout, 4);
        return lockout.enter("ada", "192.0.2.1");
      },
      0,
    ],
    [
      "a success resets the count",
      async (lockout) => {
        await fail(lockout, 4);
        await lockout.enter("ada", "192.0.2.1");
        await lockout.succeeded("ada", "192.0.2.1");
        return fail(lockout, 5);
      },
      0,
    ],
    [
      "setting the clock back resets the count, so nobody waits until the old time",
      async (lockout, clock) => {
        clock.now_ms += 365 * 24 * hour_ms;
        await fail(lockout, 15);
        clock.now_ms -= 365 * 24 * hour_ms;
        return fail(lockout, 5);
      },
      0,
    ],
    [
      "an hour resets the count",
      async (lockout, clock) => {
        await fail(lockout, 5);
        clock.now_ms += hour_ms + 5_001;
        return fail(lockout, 5);
      },
      0,
    ],
    [
      "another account at the same address need not wait",
      async (lockout) => {
        await fail(lockout, 6);
        return lockout.enter("bob", "192.0.2.1");
      },
      0,
    ],
    [
      "the same account at another address need not wait",
      async (lockout) => {
        await fail(lockout, 6);
        return lockout.enter("ada", "192.0.2.2");
      },
      0,
    ],
    [
      "failures of twenty accounts at one address make the twenty-first wait",
      async (lockout) => {
        for (let n = 0; n < 20; n++) await lockout.enter(`user ${n}`, "192.0.2.1");
        return lockout.enter("ada", "192.0.2.1");
      },
      5,
    ],
    [
      "a success for one account does not free the address",
      async (lockout) => {
        for (let n = 0; n < 19; n++) await lockout.enter(`user ${n}`, "192.0.2.1");
        await lockout.enter("mallory", "192.0.2.1");
        await lockout.succeeded("mallory", "192.0.2.1");
        await lockout.enter("user 20", "192.0.2.1");
        return lockout.enter("ada", "192.0.2.1");
      },
      5,
    ],
    [
      "an IPv6 network counts as one address",
      async (lockout) => {
        await fail(lockout, 5, "ada", "2001:db8:1:2::1");
        return lockout.enter("ada", "2001:db8:1:2:ffff::9");
      },
      5,
    ],
    [
      "the next IPv6 network counts as another",
      async (lockout) => {
        await fail(lockout, 5, "ada", "2001:db8:1:2::1");
        return lockout.enter("ada", "2001:db8:1:3::1");
      },
      0,
    ],
  ];
  test.each(cases)("%s", async (_why, act, wait_s) => {
    const clock = { now_ms: 1_000_000 };
    expect(await act(at(clock), clock)).toBe(wait_s);
  });

  test("remembers a limited number of addresses", async () => {
    const shared = localShared(() => 0);
    const lockout = new Lockout({ shared });
    for (let n = 0; n < 30_000; n++)
      await lockout.enter("ada", `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    expect(shared.state.size(lockout_scope)).toBe(20_000);
  });
});

describe("a session lasts", () => {
  /** The service itself on the server's database, with a clock that the test moves. */
  async function atClock(): Promise<{
    clock: { now_ms: number };
    use: () => Promise<Caller | null>;
    live: () => Promise<boolean>;
    flush: () => Promise<void>;
  }> {
    const clock = { now_ms: Date.now() };
    const noted = new Map<string, number>();
    const { db, reads, inDeletion, inTransaction } = server.store;
    const service = new SessionService({
      db,
      reads,
      inDeletion,
      inTransaction,
      now_ms: () => clock.now_ms,
      certain_now_ms: () => clock.now_ms,
      newId,
      passwords: { hash: async () => "", verify: async () => true },
      verifier: new PasswordVerifier({
        passwords: { verify: async () => true },
        lockout: new Lockout({ shared: localShared(() => clock.now_ms) }),
      }),
      last_use: { note: (id, at_ms) => void noted.set(id, at_ms), lastOf: (id) => noted.get(id) },
      notify: () => undefined,
      rules: () => [],
      sealed: unused_seal,
    });
    const request = new Request("http://dossier.test/", { method: "POST" });
    const user = await server.accounts.findUser("ada@example.com");
    const { token } = await service.open(user, { request, client: far });
    const back = () =>
      new Request("http://dossier.test/", { headers: { cookie: `a=b; dossier=${token}; c=d` } });
    const id = (await service.callerOf(back(), far))!.key_id;
    return {
      clock,
      use: () => service.callerOf(back(), far),
      live: () => service.isLive(id),
      flush: async () => {
        for (const [session_id, at] of noted)
          await db
            .updateTable("accounts_sessions")
            .set({ last_seen_at: at })
            .where("id", "=", session_id)
            .execute();
        noted.clear();
      },
    };
  }
  const cases: [string, readonly number[], boolean][] = [
    ["up to twelve hours without a request", [idle_ms - 1], true],
    ["no longer than twelve hours without a request", [idle_ms], false],
    ["longer when it is used in between", [idle_ms - 1, idle_ms - 1, idle_ms - 1], true],
    [
      "up to fourteen days, however much it is used",
      [...Array(28).fill(12 * hour_ms - 1), 27],
      true,
    ],
    ["no longer than fourteen days", [...Array(28).fill(12 * hour_ms - 1), 28], false],
    ["when the clock is set back an hour", [-hour_ms], true],
    ["no longer when its start is a year in the future", [-365 * 24 * hour_ms], false],
  ];
  test.each(cases)("%s", async (_why, steps, good) => {
    for (const written of [false, true]) {
      const { clock, use, live, flush } = await atClock();
      for (const [at, step] of steps.entries()) {
        clock.now_ms += step;
        if (at === steps.length - 1)
          expect([await live(), (await use()) !== null]).toEqual([good, good]);
        else expect(await use()).not.toBeNull();
        if (written) await flush();
      }
    }
  });
  test("and checking whether it is live does not extend it", async () => {
    const { clock, use, live } = await atClock();
    clock.now_ms += idle_ms - 1;
    expect(await live()).toBe(true);
    clock.now_ms += 1;
    expect([await live(), await use()]).toEqual([false, null]);
  });
});

describe("a user's sessions", () => {
  test("are listed with address and time; the user can end each, others can't", async () => {
    const email = await newUser("lin");
    const here = visit(server, { headers: { "user-agent": "Firefox" } });
    const there = visit(server, {
      address: "203.0.113.7",
      headers: { "user-agent": `<b>${"x".repeat(500)}` },
    });
    await signIn(here, email);
    await signIn(there, email);
    const { body } = await here.send("GET", "/account/sessions");
    expect(body.pagination.total).toBe(2);
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^ses_/),
        created_at: expect.any(String),
        last_seen_at: expect.any(String),
        address: "203.0.113.7",
        user_agent: `<b>${"x".repeat(297)}`,
        current: false,
      },
      {
        id: expect.stringMatching(/^ses_/),
        created_at: expect.any(String),
        last_seen_at: expect.any(String),
        address: "127.0.0.1",
        user_agent: "Firefox",
        current: true,
      },
    ]);
    const eve = await signedIn(server, "eve");
    expect((await eve.send("DELETE", `/account/sessions/${body.data[0].id}`)).status).toBe(404);
    expect((await there.send("GET", "/folders")).status).toBe(200);
    expect((await here.send("DELETE", `/account/sessions/${body.data[0].id}`)).status).toBe(204);
    expect((await there.send("GET", "/folders")).status).toBe(401);
    expect((await here.send("DELETE", `/account/sessions/${body.data[0].id}`)).status).toBe(404);
    expect((await eve.send("GET", "/folders")).status).toBe(200);
  });

  const endings: [
    string,
    (here: Browser, user_id: string) => Promise<unknown>,
    here: number,
    there: number,
  ][] = [
    ["signing out ends this one", (here) => here.send("DELETE", "/session"), 401, 200],
    [
      "ending all others keeps this one",
      (here) => here.send("DELETE", "/account/sessions"),
      200,
      401,
    ],
    [
      "a new password keeps this one",
      (here) =>
        here.send("PUT", "/account/password", {
          current_password: password,
          new_password: "another horse",
        }),
      200,
      401,
    ],
    [
      "a new password on the command line ends all",
      (_here, user_id) => server.accounts.changePassword(user_id, "another horse"),
      401,
      401,
    ],
    [
      "deactivating the user ends all",
      (_here, user_id) => server.accounts.setUserActive(user_id, false),
      401,
      401,
    ],
    [
      "deactivating and activating again brings none back",
      async (_here, user_id) => {
        await server.accounts.setUserActive(user_id, false);
        await server.accounts.setUserActive(user_id, true);
      },
      401,
      401,
    ],
  ];
  test.each(endings)("%s, from the next request on", async (why, act, here_after, there_after) => {
    const name = why.replaceAll(" ", "-");
    await newUser(name);
    const [here, there] = [await signedInAs(`usr_${name}`), await signedInAs(`usr_${name}`)];
    const cookie = here.cookie();
    await act(here, `usr_${name}`);
    here.setCookies(cookie);
    expect([
      (await here.send("GET", "/folders")).status,
      (await there.send("GET", "/folders")).status,
    ]).toEqual([here_after, there_after]);
  });

  test("signing out clears the cookie, and can be repeated", async () => {
    const browser = visit(server);
    await signIn(browser);
    const { status, headers } = await browser.send("DELETE", "/session");
    expect([status, headers.get("set-cookie")]).toEqual([
      204,
      "dossier=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
    ]);
    expect((await browser.send("DELETE", "/session")).status).toBe(204);
  });

  test("a hundred are kept, and the oldest are dropped", async () => {
    const email = await newUser("collector");
    const now = Date.now();
    const rows = Array.from({ length: 150 }, (_, n) => ({
      id: `ses_${n}`,
      user_id: "usr_collector",
      token_sha256: `${n}`,
      created_at: now - 1_000 + n,
      last_seen_at: now,
      address: "",
      user_agent: "",
    }));
    await server.store.db.insertInto("accounts_sessions").values(rows).execute();
    await signIn(visit(server), email);
    const remaining = await server.store.db
      .selectFrom("accounts_sessions")
      .select("id")
      .where("user_id", "=", "usr_collector")
      .execute();
    expect([
      remaining.length,
      remaining.some(({ id }) => id === "ses_149"),
      remaining.some(({ id }) => id === "ses_0"),
    ]).toEqual([100, true, false]);
  });
});

describe("a new password", () => {
  const cases: [string, object, number, string, string][] = [
    [
      "with a wrong current password",
      { current_password: "wrong horse", new_password: "another horse" },
      400,
      "wrong_password",
      "/current_password",
    ],
    [
      "that is too short",
      { current_password: password, new_password: "short" },
      400,
      "invalid_request",
      "/new_password",
    ],
    ["that is missing", { current_password: password }, 400, "invalid_request", "/new_password"],
  ];
  test.each(cases)("is refused %s", async (_why, body, status, code, pointer) => {
    const browser = await signedInAs((await server.accounts.findUser("ada@example.com")).id);
    const answer = await browser.send("PUT", "/account/password", body);
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([
      status,
      code,
      pointer,
    ]);
    expect(await server.accounts.verifyPassword("ada@example.com", password)).not.toBeNull();
  });
  test("locks out guesses of the current password", async () => {
    await newUser("guessed");
    const browser = await signedInAs("usr_guessed");
    const codes: string[] = [];
    for (let n = 0; n < 6; n++)
      codes.push(
        (
          await browser.send("PUT", "/account/password", {
            current_password: `guess ${n}`,
            new_password: "another horse",
          })
        ).body.code,
      );
    expect(codes).toEqual([...Array(5).fill("wrong_password"), "locked_out"]);
  });
});

test("a browser that kept its cookie is still signed in after reloading the page", async () => {
  const browser = openBrowser((request) => server.fetch(request), "http://dossier.test");
  await signIn(browser);
  const second_browser = openBrowser((request) => server.fetch(request), "http://dossier.test");
  second_browser.setCookies(`theme=dark; ${browser.cookie()}`);
  expect((await second_browser.send("GET", "/session")).body).toMatchObject({
    user: { email: "ada@example.com" },
    setup_needed: false,
    version: expect.any(String),
  });
});
