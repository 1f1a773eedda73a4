/**
 * The import rule, and the absence of import cycles. `bun scripts/check-imports.ts` prints every
 * violation and exits 1; test/architecture/imports.test.ts runs the same.
 */
import { Glob } from "bun";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import manifest from "../package.json";

const project = resolve(import.meta.dir, "..");

/**
 * From the bottom up: a layer may import the ones before it. `jobs`, `shared`, `isolate` and
 * `outbound` are on the same level and don't know each other. `lib` has plain libraries, without
 * server state or contracts.
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
  "entry.ts": 9,
};
/**
 * Exports the whole contract to plugins, so it imports every layer; core itself does not use it.
 */
const sdk = "core/sdk.ts";
/** The same for the workers of plugins, limited to what they need of core. */
const worker_sdk = "core/worker-sdk.ts";
/** The two lists of plugins, which import one kind of file of every plugin. */
const lists: Readonly<Record<string, string>> = {
  "plugins/built-in.ts": "plugin.ts",
  "plugins/contracts.ts": "contract.ts",
};
/** What files outside core and plugins may import. */
const packages_of_plugins = ["dossier", "dossier/contracts", "dossier/test"];

/**
 * Both sides are paths from the root of the project, or the name of a package. `type_only`: the
 * import disappears in compilation.
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
      : "core imports no plugin; only core/main.ts passes them on";
  if (from === sdk || from === worker_sdk) return null;
  if (to === worker_sdk) return "core/worker-sdk.ts is for plugins; import the file itself";
  if (to === sdk)
    return from.startsWith("core/plugin/") || from === "core/main.ts"
      ? null
      : "core/sdk.ts is for plugins; import the file itself";
  const [, own_part] = from.split("/") as [string, string];
  const [, other_part] = to.split("/") as [string, string];
  if (own_part === other_part) return null;
  const below = layers[own_part];
  const above = layers[other_part];
  if (below === undefined)
    return `core/${own_part} is missing from the layers of scripts/check-imports.ts`;
  if (above === undefined)
    return `core/${other_part} is missing from the layers of scripts/check-imports.ts`;
  if (above < below) return null;
  return above === below
    ? `core/${own_part} and core/${other_part} are on the same layer`
    : `core/${own_part} is below core/${other_part}`;
}

function problemOfPlugin(from: string, to: string, type_only: boolean): string | null {
  const listed = lists[from];
  if (listed !== undefined)
    return to.startsWith("plugins/") && to.endsWith(`/${listed}`)
      ? null
      : `${from} names only the plugins' ${listed}`;
  const [, plugin] = from.split("/") as [string, string];
  const [area, part] = to.split("/") as [string, string];
  if (isPageContract(from)) return "the contract of pages and plugins imports nothing";
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

/** The public files of a plugin, and those of them for workers. */
const isContract = (path: string): boolean => /^plugins\/[^/]+\/(worker-)?contract\.ts$/.test(path);

/** Browser code: plugins/<name>/web. */
const isPage = (path: string): boolean => /^plugins\/[^/]+\/web\//.test(path);

/** Only types, for authors of page modules and for the page that loads them. */
const isPageContract = (path: string): boolean => /^plugins\/[^/]+\/page-contract\.ts$/.test(path);

/** Pages talk HTTP to the server like any other client; neither side imports the other. */
const problemOfPage = (from: string, to: string, plugin: string): string | null =>
  isPage(from) && to.startsWith(`plugins/${plugin}/web/`)
    ? null
    : isPage(from)
      ? "a page imports only its own web folder and packages"
      : "what runs in the browser is built, not imported";

/**
 * Inside a plugin: routes → service → store, never back and never skipping. Routes may import the
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
    return "no file of a plugin imports its plugin.ts, which connects the others";
  if (!forbidden[kind(from)]?.includes(kind(to))) return null;
  if (kind(from) === "routes") return type_only ? null : "routes call the service, not the store";
  return "imports go routes -> service -> store, never back";
}

/** An example must work outside this repository: its imports must exist there too. */
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

