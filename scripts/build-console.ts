/**
 * Builds the console: plugins/console/web becomes hashed files in plugins/console/build and the
 * module plugins/console/assets.gen.ts that embeds them. Both are generated, never committed. `bun
 * scripts/build-console.ts` builds what is stale, `--force` everything.
 */
import { Glob, type BuildArtifact } from "bun";
import font from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dir, "..");
const web = join(root, "plugins/console/web");
const out = join(root, "plugins/console/build");
/** For the sample folder. */
const handbook = join(root, "examples/handbook/handbook.pdf");
const generated = join(root, "plugins/console/assets.gen.ts");
/** Beside the built files: the hash of their sources. */
const record = join(out, "sources.sha256");
/** The path from which the server serves the files, below its base path. */
const base = "/console/assets/";
/**
 * The server inserts its base path into the page only: files refer to each other by relative paths.
 */
const base_mark = "{{base}}";

/** These come first, in this order; every other sheet of web/styles follows by name. */
const sheets_first = [
  "tokens.css",
  "base.css",
  "controls.css",
  "content.css",
  "feedback.css",
  "overlays.css",
  "page.css",
  "shell.css",
];

const media_types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
  wasm: "application/wasm",
  json: "application/json",
  bcmap: "application/octet-stream",
  pfb: "application/octet-stream",
  ttf: "font/ttf",
  png: "image/png",
  pdf: "application/pdf",
};

/** A file that browsers may request. `name` is its path below /console/assets. */
export interface BuiltFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const extensionOf = (name: string): string => name.split(".").at(-1)!;
const hashOf = (bytes: Uint8Array | string): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 10);

/** Adds the hash of the content to the name, so that the file may be cached for ever. */
function hashed(name: string, bytes: Uint8Array): BuiltFile {
  const dot = name.lastIndexOf(".");
  return { name: `${name.slice(0, dot)}-${hashOf(bytes)}${name.slice(dot)}`, bytes };
}

/**
 * The scripts: the application, the theme script that runs before the first paint, and a chunk for
 * every page that is loaded on demand.
 */
async function scripts(
  sample_file: string,
): Promise<{ files: BuiltFile[]; entry(name: string): string }> {
  const built = await Bun.build({
    entrypoints: [join(web, "main.tsx"), join(web, "initial-theme.ts")],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    sourcemap: "none",
    publicPath: "./",
    define: {
      "process.env.NODE_ENV": '"production"',
      SAMPLE_FILE: JSON.stringify(`./${sample_file}`),
    },
    naming: {
      entry: "[name]-[hash].[ext]",
      chunk: "[name]-[hash].[ext]",
      asset: "[name]-[hash].[ext]",
    },
    throw: false,
  });
  if (!built.success) throw new Error(built.logs.map(String).join("\n"));
  const fileOf = async (output: BuildArtifact) => ({
    name: basename(output.path),
    bytes: new Uint8Array(await output.arrayBuffer()),
  });
  const entry = (name: string) => {
    const found = built.outputs.find(
      ({ kind, path }) => kind === "entry-point" && basename(path).startsWith(`${name}-`),
    );
    if (!found) throw new Error(`The build has no ${name}.`);
    return basename(found.path);
  };
  return { files: await Promise.all(built.outputs.map(fileOf)), entry };
}

/** Concatenates all style sheets. The bundler would rewrite `light-dark()` for old browsers. */
async function styles(font_name: string): Promise<BuiltFile> {
  const names = [...new Glob("*.css").scanSync({ cwd: join(web, "styles") })].sort();
  const ordered = [...sheets_first, ...names.filter((name) => !sheets_first.includes(name))];
  const texts = await Promise.all(
    ordered.map((name) => Bun.file(join(web, "styles", name)).text()),
  );
  const text = texts
    .join("\n")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s*\n\s*/g, "\n")
    .replaceAll("/console/assets/inter.woff2", font_name)
    .trim();
  return hashed("console.css", new TextEncoder().encode(text));
}

/** Chunks that a script imports statically: the page preloads them in parallel. */
const importsOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)].map(([, name]) => name!)),
];

/** The HTML page, with the file names of this build. */
async function page(
  names: Readonly<Record<string, string>>,
  preloads: readonly string[],
): Promise<string> {
  const template = await Bun.file(join(web, "index.html")).text();
  const at = (name: string) => `${base_mark}${base}${name}`;
  const filled = template.replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    if (key === "preloads")
      return preloads.map((name) => `<link rel="modulepreload" href="${at(name)}">`).join("\n");
    if (key === "base") return base_mark;
    const name = names[key];
    if (!name) throw new Error(`index.html names {{${key}}}, which the build does not have.`);
    return at(name);
  });
  return filled.replace(/>\s*\n\s*/g, ">").trim();
}

/**
 * Files that pdf.js loads by itself: their location in its package, and the directory where it
 * expects them. It uses fixed names, so the path contains its version instead of a hash.
 */
