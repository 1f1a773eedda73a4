/** The committed kernels match their sources. */
import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { compileKernel, kernels } from "../../scripts/build-kernel";

const root = resolve(import.meta.dir, "../..");

test.each(Object.keys(kernels))(
  "%s is compiled from the sources",
  async (path) => {
    const committed = await Bun.file(join(root, path)).bytes();
    expect(Buffer.compare(await compileKernel(path), committed)).toBe(0);
  },
  60_000,
);

test.each(Object.keys(kernels))("%s imports nothing but the memory it is given", async (path) => {
  const module = new WebAssembly.Module(await Bun.file(join(root, path)).bytes());
  const memory_option = kernels[path]!.options.includes("--importMemory")
    ? [{ module: "env", name: "memory", kind: "memory" as const }]
    : [];
  expect(WebAssembly.Module.imports(module)).toEqual(memory_option);
});
