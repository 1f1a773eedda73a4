/**
 * Builds the kernel of the built-in encoder: plugins/embeddings-builtin/kernel becomes
 * encoder-relaxed.wasm and encoder-plain.wasm there. Both are committed, because AssemblyScript is
 * a development dependency and `npm start` does without those; a test sees that they are what the
 * sources make. `npm run build` makes them anew when a source has changed.
 */
import { Glob } from "bun";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import manifest from "../package.json";

const root = resolve(import.meta.dir, ".."),
  kernel = join(root, "plugins/embeddings-builtin/kernel");
/** Beside them: the hash of what they were made from. */
const record = join(kernel, "sources.sha256");

/** The kernels with what each is compiled with beyond `options`. */
export const kernels: Readonly<Record<string, readonly string[]>> = {
  "encoder-relaxed.wasm": ["--enable", "relaxed-simd"],
  "encoder-plain.wasm": [],
};
/** Without a runtime, assertions and imports. No option lets the compiler reorder sums. */
const options = [
  "encoder.ts",
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

/** The bytes of one of the kernels, from the sources. */
export async function compileKernel(name: string): Promise<Uint8Array> {
  const directory = mkdtempSync(join(tmpdir(), "dossier-kernel-")),
    outfile = join(directory, name),
    compiler = join(root, "node_modules/assemblyscript/bin/asc.js");
  if (!existsSync(compiler))
    throw new Error(
      "The kernel of the encoder has changed, and AssemblyScript is not installed to compile it: " +
        "`npm ci --include=dev`.",
    );
  try {
    const compiling = Bun.spawn(
      [process.execPath, compiler, ...options, ...kernels[name]!, "--outFile", outfile],
      { cwd: kernel, stdout: "pipe", stderr: "pipe", stdin: "ignore" },
    );
    const [said, code] = await Promise.all([compiling.stderr.text(), compiling.exited]);
    if (code !== 0) throw new Error(`The kernel of the encoder can't be compiled: ${said}`);
    return await Bun.file(outfile).bytes();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function sourcesHash(): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(
    JSON.stringify([options, kernels, manifest.devDependencies.assemblyscript]),
  );
  for (const path of [...new Glob("*.ts").scanSync({ cwd: kernel })].sort())
    hash.update(`\n${path}\n`).update(await Bun.file(join(kernel, path)).bytes());
  return `${hash.digest("hex")}\n`;
}

/** Compiles when a source has changed. */
export async function buildKernelIfStale(): Promise<void> {
  const hash = await sourcesHash(),
    known = Bun.file(record);
  if ((await known.exists()) && (await known.text()) === hash) return;
  for (const name of Object.keys(kernels))
    await Bun.write(join(kernel, name), await compileKernel(name));
  await Bun.write(record, hash);
}

if (import.meta.main) await buildKernelIfStale();
