/**
 * The workbench for plugin developers who have only the executable: each kind is created, checked,
 * tested, packed and loaded; mistakes are reported with their location; a server reloads saved
 * files.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import { kinds } from "../../core/workbench/kinds";
import { buildIfStale, executable } from "../../scripts/build";
import { runPluginCommand, mustRunPluginCommand, newcomer } from "../helpers/workbench";
import { temporaryDirectory } from "../helpers/data-directory";
import { startExecutable } from "../helpers/executable";

setDefaultTimeout(120_000);

let home: string;
/** The directory of packed plugins for one server. */
let plugins: string;
beforeAll(async () => {
  await buildIfStale();
  home = temporaryDirectory();
  plugins = join(home, "plugins");
  mkdirSync(plugins);
  await Bun.write(join(home, "taken/notes.txt"), "mine");
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A test of the helpers that the templates don't use. */
const parts_test = `import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDossier, type Dossier } from "dossier/test";

let dossier: Dossier;
beforeAll(async () => {
  dossier = await startDossier({ model: true });
});
afterAll(() => dossier.stop());

test("the model answers what it is told", async () => {
  const folder_id = await dossier.folder("bob", "Handbooks");
  await dossier.upload("bob", folder_id, "filters.md", "The ceramic filter lasts six months.");
  dossier.model.says("The ceramic filter lasts six months. [1]");
  const result = await dossier.ask("bob", [folder_id], "How long does the ceramic filter last?");
  expect(result).toMatchObject({ outcome: "answered", model: "fake" });
  expect(result.answer).toContain("six months. [1]");
  expect(dossier.model.asked.length).toBeGreaterThan(0);
});
test("a webhook comes to the receiver", async () => {
  const hook = { url: dossier.receiver.url + "/hook", event_type: "import.finished" };
  const { body } = await dossier.send("ada", "POST", "/webhooks", hook);
  await dossier.send("ada", "POST", "/webhooks/" + body.id + "/test");
  const came = await dossier.until(() => dossier.receiver.received.at(0));
  expect([came.method, came.path]).toEqual(["POST", "/hook"]);
});
test("what was stored outlives a restart, and the log begins anew", async () => {
  const before = await dossier.send("bob", "GET", "/folders");
  await dossier.restart();
  expect((await dossier.send("bob", "GET", "/folders")).body).toEqual(before.body);
  expect(dossier.log("listening")).toHaveLength(1);
  expect((await dossier.send(null, "GET", "/folders")).status).toBe(401);
});
test("what never comes is told", async () => {
  await expect(dossier.until(() => null, 50)).rejects.toThrow("it did not happen within 0.05 s");
});
`;

const nameOf = (kind: string): string => `try-${kind}`;

describe("a project from `dossier plugin new`", () => {
  for (const kind of Object.keys(kinds))
    test(`of the kind ${kind} passes its checks and tests and is packed`, async () => {
      const name = nameOf(kind);
      await mustRunPluginCommand(home, "new", name, "--kind", kind);
      const project = join(home, name);
      if (kind === "page") await Bun.write(join(project, "parts.test.ts"), parts_test);
      const [checked, tested] = await Promise.all([
        runPluginCommand(project, "check"),
        runPluginCommand(project, "test"),
      ]);
      expect([checked.code, checked.stdout, checked.stderr]).toEqual([
        0,
        kind === "signin"
          ? `${name}: types checked. It was not started, because it needs settings: ` +
            "try_signin.url (DOSSIER_TRY_SIGNIN_URL), " +
            "try_signin.secret (DOSSIER_TRY_SIGNIN_SECRET).\n"
          : `${name}: types checked, and a server loads it.\n`,
        "",
      ]);
      expect([tested.code, tested.stderr]).toEqual([0, expect.stringContaining(" 0 fail")]);
      await mustRunPluginCommand(home, "pack", name, join(plugins, `${name}.js`));
    });

  test("loads in one server together with all other kinds", async () => {
    await using server = await startExecutable({
      env: {
        DOSSIER_PLUGINS_DIRECTORY: plugins,
        DOSSIER_TRY_SIGNIN_URL: "https://people.example.com/",
        DOSSIER_TRY_SIGNIN_SECRET: "a secret of more than thirty-two characters",
      },
    });
    const listed = JSON.parse(await server.mustCli(["plugin", "list", "--json"])) as any[];
    const dropped_in = listed.filter(({ built_in }) => !built_in);
    expect(dropped_in.map(({ name, status }) => [name, status]).toSorted()).toEqual(
      Object.keys(kinds)
        .map((kind) => [nameOf(kind), "loaded"])
        .toSorted(),
    );
  });
});

test("the project includes the documentation, and all its links work", () => {
  const support = join(home, nameOf("route"), ".dossier");
  const pages = [...new Glob("**/*.md").scanSync({ cwd: support })].filter(
    (path) => !path.startsWith("node_modules/"),
  );
  expect(pages).toContain("docs/plugins.md");
  const broken = pages.flatMap((path) =>
    [...readFileSync(join(support, path), "utf8").matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(support, dirname(path), link)))
      .map((link) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

describe("a new plugin is refused", () => {
  const refused: [why: string, words: string[], says: RegExp][] = [
    ["with upper case in its name", ["Notes"], /lower-case/],
    ["with the name of a built-in plugin", ["folders"], /built-in plugin/],
    ["with a dash at the end", ["notes-"], /lower-case/],
    ["of an unknown kind", ["notes", "--kind", "magic"], /Allowed choices/],
    ["in an existing directory", ["taken"], /already exists/],
  ];
  test.each(refused)("%s", async (_, words, says) => {
    const { code, stderr } = await runPluginCommand(home, "new", ...words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
  });
});

const setUp = (code: string): string =>
  `import { definePlugin, every, handle, job, route, t } from "dossier";\n` +
  `const Tick = job("faulty.tick", t.Object({}));\n` +
  `export default definePlugin({ name: "faulty", version: "1.0.0",\n  ${code} });\n`;

describe("`dossier plugin check` reports", () => {
  const wrong: [what: string, source: string, says: RegExp][] = [
    [
      "a wrong type and an error at the start, with their locations",
      setUp(`setup: () => ({ start: async () => { throw new Error(3 as string) } })`),
      /faulty\.ts:4:\d+: TS2352: [^]*\nfaulty\.ts:4:\d+: its start failed: 3/,
    ],
    [
      "a route without its handler",
      setUp(
        `routes: { a: route.get("/faulty", { summary: "x", tag: "x", operation: "x", answers: {} }) },` +
          ` setup: () => ({ routes: {} })`,
      ),
      /faulty\.ts:\d+:\d+: TS\d+: (.*\n {4})?Property 'a' is missing in type '\{\}'/,
    ],
    [
      "a missing package and how to install it",
      `import x from "left-pad";\n${setUp("setup: () => ({ health: async () => x })")}`,
      /faulty\.ts:1:\d+: Could not resolve: "left-pad".*BUN_BE_BUN=1 dossier add left-pad/,
    ],
    ["a syntax error", setUp(`setup: => ({})`), /faulty\.ts:4:\d+: /],
    [
      "an invalid schedule",
      setUp(
        `setup: () => ({ jobs: [handle(Tick, async () => {}, { attempts_max: 1, timeout_ms: 9 })],` +
          ` schedules: [every("99 * * * *", Tick, {})] })`,
      ),
      /faulty\.ts.*: .*99 \* \* \* \*.* can't be read/,
    ],
    [
      "an error in set-up",
      setUp(`setup: () => { throw new Error("no luck") }`),
      /^faulty\.ts:4:\d+: no luck\n/m,
    ],
  ];
  test.each(wrong)("%s", async (_, source, says) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "faulty.ts"), source);
    const { code, stdout, stderr } = await runPluginCommand(directory, "check", "faulty.ts");
    expect([code, stdout, stderr]).toEqual([
      1,
      expect.stringMatching(says),
      expect.stringContaining("faulty has problems"),
    ]);
    // Checking a single file writes nothing beside it.
    expect(existsSync(join(directory, ".dossier"))).toBe(false);
  });
});

test("types of another executable are replaced with a message", async () => {
  const project = join(home, nameOf("page"));
  const stamp = join(project, ".dossier/executable.json");
  const old = { ...JSON.parse(readFileSync(stamp, "utf8")), version: "0.0.9", hash: "old" };
  writeFileSync(stamp, JSON.stringify(old));
  writeFileSync(join(project, ".dossier/types/core/sdk.d.ts"), "export {};\n");
  const { code, stderr } = await runPluginCommand(project, "check");
  expect([code, stderr]).toEqual([0, expect.stringContaining("those of Dossier 0.0.9")]);
});

test("npm packages and further files are packed into one file", async () => {
  const project = join(home, nameOf("answerer"));
  const file = async (path: string, text: string) => Bun.write(join(project, path), text);
  await file("node_modules/upper/package.json", `{"name": "upper", "main": "lib/main.js"}`);
  await file("node_modules/upper/lib/main.js", `module.exports = (x) => x.toUpperCase();`);
  await file(
    "shout.ts",
    `import upper from "upper";\nexport const shout = () => upper("heard");\n`,
  );
  await file(
    "plugin.ts",
    `import { definePlugin } from "dossier";\nimport { shout } from "./shout";\n` +
      `export default definePlugin({ name: "loud", version: "1.0.0", setup: ({ log }) => ({\n` +
      `  start: async () => log.info(shout()) }) });\n`,
  );
  await mustRunPluginCommand(project, "pack");
  const packed = join(home, "loud");
  mkdirSync(packed);
  await Bun.write(join(packed, "loud.js"), Bun.file(join(project, `${nameOf("answerer")}.js`)));
  await using server = await startExecutable({ env: { DOSSIER_PLUGINS_DIRECTORY: packed } });
  expect(server.output()).toContain('"message":"HEARD"');
});

test("the development server reloads saved files, reports errors and recovers", async () => {
  const project = join(home, nameOf("route"));
  const path = join(project, "plugin.ts");
  const good = readFileSync(path, "utf8");
  const run = Bun.spawn([executable, "plugin", "dev", "--no-open"], {
    cwd: project,
    env: newcomer,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  let output = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of run.stdout) output += decoder.decode(bytes, { stream: true });
  })();
  /** Waits for output that matches, and skips past it. */
  const heard = async (words: RegExp): Promise<RegExpExecArray> => {
    for (const deadline = performance.now() + 60_000; performance.now() < deadline;) {
      const found = words.exec(output);
      if (found) {
        output = output.slice(found.index + found[0].length);
        return found;
      }
      await Bun.sleep(10);
    }
    throw new Error(`${words} was not said, but: ${output}`);
  };
  try {
    const [, url] = await heard(/runs at (http\S+)/);
    const [, key] = await heard(/export KEY=(\S+)/);
    const summaryAt = async () => {
      const answer = await fetch(`${url}/api/dev/v1/openapi.json`);
      return ((await answer.json()) as any).paths["/api/dev/v1/try-route"]?.post.summary;
    };
    await heard(/Ctrl-C/);
    const created = await fetch(`${url}/api/dev/v1/try-route`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: `{"text": "kept"}`,
    });
    expect(created.status).toBe(201);
    writeFileSync(path, good.replace("Create a note", "Write a note"));
    await heard(/runs at/);
    expect(await summaryAt()).toBe("Write a note");
    // Stored data survives the reload.
    const listed = await fetch(`${url}/api/dev/v1/try-route`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(((await listed.json()) as any).data).toHaveLength(1);
    // A log file in the directory doesn't trigger a reload.
    writeFileSync(join(project, "dev.log"), output);
    await Bun.sleep(300);
    writeFileSync(path, good.replace("setup: (ctx) => {", "setup: (ctx) => { oops("));
    expect((await heard(/(\S+) was saved\./))[1]).toBe("plugin.ts");
    await heard(/plugin\.ts:\d+:\d+: /);
    writeFileSync(path, good.replace("setup: (ctx) => {", "setup: (ctx) => {\nctx.nothing();"));
    await heard(/left out: /);
    await heard(/plugin\.ts:\d+:\d+: TS2339/);
    writeFileSync(path, good);
    await heard(/runs at/);
    expect(await summaryAt()).toBe("Create a note");
    // However the command ends, its server ends with it.
    run.kill("SIGKILL");
    await run.exited;
    while ((await fetch(`${url}/health`).catch(() => "gone")) !== "gone") await Bun.sleep(20);
  } finally {
    run.kill("SIGKILL");
    await reading;
    writeFileSync(path, good);
  }
});
