/** The directory of a plugin under development. */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../plugin/command";

/** A plugin under development. */
export interface Project {
  readonly directory: string;
  /** The plugin's file: `plugin.ts`, unless another one was named. */
  readonly entry: string;
  /** Taken from the directory, or from the file that was named. */
  readonly name: string;
  /** Whether it has a tsconfig.json, as `dossier plugin new` makes it. */
  readonly has_config: boolean;
}

/** Below the plugin's directory: types, runtime and data. Can be recreated at any time. */
export const support = ".dossier";
/** In `support`: lets tests beside the plugin find the executable again. */
export const stamp_file = "executable.json";
/** Which executable wrote `.dossier`. */
export interface Stamp {
  readonly version: string;
  /** A hash of what was written. */
  readonly hash: string;
  /** The command that starts the executable. */
  readonly command: readonly string[];
}

/** The plugin in this directory, or this file. @throws UsageError */
export function findProject(location = "."): Project {
  const path = resolve(location);
  if (!existsSync(path)) throw new UsageError(`${location} does not exist`);
  if (!statSync(path).isDirectory()) return projectOf(path);
  const entry = ["plugin.ts", "plugin.js"]
    .map((name) => join(path, name))
    .find((file) => existsSync(file));
  if (entry === undefined)
    throw new UsageError(
      `there is no plugin.ts in ${path}. Change to the directory of a plugin, or create ` +
        "one with `dossier plugin new NAME --kind route`",
    );
  return projectOf(entry);
}

function projectOf(entry: string): Project {
  const directory = dirname(entry);
  const stem = basename(entry).replace(/\.(ts|js)$/, "");
  return {
    directory,
    entry,
    name: stem === "plugin" ? basename(directory) : stem,
    has_config: existsSync(join(directory, "tsconfig.json")),
  };
}
