/**
 * Builds dist/dossier: one self-contained executable. `--if-stale` does nothing if the sources have
 * not changed.
 */
import { Glob, type BunPlugin } from "bun";
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import manifest from "../package.json";
import { buildConsoleIfStale } from "./build-console";
import { buildKernelsIfStale } from "./build-kernel";

const root = resolve(import.meta.dir, "..");
const dist = join(root, "dist");
/** The path of the built executable. */
export const executable = join(dist, "dossier");
/** Beside the executable: the hash of its sources, and the state of their files. */
const record = join(dist, "dossier.sources");

/** All inputs of the executable. */
const sources = [
  "core/**/*",
  "plugins/**/*",
  "scripts/build.ts",
  "scripts/build-console.ts",
  "scripts/build-kernel.ts",
  "scripts/build-kit.ts",
  "docs/*.md",
  "*.md",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];

/** Generated from other sources, so they are no inputs. */
const generated = /^(plugins\/console\/(build\/|.*\.gen\.ts$)|core\/workbench\/build\/)/;

const sourcePaths = (): string[] =>
  sources
    .flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root })])
    .filter((path) => !generated.test(path))
    .sort();

/** Of names, sizes and times of the sources: while it is the same, the files need not be read. */
function sourcesState(): string {
  const hash = new Bun.CryptoHasher("sha256").update(Bun.version);
  for (const path of sourcePaths()) {
    const { size, mtimeMs, ctimeMs } = statSync(join(root, path));
    hash.update(`${path} ${size} ${mtimeMs} ${ctimeMs}\n`);
  }
  return hash.digest("hex");
}

/** SHA-256 over the names and bytes of the sources, and the version of the compiler. */
async function sourcesHash(): Promise<string> {
  const paths = sourcePaths();
  const hash = new Bun.CryptoHasher("sha256").update(Bun.version);
  for (const path of paths)
    hash.update(`\n${path}\n`).update(await Bun.file(join(root, path)).bytes());
  return hash.digest("hex");
}

/**
 * The entry points of workers: code that `new Worker` starts from inside the executable must be
 * listed in the build.
 */
const workers = (): string[] =>
  [...new Glob("{core,plugins}/**/*worker.ts").scanSync({ cwd: root })]
    .sort()
    .map((path) => join(root, path));

/** Files that core/lib/packed-file.ts unpacks. A higher level costs seconds and saves little. */
const packed_files = /(multilingual-e5-small\.bin|pdfium\.wasm|tesseract-core-simd-lstm\.wasm)$/;
const packing: BunPlugin = {
  name: "packing",
  setup: (build) => {
    build.onLoad({ filter: packed_files }, async ({ path }) => ({
      contents: await Bun.zstdCompress(await Bun.file(path).bytes(), { level: 3 }),
      loader: "file",
    }));
  },
};

/** The commit of the checkout, or `unknown` outside git. */
function commit(): string {
  const { success, stdout } = Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], {
    cwd: root,
    stderr: "ignore",
  });
  return success ? stdout.toString().trim() : "unknown";
}

/**
 * Compiles into `outfile`. The executable reads no bunfig.toml and no .env of the directory it is
 * started in.
 */
async function compile(outfile: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: [join(root, "core/entry.ts"), ...workers()],
    root,
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    // Dynamic imports become separate files, which a start neither reads nor runs.
    splitting: true,
    sourcemap: "none",
    plugins: [packing],
    define: { DOSSIER_COMMIT: JSON.stringify(commit()) },
    compile: {
      outfile,
      // Most of the code at start runs once, so compiling it to machine code would only delay it.
      // `serve` re-enables the compiler after its first requests, other commands before they begin.
      jitPolicy: 200,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    throw: false,
  });
  if (!built.success) throw new Error(built.logs.map(String).join("\n"));
}

/** Starts the result once, to make sure that it can report its version. */
function smokeTest(path: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([path, "version"], {
    cwd: dist,
    timeout: 30_000,
  });
  const output = stdout.toString().trim();
  if (exitCode !== 0 || !output.includes(manifest.version))
    throw new Error(
      "The executable was built, but `dossier version` ended with " +
        `${exitCode}: ${output}${stderr.toString()}`,
    );
  return output;
}

/**
 * Builds, checks, and only then moves the result into place, so that a running or earlier
 * executable is never half replaced.
 */
export async function build(): Promise<string> {
  await buildConsoleIfStale();
  await buildKernelsIfStale();
  // Loads a compiler, which is not needed to find the executable or to check that it is fresh.
  const { buildKitIfStale } = await import("./build-kit");
  await buildKitIfStale();
  const state = sourcesState();
  const hash = await sourcesHash();
  mkdirSync(dist, { recursive: true });
  const new_executable = join(dist, `.dossier-${process.pid}`);
  try {
    await compile(new_executable);
    const output = smokeTest(new_executable);
    renameSync(new_executable, executable);
    await Bun.write(record, `${hash} ${state}`);
    return output;
  } finally {
    rmSync(new_executable, { force: true });
  }
}

/** Builds when the executable is missing or its sources have changed. */
export async function buildIfStale(): Promise<void> {
  const recorded = existsSync(executable) && existsSync(record);
  const [known_hash, known_state] = recorded ? (await Bun.file(record).text()).split(" ") : [];
  const state = sourcesState();
  if (known_state === state) return;
  if (known_hash === (await sourcesHash())) {
    await Bun.write(record, `${known_hash} ${state}`);
    return;
  }
  console.error("Building dist/dossier …");
  await build();
}

if (import.meta.main) {
  try {
    if (process.argv.includes("--if-stale")) await buildIfStale();
    else {
      const built_version = await build();
      const size_mib = (statSync(executable).size / 2 ** 20).toFixed(0);
      console.log(`${relative(process.cwd(), executable)}: ${built_version}, ${size_mib} MiB`);
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
