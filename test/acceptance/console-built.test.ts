/**
 * The console of the built executable, over real sockets: the set-up link, sign-in, password
 * guessing, the change stream, and sessions across a restart.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openBrowser, type Browser } from "../helpers/browser";
import { queryDatabase, on_postgres } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";

const password = "correct horse battery staple";
let dossier: Executable;
beforeAll(async () => {
  dossier = await startExecutable();
}, 120_000);
afterAll(() => dossier[Symbol.asyncDispose]());

const browserAt = (server: Executable): Browser => openBrowser(fetch, server.url());
const linkIn = (output: string): string =>
  /http:\/\/\S+\/console\/setup#t=(dst_\w+)/.exec(output)![1]!;

describe("the first start", () => {
  test("prints a link that creates one administrator, even if used twice at once", async () => {
    await dossier.untilTrue(() => dossier.output().includes("#t=dst_"));
    const printed = linkIn(dossier.output());
    const link = await dossier.mustCli(["setup", "--link"]);
    // Of several processes, it is the address of the one on the command's data directory.
    expect(dossier.output()).toContain(new URL(link).origin);
    const second = linkIn(link);
    const browsers = [browserAt(dossier), browserAt(dossier)];
    const answers = await Promise.all(
      [printed, second].map((token, at) =>
        browsers[at]!.send("POST", "/setup", { token, email: `admin${at}@example.com`, password }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const users = JSON.parse(await dossier.mustCli(["user", "list", "--json"]));
    expect(users).toMatchObject([{ role: "admin" }]);
    const winner = browsers[answers.findIndex(({ status }) => status === 201)]!;
    expect((await winner.send("POST", "/folders", { name: "First" })).status).toBe(201);
    for (const token of [printed, second])
      expect(
        (
          await browserAt(dossier).send("POST", "/setup", {
            token,
            email: "late@example.com",
            password,
          })
        ).status,
      ).toBe(409);
    // The token is in the link's fragment, which isn't sent, and must not be in the log.
    expect(
      dossier
        .output()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .join(),
    ).not.toContain(printed.slice(4));
  });

  test("redirects / to the console, which is served from the executable", async () => {
    const first = await fetch(`${dossier.url()}/`);
    expect([
      first.status,
      first.redirected,
      new URL(first.url).pathname,
      first.headers.get("content-type"),
    ]).toEqual([200, true, "/console/", "text/html; charset=utf-8"]);
    const paths = [
      ...(await first.text()).matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g),
    ].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) {
      const { status, headers } = await fetch(dossier.url() + path);
      expect([path, status, headers.get("cache-control")]).toEqual([
        path,
        200,
        "public, max-age=31536000, immutable",
      ]);
    }
  });
});

describe("password guessing", () => {
  test("locks sign-in after five failures, even for the right password", async () => {
    await dossier.createUser("guessed@example.com");
    const browser = browserAt(dossier);
    const codes: string[] = [];
    for (let n = 0; n < 6; n++)
      codes.push(
        (
          await browser.send("POST", "/session", {
            email: "guessed@example.com",
            password: n === 5 ? password : `guess number ${n}`,
          })
        ).body.code,
      );
    expect(codes).toEqual([...Array(5).fill("invalid_credentials"), "locked_out"]);
    expect(
      (
        await browser.send("POST", "/session", {
          email: JSON.parse(await dossier.mustCli(["user", "list", "--json"])).find(
            ({ role }: any) => role === "admin",
          ).email,
          password,
        })
      ).status,
    ).toBe(200);
  });

  test("gains nothing from timing: unknown and known users take equally long", async () => {
    await dossier.createUser("timed@example.com");
    const signInTime = async (email: string): Promise<number> => {
      const started = performance.now();
      expect(
        (await browserAt(dossier).send("POST", "/session", { email, password: "not this one" }))
          .status,
      ).toBe(401);
      return performance.now() - started;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    // Alternating, so that a busy machine slows both; four each, because the fifth failure locks
    // the address and email.
    for (let n = 0; n < 4; n++) {
      known.push(await signInTime("timed@example.com"));
      unknown.push(await signInTime(`nobody${n}@example.com`));
    }
    // Skipping the hash would be a hundred times faster, so a factor of five is a safe bound.
    const ratio = Math.min(...known) / Math.min(...unknown);
    expect(ratio).toBeWithin(1 / 5, 5);
  });
});

describe("a session", () => {
  test("survives a restart and ends when the command line changes the password", async () => {
    await dossier.createUser("stay@example.com");
    const browser = browserAt(dossier);
    expect(
      (await browser.send("POST", "/session", { email: "stay@example.com", password })).status,
    ).toBe(200);
    await dossier.restart();
    const after = browserAt(dossier);
    after.setCookies(browser.cookie());
    expect((await after.send("GET", "/folders")).status).toBe(200);
    await dossier.mustCli(["user", "passwd", "--email", "stay@example.com", "--password-stdin"], {
      stdin: "another horse battery staple",
    });
    expect((await after.send("GET", "/folders")).status).toBe(401);
    const kept_json = JSON.stringify(
      await queryDatabase(dossier.data, "select * from accounts_sessions"),
    );
    expect(kept_json).not.toContain(browser.cookie().slice("dossier=dss_".length));
  });

  test("behind a trusted HTTPS proxy has the client's address and a secure cookie", async () => {
    await using behind = await startExecutable({
      // Only the proxy's headers give the public address.
      env: { DOSSIER_SERVER_TRUSTED_PROXIES: "127.0.0.0/8", DOSSIER_SERVER_PUBLIC_URL: "" },
    });
    await behind.createUser("ada@example.com");
    const browser = openBrowser(fetch, behind.url(), {
      origin: "https://papers.example",
      headers: {
        "x-forwarded-proto": "https",
        "x-forwarded-host": "papers.example",
        "x-forwarded-for": "203.0.113.9",
      },
    });
    expect(
      (await browser.send("POST", "/session", { email: "ada@example.com", password })).status,
    ).toBe(200);
    expect(browser.cookie()).toStartWith("__Host-dossier=dss_");
    expect((await browser.send("GET", "/account/sessions")).body.data).toMatchObject([
      { address: "203.0.113.9", current: true },
    ]);
  });
});

describe("the stream of changes", () => {
  test("reports background work, stays open, and ends when the server stops", async () => {
    const key = await dossier.createUser("live@example.com");
    const browser = browserAt(dossier);
    await browser.send("POST", "/session", { email: "live@example.com", password });
    const answer = await fetch(`${dossier.url()}/console/api/v1/changes`, {
      headers: { cookie: browser.cookie() },
    });
    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const stream = answer.body!.getReader();
    let text = "";
    const read = async (wanted: RegExp): Promise<void> => {
      while (!wanted.test(text)) {
        const { value, done } = await stream.read();
        if (done) throw new Error(`the stream ended before ${wanted}: ${text}`);
        text += new TextDecoder().decode(value);
      }
    };
    await read(/event: ready/);
    const folder = await dossier.api("POST", "/folders", { name: "Live" }, { key });
    await read(new RegExp(`event: change\\ndata: {"kind":"folder","id":"${folder.body.id}"`));
    const document = await dossier.api(
      "POST",
      "/documents",
      { folder_id: folder.body.id, content: "The kettle came from Linz." },
      { key },
    );
    await read(
      new RegExp(`{"kind":"document","id":"${document.body.id}","folder_id":"${folder.body.id}"`),
    );
    const ended = (async () => {
      for (;;) if ((await stream.read()).done) return "ended";
    })();
    await dossier.restart();
    expect(await ended).toBe("ended");
  });
});

test("the system page's checks are ok, including the database check", async () => {
  const admin = browserAt(dossier);
  const { email } = JSON.parse(await dossier.mustCli(["user", "list", "--json"])).find(
    ({ role }: any) => role === "admin",
  );
  await admin.send("POST", "/session", { email, password });
  let body: any;
  await dossier.untilTrue(
    async () => ({ body } = await admin.send("GET", "/system")).body.checks[0].status !== "warn",
  );
  const of_the_machine = ["Disk", "Responsiveness"];
  const not_well = body.checks.filter(
    ({ name, status }: any) => status !== "ok" && !of_the_machine.includes(name),
  );
  // There is no backup yet; on PostgreSQL, backups are not checked.
  expect(not_well.map(({ name, status }: any) => [name, status])).toEqual(
    on_postgres ? [] : [["Backups", "warn"]],
  );
  expect(
    (await admin.send("GET", "/system/logs?limit=1000")).body.data.some(
      ({ message }: any) => message === "listening",
    ),
  ).toBe(true);
}, 60_000);
