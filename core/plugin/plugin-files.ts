/** The plugins directory as plugins see it; implemented by core/plugin/plugin-directory.ts. */
import type { TObject } from "@sinclair/typebox";
import type { RunningPlugin } from "./running-plugins";

/** The parts of a plugin, as plain data. */
export interface PluginDescription {
  readonly name: string;
  readonly version: string;
  /** The section of its settings, and their schema. */
  readonly section: string;
  readonly config: TObject;
  /** Services that it needs, and those that it provides. */
  readonly needs: readonly string[];
  readonly provides: readonly string[];
  /** Ids of slots that it reads. */
  readonly reads: readonly string[];
  /** Ids of slots that it fills, once per value; null when it was not set up. */
  readonly fills: readonly string[] | null;
  readonly routes: readonly {
    readonly method: string;
    readonly path: string;
    readonly summary: string;
  }[];
  /** Its background work: jobs, and events that it handles; null when it was not set up. */
  readonly jobs: readonly string[] | null;
  readonly schedules: readonly { readonly cron: string; readonly job: string }[] | null;
  /** Events that it emits. */
  readonly events: readonly string[];
  readonly tables: readonly string[];
  readonly commands: readonly string[];
}

/** A plugin of this process. */
export interface DescribedPlugin {
  /** Null when it is built in. */
  readonly file: string | null;
  /** Whether it is set up. */
  readonly runs: boolean;
  readonly description: PluginDescription;
}

/** A file of the plugins directory, tried out. */
export interface PluginFile {
  readonly file: string;
  readonly sha256: string;
  /** The name of its plugin, or of the file when it can't be imported. */
  readonly name: string;
  /** Null when it could not be imported. */
  readonly description: PluginDescription | null;
  /** Why the next start would leave it out; null when it would not. */
  readonly reason: string | null;
}
/** A file of the plugins directory, which was not run. */
export interface HashedFile {
  readonly file: string;
  /** The name of its plugin, as far as the file name tells. */
  readonly stem: string;
  readonly sha256: string;
}
/** What the next start would find. */
export interface FoundPlugins {
  readonly files: readonly PluginFile[];
}
/** A file to be added. */
export interface NewPlugin {
  readonly bytes: Uint8Array;
  /** For people: a path, an address, the name of an upload. */
  readonly shown: string;
  /** Whether it may replace an installed one of the same name. */
  readonly replace: boolean;
  /** The expected hash, 64 hexadecimal digits; null: any. */
  readonly sha256: string | null;
}
/** A file that was added. It is loaded at the next start. */
export interface Added {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
  /** The file that it replaced. */
  readonly replaced: PluginFile | null;
  readonly description: PluginDescription;
}

/** The largest file of a plugin. */
export const plugin_bytes_max = 64 * 2 ** 20;

/** The plugins directory. */
export interface PluginFiles {
  readonly directory: string;
  /** Names of the built-in plugins. */
  readonly built_in: readonly string[];
  /** By file, the SHA-256 of what this process has loaded. */
  readonly loaded: ReadonlyMap<string, string>;
  /** Only lists the files; runs none of them. */
  files(): HashedFile[];
  /** What the server on this data directory has loaded; outdated after a crash. */
  running(): readonly RunningPlugin[];
  /** Tries out all files; repeated only when one of them has changed. */
  find(): Promise<FoundPlugins>;
  /** Why these can't all be disabled. */
  disablingProblems(names: readonly string[]): string[];
  /** @throws HttpError 400 with the reason when it can't run here, 409 on a conflict. */
  add(plugin: NewPlugin): Promise<Added>;
  /** Removes a file, and the directory that belongs to it. */
  remove(file: string): void;
}
