/** The state of the running server, for plugins that show it to administrators. */
import type { TObject } from "@sinclair/typebox";
import type { ShownSetting } from "../base/config";
import type { Level } from "../base/log";
import type { SlotRef } from "../base/refs";
import type { LogLine } from "../base/log-ring";
import type { Stalls } from "../base/stall-meter";
import type { BatchDone, JobSelection } from "../jobs/job-actions";
import type { JobOverview } from "../jobs/job-queries";
import type { FailureReason, KindCount, QueueStatus } from "../jobs/job-counts";
import type { RunningKind } from "../jobs/running-counts";
import type { JobState } from "../jobs/store";
import type { RecentNode } from "../store/nodes";
import type { Db, Space } from "../store/store";
import type { SettingChanges, SettingForm, SettingUpdate } from "./setting-rules";
import type { SettingState } from "./setting-state";
import type { Origins } from "./settings-store";
import type { PluginDescription, PluginFiles } from "./plugin-files";
import type { Filled } from "./slots";

/** A plugin that is not part of the running server, and why. */
export interface PluginFailure {
  readonly name: string;
  readonly file: string | null;
  readonly reason: string;
}
/** A plugin that is set up. */
export interface PluginStatus {
  readonly name: string;
  readonly version: string;
  readonly built_in: boolean;
  readonly file: string | null;
}

/** A plugin that is disabled or replaced. */
export interface PluginOff {
  readonly name: string;
  /** Null when its file was not even loaded. */
  readonly version: string | null;
  readonly built_in: boolean;
  readonly file: string | null;
  readonly reason: string;
}

/** A plugin, whether it runs or not. */
export interface PluginOverview {
  readonly name: string;
  readonly version: string | null;
  readonly built_in: boolean;
  readonly file: string | null;
  /** `disabled`: by the settings, or because another plugin replaces it. */
  readonly status: "loaded" | "failing" | "left_out" | "disabled";
  readonly reason: string | null;
}
/** A process that serves the database, or did until recently. */
export interface NodeOverview extends RecentNode {
  /** Seen a moment ago; not seen for a while; certainly gone. */
  readonly status: "up" | "silent" | "gone";
  /** Whether it is this process. */
  readonly here: boolean;
  /** The jobs it is running, most frequent kinds first. */
  readonly jobs: readonly RunningKind[];
}
/** What administrators may see and change. Collected when it is asked for. */
export interface Operations {
  readonly started_at_ms: number;
  /** Every plugin, including those that are left out, with its health. */
  plugins(): Promise<PluginOverview[]>;
  /** The parts of a plugin of this process; undefined when there is none with this name. */
  describe(name: string): PluginDescription | undefined;
  /** The plugins directory. */
  readonly plugin_files: PluginFiles;
  /** Adds settings whose plugin is not loaded, so that they can be set before it is. */
  knowSettings(section: string, schema: TObject): void;
  /** The values of a slot, each with the plugin that provides it. */
  filled<T>(ref: SlotRef<T>): readonly Filled<T>[];
  /** The settings in force. Secrets are hidden. */
  settings(): ShownSetting[];
  /** The value in force of a setting of the server itself: `plugins.directory`. */
  coreSetting(setting: string): unknown;
  /** Every setting with its stored value. Secrets are hidden. */
  settingStates(): SettingState[];
  /** The number of known sections. */
  knownSections(): number;
  /** The settings that can be stored, and the values allowed for each. */
  settingForms(): SettingForm[];
  /**
   * Stores settings, all or none, and puts those in force here that change at once; null restores
   * the default. `also` runs in the same transaction, as does a function that returns the changes.
   * @throws HttpError 400 that names the setting.
   */
  changeSettings(
    changes: SettingChanges | SettingUpdate,
    also?: (tx: Db<any>) => Promise<void>,
  ): Promise<SettingState[]>;
  /**
   * The values of a section as they would be with these changes, which are not stored; includes
   * secrets. Changes of other sections are ignored. @throws HttpError 400 that names the setting.
   */
  trySettings(section: string, changes: SettingChanges): Readonly<Record<string, unknown>>;
  /** Applies what another process has stored. */
  reloadSettings(): Promise<void>;
  /** Whether documents, imports and recordings wait until intake is resumed. */
  intakePaused(): boolean;
  /**
   * Stored, so that it survives a restart. @throws HttpError 409 when the stored value would be
   * overridden.
   */
  pauseIntake(paused: boolean, also?: (tx: Db<any>) => Promise<void>): Promise<void>;
  /** The same for any setting that is false by default. */
  turn(setting: string, on: boolean, also?: (tx: Db<any>) => Promise<void>): Promise<void>;
  /** What overrides stored settings in the server started last. */
  originsOfServer(): Promise<Origins>;
  /** The newest first. */
  logs(least: Level, most: number): LogLine[];
  readonly jobs: {
    count(): Promise<QueueStatus>;
    /** Waiting, running and failed jobs, by kind. */
    kinds(): Promise<KindCount[]>;
    /** Why jobs failed for good, the most frequent reasons first. */
    reasons(): Promise<FailureReason[]>;
    list(
      state: JobState,
      window: { readonly limit: number; readonly offset: number },
    ): Promise<{ rows: JobOverview[]; total: number }>;
    /** Those of these records that have an unfinished job. */
    activeSubjects(subjects: readonly string[]): Promise<ReadonlySet<string>>;
    /** When the newest job was created, epoch ms; null when there is none. */
    newest(): Promise<number | null>;
    /** @throws HttpError 404, or 409 when it did not fail or can't be run again. */
    retry(id: string): Promise<void>;
    /** Runs failed jobs of a kind again, a batch in each call. */
    retryKind(selection: JobSelection): Promise<BatchDone>;
    /**
     * Deletes a failed job, or ends a waiting one. @throws HttpError 404, or 409 when that is not
     * possible.
     */
    drop(id: string): Promise<void>;
    /** The same for all jobs of a kind, a batch in each call. @throws HttpError 409 */
    dropKind(selection: JobSelection & { readonly state: "failed" | "ready" }): Promise<BatchDone>;
    isDroppable(kind: { readonly plugin: string; readonly name: string }): boolean;
    isRetriable(kind: { readonly plugin: string; readonly name: string }): boolean;
    /** The most recently completed jobs of these kinds. */
    newestDone(
      names: readonly string[],
      limit: number,
    ): Promise<{ readonly subject: string; readonly finished_at: number }[]>;
  };
  /** Applied migration steps: how many, and when the last one was (RFC 3339). */
  schema(): Promise<{ readonly steps: number; readonly last: string; readonly applied_at: string }>;
  /** Why nothing, or nothing new, can be stored; null when all is well. */
  storageFailure(): Promise<string | null>;
  /** A sentence while the storage is slow; otherwise null. */
  storageSlowness(): string | null;
  /** True while the disk is full and writing is refused. */
  storageFull(): boolean;
  /** The size of the database, and how much of it is free after deletions. */
  space(): Promise<Space>;
  /** The database engine: `SQLite 3.50.4`, `PostgreSQL 15.18`. */
  database(): string;
  /** The processes that serve the database, and those that recently vanished. */
  nodes(): Promise<NodeOverview[]>;
  /** How long requests had to wait before the server could handle them at all. */
  stalls(): Stalls;
}
