/** The state of this server: what `Operations` promises, collected from its parts. */
import type { TObject } from "@sinclair/typebox";
import { rfc3339, type Clock } from "../base/clock";
import type { ShownSetting } from "../base/config";
import { conflict } from "../base/errors";
import type { Level } from "../base/log";
import type { SlotRef } from "../base/refs";
import type { LogLine, LogRing } from "../base/log-ring";
import type { Stalls } from "../base/stall-meter";
import type { JobQueue } from "../jobs/queue";
import { silent_ms_max, type Nodes } from "../store/nodes";
import type { Db, Space, Store } from "../store/store";
import type { LiveSettings } from "./live-settings";
import type { SettingForm } from "./setting-rules";
import type { SettingState } from "./setting-state";
import type { Origins } from "./settings-store";
import type { DescribedPlugin, PluginDescription, PluginFiles } from "./plugin-files";
import type { Filled } from "./slots";
import type {
  PluginFailure,
  PluginStatus,
  PluginOff,
  PluginOverview,
  NodeOverview,
  Operations,
} from "./operations";

/** The settings of others that plugins may read: none of them is secret. */
const open_sections: ReadonlySet<string> = new Set(["jobs", "plugins"]);
const pause_setting = "jobs.pause_intake";

/** The parts of the server whose state is shown. */
export interface OperationsOptions {
  readonly started_at_ms: number;
  readonly settings: LiveSettings;
  readonly plugin_files: PluginFiles;
  readonly store: Store;
  readonly queue: JobQueue;
  readonly recent: LogRing;
  readonly nodes: Pick<Nodes, "id" | "listRecent">;
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

/** Asks the parts of the server each time; keeps nothing itself. */
export class ServerOperations implements Operations {
  readonly started_at_ms: number;
  readonly jobs: Operations["jobs"];
  readonly plugin_files: PluginFiles;

  constructor(private readonly options: OperationsOptions) {
    const { started_at_ms, queue, plugin_files } = options;
    this.started_at_ms = started_at_ms;
    this.plugin_files = plugin_files;
    this.jobs = {
      count: () => queue.queries.counts(),
      kinds: () => queue.queries.kindCounts(),
      list: (state, window) => queue.queries.list(state, window),
      activeSubjects: (subjects) => queue.queries.activeSubjects(subjects),
      newest: () => queue.queries.newest(),
      reasons: () => queue.queries.failureReasons(),
      retryKind: (selection) => queue.actions.retryKind(selection),
      drop: (id) => queue.actions.drop(id),
      dropKind: (selection) => queue.actions.dropKind(selection),
      isDroppable: (kind) => queue.actions.isDroppable(kind),
      isRetriable: (kind) => queue.actions.isRetriable(kind),
      newestDone: (names, limit) => queue.queries.newestDone(names, limit),
      retry: (id) => queue.actions.retry(id),
    };
  }

  async plugins(): Promise<PluginOverview[]> {
    const { host } = this.options;
    const failing = new Map((await host.health()).map((plugin) => [plugin.plugin, plugin.failing]));
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
    const matching = this.options.host.described.filter(
      (plugin) => plugin.description.name === name,
    );
    return (matching.find(({ runs }) => runs) ?? matching[0])?.description;
  }

  knowSettings(section: string, schema: TObject): void {
    this.options.settings.addSection(section, schema);
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
    const [recent_nodes, running] = await Promise.all([
      nodes.listRecent(),
      queue.queries.runningByNode(),
    ]);
    return recent_nodes.map((node) => {
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
