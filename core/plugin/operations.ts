/** The state of the running server, for plugins that show it to administrators. */
import type { TObject } from "@sinclair/typebox";
import { rfc3339, type Clock } from "../base/clock";
import type { ShownSetting } from "../base/config";
import { conflict } from "../base/errors";
import type { Level } from "../base/log";
import type { SlotRef } from "../base/refs";
import type { LogLine, LogRing } from "../base/log-ring";
import type { Stalls } from "../base/stall-meter";
import type { JobOverview } from "../jobs/overview";
import type { BatchDone, JobSelection } from "../jobs/overview";
import type { FailureReason, KindCount } from "../jobs/kind-counts";
import type { JobQueue, QueueStatus } from "../jobs/queue";
import type { RunningKind } from "../jobs/running-counts";
import type { JobState } from "../jobs/store";
import { silent_ms_max, type KnownNode, type Nodes } from "../store/nodes";
import type { Db, Space, Store } from "../store/store";
import type { LiveSettings } from "./live-settings";
import type { SettingChanges, SettingForm, SettingUpdate } from "./setting-rules";
import type { SettingState } from "./setting-state";
import type { Origins } from "./settings-store";
import type { DescribedPlugin, PluginDescription, PluginFiles } from "./plugin-files";
import type { Filled } from "./slots";

/** The settings of others that plugins may read: none of them is secret. */
const open_sections: ReadonlySet<string> = new Set(["jobs", "plugins"]);
const pause_setting = "jobs.pause_intake";

/** A plugin that is not part of the running server, and why. */
export interface PluginFailure {
  readonly name: string;
  readonly file: string | null;
  readonly reason: string;
}
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
export interface NodeOverview extends KnownNode {
  /** Seen a moment ago; not seen for a while; certainly gone. */
  readonly status: "up" | "silent" | "gone";
  /** Whether it is this process. */
  readonly here: boolean;
  /** The jobs it is running, most frequent kinds first. */
  readonly jobs: readonly RunningKind[];
}
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

export interface OperationsOptions {
  readonly started_at_ms: number;
  readonly settings: LiveSettings;
  readonly plugin_files: PluginFiles;
  readonly store: Store;
  readonly queue: JobQueue;
  readonly recent: LogRing;
  readonly nodes: Pick<Nodes, "id" | "known">;
  readonly clock: Clock;
  /** Complete by the time it is used. */
  readonly host: {
    readonly plugins: readonly PluginStatus[];
    readonly failures: readonly PluginFailure[];
    readonly off: readonly PluginOff[];
    readonly stalls: { lastMinute(): Stalls };
    health(): Promise<{ readonly plugin: string; readonly failing: string }[]>;
    filled<T>(ref: SlotRef<T>): readonly Filled<T>[];
    readonly described: readonly DescribedPlugin[];
  };
}

export class ServerOperations implements Operations {
  readonly started_at_ms: number;
  readonly jobs: Operations["jobs"];
  readonly plugin_files: PluginFiles;

  constructor(private readonly options: OperationsOptions) {
    const { started_at_ms, queue, plugin_files } = options;
    this.started_at_ms = started_at_ms;
    this.plugin_files = plugin_files;
    this.jobs = {
      count: () => queue.status(),
      kinds: () => queue.kinds(),
      list: (state, window) => queue.overview.list(state, window),
      activeSubjects: (subjects) => queue.overview.activeSubjects(subjects),
      newest: () => queue.overview.newest(),
      reasons: () => queue.reasons(),
      retryKind: (selection) => queue.overview.retryKind(selection),
      drop: (id) => queue.overview.drop(id),
      dropKind: (selection) => queue.overview.dropKind(selection),
      isDroppable: (kind) => queue.overview.isDroppable(kind),
      isRetriable: (kind) => queue.overview.isRetriable(kind),
      newestDone: (names, limit) => queue.overview.newestDone(names, limit),
      retry: (id) => queue.overview.retry(id),
    };
  }

  async plugins(): Promise<PluginOverview[]> {
    const { host } = this.options;
    const failing = new Map((await host.health()).map((one) => [one.plugin, one.failing]));
    return [
      ...host.plugins.map(({ name, version, built_in, file }) => ({
        name,
        version,
        built_in,
        file,
        status: failing.has(name) ? ("failing" as const) : ("loaded" as const),
        reason: failing.get(name) ?? null,
      })),
      ...host.failures.map(({ name, file, reason }) => ({
        name,
        version: null,
        built_in: false,
        file,
        status: "left_out" as const,
        reason,
      })),
      ...host.off.map(({ name, version, built_in, file, reason }) => ({
        name,
        version,
        built_in,
        file,
        status: "disabled" as const,
        reason,
      })),
    ];
  }

