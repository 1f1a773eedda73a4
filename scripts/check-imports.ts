/**
 * Who may import whom, and that no files import each other in a circle. `bun
 * scripts/check-imports.ts` prints every broken rule and exits 1; test/architecture/imports.test.ts
 * runs the same.
 */
import { Glob } from "bun";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import manifest from "../package.json";

const project = resolve(import.meta.dir, "..");

/**
 * From the ground up: a layer may import the ones before it. `jobs`, `shared`, `isolate` and
 * `outbound` stand beside each other; none knows the others. `lib` holds plain libraries, without
 * state of the server and without contract.
 */
const layers: Readonly<Record<string, number>> = {
  lib: 0,
  base: 1,
  store: 2,
  jobs: 3,
  shared: 3,
  isolate: 3,
  outbound: 3,
  http: 4,
  plugin: 5,
  workbench: 6,
  cli: 7,
  "main.ts": 8,
};
/** Hands the whole contract to plugins, so it names every layer; core itself does not use it. */
const sdk = "core/sdk.ts";
/** The same for the workers of plugins: what they need of core, and nothing that they don't. */
const worker_sdk = "core/worker-sdk.ts";
/** The two lists of plugins: they name what their kind of file is, of every plugin. */
const lists: Readonly<Record<string, string>> = {
  "plugins/built-in.ts": "plugin.ts",
  "plugins/contracts.ts": "contract.ts",
};
/** What a file that does not live in core or plugins may reach. */
const packages_of_plugins = ["dossier", "dossier/contracts", "dossier/test"];

/**
 * Both sides are paths from the root of the project, or the name of a package. `type_only`: the
 * line vanishes when it is compiled.
 */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly type_only?: boolean;
  /** `import("…")`: loaded when it is reached. */
  readonly lazy?: boolean;
}

