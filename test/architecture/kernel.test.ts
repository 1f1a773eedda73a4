/** The kernels of the encoder that are committed are what their sources make. */
import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { compileKernel, kernels } from "../../scripts/build-kernel";

const directory = resolve(import.meta.dir, "../../plugins/embeddings-builtin/kernel");

test.each(Object.keys(kernels))(
  "%s is compiled from the sources",
  async (name) => {
    const committed = await Bun.file(join(directory, name)).bytes();
    expect(Buffer.compare(await compileKernel(name), committed)).toBe(0);
  },
  60_000,
);

test.each(Object.keys(kernels))("%s imports nothing", async (name) => {
  const module = new WebAssembly.Module(await Bun.file(join(directory, name)).bytes());
  expect(WebAssembly.Module.imports(module)).toEqual([]);
});
