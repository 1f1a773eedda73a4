/**
 * Acceptance: the server as a process: its start, its lock, its logs, stray files in its working
 * directory, and its shutdown.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executable } from "../../scripts/build";
import {
  cleanEnvironment,
  createKey,
  launch,
  runCommand,
  type Launched,
} from "../../scripts/lib/launch";
import { on_postgres, processes } from "../helpers/databases";
import { filesWith, temporaryFiles } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { filePart, multipart } from "../helpers/forms";
import { person } from "../helpers/person";
import { until } from "../helpers/server";
import { head, openSocket } from "../helpers/sockets";

const scratch = mkdtempSync(join(tmpdir(), "dossier-server-"));
const newData = () => mkdtempSync(join(scratch, "data-"));
let server: Executable;
let key: string;
beforeAll(async () => {
  server = await startExecutable();
  key = await server.createUser();
}, 180_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});

/** The log so far: the JSON lines of standard error, without the text on standard output. */
const logOf = (output: string): any[] =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

describe("starting on a data directory", () => {
  test("a second server fails and names the lock, and the first keeps serving", async () => {
    const { code, stderr } = await runCommand(server.data, ["serve", "--port", "0"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(join(server.data, "dossier.lock"))]);
    expect((await server.api("GET", "/folders")).status).toBe(200);
  });
  test("after kill -9 the next start has everything that was acknowledged", async () => {
    const folder = (await server.api("POST", "/folders", { name: "Kept" })).body;
    const documents = await Promise.all(
      Array.from(
        { length: 5 },
        async (_, n) =>
          (await server.api("POST", "/documents", { folder_id: folder.id, content: `Kept ${n}.` }))
            .body,
      ),
    );
    await server.kill();
    await server.restart();
    expect((await server.api("GET", `/folders/${folder.id}`)).body.id).toBe(folder.id);
    for (const [n, { id }] of documents.entries())
      expect(
        (await server.until(`/documents/${id}`, ({ body }) => body.status === "synced")).body
          .content,
      ).toBe(`Kept ${n}.`);
  }, 60_000);
  test("a port in use is named", async () => {
    const { port } = new URL(server.url());
    const { code, stderr } = await runCommand(newData(), ["serve", "--port", port]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(port)]);
  });
  test("a host that isn't this machine's isn't reported as a port in use", async () => {
    const { code, stderr } = await runCommand(newData(), [
      "serve",
      "--host",
      "nowhere.invalid",
      "--port",
      "0",
    ]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("nowhere.invalid is not an address of this machine"),
    ]);
  });
  const misconfigured: [reason: string, name: string, value: string, setting: string][] = [
    ["a bad network", "DOSSIER_WEBHOOKS_ALLOW_NETWORKS", "intranet", "webhooks.allow_networks"],
    [
      "a bad network for imports",
      "DOSSIER_IMPORTS_ALLOW_NETWORKS",
      "localhost",
      "imports.allow_networks",
    ],
    [
      "a bad network for proxies",
      "DOSSIER_SERVER_TRUSTED_PROXIES",
      "10.0.0.0/99",
      "server.trusted_proxies",
    ],
    [
      "a public address without a scheme",
      "DOSSIER_SERVER_PUBLIC_URL",
      "nas.example",
      'server.public_url is not an address such as https://nas.example/dossier: "nas.example"',
    ],
    ["a bad name server", "DOSSIER_WEBHOOKS_DNS_SERVERS", "names", "webhooks.dns_servers"],
    ["too many delays", "DOSSIER_WEBHOOKS_RETRY_DELAYS", "1s,1s,1s", "webhooks.retry_delays"],
  ];
  test.each(misconfigured)(
    "an invalid setting is named: %s",
    async (_reason, name, value, setting) => {
      const { exitCode, stderr } = Bun.spawnSync(
        [executable, "serve", "--port", "0", "--data", newData()],
        { cwd: scratch, env: { ...cleanEnvironment(), [name]: value } },
      );
      expect([exitCode, stderr.toString()]).toEqual([2, expect.stringContaining(setting)]);
    },
  );
  test("a directory with other files is refused and not changed", () => {
    const directory = join(scratch, "home");
    mkdirSync(directory, { mode: 0o755 });
    writeFileSync(join(directory, "letters.txt"), "");
    const { exitCode, stderr } = Bun.spawnSync(
      [executable, "serve", "--port", "0", "--data", directory],
      { cwd: scratch, env: cleanEnvironment() },
    );
    expect([
      exitCode,
      stderr.toString(),
      readdirSync(directory),
      statSync(directory).mode & 0o777,
    ]).toEqual([2, expect.stringContaining("letters.txt"), ["letters.txt"], 0o755]);
  });

  const unreadable: [reason: string, make: (path: string) => void, says: string][] = [
    ["a link to nowhere", (path) => symlinkSync("/nowhere", path), "is a link to a file that"],
    ["a directory", (path) => mkdirSync(path), "is a directory, not a file"],
  ];
  test.each(unreadable)("a dossier.toml that is %s is refused", async (_reason, make, says) => {
    const data = newData();
    make(join(data, "dossier.toml"));
    const { code, stderr } = await runCommand(data, ["serve", "--port", "0"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`dossier.toml ${says}`)]);
  });
  const everywhere: [reason: string, host: string, printed: RegExp][] = [
    ["IPv4", "0.0.0.0", /at http:\/\/127\.0\.0\.1:\d+\/ \(listening on every address of/],
    ["IPv6", "::", /at http:\/\/\[::1\]:\d+\/ \(listening on every address of/],
  ];
  test.each(everywhere)(
    "where it listens on every %s address, it prints one that opens",
    async (_reason, host, printed) => {
      const data = newData();
      const launched = await launch({ data, args: ["--host", host] });
      try {
        await until(() => launched.output().includes("/console/setup#t="));
        expect(launched.output()).toMatch(printed);
        expect(logOf(launched.output()).at(-1)).toMatchObject({ message: "listening", host });
        const link = /http\S+\/console\/setup#t=/.exec(launched.output())![0];
        expect(link).toStartWith(launched.url);
        expect((await fetch(link)).status).toBe(200);
      } finally {
        launched.kill("SIGKILL");
        await launched.exited;
      }
    },
  );

  const not_directories: [reason: string, path: string, says: string][] = [
    ["a file", "a-file", "it is not a directory."],
    ["below a file", "a-file/data", "a part of its path is not a directory."],
    ["below a link to nowhere", "a-link/data", "it does not exist, and can't be created there."],
  ];
  test.each(not_directories)("a data directory that is %s is refused", (_reason, path, says) => {
    writeFileSync(join(scratch, "a-file"), "");
    rmSync(join(scratch, "a-link"), { force: true });
    symlinkSync("/nowhere/at/all", join(scratch, "a-link"));
    const { exitCode, stderr } = Bun.spawnSync(
      [executable, "serve", "--port", "0", "--data", join(scratch, path)],
      { cwd: scratch, env: cleanEnvironment() },
    );
    const expected = expect.stringContaining(
      `can't be used: ${says} Choose another directory with --data.`,
    );
    expect([exitCode, stderr.toString()]).toEqual([2, expected]);
  });
});

