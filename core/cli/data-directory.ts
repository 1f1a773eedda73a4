/** The data directory: created when it is missing, refused when it contains something else. */
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../lib/error-message";
import { ConfigError } from "../base/config";

/** Names that may exist in a data directory before its first start. */
const own_names = new Set([
  "dossier.toml",
  "plugins",
  "tessdata",
  "secret.key",
  "files",
  "backups",
  "tmp",
]);
/** For this process's user alone, whatever its umask allows. */
const private_mode = 0o700;
const choose_another = "Choose another directory with --data.";
/** What is wrong with the directory, by the code of the error. */
const reasons: Readonly<Record<string, string>> = {
  EEXIST: `it is not a directory. ${choose_another}`,
  ENOTDIR: `a part of its path is not a directory. ${choose_another}`,
  ENOENT: `it does not exist, and can't be created there. ${choose_another}`,
  EACCES:
    "this user may not create, read and write it. Run the command as the user that owns it, or " +
    "choose another directory with --data.",
  EPERM:
    "it belongs to another user, so its permissions can't be set. Choose a directory inside of " +
    "it with --data.",
  EROFS: `its disk is read-only. ${choose_another}`,
};

/** A name that doesn't belong in a data directory; undefined where a server has run before. */
function foreignName(data: string): string | undefined {
  const names = readdirSync(data).filter((name) => !name.startsWith(".") && name !== "lost+found");
  return names.some((name) => name.startsWith("dossier."))
    ? undefined
    : names.find((name) => !own_names.has(name));
}

/**
 * Creates what is missing; only the user of this process can read it. A directory with other
 * content is left alone. @throws ConfigError
 */
export function openDataDirectory(data: string): void {
  const unusable = (reason: string): ConfigError =>
    new ConfigError([`The data directory ${data} can't be used: ${reason}`]);
  let foreign: string | undefined;
  try {
    mkdirSync(data, { recursive: true, mode: private_mode });
    foreign = foreignName(data);
    if (foreign === undefined) {
      chmodSync(data, private_mode);
      for (const name of ["tmp", "backups"])
        mkdirSync(join(data, name), { recursive: true, mode: private_mode });
    }
  } catch (error) {
    throw unusable(reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? messageOf(error));
  }
  if (foreign !== undefined)
    throw unusable(
      `it contains other files, such as ${foreign}. Choose an empty directory with --data.`,
    );
}