  describe(name: string): PluginDescription | undefined {
    const found = this.options.host.described.filter((one) => one.description.name === name);
    return (found.find(({ runs }) => runs) ?? found[0])?.description;
  }

  knowSettings(section: string, schema: TObject): void {
    this.options.settings.know(section, schema);
  }

  filled<T>(ref: SlotRef<T>): readonly Filled<T>[] {
    return this.options.host.filled(ref);
  }

  settings(): ShownSetting[] {
    return this.options.settings.shown();
  }

  coreSetting(setting: string): unknown {
    const [section, key] = setting.split(".", 2) as [string, string];
    return open_sections.has(section) ? this.options.settings.value(section, key) : undefined;
  }

  settingStates(): SettingState[] {
    return this.options.settings.list();
  }

  knownSections(): number {
    return this.options.settings.sections;
  }

  settingForms(): SettingForm[] {
    return this.options.settings.forms();
  }

  changeSettings(
    ...change: Parameters<Operations["changeSettings"]>
  ): ReturnType<Operations["changeSettings"]> {
    return this.options.settings.change(...change);
  }

  trySettings(
    ...tried: Parameters<Operations["trySettings"]>
  ): ReturnType<Operations["trySettings"]> {
    return this.options.settings.tried(...tried);
  }

  reloadSettings(): Promise<void> {
    return this.options.settings.reload();
  }

  intakePaused(): boolean {
    return this.options.settings.value("jobs", "pause_intake") === true;
  }

  pauseIntake(paused: boolean, also?: (tx: Db<any>) => Promise<void>): Promise<void> {
    return this.turn(pause_setting, paused, also);
  }

  async turn(setting: string, on: boolean, also?: (tx: Db<any>) => Promise<void>): Promise<void> {
    const { settings } = this.options;
    const [section, key] = setting.split(".", 2) as [string, string];
    // False is the default, so null removes the stored value.
    const [state] = await settings.change({ [setting]: on || null }, also);
    if ((settings.value(section, key) === true) === on) return;
    await settings.change({ [setting]: null });
    throw conflict(
      `${setting} is set by ${state!.origin}, which overrides it. Change it there.`,
      "overruled",
    );
  }

  originsOfServer(): Promise<Origins> {
    return this.options.settings.originsOfServer();
  }

  logs(least: Level, most: number): LogLine[] {
    return this.options.recent.read(least, most);
  }

  schema(): ReturnType<Operations["schema"]> {
    return appliedSteps(this.options.store);
  }

  storageFailure(): Promise<string | null> {
    return this.options.store.failure();
  }

  storageSlowness(): string | null {
    return this.options.store.slowness();
  }

  storageFull(): boolean {
    return this.options.store.isDiskFull();
  }

  space(): Promise<Space> {
    return this.options.store.space();
  }

  database(): string {
    return this.options.store.engine;
  }

  async nodes(): Promise<NodeOverview[]> {
    const { nodes, queue, clock } = this.options;
    const [known, running] = await Promise.all([nodes.known(), queue.runningByNode()]);
    return known.map((node) => {
      const is_silent = node.seen_at <= clock.now_ms() - silent_ms_max;
      return {
        ...node,
        status: node.gone_at !== null ? "gone" : is_silent ? "silent" : "up",
        here: node.id === nodes.id,
        jobs: running.get(node.id) ?? [],
      };
    });
  }

  stalls(): Stalls {
    return this.options.host.stalls.lastMinute();
  }
}

async function appliedSteps(store: Store): ReturnType<Operations["schema"]> {
  const rows = (await store.db
    .selectFrom("core_migrations")
    .select(["plugin", "id", "applied_at"])
    .orderBy("applied_at")
    .orderBy("plugin")
    .orderBy("id")
    .execute()) as { plugin: string; id: string; applied_at: number }[];
  const last = rows.at(-1)!;
  return {
    steps: rows.length,
    last: `${last.plugin}/${last.id}`,
    applied_at: rfc3339(last.applied_at),
  };
}