describe("stray files in the working directory have no effect on", () => {
  const stray = mkdtempSync(join(tmpdir(), "dossier-stray-"));
  const ran = join(stray, "ran");
  const preload = `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");`;
  beforeAll(() => {
    writeFileSync(
      join(stray, "bunfig.toml"),
      `preload = ["./preload.ts"]\n[test]\npreload = ["./preload.ts"]\n[run]\npreload = ["./preload.ts"]\n`,
    );
    writeFileSync(join(stray, "preload.ts"), preload);
    for (const name of [".env", ".env.local", ".env.production", ".env.development"])
      writeFileSync(
        join(stray, name),
        "DOSSIER_PORT=1\nDOSSIER_NONSENSE=1\nDOSSIER_RATE_LIMIT_REQUESTS=3\n",
      );
    writeFileSync(
      join(stray, "tsconfig.json"),
      `{"compilerOptions":{"paths":{"*":["./preload.ts"]}}}`,
    );
    writeFileSync(
      join(stray, "package.json"),
      `{"name":"stray","main":"preload.ts","imports":{"#x":"./preload.ts"}}`,
    );
  });
  afterAll(() => rmSync(stray, { recursive: true, force: true }));

  const cases: [string, string[]][] = [
    ["version", ["version"]],
    ["a command on the database", ["user", "list"]],
    ["the settings", ["config"]],
  ];
  for (const [why, words] of cases)
    test(why, async () => {
      const { exitCode, stdout } = Bun.spawnSync([executable, ...words, "--data", newData()], {
        cwd: stray,
        env: cleanEnvironment(),
      });
      expect([exitCode, existsSync(ran)]).toEqual([0, false]);
      if (words[0] === "config")
        expect(stdout.toString()).toMatch(/^server\.port +4780 +\(default\)$/m);
    });
  test("serving, reading files and loading plugins", async () => {
    const data = newData();
    const launched = await launch({ data, cwd: stray });
    try {
      const mine = await createKey(data, "ada@example.com");
      const answer = await fetch(`${launched.url}/api/dev/v1/folders`, {
        headers: { authorization: `Bearer ${mine}` },
      });
      expect([answer.status, answer.headers.get("x-ratelimit-limit"), existsSync(ran)]).toEqual([
        200,
        "600",
        false,
      ]);
    } finally {
      launched.kill("SIGKILL");
      await launched.exited;
    }
  });
});