/** Why this import is not allowed, or null. */
export function problem({ from, to, type_only = false }: Import): string | null {
  const [area] = from.split("/");
  if (area === "client")
    return to.startsWith("client/") ? null : "the client imports nothing: it has no dependencies";
  if (!to.includes("/") || !/^(core|plugins|test|scripts|examples)\//.test(to))
    return area === "examples" ? problemOfExample(from, to) : null;
  if (to.startsWith("test/") && area !== "test") return "only tests import tests";
  if (to.startsWith("scripts/") && area !== "scripts" && area !== "test")
    return "only scripts and tests import scripts";
  if (to.startsWith("examples/") && area !== "test" && area !== "examples")
    return "only tests import examples";
  if (area === "core") return problemOfCore(from, to);
  if (area === "plugins") return problemOfPlugin(from, to, type_only);
  if (area === "examples") return problemOfExample(from, to);
  return null;
}

function problemOfCore(from: string, to: string): string | null {
  if (to.startsWith("plugins/"))
    return from === "core/main.ts"
      ? null
      : "core knows no plugin; only core/main.ts hands them over";
  if (from === sdk || from === worker_sdk) return null;
  if (to === worker_sdk) return "core/worker-sdk.ts is for plugins; import the file itself";
  if (to === sdk)
    return from.startsWith("core/plugin/") || from === "core/main.ts"
      ? null
      : "core/sdk.ts is for plugins; import the file itself";
  const [, mine] = from.split("/") as [string, string];
  const [, theirs] = to.split("/") as [string, string];
  if (mine === theirs) return null;
  const below = layers[mine];
  const above = layers[theirs];
  if (below === undefined)
    return `core/${mine} has no place in the layers of scripts/check-imports.ts`;
  if (above === undefined)
    return `core/${theirs} has no place in the layers of scripts/check-imports.ts`;
  if (above < below) return null;
  return above === below
    ? `core/${mine} and core/${theirs} stand beside each other`
    : `core/${mine} is below core/${theirs}`;
}

function problemOfPlugin(from: string, to: string, type_only: boolean): string | null {
  const listed = lists[from];
  if (listed !== undefined)
    return to.startsWith("plugins/") && to.endsWith(`/${listed}`)
      ? null
      : `${from} names only the plugins' ${listed}`;
  const [, plugin] = from.split("/") as [string, string];
  const [area, part] = to.split("/") as [string, string];
  if (isPageContract(from)) return "what pages and plugins agree on imports nothing";
  if (isPageContract(to) && part === plugin && type_only) return null;
  if (isPage(from) || isPage(to)) return problemOfPage(from, to, plugin);
  const contract = isContract(to);
  if (area === "core")
    return to === sdk || to === worker_sdk || part === "lib"
      ? null
      : "a plugin imports core only through core/sdk.ts, and the libraries of core/lib";
  if (part !== plugin && !contract)
    return "a plugin sees another plugin only through its contract.ts";
  if (isContract(from) && !contract) return "a contract imports only contracts";
  return problemOfSlice(from, to, type_only);
}

/** What others may know of a plugin, and of that what their workers may. */
const isContract = (path: string): boolean => /^plugins\/[^/]+\/(worker-)?contract\.ts$/.test(path);

/** What runs in the browser: plugins/<name>/web. */
const isPage = (path: string): boolean => /^plugins\/[^/]+\/web\//.test(path);

/** Types alone, for those who write modules of pages and for the page that loads them. */
const isPageContract = (path: string): boolean => /^plugins\/[^/]+\/page-contract\.ts$/.test(path);

/** Pages speak HTTP with the server like any other client; neither side imports the other. */
const problemOfPage = (from: string, to: string, plugin: string): string | null =>
  isPage(from) && to.startsWith(`plugins/${plugin}/web/`)
    ? null
    : isPage(from)
      ? "a page imports only its own web folder and packages"
      : "what runs in the browser is built, not imported";

/**
 * Inside a plugin: routes → service → store, never back and never skipping. Routes may name the
 * type of a row, to map it.
 */
function problemOfSlice(from: string, to: string, type_only: boolean): string | null {
  const kind = (path: string) => path.split("/").at(-1)!.replace(/\.ts$/, "");
  const forbidden: Readonly<Record<string, readonly string[]>> = {
    routes: ["store", "migrations", "plugin"],
    service: ["routes", "plugin"],
    store: ["routes", "service", "plugin"],
    migrations: ["routes", "service", "store", "plugin"],
  };
  if (to.endsWith("/plugin.ts"))
    return "nothing of a plugin imports its plugin.ts, which puts the rest together";
  if (!forbidden[kind(from)]?.includes(kind(to))) return null;
  if (kind(from) === "routes") return type_only ? null : "routes call the service, not the store";
  return "data goes routes -> service -> store, never back";
}

/**
 * An example is written as by a stranger: what it imports must exist on the stranger's side too.
 */
const problemOfExample = (from: string, to: string): string | null =>
  packages_of_plugins.includes(to) ||
  packagesBeside(from).includes(to) ||
  to.startsWith("examples/") ||
  to.startsWith("bun:") ||
  to.startsWith("node:") ||
  to === "bun"
    ? null
    : `an example imports only ${packages_of_plugins.join(", ")}, its own files and what the ` +
      "package.json beside it names";

/** The packages that the stranger installs, in the versions that this project tests with. */
function packagesBeside(from: string): string[] {
  const path = join(project, dirname(from), "package.json");
  if (!existsSync(path)) return [];
  const { dependencies } = JSON.parse(readFileSync(path, "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const tested: Readonly<Record<string, string>> = manifest.devDependencies;
  return Object.keys(dependencies).filter((name) => tested[name] === dependencies[name]);
}

/**
 * `import … from "…"`, `export … from "…"`, `import "…"`, `import("…")` and `new URL("./…",
 * import.meta.url)`. A transpiler would not do: it drops imports that are only types.
 */
const statement = new RegExp(
  [
    /\b(?:import|export)\b(\s+type\b)?[^"'`;()=]*?\bfrom\s*["']([^"'\n]+)["']/,
    /\bimport\s*\(?\s*["']([^"'\n]+)["']/,
    /\bnew URL\(\s*["'](\.[^"'\n]+)["']/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

export interface Written {
  readonly path: string;
  readonly type_only: boolean;
  readonly lazy: boolean;
}

/** What this text imports, as it is written there. Comments don't count. */
export function importsOf(text: string): Written[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  return [...code.matchAll(statement)].map(([all, type, from, direct, url]) => ({
    path: (from ?? direct ?? url)!,
    type_only: type !== undefined,
    lazy: url !== undefined || (direct !== undefined && all.includes("(")),
  }));
}

const folders_default = ["core", "plugins", "scripts", "test", "examples", "client/src"];

/** Every import of the files below these folders, type-only ones included. */
export async function imports(
  folders: readonly string[] = folders_default,
  root: string = project,
): Promise<Import[]> {
  const found: Import[] = [];
  for (const folder of folders) {
    for (const from of [...new Glob(`${folder}/**/*.{ts,tsx}`).scanSync({ cwd: root })].sort()) {
      // Made of the API's document, whose sentences may read like imports.
      if (/^client\/.*schema\.gen\.ts$/.test(from)) continue;
      for (const { path, ...how } of importsOf(await Bun.file(join(root, from)).text())) {
        const to = path.startsWith(".") ? await target(root, from, path) : path;
        found.push({ from, to, ...how });
      }
    }
  }
  return found;
}

/** `../base/clock` seen from `core/jobs/queue.ts` is `core/base/clock.ts`. */
async function target(root: string, from: string, path: string): Promise<string> {
  // The client is compiled for runtimes that want the names of its compiled files.
  const named = from.startsWith("client/") ? path.replace(/\.js$/, ".ts") : path;
  const to = relative(root, resolve(root, dirname(from), named));
  for (const candidate of [to, `${to}.ts`, `${to}.tsx`, `${to}/index.ts`])
    if (await Bun.file(join(root, candidate)).exists()) return candidate;
  return `${to}.ts`;
}

/**
 * Groups of files that import each other in a circle, each as one shortest way round that begins
 * and ends with the same file. Types count: a circle of types ties files together for the reader.
 */
export function circles(edges: readonly Import[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const found: string[][] = [];
  const seen = new Set<string>();
  for (const file of [...next.keys()].sort()) {
    const way = seen.has(file) ? undefined : wayBack(file, next);
    if (!way) continue;
    found.push(way);
    for (const member of reachable(file, next))
      if (reachable(member, next).has(file)) seen.add(member);
  }
  return found;
}

/** What takes milliseconds to load, and what a server needs later or never. */
const late = new Set([
  ...["child_process", "dns/promises", "http", "https", "net", "tls", "zlib"].map(
    (name) => `node:${name}`,
  ),
  ...["music-metadata", "node-html-parser", "openai", "postal-mime", "prom-client"],
]);

/** What every start of the executable would load too early: it is imported where it is used. */
export function tooEarly(edges: readonly Import[]): Import[] {
  const early = edges.filter(({ type_only, lazy }) => !type_only && !lazy);
  const next = new Map<string, string[]>();
  for (const { from, to } of early) next.set(from, [...(next.get(from) ?? []), to]);
  const loaded = reachable("core/main.ts", next);
  return early.filter(({ from, to }) => late.has(to) && loaded.has(from));
}

/**
 * Workers of plugins that load the whole server: each, and the file by which it comes to the sdk.
 * It would take milliseconds and memory in every thread.
 */
export function heavyWorkers(edges: readonly Import[]): Import[] {
  const next = new Map<string, string[]>();
  for (const { from, to, type_only } of edges)
    if (!type_only) next.set(from, [...(next.get(from) ?? []), to]);
  const workers = [...next.keys()].filter((path) => /^plugins\/.*-worker\.ts$/.test(path));
  return workers.flatMap((from) =>
    [from, ...reachable(from, next)]
      .filter((path) => next.get(path)?.includes(sdk))
      .map((to) => ({ from, to })),
  );
}

/** Every file that `start` imports, directly or not. */
function reachable(start: string, next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const open = [...(next.get(start) ?? [])];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    open.push(...(next.get(file) ?? []));
  }
  return reached;
}

/** The shortest chain of imports from `start` to itself; undefined when there is none. */
function wayBack(
  start: string,
  next: ReadonlyMap<string, readonly string[]>,
): string[] | undefined {
  const ways: string[][] = [[start]];
  const reached = new Set<string>();
  for (const way of ways) {
    for (const file of next.get(way.at(-1)!) ?? []) {
      if (file === start) return [...way, file];
      if (reached.has(file)) continue;
      reached.add(file);
      ways.push([...way, file]);
    }
  }
  return undefined;
}

if (import.meta.main) {
  const edges = await imports();
  const broken = edges
    .map((edge) => ({ ...edge, why: problem(edge) }))
    .filter(({ why }) => why !== null);
  for (const { from, to, why } of broken) console.error(`${from} -> ${to}: ${why}`);
  const ways = circles(edges);
  for (const way of ways) console.error(`a circle of imports: ${way.join(" -> ")}`);
  const early = tooEarly(edges);
  for (const { from, to } of early)
    console.error(`${from} -> ${to}: every start would load it; import it where it is used`);
  const heavy = heavyWorkers(edges);
  for (const { from, to } of heavy) console.error(`${from} loads core/sdk.ts: ${to} imports it`);
  process.exit(broken.length + ways.length + early.length + heavy.length > 0 ? 1 : 0);
}
