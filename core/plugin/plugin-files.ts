/** The plugins directory as plugins see it; core/plugin/plugin-directory.ts is it. */
import type { TObject } from "@sinclair/typebox";
import type { RunningPlugin } from "./running-plugins";

/** What a plugin is made of, as plain data. */
export interface PluginDescription {
  readonly name: string;
  readonly version: string;
  /** The section of its settings, and their schema. */
  readonly section: string;
  readonly config: TObject;
  /** Services of others, and its own. */
  readonly needs: readonly string[];
  readonly provides: readonly string[];
  /** Ids of slots that it reads. */
  readonly reads: readonly string[];
  /** Ids of slots that it fills, once for each value; null when it was not set up. */
  readonly fills: readonly string[] | null;
  readonly routes: readonly {
    readonly method: string;
    readonly path: string;
    readonly summary: string;
  }[];
  /** What it does later: jobs, and events that it follows; null when it was not set up. */
  readonly jobs: readonly string[] | null;
  readonly schedules: readonly { readonly cron: string; readonly job: string }[] | null;
  /** Events that it tells of. */
  readonly events: readonly string[];
  readonly tables: readonly string[];
  readonly commands: readonly string[];
}

export interface DescribedPlugin {
  /** Null when it is built in. */
  readonly file: string | null;
  /** Whether it is set up. */
  readonly runs: boolean;
  readonly description: PluginDescription;
}

export interface PluginFile {
  readonly file: string;
  readonly sha256: string;
  /** Its plugin's; that of the file, when it can't be imported. */
  readonly name: string;
  /** Null when it could not be imported. */
  readonly description: PluginDescription | null;
  /** Why the next start would leave it out; null when it would not. */
  readonly reason: string | null;
}
export interface HashedFile {
  readonly file: string;
  /** The name of its plugin, as far as the name of the file tells. */
  readonly stem: string;
  readonly sha256: string;
}
/** What the next start would find. */
export interface FoundPlugins {
  readonly files: readonly PluginFile[];
}
export interface NewPlugin {
  readonly bytes: Uint8Array;
  /** As people know it: a path, an address, the name of an upload. */
  readonly shown: string;
  /** May take the place of an installed one with the same name. */
  readonly replace: boolean;
  /** 64 hexadecimal digits that it must have; null: any. */
  readonly sha256: string | null;
}
export interface Added {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
  /** The one that it took the place of. */
  readonly replaced: PluginFile | null;
  readonly description: PluginDescription;
}

/** The largest file of a plugin. */
export const plugin_bytes_max = 64 * 2 ** 20;

export interface PluginFiles {
  readonly directory: string;
  /** Names of the plugins that are part of the executable. */
  readonly built_in: readonly string[];
  /** By file, the SHA-256 of what this process has loaded. */
  readonly loaded: ReadonlyMap<string, string>;
  /** The files alone, without running any of them. */
  files(): HashedFile[];
  /** What the server on this data directory has loaded; a crash leaves the answer behind. */
  running(): readonly RunningPlugin[];
  /** Tries all files out; the same again only when one of them has changed. */
  find(): Promise<FoundPlugins>;
  /** Why these can't all be disabled. */
  disablingProblems(names: readonly string[]): string[];
  /** @throws HttpError 400 with the reason when it can't run here, 409 on a clash. */
  add(plugin: NewPlugin): Promise<Added>;
  /** Takes a file away, and the directory that is its own. */
  remove(file: string): void;
}