/** The packages that users of an example install, in the versions that this project tests with. */
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
 * import.meta.url)`. A transpiler can't be used: it drops type-only imports.
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

/** An import as the file has it. */
export interface WrittenImport {
  readonly path: string;
  readonly type_only: boolean;
  readonly lazy: boolean;
}

/** The import specifiers of this text, as written, except in comments. */
export function importsOf(text: string): WrittenImport[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  return [...code.matchAll(statement)].map(([all, type, from, direct, url]) => ({
    path: (from ?? direct ?? url)!,
    type_only: type !== undefined,
    lazy: url !== undefined || (direct !== undefined && all.includes("(")),
  }));
}

const folders_default = ["core", "plugins", "scripts", "test", "examples", "client/src"];

/** Every import of the files below these folders, including type-only ones. */
export async function imports(
  folders: readonly string[] = folders_default,
  root: string = project,
): Promise<Import[]> {
  const found: Import[] = [];
  for (const folder of folders) {
    for (const from of [...new Glob(`${folder}/**/*.{ts,tsx}`).scanSync({ cwd: root })].sort()) {
      // Generated from the API document, whose sentences may look like imports.
      if (/^client\/.*schema\.gen\.ts$/.test(from)) continue;
      for (const { path, ...flags } of importsOf(await Bun.file(join(root, from)).text())) {
        const to = path.startsWith(".") ? await target(root, from, path) : path;
        found.push({ from, to, ...flags });
      }
    }
  }
  return found;
}

/** `../base/clock` in `core/jobs/queue.ts` is `core/base/clock.ts`. */
async function target(root: string, from: string, path: string): Promise<string> {
  // The client is compiled for runtimes that need the names of its compiled files.
  const named = from.startsWith("client/") ? path.replace(/\.js$/, ".ts") : path;
  const to = relative(root, resolve(root, dirname(from), named));
  for (const candidate of [to, `${to}.ts`, `${to}.tsx`, `${to}/index.ts`])
    if (await Bun.file(join(root, candidate)).exists()) return candidate;
  return `${to}.ts`;
}

/**
 * Groups of files that import each other in a cycle, each as one shortest cycle that begins and
 * ends with the same file. Types count: they tie files together for the reader as well.
 */
export function circles(edges: readonly Import[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const found: string[][] = [];
  const seen = new Set<string>();
  for (const file of [...next.keys()].sort()) {
    const circle = seen.has(file) ? undefined : wayBack(file, next);
    if (!circle) continue;
    found.push(circle);
    for (const member of reachable(file, next))
      if (reachable(member, next).has(file)) seen.add(member);
  }
  return found;
}

/** Packages that take milliseconds to load, and that a server needs later or never. */
const lazy_imports = new Set([
  ...["child_process", "dns/promises", "http", "https", "net", "tls", "zlib"].map(
    (name) => `node:${name}`,
  ),
  ...["music-metadata", "node-html-parser", "openai", "postal-mime", "prom-client"],
]);

/**
 * Static imports of these packages, which would slow down every start: they must be imported where
 * they are used.
 */
export function tooEarly(edges: readonly Import[]): Import[] {
  const early = edges.filter(({ type_only, lazy }) => !type_only && !lazy);
  const next = new Map<string, string[]>();
  for (const { from, to } of early) next.set(from, [...(next.get(from) ?? []), to]);
  const loaded = reachable("core/main.ts", next);
  return early.filter(({ from, to }) => lazy_imports.has(to) && loaded.has(from));
}

/**
 * Workers of plugins that load the whole server: each with the file that imports the sdk. It would
 * cost milliseconds and memory in every thread.
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

/** Every file that `start` imports, directly or indirectly. */
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

/** The shortest cycle of imports from `start`; undefined when there is none. */
function wayBack(
  start: string,
  next: ReadonlyMap<string, readonly string[]>,
): string[] | undefined {
  const paths: string[][] = [[start]];
  const reached = new Set<string>();
  for (const path of paths) {
    for (const file of next.get(path.at(-1)!) ?? []) {
      if (file === start) return [...path, file];
      if (reached.has(file)) continue;
      reached.add(file);
      paths.push([...path, file]);
    }
  }
  return undefined;
}

if (import.meta.main) {
  const edges = await imports();
  const broken = edges
    .map((edge) => ({ ...edge, reason: problem(edge) }))
    .filter(({ reason }) => reason !== null);
  for (const { from, to, reason } of broken) console.error(`${from} -> ${to}: ${reason}`);
  const circles_found = circles(edges);
  for (const circle of circles_found) console.error(`a circle of imports: ${circle.join(" -> ")}`);
  const early = tooEarly(edges);
  for (const { from, to } of early)
    console.error(`${from} -> ${to}: every start would load it; import it where it is used`);
  const heavy = heavyWorkers(edges);
  for (const { from, to } of heavy) console.error(`${from} loads core/sdk.ts: ${to} imports it`);
  process.exit(broken.length + circles_found.length + early.length + heavy.length > 0 ? 1 : 0);
}
