/**
 * Large files that are imported `with { type: "file" }` and unpacked when they are used: the
 * executable has them compressed (scripts/build.ts), the source as they are.
 */

/** The whole file, unpacked. */
export async function readPacked(path: string): Promise<ArrayBuffer> {
  const bytes = await Bun.file(path).arrayBuffer();
  return Bun.isStandaloneExecutable
    ? ((await Bun.zstdDecompress(bytes)).buffer as ArrayBuffer)
    : bytes;
}

/** The same in parts of a few MiB: at once, the file would take its size in memory. */
export async function* packedParts(path: string): AsyncGenerator<Uint8Array> {
  const stream = Bun.file(path).stream();
  yield* Bun.isStandaloneExecutable ? stream.pipeThrough(new DecompressionStream("zstd")) : stream;
}
