/**
 * A plugin that blocks or ends the server: the log names it at once, the process exits so that its
 * supervisor restarts it, and the next start reports it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildIfStale, executable } from "../../scripts/build";
import { cleanEnvironment, launch, type Launched } from "../../scripts/lib/launch";
import { define_plugin, innocent, words_of } from "../cases/plugin-mistakes";
import { temporaryDirectory } from "../helpers/data-directory";
import { settingsOf, until } from "../helpers/server";

/** Harmful handlers, each at `/<operation>`, which needs no key. */
const ways: Readonly<Record<string, string>> = {
  loop: "() => { while (true); }",
  later: "async () => { await new Promise((done) => setTimeout(done, 5)); while (true); }",
  timer: "() => { setTimeout(() => { while (true); }, 5); return new Promise(() => {}); }",
  job: "async () => { await ctx.inTransaction((tx) => ctx.enqueue(tx, Loop, {})); }",
  kill: "() => { process.kill(process.pid, 'SIGKILL'); }",
  exit: "() => { process.exit(0); }",
  aside: "() => { setTimeout(() => { process.exit(7); }, 5); return new Promise(() => {}); }",
};
const names = Object.keys(ways);
const harmful = define_plugin(
  "harmful",
  `routes: { ${names.map((name) => `${name}: route.get("/${name}", { ${words_of(name)}, root: true })`).join(", ")} }, ` +
    `setup: (ctx) => ({ routes: { ${names.map((name) => `${name}: ${ways[name]}`).join(", ")} }, ` +
    `jobs: [handle(Loop, async () => { while (true); }, { attempts_max: 1, timeout_ms: 60_000 })] }) as any`,
  `const Loop = job("harmful.loop", t.Object({}));`,
);
const stuck = define_plugin("stuck", `setup: () => ({ start: async () => { while (true); } })`);

const impatient = settingsOf({ DOSSIER_PLUGINS_STALL_LIMIT: "1s" });
const patient = settingsOf({});
const running: Pick<Launched, "kill">[] = [];

async function directoryWith(plugins: Readonly<Record<string, string>>): Promise<string> {
  const data = temporaryDirectory();
  for (const [name, text] of Object.entries({ ...plugins, innocent }))
    await Bun.write(join(data, `plugins/${name}.ts`), text);
  return data;
}
async function start(data: string, env = patient): Promise<Launched> {
  const server = await launch({ data, env });
  running.push(server);
  return server;
}
const health = async ({ url }: Launched): Promise<any> => (await fetch(`${url}/health`)).json();
const logged = (server: Launched, message: RegExp): any =>
  server
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { message: string })
    .find((line) => message.test(line.message));

let data: string;
beforeAll(async () => {
  await buildIfStale();
  data = await directoryWith({ harmful });
}, 60_000);
afterAll(() => {
  for (const server of running) server.kill("SIGKILL");
  rmSync(data, { recursive: true, force: true });
});

describe("a plugin that blocks the server is named, and the process exits:", () => {
  const cases: [string, string, RegExp][] = [
    ["a loop in a handler", "loop", /^GET \/loop$/],
    ["a loop after an await", "later", /^GET \/later$/],
    ["a loop in a timer", "timer", /^a timer of its own$/],
    ["a loop in a job", "job", /^job harmful\.loop$/],
  ];
  for (const [why, path, what] of cases)
    test(
      why,
      async () => {
        const server = await start(data, impatient);
        fetch(`${server.url}/${path}`).catch(() => undefined);
        expect(await server.exited).not.toBe(0);
        const line = logged(server, /blocked for 1 s by the code of the plugin harmful/);
        expect(line).toMatchObject({ level: "error", plugin: "harmful" });
        expect(line.what).toMatch(what);
      },
      60_000,
    );
});

describe("a plugin that ends the process is named, and the exit code is an error:", () => {
  const cases: [string, string, number][] = [
    ["by a signal", "kill", 137],
    ["in a handler", "exit", 1],
    ["in a timer", "aside", 7],
  ];
  for (const [why, path, code] of cases)
    test(
      why,
      async () => {
        const server = await start(data);
        fetch(`${server.url}/${path}`).catch(() => undefined);
        expect(await server.exited).toBe(code);
        const line = logged(server, /the plugin harmful ends the server by process\.(exit|kill)/);
        expect(line).toMatchObject({ level: "error", plugin: "harmful" });
        expect(line.stack.join(" ")).toContain("plugins/harmful.ts");
      },
      60_000,
    );
});

test("the next start reports it, and everything else works", async () => {
  const server = await start(data);
  expect(logged(server, /the server was last ended by/)).toMatchObject({ plugin: "harmful" });
  const { status, plugins } = await health(server);
  expect(status).toBe("degraded");
  expect(plugins).toEqual([
    {
      name: "harmful",
      reason: expect.stringMatching(/^at .*Z it ended the server by process\.exit/),
    },
  ]);
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  const after = await start(data);
  expect((await health(after)).status).toBe("ok");
  after.kill("SIGTERM");
  expect(await after.exited).toBe(0);
}, 60_000);

test("a plugin that hangs in its start is left out at the next start", async () => {
  const directory = await directoryWith({ stuck });
  const hanging = launch({ data: directory, env: impatient });
  await expect(hanging).rejects.toThrow(/plugin stuck; the server exits/);
  const server = await start(directory);
  expect((await health(server)).plugins).toEqual([
    { name: "stuck", reason: expect.stringMatching(/in its start. It is left out this time only/) },
  ]);
  server.kill("SIGTERM");
  await server.exited;
  rmSync(directory, { recursive: true });
}, 60_000);

test("the trial run of an endless plugin ends with its parent process", async () => {
  const directory = temporaryDirectory();
  const noted = join(directory, "pid");
  await Bun.write(
    join(directory, "plugins/endless.ts"),
    `import { renameSync, writeFileSync } from "node:fs";
    writeFileSync(${JSON.stringify(`${noted}.part`)}, String(process.pid));
    renameSync(${JSON.stringify(`${noted}.part`)}, ${JSON.stringify(noted)});
    while (true);`,
  );
  const command = Bun.spawn([executable, "plugin", "list", "--data", directory], {
    env: cleanEnvironment(),
    stdout: "ignore",
    stderr: "ignore",
  });
  await until(() => existsSync(noted));
  command.kill("SIGKILL");
  const pid = Number(readFileSync(noted, "utf8"));
  await until(() => isEnded(pid));
  rmSync(directory, { recursive: true });
}, 60_000);

test("the trial run ends even if its parent was already gone", async () => {
  const directory = temporaryDirectory();
  const endless = join(directory, "endless.ts");
  await Bun.write(endless, "while (true);");
  const ended_process = Bun.spawn(["true"]);
  await ended_process.exited;
  const trial = Bun.spawn([executable, "__preflight", "--data", directory, endless], {
    env: cleanEnvironment({
      PREFLIGHT_SCRATCH: join(directory, "scratch"),
      PREFLIGHT_PARENT: String(ended_process.pid),
    }),
    stdout: "ignore",
    stderr: "ignore",
  });
  running.push({ kill: (signal) => trial.kill(signal) });
  expect(await trial.exited).toBe(137);
  rmSync(directory, { recursive: true });
}, 60_000);

function isEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}
