/**
 * The entry point of all npm scripts, which needs only Node and npm: installs packages that are
 * missing or have changed, builds what is stale, then runs the command: `node scripts/run.mjs
 * COMMAND [arguments]`.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const at = (...parts) => join(root, ...parts);

/**
 * What each command needs and runs. `tools` also installs the development dependencies; `built`
 * makes dist/dossier first.
 */
const commands = {
  start: { tools: false, built: true, run: (args) => [at("dist", "dossier"), ["serve", ...args]] },
  demo: { tools: false, built: true, run: (args) => [bun(), [at("scripts", "demo.ts"), ...args]] },
  build: {
    tools: false,
    built: false,
    run: (args) => [bun(), [at("scripts", "build.ts"), ...args]],
  },
  "build:client": {
    tools: true,
    built: false,
    run: (args) => [bun(), [at("scripts", "build-client.ts"), ...args]],
  },
  bench: {
    tools: process.argv.includes("rivals"),
    built: true,
    run: (args) => [bun(), [at("scripts", "bench", "main.ts"), ...args]],
  },
  soak: {
    tools: false,
    built: true,
    run: (args) => [bun(), [at("scripts", "soak", "main.ts"), ...args]],
  },
  cluster: {
    tools: false,
    built: true,
    run: (args) => [bun(), [at("scripts", "cluster", "main.ts"), ...args]],
  },
  simulation: {
    tools: false,
    built: false,
    run: (args) => [bun(), [at("scripts", "simulation", "main.ts"), ...args]],
  },
  races: {
    tools: false,
    built: true,
    run: (args) => [bun(), [at("scripts", "races", "main.ts"), ...args]],
  },
  attacks: {
    tools: false,
    built: !process.argv.includes("--bin"),
    run: (args) => [bun(), [at("scripts", "attacks", "main.ts"), ...args]],
  },
  moving: {
    tools: false,
    built: true,
    run: (args) => [bun(), [at("scripts", "moving", "main.ts"), ...args]],
  },
  "fuzz:api": {
    tools: false,
    built: true,
    run: (args) => [bun(), [at("scripts", "fuzz-api.ts"), ...args]],
  },
  check: {
    tools: true,
    built: false,
    run: (args) => [bun(), [at("scripts", "check.ts"), ...args]],
  },
  "test:quick": {
    tools: true,
    built: false,
    run: (args) => [bun(), [at("scripts", "test.ts"), "--quick", ...args]],
  },
  "test:databases": {
    tools: true,
    built: true,
    run: (args) => [bun(), [at("scripts", "test.ts"), "--databases", ...args]],
  },
  format: {
    tools: true,
    built: false,
    run: (args) => [bun(), [at("scripts", "format.ts"), ...args]],
  },
  figures: {
    tools: true,
    built: false,
    run: (args) => [bun(), [at("scripts", "figures.ts"), ...args]],
  },
  // All tests of machine faults, including the slowest.
  "test:faults": {
    tools: true,
    built: true,
    run: (args) => [
      bun(),
      [
        at("scripts", "test.ts"),
        "faults/",
        "/faults",
        "crash",
        "full-disk",
        "store-disk",
        "postgres-faults",
        ...args,
      ],
    ],
    env: { DOSSIER_TEST_FAULTS: "all" },
  },
  // The full-size versions of tests that `npm test` runs in a smaller size.
  "test:long": {
    tools: true,
    built: true,
    run: (args) => [
      bun(),
      [
        at("scripts", "test.ts"),
        "memory-texts",
        "crash-deliveries",
        "extraction-fuzz",
        "documents-random",
        "solr-search",
        ...args,
      ],
    ],
    env: { DOSSIER_TEST_LONG: "all", DOSSIER_TEST_KILLS: "30" },
  },
  test: { tools: true, built: true, run: (args) => [bun(), [at("scripts", "test.ts"), ...args]] },
};

/**
 * The Bun that npm installed: in its own package, or, where install scripts are switched off, in
 * the package of this platform.
 */
function bun() {
  const own = at("node_modules", "bun", "bin", "bun.exe");
  if (works(own)) return own;
  const platforms = at("node_modules", "@oven");
  const found = (existsSync(platforms) ? readdirSync(platforms) : [])
    .map((name) => join(platforms, name, "bin", "bun"))
    .find(works);
  if (!found)
    stop(
      "npm installed no Bun that runs on this machine. `npm install` says more; Bun runs on " +
        "Linux, macOS and FreeBSD, x64 and arm64.",
    );
  return found;
}

const works = (path) =>
  existsSync(path) && spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0;

const readJson = (path) =>
  existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { packages: {} };

/**
 * Runs `npm ci` when a package of package-lock.json is absent from node_modules or has another
 * version there.
 */
function install(tools) {
  const { packages: wanted } = readJson(at("package-lock.json"));
  const { packages: present } = readJson(at("node_modules", ".package-lock.json"));
  const missing = Object.entries(wanted).some(
    ([path, { version, dev, optional }]) =>
      path !== "" &&
      !optional &&
      (tools || !dev) &&
      (present[path]?.version !== version || !existsSync(at(path))),
  );
  if (!missing) return;

  const keep_tools = tools || Object.values(present).some(({ dev }) => dev);
  console.error(
    `Installing the dependencies${keep_tools ? "" : ", without those for development"} …`,
  );
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
  const args = [
    ...npm.slice(1),
    "ci",
    keep_tools ? "--include=dev" : "--omit=dev",
    "--loglevel=error",
  ];
  const { status, error } = spawnSync(npm[0], args, {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0)
    stop(`npm could not install the dependencies${error ? `: ${error.message}` : "."}`);
}

/** Makes dist/dossier when it is missing or older than its sources. */
function build() {
  const { status } = spawnSync(bun(), [at("scripts", "build.ts"), "--if-stale"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) stop("dist/dossier could not be built.");
}

function stop(why) {
  console.error(why);
  if (command === "test") console.log("0 passed, 1 failed");
  process.exit(1);
}

/** Hands over to the program: its input, output, signals and exit code are this process's own. */
function become([file, args], env = {}) {
  const child = spawn(file, args, { stdio: "inherit", env: { ...process.env, ...env } });
  child.once("error", (error) => stop(`${file} does not start: ${error.message}`));
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"]) {
    // A terminal sends Ctrl-C to the child as well; passing it on would make it two.
    const typed = process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT");
    process.on(signal, () => {
      if (!typed) child.kill(signal);
    });
  }
  // npm passes SIGTERM on, but not SIGHUP or its own sudden end: without it, nobody would be left
  // to stop the program.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event)
    setInterval(() => {
      if (process.ppid !== parent) child.kill("SIGTERM");
    }, 1_000).unref();
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

const [command, ...args] = process.argv.slice(2);
const chosen = commands[command];
if (!chosen) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(commands).join("|")} [arguments]`);
  process.exit(2);
}
install(chosen.tools);
if (chosen.built) build();
become(chosen.run(args), chosen.env);
