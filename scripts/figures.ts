/**
 * `npm run figures`: what the code measures. `--root DIR` measures another checkout, such as an
 * older commit of this project, with the same rules.
 */
import { Glob } from "bun";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript";
import { circles, imports } from "./check-imports";
import { longestFunction, type Measured } from "./lib/functions";

const product_folders = ["core", "plugins"];
const test_folders = ["test"];
const source = "**/*.{ts,tsx}";
const line_length_max = 100;
/** Made by a build, not written. */
const generated = /\.gen\.ts$|\.d\.ts$/;

export interface Figure {
  readonly what: string;
  readonly value: string;
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

/** The figures of the project at this directory. */
export async function figuresOf(root: string): Promise<Figure[]> {
  const product = await readSources(root, product_folders);
  const tests = await readSources(root, test_folders);
  const lines = product.flatMap((file) =>
    file.lines.map((line, at) => ({ path: file.path, line: at + 1, length: line.length })),
  );
  const longest_line = most(lines, ({ length }) => length);
  const longest_file = most(product, (file) => file.lines.length);
  const functions = product.flatMap(({ path, text }) => longestFunction(path, text) ?? []);
  const found_circles = circles(await imports(undefined, root));
  return [
    { what: "import circles", value: `${found_circles.length}` },
    { what: "longest line", value: where(longest_line, `${longest_line.length} characters`) },
    {
      what: "longest file",
      value: `${longest_file.lines.length} lines (${longest_file.path})`,
    },
    { what: "longest function", value: functionOf(most(functions, (one) => one.lines)) },
    { what: "names in the SDK", value: `${await namesOfSdk(root)}` },
    { what: "lines of product", value: count(linesOf(product)) },
    { what: "lines of tests", value: count(linesOf(tests)) },
    {
      what: `product lines over ${line_length_max} columns`,
      value: count(lines.filter(({ length }) => length > line_length_max).length),
    },
    { what: "interfaces *Parts", value: `${partsIn(product)}` },
  ];
}

async function readSources(root: string, folders: readonly string[]): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const folder of folders.filter((one) => existsSync(join(root, one)))) {
    for (const found of [...new Glob(source).scanSync({ cwd: join(root, folder) })].sort()) {
      const path = `${folder}/${found}`;
      if (generated.test(path)) continue;
      const text = await Bun.file(join(root, path)).text();
      files.push({ path, text, lines: text.replace(/\n$/, "").split("\n") });
    }
  }
  return files;
}

/** Names that core/sdk.ts hands to plugins, types included. */
async function namesOfSdk(root: string): Promise<number> {
  const path = join(root, "core", "sdk.ts");
  const file = ts.createSourceFile(path, await Bun.file(path).text(), ts.ScriptTarget.ESNext);
  return file.statements
    .flatMap((statement) =>
      ts.isExportDeclaration(statement) &&
      statement.exportClause &&
      ts.isNamedExports(statement.exportClause)
        ? [statement.exportClause.elements.length]
        : [],
    )
    .reduce((sum, names) => sum + names, 0);
}

const partsIn = (files: readonly SourceFile[]): number =>
  files.reduce(
    (sum, { text }) => sum + [...text.matchAll(/^(?:export )?interface \w+Parts\b/gm)].length,
    0,
  );

const linesOf = (files: readonly SourceFile[]): number =>
  files.reduce((sum, { lines }) => sum + lines.length, 0);
const count = (value: number): string => value.toLocaleString("en-US");
const where = (at: { readonly path: string; readonly line: number }, value: string): string =>
  `${value} (${at.path}:${at.line})`;
const functionOf = (found: Measured): string => where(found, `${found.lines} lines`);

function most<T>(all: readonly T[], size: (one: T) => number): T {
  const [first, ...others] = all;
  if (first === undefined) throw new Error("there is no source to measure here");
  return others.reduce((largest, one) => (size(one) > size(largest) ? one : largest), first);
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: process.argv.slice(2),
    options: { root: { type: "string", default: resolve(import.meta.dir, "..") } },
  });
  const figures = await figuresOf(resolve(values.root));
  const width = Math.max(...figures.map(({ what }) => what.length));
  for (const { what, value } of figures) console.log(`${what.padEnd(width)}  ${value}`);
}
