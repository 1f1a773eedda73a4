/**
 * What the executable carries for plugin developers: the types of its contract, `dossier/test`,
 * templates, the documentation and the examples. Built by scripts/build-kit.ts.
 */
import kit_path from "./build/kit.zst" with { type: "file" };

/** The files for plugin developers. */
export interface Kit {
  /** A hash of its content: differs between executables. */
  readonly hash: string;
  /** Text by path: `templates/…`, and the files of a plugin's `.dossier`. */
  readonly files: ReadonlyMap<string, string>;
}

const packed = (): Promise<Uint8Array<ArrayBuffer>> => Bun.file(kit_path).bytes();
const hashOf = (bytes: Uint8Array): string => Bun.hash(bytes).toString(36);

/** The hash of the kit, without unpacking it. */
export const kitHash = async (): Promise<string> => hashOf(await packed());

/** Unpacks the kit. */
export async function readKit(): Promise<Kit> {
  const bytes = await packed();
  const text = new TextDecoder().decode(Bun.zstdDecompressSync(bytes));
  const files = JSON.parse(text) as Record<string, string>;
  return { hash: hashOf(bytes), files: new Map(Object.entries(files)) };
}
