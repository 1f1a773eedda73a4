/**
 * Builds the kernels: WebAssembly compiled from AssemblyScript. The compiled files are committed
 * beside their sources, because AssemblyScript is a development dependency, which `npm start` does
 * without; a test checks that they match their sources. `npm run build` recompiles them when a
 * source has changed.
 */
import { Glob } from "bun";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import manifest from "../package.json";

const root = resolve(import.meta.dir, "..");
/** Beside the kernels of a directory: the hash of their sources. */
const record = "sources.sha256";

interface Kernel {
  /** In the same directory. */
  readonly source: string;
  /** Compiler options besides `options`. */
  readonly options: readonly string[];
}
/** By the path of the compiled file. */
export const kernels: Readonly<Record<string, Kernel>> = {
  "plugins/embeddings-builtin/kernel/encoder-relaxed.wasm": {
    source: "encoder.ts",
    options: ["--enable", "relaxed-simd"],
  },
  "plugins/embeddings-builtin/kernel/encoder-plain.wasm": { source: "encoder.ts", options: [] },
  "plugins/search-index/kernel/nearest.wasm": {
    source: "nearest.ts",
    options: ["--importMemory", "--noExportMemory"],
  },
};
/** No runtime, assertions or imports. No option lets the compiler reorder sums. */
const options = [
  "--runtime",
  "stub",
  "--use",
  "abort=",
  "--enable",
  "simd",
  "-O3",
  "--converge",
  "--noAssert",
];

/** Compiles one of the kernels and returns its bytes. */
export async function compileKernel(path: string): Promise<Uint8Array> {
  const directory = mkdtempSync(join(tmpdir(), "dossier-kernel-"));
  const outfile = join(directory, basename(path));
  const compiler = join(root, "node_modules/assemblyscript/bin/asc.js");
  const { source, options: kernel_options } = kernels[path]!;
  if (!existsSync(compiler))
    throw new Error(
      `The sources of ${path} have changed, and AssemblyScript is not installed to compile them: ` +
        "`npm ci --include=dev`.",
    );
  try {
    const compiling = Bun.spawn(
      [process.execPath, compiler, source, ...options, ...kernel_options, "--outFile", outfile],
      { cwd: join(root, dirname(path)), stdout: "pipe", stderr: "pipe", stdin: "ignore" },
    );
    const [output, code] = await Promise.all([compiling.stderr.text(), compiling.exited]);
    if (code !== 0) throw new Error(`${path} can't be compiled: ${output}`);
    return await Bun.file(outfile).bytes();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function sourcesHash(directory: string, paths: readonly string[]): Promise<string> {
  const compiled = paths.map((path) => [path, kernels[path]]);
  const hash = new Bun.CryptoHasher("sha256").update(
    JSON.stringify([options, compiled, manifest.devDependencies.assemblyscript]),
  );
  const cwd = join(root, directory);
  for (const path of [...new Glob("*.ts").scanSync({ cwd })].sort())
    hash.update(`\n${path}\n`).update(await Bun.file(join(cwd, path)).bytes());
  return `${hash.digest("hex")}\n`;
}

/** Compiles kernels whose sources have changed. */
export async function buildKernelsIfStale(): Promise<void> {
  for (const [directory, paths] of Object.entries(
    Object.groupBy(Object.keys(kernels), (path) => dirname(path)),
  )) {
    const hash = await sourcesHash(directory, paths!);
    const record_file = Bun.file(join(root, directory, record));
    if ((await record_file.exists()) && (await record_file.text()) === hash) continue;
    for (const path of paths!) await Bun.write(join(root, path), await compileKernel(path));
    await Bun.write(record_file, hash);
  }
}

if (import.meta.main) await buildKernelsIfStale();
