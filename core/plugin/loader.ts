/**
 * Loads plugin files from a directory, in the compiled executable as under `bun run`; a bad one is
 * left out and named.
 */
import { plugin as virtual } from "bun";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { withCodeTimeout } from "./code-timeout";
import { definePlugin, type Plugin } from "./contract";
import { manifestProblems, sinceProblem } from "./manifest";
import type { PluginFailure } from "./operations";
import { locationOf } from "./error-location";

/** The plugins of a directory. */
export interface Loaded {
  readonly plugins: readonly { readonly plugin: Plugin; readonly file: string }[];
  readonly failures: readonly PluginFailure[];
}

const import_ms_max = 2_000;

/**
 * Makes `import … from "dossier"` in a plugin file resolve to the modules of this process. Exact
 * names only: a prefix can't be intercepted (oven-sh/bun#40397).
 */
export function installModules(modules: Readonly<Record<string, object>>): void {
  virtual({
    name: "dossier",
    setup(build) {
      for (const [name, exports] of Object.entries(modules))
        build.module(name, () => ({ exports: { ...exports }, loader: "object" }));
    },
  });
}

/**
 * `<dir>/name.ts`, `<dir>/name.js`, `<dir>/name/plugin.ts` and `<dir>/name/plugin.js`, sorted by
 * name.
 */
export function findPluginFiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.name.startsWith(".")) return [];
      if (/\.(ts|js)$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
        return [resolve(directory, entry.name)];
      return ["plugin.ts", "plugin.js"]
        .map((name) => join(resolve(directory), entry.name, name))
        .filter((path) => existsSync(path))
        .slice(0, 1);
    })
    .sort();
}

/** The name of a plugin file until its plugin declares one. */
export const fileStem = (file: string): string =>
  /^plugin\.(ts|js)$/.test(basename(file))
    ? basename(dirname(file))
    : basename(file).replace(/\.(ts|js)$/, "");

/** What is known about a failing file. */
export interface RefusedFile {
  readonly name: string;
  readonly problems: readonly string[];
}

/** Imports every file that passes `preflight`, which returns the failing ones. */
export async function loadPlugins(
  files: readonly string[],
  preflight: (files: readonly string[]) => Promise<ReadonlyMap<string, RefusedFile>>,
): Promise<Loaded> {
  const failures: PluginFailure[] = [];
  const plugins: { plugin: Plugin; file: string }[] = [];
  if (files.length === 0) return { plugins, failures };
  const refused_files = await preflight(files);
  for (const file of files) {
    const refused = refused_files.get(file);
    if (refused !== undefined) {
      failures.push({ name: refused.name, file, reason: refused.problems.join("; ") });
      continue;
    }
    try {
      plugins.push({ plugin: await importPlugin(file), file });
    } catch (error) {
      const name = error instanceof PluginProblems ? error.plugin.name : fileStem(file);
      failures.push({ name, file, reason: importReason(file, error) });
    }
  }
  return { plugins, failures };
}

/**
 * @throws Error with the reason when the file is not a plugin, PluginProblems when it can't run
 * here.
 */
export async function importPlugin(file: string): Promise<Plugin> {
  const importing = import(file) as Promise<{ default?: unknown }>;
  const module = await withCodeTimeout(importing, import_ms_max, "its import");
  const manifest = module.default as Plugin | undefined;
  if (
    typeof manifest !== "object" ||
    manifest === null ||
    typeof manifest.name !== "string" ||
    typeof manifest.setup !== "function" ||
    typeof manifest.contract !== "number"
  )
    throw new Error("its default export is not made by definePlugin");
  const plugin = definePlugin(manifest as never) as Plugin;
  const problems = manifestProblems(plugin, { schemas: true });
  if (problems.length > 0) throw new PluginProblems(plugin, problems);
  return plugin;
}

/** The problems of a plugin that could be imported. */
export class PluginProblems extends Error {
  override readonly name = "PluginProblems";
  constructor(
    readonly plugin: Plugin,
    readonly problems: readonly string[],
  ) {
    super(problems.join("; "));
  }
}

/**
 * Why a file can't be imported, in words. A plugin for a newer version may import a missing name:
 * the version it declares explains more than that name.
 */
export function importReason(file: string, error: unknown): string {
  const declared =
    existsSync(file) && /\bsince:\s*["']([\d.]+)["']/.exec(readFileSync(file, "utf8"));
  const too_new =
    error instanceof PluginProblems || !declared ? undefined : sinceProblem(declared[1]);
  return too_new ?? reasonOf(error);
}

/** Why a file did not load, in words. A parse error names its place. */
function reasonOf(error: unknown): string {
  // Several errors of one file come as one error without places: the first one is enough.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const { line, column } =
    (error as { position?: { line?: number; column?: number } }).position ?? {};
  const place = line ? ` (line ${line}, column ${column})` : locationOf(error);
  const hint = /Cannot find (package|module)/.test(error.message)
    ? " (a plugin is one file: bundle what it imports with `dossier plugin pack`)"
    : "";
  return `${error.message}${place}${hint}`;
}
