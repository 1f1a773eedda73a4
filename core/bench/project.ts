/** The directory of a plugin that is being written. */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../plugin/command";

export interface Project {
  readonly directory: string;
  /** The plugin's file: `plugin.ts`, unless another one was named. */
  readonly entry: string;
  /** Of the directory, or of a file that was named. */
  readonly name: string;
}

/** Below the directory of a plugin: types, runtime and data. Made anew at any time. */
export const support = ".dossier";
/** In there: how tests beside the plugin find the executable again. */
export const stamp_file = "executable.json";
export interface Stamp {
  readonly version: string;
  /** Of what was written here. */
  readonly hash: string;
  /** The words that start the executable. */
  readonly command: readonly string[];
}

/** The plugin in this directory, or this file. @throws UsageError */
export function findProject(given = "."): Project {
  const path = resolve(given);
  if (!existsSync(path)) throw new UsageError(`there is no ${given}`);
  if (!statSync(path).isDirectory())
    return {
      directory: dirname(path),
      entry: path,
      name: /^plugin\.(ts|js)$/.test(basename(path))
        ? basename(dirname(path))
        : basename(path).replace(/\.(ts|js)$/, ""),
    };
  const entry = ["plugin.ts", "plugin.js"]
    .map((name) => join(path, name))
    .find((file) => existsSync(file));
  if (entry === undefined)
    throw new UsageError(
      `there is no plugin.ts in ${path}: go into the directory of a plugin, or make one with ` +
        "`dossier plugin new NAME --kind route`",
    );
  return { directory: path, entry, name: basename(path) };
}
