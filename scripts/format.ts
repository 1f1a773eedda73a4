/**
 * `npm run format`: runs oxfmt over all hand-written files (.oxfmtrc.json). `npm run check`
 * verifies the format.
 */
import { join, resolve } from "node:path";

const root = resolve(import.meta.dir, "..");
const files = [
  "{core,plugins,scripts,test,examples,docs,client}/**/*.{ts,tsx,mjs,css,json,md}",
  "*.{json,md}",
];

/** The formatter with a mode: `--check` or `--write`. */
export const formatter = (mode: "--check" | "--write"): readonly string[] => [
  process.execPath,
  join(root, "node_modules/oxfmt/bin/oxfmt"),
  mode,
  "--no-error-on-unmatched-pattern",
  ...files,
];

if (import.meta.main) {
  const run = Bun.spawn([...formatter("--write")], {
    cwd: root,
    stdout: "inherit",
    stderr: "inherit",
  });
  process.exit(await run.exited);
}
