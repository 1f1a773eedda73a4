/** A directory on the server: its files, and those of the directories in it, but only below the directories that the operator names. */
import { lstat, opendir, realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { badRequest, t } from "../../../core/sdk";
import { SourceFailure, type ImportSource, type SourceItem } from "../contract";

/** Deeper directories are not looked into. */
const depth_max = 64;

export function directorySource(allowed: readonly string[]): ImportSource<{ readonly path: string }> {
  /** The directory as it really lies; null when it is not there, or not below an allowed one. */
  async function resolve(path: string): Promise<string | null> {
    if (!isAbsolute(path) || path.includes("\0")) return null;
    const real = await realpath(path).catch(() => null);
    if (real === null || !(await lstat(real)).isDirectory()) return null;
    for (const directory of allowed) {
      const root = await realpath(directory).catch(() => null);
      if (root !== null && (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep))) return real;
    }
    return null;
  }
  const requireRoot = async (path: string): Promise<string> => {
    const root = await resolve(path);
    if (root === null) throw new SourceFailure(refusal);
    return root;
  };

  return {
    type: "directory",
    description: "A directory on the server, below one that the operator allows (`imports.directories`). Its directories become subfolders; in those, the path becomes part of the name. Hidden files and symbolic links are left out.",
    schema: t.Object({ path: t.String({ description: "Absolute." }) }),

    async check({ path }) {
      if (allowed.length === 0) throw badRequest("No directory of the server may be imported: the operator names those that may in imports.directories.", "/source/path");
      if (await resolve(path) === null) throw badRequest(refusal, "/source/path");
    },

    async *items({ path }) {
      const root = await requireRoot(path);
      yield* filesIn(root, []);
    },

    async read({ locator, name }, { path }, { upload_bytes_max }) {
      const root = await requireRoot(path);
      const file = join(root, locator!);
      // It may have become a link to elsewhere since it was listed.
      const real = await realpath(file).catch(() => null);
      const found = real === file ? await lstat(file).catch(() => null) : null;
      if (!found?.isFile()) throw new SourceFailure("The file is not there any more.");
      if (found.size > upload_bytes_max) throw new SourceFailure(`The file is larger than ${upload_bytes_max} bytes, the most that is accepted.`);
      return { name: name!, media_type: null, bytes: Bun.file(file).stream() as unknown as AsyncIterable<Uint8Array> };
    },
  };
}

const refusal = "The path must name a directory that is, or lies below, one that the operator allows (imports.directories).";

async function* filesIn(root: string, path: readonly string[]): AsyncGenerator<SourceItem> {
  const here = join(root, ...path);
  const entries = [];
  try { for await (const entry of await opendir(here)) if (!entry.name.startsWith(".")) entries.push(entry); }
  catch (error) {
    if (path.length === 0) throw new SourceFailure("The directory can't be read.");
    yield { uri: pathToFileURL(here).href, error: `The directory can't be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"}).` };
    return;
  }
  for (const entry of entries.sort((one, other) => one.name < other.name ? -1 : 1)) {
    const inside = [...path, entry.name];
    if (entry.isFile()) yield itemOf(root, inside);
    if (!entry.isDirectory()) continue;
    if (inside.length <= depth_max) yield* filesIn(root, inside);
    else yield { uri: pathToFileURL(join(root, ...inside)).href, error: `Directories are read ${depth_max} deep; this one lies deeper.` };
  }
}

/** `a/b/c.txt` is `b/c.txt` in the subfolder `a`: folders have two levels. */
function itemOf(root: string, path: readonly string[]): SourceItem {
  const [folder, ...rest] = path;
  return { uri: pathToFileURL(join(root, ...path)).href, locator: path.join(sep), ...(rest.length === 0 ? { name: folder! } : { folder: folder!, name: rest.join("/") }) };
}