describe("the first administrator", () => {
  test("comes from the settings only while there is none", async () => {
    const data = newData();
    const users = async () =>
      JSON.parse((await runCommand(data, ["user", "list", "--json"])).stdout).map(
        ({ email, role }: any) => [email, role],
      );
    const secret = join(scratch, "password");
    writeFileSync(secret, "a password from a file\n");
    for (const [email, env] of [
      ["root@example.com", { DOSSIER_ADMIN_PASSWORD_FILE: secret }],
      ["other@example.com", { DOSSIER_ADMIN_PASSWORD: "correct horse battery staple" }],
    ] as const) {
      const launched = await launch({ data, env: { DOSSIER_ADMIN_EMAIL: email, ...env } });
      launched.kill("SIGTERM");
      expect([await launched.exited, launched.output()]).toEqual([
        0,
        expect.not.stringMatching(/from a file|correct horse/),
      ]);
      expect(await users()).toEqual([["root@example.com", "admin"]]);
    }
  });
  test("is created with a link that is printed at the start but not logged", async () => {
    const launched = await launch({ data: newData() });
    try {
      await until(() => launched.output().includes("/console/setup#t="));
      const link = /http\S+\/console\/setup#t=dst_\w+/.exec(launched.output())![0];
      expect(JSON.stringify(logOf(launched.output()))).not.toContain(link.slice(-20));
      const page = await fetch(link);
      expect([page.status, page.headers.get("content-type")]).toEqual([
        200,
        expect.stringMatching(/^text\/html/),
      ]);
      const check = (token: string) =>
        fetch(new URL("/console/api/v1/setup/check", link), {
          method: "POST",
          body: JSON.stringify({ token }),
          headers: { "content-type": "application/json", origin: new URL(link).origin },
        });
      const token = link.split("#t=")[1]!;
      expect([(await check(token)).status, (await check(`${token}x`)).status]).toEqual([204, 403]);
    } finally {
      launched.kill("SIGKILL");
      await launched.exited;
    }
  });
});

