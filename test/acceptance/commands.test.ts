/** Acceptance: the command line of the executable, beside a running server and without one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executable } from "../../scripts/build";
import { cleanEnvironment, launch, runCommand, type CommandResult } from "../../scripts/lib/launch";
import manifest from "../../package.json";
import { expectHas, rfc3339 } from "../helpers/contract";
import { on_postgres } from "../helpers/databases";
import { startExecutable, type Executable } from "../helpers/executable";

let server: Executable;
const password = "correct horse battery staple";
const scratch = mkdtempSync(join(tmpdir(), "dossier-commands-"));
beforeAll(async () => {
  server = await startExecutable();
  await server.createUser("ada@example.com");
}, 180_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});

const time = expect.stringMatching(rfc3339);
const listOf = async (...words: string[]): Promise<any[]> => {
  const { code, stdout, stderr } = await server.cli([...words, "--json"]);
  expect([code, stderr, stdout.trimStart()[0], stdout.trimEnd().at(-1)]).toEqual([0, "", "[", "]"]);
  return JSON.parse(stdout);
};
const opens = async (key: string) =>
  (await server.api("GET", "/folders", undefined, { key })).status;

describe("users", () => {
  test("are created and listed with their role", async () => {
    const result = await server.cli(
      ["user", "create", "--email", "Root@Example.com", "--role", "admin", "--password-stdin"],
      { stdin: `${password}\n` },
    );
    expect([result.code, result.stderr, result.stdout]).toEqual([
      0,
      "",
      expect.stringContaining("Root@Example.com"),
    ]);
    const users = await listOf("user", "list");
    expect(users.map(({ email, role, active }) => [email, role, active])).toEqual([
      ["Root@Example.com", "admin", true],
      ["ada@example.com", "member", true],
    ]);
    for (const user of users)
      expect(user).toEqual({
        id: expect.stringMatching(/^usr_[0-9A-Z]{26}$/),
        email: expect.any(String),
        role: expect.any(String),
        active: true,
        created_at: time,
      });
  });
  test("are listed as readable text by default", async () => {
    const { code, stdout } = await server.cli(["user", "list"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ada@example\.com +member/)]);
    expect(() => JSON.parse(stdout)).toThrow();
  });
  test("get a new password and keep their keys", async () => {
    const key = await server.mustCli([
      "key",
      "create",
      "--user",
      "ada@example.com",
      "--name",
      "kept",
    ]);
    const result = await server.cli(
      ["user", "passwd", "--email", "ada@example.com", "--password-stdin"],
      { stdin: "another long password" },
    );
    expect([result.code, result.stderr, await opens(key)]).toEqual([0, "", 200]);
  });
});

describe("keys", () => {
  test("standard output has only the new key, which works at once", async () => {
    const { code, stdout, stderr } = await server.cli([
      "key",
      "create",
      "--user",
      "ada@example.com",
      "--name",
      "one",
    ]);
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^dsk_[0-9A-Za-z]+\n$/), ""]);
    expect(await opens(stdout.trim())).toBe(200);
  });
  test("are listed without their secret and stop working when deactivated", async () => {
    const key = await server.mustCli([
      "key",
      "create",
      "--user",
      "ada@example.com",
      "--name",
      "two",
      "--scopes",
      "read",
      "--expires",
      "2199-01-01",
    ]);
    const keys = await listOf("key", "list", "--user", "ADA@example.com");
    expect(keys[0]).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Z]{26}$/),
      name: "two",
      prefix: expect.stringMatching(/^dsk_/),
      scopes: ["read"],
      active: true,
      created_at: time,
      expires_at: "2199-01-01T00:00:00.000Z",
      last_used_at: null,
    });
    expect(key.startsWith(keys[0].prefix)).toBe(true);
    expect(key.length - keys[0].prefix.length).toBeGreaterThan(20);
    expect(JSON.stringify(keys)).not.toContain(key.slice(-20));
    const result = await server.cli(["key", "deactivate", keys[0].id]);
    expect([result.code, result.stderr, await opens(key)]).toEqual([0, "", 401]);
    expectHas(
      (await listOf("key", "list", "--user", "ada@example.com")).find(
        ({ id }) => id === keys[0].id,
      ),
      { active: false },
    );
    expect((await server.cli(["key", "list", "--user", "ada@example.com"])).stdout).toMatch(/two/);
  });
  test("of a user without keys are an empty array", async () => {
    await server.cli(["user", "create", "--email", "keyless@example.com", "--password-stdin"], {
      stdin: password,
    });
    expect(await listOf("key", "list", "--user", "keyless@example.com")).toEqual([]);
  });
});

describe("a failing command exits with 1 and prints the reason to standard error only", () => {
  const cases: [string, string[], string, RegExp][] = [
    [
      "an existing user",
      ["user", "create", "--email", "ADA@example.com", "--password-stdin"],
      password,
      /ada@example\.com/i,
    ],
    [
      "an invalid email",
      ["user", "create", "--email", "ada", "--password-stdin"],
      password,
      /email/i,
    ],
    [
      "a password that is too short",
      ["user", "create", "--email", "eve@example.com", "--password-stdin"],
      "short",
      /password/i,
    ],
    [
      "no password on standard input",
      ["user", "create", "--email", "eve@example.com", "--password-stdin"],
      "",
      /password/i,
    ],
    [
      "the password of a missing user",
      ["user", "passwd", "--email", "nobody@example.com", "--password-stdin"],
      password,
      /user/i,
    ],
    [
      "a key for a missing user",
      ["key", "create", "--user", "nobody@example.com", "--name", "x"],
      "",
      /user/i,
    ],
    [
      "a key without a name",
      ["key", "create", "--user", "ada@example.com", "--name", " "],
      "",
      /name/i,
    ],
    [
      "an unknown scope",
      ["key", "create", "--user", "ada@example.com", "--name", "x", "--scopes", "everything"],
      "",
      /everything/,
    ],
    [
      "an expiry that isn't a date",
      ["key", "create", "--user", "ada@example.com", "--name", "x", "--expires", "tomorrow"],
      "",
      /tomorrow/,
    ],
    [
      "an expiry in the past",
      ["key", "create", "--user", "ada@example.com", "--name", "x", "--expires", "2001-01-01"],
      "",
      /expire/,
    ],
    ["a missing key", ["key", "deactivate", "key_00000000000000000000000000"], "", /key/i],
    ["keys of no user", ["key", "list", "--user", "nobody@example.com", "--json"], "", /user/i],
  ];
  for (const [why, words, stdin, says] of cases)
    test(why, async () => {
      const { code, stdout, stderr } = await server.cli(words, { stdin });
      expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(says)]);
      expect(stderr).not.toMatch(/\n\s+at |\.ts:\d/);
    });
});

describe("wrong usage exits with 2 and is explained on standard error only", () => {
  const cases: [string, string[], RegExp][] = [
    ["an unknown command", ["frobnicate"], /frobnicate/],
    ["an unknown command of a group", ["user", "frobnicate"], /frobnicate/],
    ["an unknown option", ["user", "list", "--colour"], /^dossier: Unknown option '--colour'\.\n/],
    ["a required option that is missing", ["user", "create", "--password-stdin"], /--email/],
    [
      "a password without --password-stdin",
      ["user", "create", "--email", "eve@example.com"],
      /--password-stdin/,
    ],
    ["a missing argument", ["key", "deactivate"], /id/],
    [
      "an unknown role",
      ["user", "create", "--email", "eve@example.com", "--role", "king", "--password-stdin"],
      /king/,
    ],
    ["too many arguments", ["version", "please"], /please|argument/],
  ];
  for (const [why, words, says] of cases)
    test(why, async () => {
      const { code, stdout, stderr } = await server.cli(words);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(says)]);
    });
});

describe("help and version", () => {
  test("version prints the package's version", async () =>
    expect((await server.cli(["version"])).stdout.trim()).toContain(manifest.version));
  const options: [reason: string, words: string[], says: RegExp][] = [
    ["a default of a plugin's command", ["search"], /up to 50 \(default: 10\)$/m],
    ["choices", ["user", "create"], /\(choices: admin, member, default: member\)$/m],
    ["a default with a space", ["model", "add"], /\(default: "query:\s+"\)$/m],
    ["a default of the server's own", ["serve"], /port to listen on \(default: 4780\)$/m],
  ];
  test.each(options)("help shows %s like every other", async (_reason, words, says) =>
    expect((await server.cli([...words, "--help"])).stdout).toMatch(says),
  );
  test("help lists every command", async () => {
    const { code, stdout } = await server.cli(["--help"]);
    for (const word of ["serve", "setup", "user", "key", "plugin", "config", "openapi", "version"])
      expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^ +${word}\\b`, "m"))]);
    const group = await server.cli(["key", "--help"]);
    for (const word of ["create", "list", "deactivate"])
      expect([group.code, group.stdout]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^ +${word}\\b`, "m")),
      ]);
  });
});

describe("plugins and the OpenAPI document", () => {
  test("the built-in plugins are listed as loaded", async () => {
    const plugins = await listOf("plugin", "list");
    expect(plugins.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "accounts",
        "chats",
        "documents",
        "extraction",
        "folders",
        "index",
        "prompts",
        "quotas",
        "rate-limit",
        "search",
      ]),
    );
    for (const plugin of plugins)
      expectHas(plugin, { built_in: true, status: "loaded", reason: null });
  });
  test("openapi prints a complete JSON document, even to a slow reader", async () => {
    const run = Bun.spawn(
      ["sh", "-c", `"$0" openapi --data "$1" | (sleep 0.5; cat)`, executable, server.data],
      { stdout: "pipe" },
    );
    expect(JSON.parse(await run.stdout.text()).openapi).toMatch(/^3\.1/);
  });
});

describe("settings", () => {
  const config = (
    data: string,
    env: Record<string, string> = {},
    ...words: string[]
  ): Promise<CommandResult> => runCommand(data, ["config", ...words], { env });
  const rows = async (
    data: string,
    env: Record<string, string> = {},
  ): Promise<Record<string, { value: unknown; origin: string }>> => {
    const { code, stdout, stderr } = await config(data, env, "--json");
    expect([code, stderr]).toEqual([0, ""]);
    return Object.fromEntries(JSON.parse(stdout).map(({ setting, ...row }: any) => [setting, row]));
  };
  test("show their origin: command line before environment before file", async () => {
    writeFileSync(
      join(scratch, "dossier.toml"),
      `[server]\nport = 4001\nhost = "127.0.0.2"\ntrusted_proxies = ["10.0.0.0/8"]\n[rate_limit]\nrequests = 7\nwindow = "5m"\n`,
    );
    const found = await rows(scratch, { DOSSIER_PORT: "4002", DOSSIER_RATE_LIMIT_REQUESTS: "8" });
    expect(found).toMatchObject({
      "server.data": { value: scratch, origin: "--data" },
      "server.port": { value: "4002", origin: "DOSSIER_PORT" },
      "server.host": { value: "127.0.0.2", origin: "dossier.toml" },
      "server.trusted_proxies": { value: ["10.0.0.0/8"], origin: "dossier.toml" },
      "rate_limit.requests": { value: "8", origin: "DOSSIER_RATE_LIMIT_REQUESTS" },
      "rate_limit.window": { value: "5m", origin: "dossier.toml" },
    });
    expect((await config(scratch)).stdout).toMatch(/^server\.port +4001 +\(dossier\.toml\)$/m);
    rmSync(join(scratch, "dossier.toml"));
  });
  test("have the documented defaults", async () => {
    expect(await rows(scratch)).toMatchObject({
      "server.host": { value: "127.0.0.1", origin: "default" },
      "server.port": { value: 4780, origin: "default" },
      "rate_limit.requests": { value: 600, origin: "default" },
      "rate_limit.window": { value: "60s", origin: "default" },
      "documents.upload_bytes_max": { value: "512MiB", origin: "default" },
    });
  });
  test("never show a secret, wherever it comes from", async () => {
    writeFileSync(join(scratch, "secret"), "from-a-file-XyZ\n");
    for (const [name, value] of [
      ["DOSSIER_ADMIN_PASSWORD", "swordfish-XyZ"],
      ["DOSSIER_SECRET_KEY", "swordfish-XyZ"],
      ["DOSSIER_ADMIN_PASSWORD_FILE", join(scratch, "secret")],
    ] as const) {
      for (const words of [[], ["--json"]]) {
        const { code, stdout, stderr } = await config(scratch, { [name]: value }, ...words);
        expect([
          code,
          stdout.includes("[secret]"),
          stdout.includes(name),
          `${stdout}${stderr}`.includes("XyZ"),
        ]).toEqual([0, true, true, false]);
      }
    }
  });

  const taken: [string, string, string][] = [
    ["milliseconds", "DOSSIER_RATE_LIMIT_WINDOW", "500ms"],
    ["seconds", "DOSSIER_RATE_LIMIT_WINDOW", "30s"],
    ["minutes", "DOSSIER_RATE_LIMIT_WINDOW", "5m"],
    ["sizes", "DOSSIER_QUOTAS_STORAGE", "64MiB"],
    ["lists separated by commas", "DOSSIER_SERVER_TRUSTED_PROXIES", "10.0.0.0/8,127.0.0.1,::1"],
    ["a public URL with a path", "DOSSIER_SERVER_PUBLIC_URL", "https://papers.example/dossier"],
  ];
  for (const [why, name, value] of taken)
    test(`accept ${why}`, async () => {
      const { code, stdout } = await config(scratch, { [name]: value });
      expect([code, stdout]).toEqual([0, expect.stringContaining(`${value}  (${name})`)]);
    });
  test("include a public URL, used in the OpenAPI document and the set-up link", async () => {
    const env = { DOSSIER_SERVER_PUBLIC_URL: "https://papers.example/dossier" };
    expect(
      JSON.parse((await runCommand(scratch, ["openapi"], { env })).stdout).servers[0].url,
    ).toStartWith("https://papers.example/dossier");
    expect(
      (await runCommand(mkdtempSync(join(scratch, "public-")), ["setup", "--link"], { env }))
        .stdout,
    ).toContain("https://papers.example/dossier/console/setup#t=");
  });
  test("of the running server decide on the address in the set-up link", async () => {
    const data = mkdtempSync(join(scratch, "beside-"));
    const env = { DOSSIER_SERVER_PUBLIC_URL: "https://papers.example/dossier" };
    const launched = await launch({ data, env });
    try {
      const { stdout } = await runCommand(data, ["setup", "--link"]);
      expect(stdout).toContain("https://papers.example/dossier/console/setup#t=");
      expect((await runCommand(data, ["health"])).code).toBe(0);
    } finally {
      launched.kill("SIGTERM");
      await launched.exited;
    }
    const { stdout } = await runCommand(data, ["setup", "--link"]);
    expect(stdout).toContain("http://127.0.0.1:4780/console/setup#t=");
  });
  test("can name the data directory in the environment", () => {
    const run = Bun.spawnSync([executable, "user", "list", "--json"], {
      cwd: scratch,
      env: cleanEnvironment({ DOSSIER_DATA: server.data }),
    });
    expect(run.stdout.toString()).toContain("ada@example.com");
  });

  const refused: [string, Record<string, string>, string, RegExp][] = [
    [
      "an unknown variable names the closest one",
      { DOSSIER_RATE_LIMIT_REQEUSTS: "1" },
      "",
      /DOSSIER_RATE_LIMIT_REQEUSTS.*DOSSIER_RATE_LIMIT_REQUESTS/,
    ],
    ["an unknown key names the closest", {}, "[server]\nprot = 1\n", /server\.prot.*server\.port/],
    ["an unknown section names the closest", {}, "[sever]\nport = 1\n", /sever.*server/],
    ["a port that isn't a number", { DOSSIER_PORT: "http" }, "", /server\.port.*DOSSIER_PORT/],
    ["a port out of range", { DOSSIER_PORT: "70000" }, "", /server\.port/],
    [
      "a duration with an unknown unit",
      { DOSSIER_RATE_LIMIT_WINDOW: "5 parsecs" },
      "",
      /rate_limit\.window/,
    ],
    ["a limit of zero requests", { DOSSIER_RATE_LIMIT_REQUESTS: "0" }, "", /rate_limit\.requests/],
    ["an invalid size", { DOSSIER_QUOTAS_STORAGE: "much" }, "", /quotas\.storage/],
    ["a file that is not TOML", {}, "server = [", /dossier\.toml is not valid TOML, in line 1: /],
    [
      "TOML with an error after a list of several lines",
      {},
      '[server]\ntrusted_proxies = [\n  "10.0.0.0/8",\n]\nport 4780\n',
      /in line 5: Expected '=' after a key/,
    ],
    [
      "a missing secret file",
      { DOSSIER_ADMIN_PASSWORD_FILE: "/nowhere/at/all" },
      "",
      /DOSSIER_ADMIN_PASSWORD_FILE/,
    ],
  ];
  for (const [why, env, toml, says] of refused)
    test(why, async () => {
      const data = mkdtempSync(join(scratch, "wrong-"));
      if (toml !== "") writeFileSync(join(data, "dossier.toml"), toml);
      // A flag would override the variable and hide its error.
      for (const words of [
        "DOSSIER_PORT" in env ? ["serve"] : ["serve", "--port", "0"],
        ["config"],
      ]) {
        const { code, stdout, stderr } = await runCommand(data, words, { env });
        expect([words[0], code === 0, stdout, stderr]).toEqual([
          words[0]!,
          false,
          "",
          expect.stringMatching(says),
        ]);
      }
    });
});

describe("without a server", () => {
  test("a read-only command doesn't create a missing data directory", async () => {
    const data = join(scratch, "mistyped");
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      [executable, "user", "list", "--data", data],
      { cwd: scratch, env: cleanEnvironment() },
    );
    expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([
      1,
      "",
      expect.stringContaining("mistyped"),
    ]);
    expect(existsSync(data)).toBe(false);
  });
  test("an empty directory gives a set-up link until there is an administrator", async () => {
    const data = mkdtempSync(join(scratch, "new-"));
    expect(await runCommand(data, ["user", "list", "--json"])).toMatchObject({
      code: 0,
      stdout: "[]\n",
    });
    for (const words of [["setup"], ["setup", "--link"]]) {
      const { code, stdout } = await runCommand(data, words);
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/http:\/\/127\.0\.0\.1:4780\/console\/setup#t=dst_\w+/),
      ]);
    }
    expect(
      (
        await runCommand(
          data,
          ["user", "create", "--email", "root@example.com", "--role", "admin", "--password-stdin"],
          { stdin: password },
        )
      ).code,
    ).toBe(0);
    expectHas(await runCommand(data, ["setup", "--link"]), {
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("administrator"),
    });
  });
});

describe("compacting the database", () => {
  test("is refused while the server runs and on is PostgreSQL. To compact it itself", async () => {
    const { code, stderr } = await server.cli(["compact"]);
    const why = on_postgres ? "is PostgreSQL. To compact it" : "Another server is running";
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
  });
  test("works on a stopped server's data and keeps everything", async () => {
    const data = mkdtempSync(join(scratch, "compact-"));
    const create = ["user", "create", "--email", "eve@example.com", "--password-stdin"];
    expect((await runCommand(data, create, { stdin: password })).code).toBe(0);
    const { code, stdout } = await runCommand(data, ["compact"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/dossier\.db from [\d.]+ MiB to/)]);
    expect((await runCommand(data, ["user", "list"])).stdout).toContain("eve@example.com");
  });
  test("doesn't create a missing database", async () => {
    const data = mkdtempSync(join(scratch, "empty-"));
    const { code, stderr } = await runCommand(data, ["compact"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no database")]);
    expect(existsSync(join(data, "dossier.db"))).toBe(false);
  });
});
