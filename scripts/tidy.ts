/**
 * Checks the code itself: sizes, leftovers, portable SQL, dead files. `bun scripts/tidy.ts` prints
 * violations and exits 1; test/architecture/tidy.test.ts runs the same.
 */
import { Glob } from "bun";
import { join, resolve } from "node:path";
import ts from "typescript";
import { imports, type Import } from "./check-imports";
import { staleNames } from "./lib/docstrings";
import { functionsOf } from "./lib/functions";

const root = resolve(import.meta.dir, "..");

/** Lines per file of the product or of scripts. */
const file_lines_max = 400;
/** A table of cases is readable at any length; this limit separates subjects. */
const test_lines_max = 800;
/** Lines per function, including nested ones. Tests are tables and have no such limit. */
const function_lines_max = 70;
const line_length_max = 100;
/** In tests, an unbreakable literal (markup, bytes, the name of a case) may be longer. */
const test_line_length_max = 160;

interface Rule {
  readonly pattern: RegExp;
  readonly reason: string;
  /** Applies to these files; to every file if absent. */
  readonly within?: RegExp;
  /** … but not to these. */
  readonly except?: RegExp;
  /** Also checks comments. */
  readonly comments?: boolean;
}

const product = /^(core|plugins)\//;
/**
 * Where time, randomness and the environment may be accessed directly. Workers, tasks and browser
 * pages have no context to take them from.
 */
const outside =
  /^core\/(base|workbench|cli)\/|^core\/(main|entry)\.ts$|worker\.ts$|^plugins\/[^/]+\/web\//;