describe("logs", () => {
  test("are one JSON object per line, with time, level and message", async () => {
    await until(() => logOf(server.output()).some(({ message }) => message === "listening"));
    const lines = server
      .output()
      .split("\n")
      .filter((line) => line !== "");
    const people = lines.filter((line) => !line.startsWith("{"));
    expect(people.join("\n")).toMatch(/ready at http/);
    for (const line of logOf(server.output()))
      expect(line).toEqual(
        expect.objectContaining({
          time: expect.stringMatching(/^\d{4}-.*Z$/),
          level: expect.stringMatching(/^(debug|info|warn|error)$/),
          message: expect.any(String),
        }),
      );
  });
  test("never contain keys, passwords or texts", async () => {
    const ada = await person(server, "canary");
    const folder = await ada.folder("canary-name");
    await ada.text(folder, "canary-content");
    await server.api("GET", `/folders?token=${ada.key}`, undefined, { key: `${ada.key}x` });
    await ada.send("POST", "/folders", `{"name": "${ada.key}`, {
      "content-type": "application/json",
    });
    await server.mustCli([
      "key",
      "deactivate",
      JSON.parse(await server.mustCli(["key", "list", "--user", "canary@example.com", "--json"]))[0]
        .id,
    ]);
    for (const secret of [ada.key, ada.key.slice(-20), key, "correct horse", "canary-content"])
      expect(server.output()).not.toContain(secret);
  });
  test("contain nothing below the configured level", async () => {
    const launched = await launch({ data: newData(), env: { DOSSIER_SERVER_LOG_LEVEL: "error" } });
    launched.kill("SIGTERM");
    expect([await launched.exited, logOf(launched.output())]).toEqual([0, []]);
  });
});

test("no file of the data directory contains a key or password in plain text", async () => {
  await server.api("GET", "/folders");
  for (const secret of [key, key.slice(-30), "correct horse battery staple"])
    expect(filesWith(server.data, secret)).toEqual([]);
});

test("only its owner can access the data directory, and what is in it", () => {
  const names = [".", "backups", "tmp"];
  if (!on_postgres) names.push("dossier.db");
  // Several processes share a directory of the operator.
  if (processes === 1) names.push("files", "files/tmp");
  for (const name of names)
    expect([name, statSync(join(server.data, name)).mode & 0o077]).toEqual([name, 0]);
});

describe("a graceful shutdown", () => {
  const upload = multipart({ headers: filePart("last.txt"), body: "The last words." });
  /** A server with a folder, a key and a half-received upload. */
  async function halfway(): Promise<{
    launched: Launched;
    data: string;
    mine: string;
    folder: string;
    finish: () => ReturnType<ReturnType<typeof openSocket>["answer"]>;
  }> {
    const data = newData();
    const launched = await launch({ data });
    const mine = await createKey(data, "ada@example.com");
    const created = await fetch(`${launched.url}/api/dev/v1/folders`, {
      method: "POST",
      headers: { authorization: `Bearer ${mine}`, "content-type": "application/json" },
      body: `{"name":"Last"}`,
    });
    const folder = ((await created.json()) as { id: string }).id;
    const socket = openSocket(launched.url);
    socket.send(
      head("POST", `/documents/file?folder_id=${folder}`, {
        authorization: `Bearer ${mine}`,
        ...upload.headers,
        "content-length": String(upload.body.length),
      }),
    );
    socket.send(upload.body.slice(0, -30));
    await until(() => temporaryFiles(data).length === 1);
    return {
      launched,
      data,
      mine,
      folder,
      finish: () => {
        socket.send(upload.body.slice(-30));
        return socket.answer();
      },
    };
  }

  for (const signal of ["SIGTERM", "SIGINT"] as const)
    test(`${signal}: the running request completes, new ones are refused, exit code 0`, async () => {
      const { launched, data, finish } = await halfway();
      process.kill(launched.pid, signal);
      await until(async () =>
        fetch(`${launched.url}/health`).then(
          () => false,
          () => true,
        ),
      );
      const { status, body } = await finish();
      expect([status, body.name, await launched.exited]).toEqual([201, "last.txt", 0]);
      expect([
        logOf(launched.output())
          .map(({ message }) => message)
          .filter((message) => message !== "the server was blocked")
          .slice(-2),
        temporaryFiles(data),
      ]).toEqual([["stopping", "stopped"], []]);
      const restarted = await launch({ data });
      const other = await createKey(data, "bob@example.com");
      expect(
        (
          await fetch(`${restarted.url}/api/dev/v1/documents/${body.id}`, {
            headers: { authorization: `Bearer ${other}` },
          })
        ).status,
      ).toBe(403);
      restarted.kill("SIGTERM");
      expect(await restarted.exited).toBe(0);
    });
});