const pdfjs_files: readonly (readonly [string, string])[] = [
  ["legacy/build/pdf.worker.min.mjs", ""],
  ["wasm/openjpeg_nowasm_fallback.js", "decoders/"],
  ["cmaps/*.bcmap", "cmaps/"],
  ["standard_fonts/*.{pfb,ttf}", "standard_fonts/"],
];
async function pdfjs(): Promise<BuiltFile[]> {
  const home = join(root, "node_modules/pdfjs-dist");
  const { version } = (await Bun.file(join(home, "package.json")).json()) as { version: string };
  const files = pdfjs_files.flatMap(([pattern, to]) =>
    [...new Glob(pattern).scanSync({ cwd: home })]
      .sort()
      .map((path) => ({ path, name: `pdfjs-${version}/${to}${basename(path)}` })),
  );
  return Promise.all(
    files.map(async ({ path, name }) => ({
      name,
      bytes: await Bun.file(join(home, path)).bytes(),
    })),
  );
}

/** Every file that a browser may request, and the page. */
async function bundle(): Promise<{ files: BuiltFile[]; index: string }> {
  const sample = hashed("handbook.pdf", await Bun.file(handbook).bytes());
  const [inter, icon, { files, entry }, of_pdfjs] = await Promise.all([
    Bun.file(font)
      .bytes()
      .then((bytes) => hashed("inter.woff2", bytes)),
    Bun.file(join(web, "icon.svg"))
      .bytes()
      .then((bytes) => hashed("icon.svg", bytes)),
    scripts(sample.name),
    pdfjs(),
  ]);
  const css = await styles(inter.name);
  const main = files.find(({ name }) => name === entry("main"))!;
  const preloads = importsOf(new TextDecoder().decode(main.bytes));
  const index = await page(
    {
      main: main.name,
      theme: entry("initial-theme"),
      css: css.name,
      font: inter.name,
      icon: icon.name,
    },
    preloads,
  );
  return { files: [...files, css, inter, icon, sample, ...of_pdfjs], index };
}

/** Files of these formats are already compressed. */
const compresses = (name: string): boolean => !/\.(woff2|png|bcmap)$/.test(name);

/** The module that embeds the files in the executable. */
function moduleOf(files: readonly BuiltFile[], index: string): string {
  const embedded = files.map(({ name }) => `${name}${compresses(name) ? ".gz" : ""}`);
  const rows = files.map(({ name, bytes }, place) => {
    const type = media_types[extensionOf(name)];
    if (!type) throw new Error(`${name}: scripts/build-console.ts has no media type for it.`);
    const fields = [
      `file: file_${place}`,
      `media_type: "${type}"`,
      `etag: '"${hashOf(bytes)}"'`,
      `gzip: ${compresses(name)}`,
    ];
    return `  "${base}${name}": { ${fields.join(", ")} },`;
  });
  return [
    "/** Made by scripts/build-console.ts: the files of the console, embedded. Not committed. */",
    ...embedded.map(
      (name, place) => `import file_${place} from "./build/${name}" with { type: "file" };`,
    ),
    "",
    "/** `file` is a path, inside the executable too; with `gzip` its content is compressed. */",
    "export interface ConsoleAsset { readonly file: string; readonly media_type: string; " +
      "readonly etag: string; readonly gzip: boolean }",
    "/** By the path that the browser asks for. */",
    "export const assets: Readonly<Record<string, ConsoleAsset>> = {",
    ...rows,
    "};",
    "/** The page that every address of the console answers with; `{{base}}` is the base path. */",
    `export const index_html = ${JSON.stringify(index)};`,
    "",
  ].join("\n");
}

/** Builds the console and puts it in place. */
async function buildConsole(): Promise<readonly BuiltFile[]> {
  const hash = await sourcesHash();
  const { files, index } = await bundle();
  const new_directory = `${out}-${process.pid}`;
  try {
    mkdirSync(new_directory, { recursive: true });
    for (const { name, bytes } of files) {
      if (compresses(name))
        await Bun.write(
          join(new_directory, `${name}.gz`),
          Bun.gzipSync(new Uint8Array(bytes), { level: 9 }),
        );
      else await Bun.write(join(new_directory, name), bytes);
    }
    await Bun.write(join(new_directory, basename(record)), hash);
    const module_file = `${new_directory}.ts`;
    await Bun.write(module_file, moduleOf(files, index));
    rmSync(out, { recursive: true, force: true });
    renameSync(new_directory, out);
    renameSync(module_file, generated);
  } finally {
    rmSync(new_directory, { recursive: true, force: true });
  }
  return files;
}

/** SHA-256 over all inputs of the build. */
async function sourcesHash(): Promise<string> {
  const paths = [
    ...new Glob("plugins/console/web/**/*").scanSync({ cwd: root }),
    "scripts/build-console.ts",
    relative(root, handbook),
    "package-lock.json",
  ]
    .filter((path) => !path.endsWith(".gen.ts"))
    .sort();
  const hash = new Bun.CryptoHasher("sha256").update(Bun.version);
  for (const path of paths)
    hash.update(`\n${path}\n`).update(await Bun.file(join(root, path)).bytes());
  return hash.digest("hex");
}

/** Builds when a built file is missing or a source has changed. */
export async function buildConsoleIfStale(): Promise<void> {
  const known_hash =
    existsSync(generated) && existsSync(record) ? await Bun.file(record).text() : "";
  if (known_hash !== (await sourcesHash())) await buildConsole();
}

if (import.meta.main) {
  try {
    if (process.argv.includes("--force"))
      for (const { name, bytes } of (await buildConsole()).filter(
        (file) => !file.name.includes("/"),
      ))
        console.log(`${String(Bun.gzipSync(new Uint8Array(bytes)).length).padStart(8)}  ${name}`);
    else await buildConsoleIfStale();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
