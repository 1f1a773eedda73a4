/** The kernel for this processor. */
import plain_kernel from "./kernel/encoder-plain.wasm" with { type: "file" };
import relaxed_kernel from "./kernel/encoder-relaxed.wasm" with { type: "file" };

/** Both yield identical vectors; the relaxed one is faster where the engine supports it. */
export async function compiledKernel(): Promise<WebAssembly.Module> {
  const relaxed = await Bun.file(relaxed_kernel).bytes();
  return new WebAssembly.Module(
    WebAssembly.validate(relaxed) ? relaxed : await Bun.file(plain_kernel).bytes(),
  );
}
