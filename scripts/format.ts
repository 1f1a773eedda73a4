/**
 * `npm run format`: Prettier over everything that is written by hand. `npm run check` asks it
 * whether anything is left.
 */
import { Glob } from "bun";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dir, "..");
const files = [
  "{core,plugins,scripts,test,examples,docs}/**/*.{ts,tsx,mjs,css,json,md}",
  "*.{json,md}",
];

/**
 * Prettier with these files, or all. Which of them were in order the last time is kept below
 * node_modules.
 */
export const formatter = (chosen: readonly string[] = files): readonly string[] => [
  process.execPath,
  join(root, "node_modules/prettier/bin/prettier.cjs"),
  "--cache",
  "--cache-location=node_modules/.cache/dossier-prettier",
  "--no-error-on-unmatched-pattern",
  ...chosen,
];

/**
 * The files that are not as they were committed, and always package.json, as Prettier wants one;
 * all of them where Git knows nothing.
 */
export function changedFiles(): readonly string[] {
  const globs = files.map((pattern) => new Glob(pattern));
  const changed = [
    ["diff", "--name-only", "--relative", "--diff-filter=d", "-z", "HEAD"],
    ["ls-files", "--others", "--exclude-standard", "-z"],
  ].map((command) => {
    const { success, stdout } = Bun.spawnSync(["git", ...command], { cwd: root });
    return success ? stdout.toString().split("\0") : undefined;
  });
  if (changed.includes(undefined)) return files;
  const names = changed.flatMap((some) => some!);
  return ["package.json", ...names.filter((name) => globs.some((glob) => glob.match(name)))];
}

if (import.meta.main) {
  const run = Bun.spawn([...formatter(), "--write", "--list-different"], {
    cwd: root,
    stdout: "inherit",
    stderr: "inherit",
  });
  process.exit(await run.exited);
}
