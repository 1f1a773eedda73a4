/**
 * Builds the kit for plugin developers: the types of the contract, `dossier/test`, a template of
 * every kind of plugin, the documentation and the examples, as one compressed file that the
 * executable embeds (core/workbench/kit.ts). It is generated, never committed; `bun
 * scripts/build-kit.ts` prints its size.
 */
import { Glob } from "bun";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import tsconfig from "../tsconfig.json";

const root = resolve(import.meta.dir, "..");
const out = join(root, "core/workbench/build");
const kit = join(out, "kit.zst");
/** Beside the kit: the list of its sources, and their hash. */
const record = join(out, "kit.json");

/** The modules that plugin files import, and their sources. */
const modules: Readonly<Record<string, string>> = {
  dossier: "core/sdk.ts",
  "dossier/contracts": "plugins/contracts.ts",
  "dossier/test": "core/workbench/harness/test.ts",
};
/** Packages whose types are part of the contract, or are used by it. */
const type_packages = [
  "@sinclair/typebox",
  "kysely",
  "bun-types",
  "@types/node",
  "undici-types",
] as const;

/** By path below the `.dossier` of a plugin, or below `templates/`. */
type Files = Map<string, string>;

/** The declarations of the contract, as emitted by the compiler, and their sources. */
function declarations(): { files: Files; sources: string[] } {
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      ...tsconfig.compilerOptions,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: true,
      rootDir: root,
    },
    root,
  );
  const program = ts.createProgram(
    Object.values(modules).map((path) => join(root, path)),
    options,
  );
  const emitted = new Map<string, string>();
  program.emit(undefined, (path, text) => emitted.set(relative(root, path), text), undefined, true);
  const files: Files = new Map();
  const add = (path: string): void => {
    const text = emitted.get(path);
    if (text === undefined) throw new Error(`${path} was not emitted, but the contract names it.`);
    if (files.has(`types/${path}`)) return;
    files.set(`types/${path}`, text);
    for (const { fileName } of ts.preProcessFile(text).importedFiles)
      if (fileName.startsWith(".")) add(`${join(dirname(path), fileName)}.d.ts`);
  };
  for (const source of Object.values(modules)) add(source.replace(/\.ts$/, ".d.ts"));
  const sources = program
    .getSourceFiles()
    .map(({ fileName }) => relative(root, fileName))
    .filter((path) => !path.startsWith("node_modules/"));
  return { files, sources };
}

/** A package's declarations, and the parts of package.json that locate them. */
function packageTypes(name: string): Files {
  const home = join(root, "node_modules", name);
  const manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Record<
    string,
    unknown
  >;
  const { version, types, typesVersions, exports } = manifest;
  const paths = [...new Glob("**/*.d.ts").scanSync({ cwd: home })].filter(
    (path) => !/(^|\/)node_modules\//.test(path) && !path.startsWith("build/esm/"),
  );
  return new Map([
    [
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version, types, typesVersions, exports }),
    ],
    ...paths
      .sort()
      .map(
        (path) => [`node_modules/${name}/${path}`, readFileSync(join(home, path), "utf8")] as const,
      ),
  ]);
}

/** The modules as used in tests, outside a server. */
async function runtimes(): Promise<{ files: Files; sources: string[] }> {
  const built = await Bun.build({
    entrypoints: Object.values(modules).map((path) => join(root, path)),
    root,
    target: "bun",
    format: "esm",
    splitting: true,
    naming: { entry: "[dir]/[name].[ext]", chunk: "chunks/[name]-[hash].[ext]" },
    throw: false,
    metafile: true,
  });
  if (!built.success) throw new Error(built.logs.map(String).join("\n"));
  const files: Files = new Map();
  for (const output of built.outputs)
    files.set(`runtime/${output.path.replace(/^\.\//, "")}`, await output.text());
  return { files, sources: Object.keys(built.metafile!.inputs) };
}

