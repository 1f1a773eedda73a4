/**
 * A directory on the server with its files and subdirectories, but only below the directories
 * allowed by the operator.
 */
import { constants } from "node:fs";
import { lstat, open, opendir, readlink, realpath, type FileHandle } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { limitInWords } from "../../../core/lib/byte-sizes";
import { badRequest, t } from "../../../core/sdk";
import { SourceFailure, type ImportSource, type SourceItem } from "../contract";

/** The maximum number of directories offered below the allowed ones. */
const offered_max = 500;

/** The existing allowed directories, each followed by its direct subdirectories. */
export async function offeredDirectories(allowed: readonly string[]): Promise<string[]> {
  const offered: string[] = [];
  for (const directory of allowed) {
    const listing = await opendir(directory).catch(() => null);
    if (listing === null) continue;
    offered.push(directory);
    const below: string[] = [];
    for await (const entry of listing)
      if (entry.isDirectory() && !entry.name.startsWith(".")) below.push(entry.name);
    offered.push(...below.sort().map((name) => join(directory, name)));
  }
  return offered.slice(0, offered_max);
}

/** Deeper directories are not read. */
const depth_max = 64;

/**
 * `data`: the server's own data directory. It is never imported from, wherever it is: it contains
 * everybody's documents, and the keys.
 */
export function directorySource(
  allowed: readonly string[],
  data: string,
): ImportSource<{ readonly path: string }> {
  /** The real path; null when it is not a directory, or not below an allowed one. */
  async function resolve(path: string): Promise<string | null> {
    if (!isAbsolute(path) || path.includes("\0")) return null;
    const real = await realpath(path).catch(() => null);
    if (real === null || !(await lstat(real)).isDirectory() || isBelow(real, await realpath(data)))
      return null;
    for (const directory of allowed) {
      const root = await realpath(directory).catch(() => null);
      if (root !== null && isBelow(real, root)) return real;
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
    description:
      "A directory on the server, below one that the operator allows (`imports.directories`). " +
      "Its directories become subfolders; in those, the path becomes part of the name. " +
      "Hidden files, symbolic links and the server's own data are left out.",
    schema: t.Object({ path: t.String({ description: "Absolute." }) }),
    offered: allowed.length > 0,

    async check({ path }) {
      if (allowed.length === 0)
        throw badRequest(
          "Server directories can't be imported, because none are allowed. The operator " +
            "can list directories in imports.directories.",
          "/source/path",
        );
      if ((await resolve(path)) === null) throw badRequest(refusal, "/source/path");
    },

    async *items({ path }, tools) {
      const root = await requireRoot(path);
      let unread = false;
      for await (const item of filesIn(root, [], await realpath(data))) {
        unread ||= item.error !== undefined;
        yield item;
      }
      if (!unread) tools.listingComplete();
    },

    async read({ locator, name }, { path }, { upload_bytes_max }) {
      const root = await requireRoot(path);
      const file = await openChecked(join(root, locator!));
      const release = () => file.close();
      const { size } = await file.stat();
      if (size <= upload_bytes_max)
        return {
          name: name!,
          media_type: null,
          bytes: file.createReadStream({ autoClose: false }),
          release,
        };
      await release();
      throw new SourceFailure(
        `The file is larger than the limit of ${limitInWords(upload_bytes_max)}.`,
      );
    },
  };
}

const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

/**
 * Opens the file first and checks it then, so that what is read is what was checked, even if the
 * path is replaced by a link meanwhile. @throws SourceFailure
 */
async function openChecked(path: string): Promise<FileHandle> {
  const file = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch((error: NodeJS.ErrnoException) => {
    throw new SourceFailure(
      error.code === "EACCES" || error.code === "EPERM"
        ? "The server is not allowed to read the file."
        : gone_reason,
    );
  });
  try {
    const opened = await file.stat();
    const stats = await lstat(path);
    // Linux knows the path of an open file; elsewhere the path is resolved again.
    const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path));
    if (!opened.isFile() || real !== path || stats.ino !== opened.ino || stats.dev !== opened.dev)
      throw new SourceFailure(gone_reason);
    return file;
  } catch (error) {
    await file.close();
    throw error instanceof SourceFailure ? error : new SourceFailure(gone_reason);
  }
}
const gone_reason = "The file no longer exists.";

const refusal =
  "The path must be a directory that the operator allows (imports.directories), or one " +
  "inside it.";

async function* filesIn(
  root: string,
  path: readonly string[],
  data: string,
): AsyncGenerator<SourceItem> {
  const current = join(root, ...path);
  if (current === data) return;
  const entries = [];
  try {
    for await (const entry of await opendir(current))
      if (!entry.name.startsWith(".")) entries.push(entry);
  } catch (error) {
    if (path.length === 0) throw new SourceFailure("The directory can't be read.");
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    yield { uri: pathToFileURL(current).href, error: `The directory can't be read (${code}).` };
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inside = [...path, entry.name];
    if (entry.isFile()) yield itemOf(root, inside);
    if (!entry.isDirectory()) continue;
    if (inside.length <= depth_max) yield* filesIn(root, inside, data);
    else
      yield {
        uri: pathToFileURL(join(root, ...inside)).href,
        error: `Directories are read up to ${depth_max} levels deep, and this one is deeper.`,
      };
  }
}

/** `a/b/c.txt` is `b/c.txt` in the subfolder `a`: folders have two levels. */
function itemOf(root: string, path: readonly string[]): SourceItem {
  const [folder, ...inner_path] = path;
  return {
    uri: pathToFileURL(join(root, ...path)).href,
    locator: path.join(sep),
    ...(inner_path.length === 0
      ? { name: folder! }
      : { folder: folder!, name: inner_path.join("/") }),
  };
}
