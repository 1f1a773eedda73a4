/**
 * `npm run format`: Prettier over everything that is written by hand. `npm run check` asks it
 * whether anything is left.
 */
import { join, resolve } from "node:path";

const root = resolve(import.meta.dir, "..");
const files = [
  "{core,plugins,scripts,test,examples,docs}/**/*.{ts,tsx,mjs,css,json,md}",
  "*.{json,md}",
];

/**
 * Prettier with all its files. Which of them were in order the last time is kept below
 * node_modules.
 */
export const formatter: readonly string[] = [
  process.execPath,
  join(root, "node_modules/prettier/bin/prettier.cjs"),
  "--cache",
  "--cache-location=node_modules/.cache/dossier-prettier",
  "--no-error-on-unmatched-pattern",
  ...files,
];

if (import.meta.main) {
  const run = Bun.spawn([...formatter, "--write", "--list-different"], {
    cwd: root,
    stdout: "inherit",
    stderr: "inherit",
  });
  process.exit(await run.exited);
}
