/** The directory for backups: whether it can be used. */
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../../core/lib/error-message";

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: "it, or a part of its path, is not a directory",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "its disk is read-only",
};

/** Why no backup can be written to this directory, as a sentence; null when one can. */
export async function whyUnusable(directory: string): Promise<string | null> {
  try {
    await access(await existingPartOf(directory), constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? messageOf(error);
    return `No backup can be written to ${directory}: ${reason}.`;
  }
}

/** The directory, or the nearest one above it that exists. */
async function existingPartOf(directory: string): Promise<string> {
  try {
    if ((await stat(directory)).isDirectory()) return directory;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && dirname(directory) !== directory)
      return existingPartOf(dirname(directory));
    throw error;
  }
  throw Object.assign(new Error("it is not a directory"), { code: "ENOTDIR" });
}
