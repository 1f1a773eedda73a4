/** Unpacks folder archives, changes parts of them, and packs them again. */
import { memorySource, findDirectory, readDirectory, readEntry } from "../../core/lib/zip";
import { ZipStream } from "../../core/lib/zip-stream";

/** The bytes of each part, in order. */
export type Entries = Map<string, Uint8Array>;

/** The entries of an archive, by name. */
export function unpacked(archive: Uint8Array): Entries {
  const source = memorySource(archive);
  return new Map(
    [...readDirectory(source, findDirectory(source)!)].map((entry) => [
      entry.name,
      readEntry(source, entry, 2 ** 30).bytes,
    ]),
  );
}

/** Unchanged, in this order; a name may occur twice. */
export async function packed(
  parts: Iterable<readonly [string, Uint8Array | string]>,
): Promise<Buffer> {
  const zip = new ZipStream();
  const pieces: Uint8Array[] = [];
  for (const [name, bytes] of parts)
    for await (const piece of zip.add(name, [Buffer.from(bytes as Uint8Array)], { deflated: true }))
      pieces.push(piece);
  pieces.push(...zip.finish());
  return Buffer.concat(pieces);
}

/** In hexadecimal. */
export const sha256 = (bytes: Uint8Array | string): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
/** An entry as text. */
export const textOf = (parts: Entries, name: string): string =>
  Buffer.from(parts.get(name)!).toString();
/** An entry as JSON. */
export const jsonOf = (parts: Entries, name: string): any => JSON.parse(textOf(parts, name));
/** An entry as lines of JSON. */
export const linesOf = (parts: Entries, name: string): any[] =>
  textOf(parts, name)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
/** The inverse of `linesOf`. */
export const toLines = (lines: readonly unknown[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** A copy of the archive with some parts changed (null: removed), and a matching manifest. */
export async function changed(
  archive: Uint8Array,
  changes: Readonly<Record<string, Uint8Array | string | null>>,
  change: (manifest: any) => void = () => {},
): Promise<Buffer> {
  const parts = unpacked(archive);
  const manifest = jsonOf(parts, "manifest.json");
  for (const [name, bytes] of Object.entries(changes)) {
    if (bytes === null) parts.delete(name);
    else parts.set(name, Buffer.from(bytes as Uint8Array));
    manifest.parts = manifest.parts.filter((part: any) => part.name !== name);
    if (bytes !== null) {
      const whole = Buffer.from(bytes as Uint8Array);
      manifest.parts.push({ name, bytes: whole.length, sha256: sha256(whole) });
    }
  }
  change(manifest);
  parts.delete("manifest.json");
  parts.set("manifest.json", Buffer.from(JSON.stringify(manifest)));
  return packed(parts);
}