/** `.dossier/dossier.js` and `.dossier/dossier.d.ts`: the targets of `paths` in the tsconfig. */
function entries(): Files {
  const files: Files = new Map();
  for (const [name, source] of Object.entries(modules)) {
    const stem = name.split("/").at(-1)!;
    const path = source.replace(/\.ts$/, "");
    files.set(`${stem}.d.ts`, `export * from "./types/${path}";\n`);
    files.set(`${stem}.js`, `export * from "./runtime/${path}.js";\n`);
  }
  return files;
}

/**
 * The pages and the examples, in directories that keep their links valid. Links to anything else in
 * the source are replaced by their text.
 */
function documentation(): Files {
  const paths = ["docs/*.md", "*.md", "examples/*.md", "examples/*/*.{md,ts}"].flatMap((pattern) =>
    [...new Glob(pattern).scanSync({ cwd: root })].sort(),
  );
  const existing_paths = new Set([...paths, ...paths.map((path) => dirname(path))]);
  return new Map(
    paths.map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const leads = (link: string): boolean =>
        /^([a-z]+:|#)/.test(link) || existing_paths.has(join(dirname(path), link.split("#")[0]!));
      return [
        path,
        path.endsWith(".md")
          ? text.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, words: string, link: string) =>
              leads(link) ? whole : words,
            )
          : text,
      ];
    }),
  );
}

/** Copied unchanged. */
function texts(): Files {
  const templates = [
    ...new Glob("core/workbench/templates/**/*.ts").scanSync({ cwd: root }),
  ].sort();
  return new Map([
    ...documentation(),
    [
      "runtime/people-plugin.ts",
      readFileSync(join(root, "core/workbench/harness/people-plugin.ts"), "utf8"),
    ],
    ...templates.map(
      (path) => [relative("core/workbench", path), readFileSync(join(root, path), "utf8")] as const,
    ),
  ]);
}

/** The hash of all inputs; the sources of the last kit are known. */
async function hashOf(sources: readonly string[]): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(Bun.version);
  const other_sources = ["scripts/build-kit.ts", "package-lock.json", "tsconfig.json"];
  for (const path of [...other_sources, ...sources].sort()) {
    const file = Bun.file(join(root, path));
    hash.update(`\n${path}\n`).update((await file.exists()) ? await file.bytes() : "");
  }
  for (const [path, text] of texts()) hash.update(`\n${path}\n${text}`);
  return hash.digest("hex");
}

/** Builds the kit. Returns its size in bytes, compressed and unpacked. */
async function buildKit(): Promise<{ packed: number; unpacked: number; files: number }> {
  const declared = declarations();
  const running = await runtimes();
  const files: Files = new Map([
    ...entries(),
    ...texts(),
    ...declared.files,
    ...running.files,
    ...type_packages.flatMap((name) => [...packageTypes(name)]),
  ]);
  const text = JSON.stringify(Object.fromEntries(files));
  const packed = Bun.zstdCompressSync(text, { level: 9 });
  mkdirSync(out, { recursive: true });
  await Bun.write(`${kit}.${process.pid}`, packed);
  renameSync(`${kit}.${process.pid}`, kit);
  const sources = [...new Set([...declared.sources, ...running.sources])].filter(
    (path) => !path.startsWith("node_modules/"),
  );
  await Bun.write(record, JSON.stringify({ hash: await hashOf(sources), sources }));
  return { packed: packed.length, unpacked: text.length, files: files.size };
}

/** Builds it when it is missing or an input has changed. */
export async function buildKitIfStale(): Promise<void> {
  if (existsSync(kit) && existsSync(record)) {
    const { hash, sources } = (await Bun.file(record).json()) as {
      hash: string;
      sources: string[];
    };
    if (hash === (await hashOf(sources))) return;
  }
  await buildKit();
}

if (import.meta.main) {
  const { packed, unpacked, files } = await buildKit();
  const kib = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KiB`;
  console.log(`${files} files, ${kib(unpacked)}; ${kib(packed)} in the executable`);
}