const leftovers: readonly Rule[] = [
  {
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    reason: "a note to do it later; do it, or file an issue",
    comments: true,
    except: /tidy(\.test)?\.ts$/,
  },
  {
    pattern: /\bconsole\.\w+\(/,
    reason: "the product logs through ctx.log",
    within: product,
    except: /^core\/cli\/|^core\/main\.ts$|^core\/isolate\/child\.ts$|\/snippets\.ts$/,
  },
  { pattern: /\bdebugger\b/, reason: "a leftover of debugging" },
  {
    // One way to hide members: parameters of constructors can be `private`, but not `#name`.
    pattern: /\bthis\.#\w+/,
    reason: "a class hides its members with `private`",
    except: /tidy(\.test)?\.ts$/,
  },
  {
    // All modules are one function in the executable. A few hundred iterations at top level make
    // the runtime compile the whole of it, which takes most of a second.
    pattern: /^(for|while|do)\b/,
    reason: "a loop that runs when the module is loaded; put it into a function",
    within: product,
    except: /^plugins\/[^/]+\/web\//,
  },
  {
    pattern: /\b(test|describe|it)\.only\b/,
    reason: "switches every other test off",
    within: /^test\//,
    except: /tidy\.test\.ts$/,
  },
  {
    pattern: /@ts-(ignore|nocheck)/,
    reason: "hides errors; `@ts-expect-error` with a reason says which one",
    comments: true,
    except: /tidy(\.test)?\.ts$/,
  },
];

const contexts: readonly Rule[] = [
  {
    pattern: /\bDate\.now\(\)|\bnew Date\(\)/,
    reason: "time comes from ctx.now_ms",
    within: product,
    except: outside,
  },
  {
    pattern: /\bprocess\.env\b|\bBun\.env\b/,
    reason: "settings come from ctx.config",
    within: product,
    except: outside,
  },
  {
    pattern: /\brandomUUID\w*\(|\bMath\.random\(/,
    reason: "ids come from ctx.newId, chance from crypto in core/base",
    within: product,
    except: outside,
  },
];

/**
 * SQL that works on one database engine only (the other is PostgreSQL). core/store contains the
 * engine, so it may use its dialect.
 */
const dialect: readonly Rule[] = [
  [
    "insert or (ignore|replace|abort)|replace into|replaceInto\\(|orIgnore\\(|\\.ignore\\(\\)",
    "an upsert is `onConflict` with a target",
  ],
  [
    "autoincrement|autoIncrement\\(|insertId|last_insert_rowid|\\browid\\b",
    "keys are made in code",
  ],
  [
    "\\b(ifnull|group_concat|instr|strftime|datetime|unixepoch|julianday|json_extract|json_each|" +
      "json_group_\\w+|total_changes)\\s*\\(",
    "a function of SQLite alone",
  ],
  ["->>|#>>|::(text|int|jsonb?)\\b", "an operator of one engine"],
  ["\\blimit -1\\b|collate nocase|\\bnocase\\b|without rowid", "SQLite alone understands it"],
  ["\\bforUpdate\\(|skipLocked\\(", "row locks belong to the job module"],
  [
    '\\.addColumn\\([^,]+,(?!\\s*("(text|integer|bigint|double precision)"|(bytes|rowKey)\\b))',
    "columns are text, integer, bigint, double precision, `bytes` or `rowKey`",
  ],
  [
    "\\blike\\b(?!.*escape '!')(?=\\s*(\\$\\{|\\?|'))|\"like\"",
    "LIKE is written with `escape '!'`, on a folded column",
  ],
  ["\\.addColumn\\(.*\\.unique\\(\\)", "name every unique index: createIndex(…).unique()"],
].map(([pattern, reason]) => ({
  pattern: new RegExp(pattern!, "i"),
  reason: reason!,
  within: product,
  except: /^core\/store\//,
}));

const rules: readonly Rule[] = [...leftovers, ...contexts, ...dialect];

/** The text with comments blanked out, line by line. */
const withoutComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/(^|\s)\/\/.*$/gm, "$1");

/**
 * The violations in this file, each as `path:line: reason`. `path` is relative to the root of the
 * project.
 */
export function problemsOf(path: string, text: string): string[] {
  return [
    ...problemsOfLayout(path, text),
    ...problemsOfWords(path, text),
    ...problemsOfFunctions(path, text),
    ...problemsOfDocstrings(path, text),
    ...problemsOfTypes(path, text),
  ];
}

function problemsOfLayout(path: string, text: string): string[] {
  const lines = text.split("\n");
  const found: string[] = [];
  if (!saysPurpose(text))
    found.push(`${path}:1: the first line says what the file is for: /** … */`);
  if (!text.endsWith("\n") || text.endsWith("\n\n"))
    found.push(`${path}:${lines.length}: ends with exactly one line break`);
  const lines_max = path.startsWith("test/") ? test_lines_max : file_lines_max;
  if (lines.length - 1 > lines_max)
    found.push(
      `${path}:${lines.length}: ${lines.length - 1} lines; a file fits a sitting (${lines_max})`,
    );
  const length_max = path.startsWith("test/") ? test_line_length_max : line_length_max;
  for (const [index, line] of lines.entries()) {
    if (/[ \t\r]$|\t/.test(line)) found.push(`${path}:${index + 1}: a tab or a space at the end`);
    if (line.length > length_max)
      found.push(`${path}:${index + 1}: ${line.length} characters in a line (${length_max})`);
  }
  return found;
}

/** The first thing is a comment of at least four words, after a `#!` line if there is one. */
const saysPurpose = (text: string): boolean =>
  (/^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "").split(/[\s*]+/).filter(Boolean)
    .length >= 4;

function problemsOfWords(path: string, text: string): string[] {
  const applying = rules.filter(
    ({ within, except }) => (!within || within.test(path)) && !except?.test(path),
  );
  const lines = text.split("\n");
  const code = withoutComments(text).split("\n");
  return applying.flatMap(({ pattern, reason, comments }) =>
    (comments ? lines : code).flatMap((line, index) => {
      const found = pattern.exec(line);
      return found ? [`${path}:${index + 1}: \`${found[0].trim()}\`: ${reason}`] : [];
    }),
  );
}

const problemsOfFunctions = (path: string, text: string): string[] =>
  path.startsWith("test/")
    ? []
    : functionsOf(path, text)
        .filter(({ lines }) => lines > function_lines_max)
        .map(
          ({ line, lines }) =>
            `${path}:${line}: a function of ${lines} lines; ` +
            `one fits a screen (${function_lines_max})`,
        );

const problemsOfDocstrings = (path: string, text: string): string[] =>
  staleNames(path, text).map(
    ({ line, name }) =>
      `${path}:${line}: the comment describes \`${name}\`, which it does not have`,
  );

/** `any` is for the places where core erases types on purpose. */
function problemsOfTypes(path: string, text: string): string[] {
  if (!/^(plugins|examples|scripts)\//.test(path) || !/\bany\b/.test(text)) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    // `Db<any>` is a transaction that several plugins share.
    const erased =
      ts.isTypeReferenceNode(node.parent ?? node) &&
      /^(Db|Kysely)<any>$/.test(node.parent.getText(file));
    if (node.kind === ts.SyntaxKind.AnyKeyword && !erased) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.push(`${path}:${line + 1}: \`any\` outside core`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Entry points: files that run or are read without being imported. */
const entries = new RegExp(
  `^(${[
    "core/(entry|main|sdk)",
    "client/src/index",
    "plugins/contracts",
    "plugins/.*worker",
    "plugins/embeddings-builtin/kernel/encoder",
    "plugins/search-index/kernel/nearest",
    "plugins/[^/]+/plugin",
    "scripts/[^/]+",
    "scripts/bench/(main|raw-server|raw-index)",
    "scripts/cluster/main",
    "scripts/simulation/main",
    "scripts/soak/cluster",
    "scripts/soak/main",
    "scripts/races/(main|plugin)",
    "scripts/attacks/(main|attack|neighbour)",
    "scripts/moving/main",
    "test/.*\\.(test|types)",
    "test/programs/.*",
    "examples/.*plugin",
    "core/workbench/(templates/.*|harness/(test|people-plugin))",
  ].join("|")})\\.ts$|\\.mjs$|\\.d\\.ts$`,
);

/** The same, in the browser and before every test. */
const entries_of_pages =
  /^(plugins\/[^/]+\/web\/(main|initial-theme)|scripts\/lib\/console-assets)\.tsx?$/;

/** Files that are not reachable from any entry point. */
export function deadFiles(files: readonly string[], edges: readonly Import[]): string[] {
  const imported = new Set(edges.filter(({ from, to }) => from !== to).map(({ to }) => to));
  return files.filter(
    (path) => !entries.test(path) && !entries_of_pages.test(path) && !imported.has(path),
  );
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The runtime itself, and its types. */
const named_otherwise: ReadonlySet<string> = new Set(["bun", "bun-types"]);

/**
 * Packages of package.json that no file imports, and packages without a row in the README's table.
 */
export function problemsOfPackages(
  manifest: Manifest,
  readme: string,
  edges: readonly Import[],
): string[] {
  const used = new Set(
    edges.map(({ to }) =>
      to
        .split("/")
        .slice(0, to.startsWith("@") ? 2 : 1)
        .join("/"),
    ),
  );
  const unused = Object.keys(manifest.dependencies).filter(
    (name) => !named_otherwise.has(name) && !used.has(name),
  );
  const silent = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    (name) => !new RegExp(`^\\|[^|]*\`${RegExp.escape(name)}\``, "m").test(readme),
  );
  const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
  );
  return [
    ...unused.map((name) => `package.json: nothing imports ${name}`),
    ...silent.map((name) => `README.md: the dependency table lacks a row for ${name}`),
    ...loose.map(([name, version]) => `package.json: ${name} ${version} is not one exact version`),
  ];
}

/** All violations in the project. */
export async function tidy(): Promise<string[]> {
  const paths = ["core", "plugins", "scripts", "test", "examples", "client/src"]
    .flatMap((folder) => [...new Glob(`${folder}/**/*.{ts,tsx,mjs}`).scanSync({ cwd: root })])
    .filter((path) => !path.endsWith(".gen.ts"))
    .sort();
  const edges = await imports();
  const texts = await Promise.all(paths.map((path) => Bun.file(join(root, path)).text()));
  return [
    ...paths.flatMap((path, index) => problemsOf(path, texts[index]!)),
    ...deadFiles(paths, edges).map((path) => `${path}: nothing imports it`),
    ...problemsOfPackages(
      await Bun.file(join(root, "package.json")).json(),
      await readmeText(),
      edges,
    ),
  ];
}

const readmeText = async (): Promise<string> => {
  const file = Bun.file(join(root, "README.md"));
  return (await file.exists()) ? file.text() : "";
};

if (import.meta.main) {
  const problems = await tidy();
  for (const problem of problems) console.error(problem);
  process.exit(problems.length > 0 ? 1 : 0);
}
