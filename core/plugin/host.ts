/**
 * Turns plugin values into a running server: order → migrate → set up → start. Each step only feeds
 * the next.
 */
import { ConfigError } from "../base/config";
import { errorFields } from "../base/log";
import { basePathOf } from "../base/public-url";
import type { Fill, ServiceRef, SlotRef } from "../base/refs";
import { StallMeter } from "../base/stall-meter";
import type { MountedRoute } from "../http/compiled-route";
import { EventWriters, JobObserver, type Schedule } from "../jobs/contract";
import { CronSchedules } from "../jobs/cron";
import { queueSettings } from "../jobs/queue-settings";
import { JobQueue } from "../jobs/queue";
import { withTimeout } from "../lib/timeout";
import type { Nodes } from "../store/nodes";
import { createSeal, type Seal } from "../store/seal";
import { checkSecretKey } from "../store/secret-check";
import { withCodeTimeout, setup_ms_max } from "./code-timeout";
import type { Command, CommandHandler } from "./command";
import { contextOf, type ContextSources } from "./context";
import type { Plugin } from "./contract";
import { describePlugin } from "./description";
import { PluginFaults } from "./faults";
import { frozenService } from "./frozen-service";
import { Guard } from "./guard";
import { guardedResult } from "./guarded-result";
import { failingPlugins, type Failing } from "./health";
import type { HostOptions } from "./host-options";
import { followSettings } from "./followed-settings";
import { LiveSettings } from "./live-settings";
import { PluginMigrations } from "./plugin-migrations";
import { startNode } from "./node-start";
import type { Operations, PluginFailure, PluginOff, PluginStatus } from "./operations";
import { order, type Off } from "./order";
import { ServerOperations } from "./server-operations";
import { checkedResult, type SetUpResult, type ClaimedNames } from "./setup-result";
import type { DescribedPlugin } from "./plugin-files";
import { DeferredStart } from "./deferred-start";
import { locationOf } from "./error-location";
import { RunningCode, type CodeLabel } from "./running-code";
import { own_slots, SlotRegistry, type Filled } from "./slots";

/** How long a value that /health and /ready ask for may take. */
const read_ms_max = 2_000;

interface SetUpPlugin {
  readonly plugin: Plugin;
  readonly result: SetUpResult;
}

/**
 * @throws Error when a built-in plugin can't run, ConfigError when its settings are the cause; a
 * dropped-in one is left out and listed.
 */
export async function createHost(options: HostOptions): Promise<Host> {
  const host = new Host(options);
  await host.setUp();
  return host;
}

/** The plugins of this process, and what they have declared. */
export class Host {
  readonly stalls: StallMeter;
  readonly faults: PluginFaults;
  /** Which dropped-in plugin's code is running. */
  readonly code = new RunningCode();
  readonly queue: JobQueue;
  readonly failures: PluginFailure[];
  readonly operations: Operations;
  /** The file of each plugin in the plugins directory. */
  private readonly dropped_in: ReadonlyMap<Plugin, string>;
  private readonly slots = new SlotRegistry();
  /** By id: every slot that is read. */
  private readonly slots_by_id = new Map<string, SlotRef<any>>();
  private plugins_off: readonly Off[] = [];
  private readonly schedules: CronSchedules;
  private readonly services = new Map<string, unknown>();
  private readonly running: SetUpPlugin[] = [];
  private readonly guard: Guard;
  private readonly deferred: DeferredStart;
  private readonly sealed: Seal;
  private readonly settings: LiveSettings;

  constructor(private readonly options: HostOptions) {
    const { failures, dropped_in, log, config, paths } = options;
    const secret_key = config.values.server?.secret_key as string | undefined;
    this.sealed = createSeal(paths.data, secret_key);
    this.settings = new LiveSettings({ ...options, sealed: this.sealed });
    this.failures = [...failures];
    this.dropped_in = new Map(dropped_in.map(({ plugin, file }) => [plugin, file]));
    this.stalls = new StallMeter(log);
    this.faults = new PluginFaults(log, options.clock);
    this.guard = new Guard(this.code, this.faults);
    this.queue = new JobQueue({
      ...options,
      node_id: options.nodes.id,
      activities: this.stalls,
      ...queueSettings(config),
      observers: () => this.slots.read(JobObserver),
      writers: () => this.slots.read(EventWriters),
    });
    this.settings.onChange("jobs", () => this.queue.wake());
    followSettings(options, this.settings);
    this.deferred = new DeferredStart(log);
    this.schedules = new CronSchedules({ ...options, queue: this.queue });
    this.operations = new ServerOperations({
      ...options,
      queue: this.queue,
      settings: this.settings,
      host: this,
      started_at_ms: options.clock.now_ms(),
    });
  }

  /** Migrates the tables and sets every plugin up. Call it once, before everything else. */
  async setUp(): Promise<void> {
    const { built_in, disabled, reserved, store } = this.options;
    const plugins = [...built_in, ...this.dropped_in.keys()];
    const { sorted, refused, off } = order(plugins, { disabled, reserved, sound: built_in });
    this.plugins_off = off;
    for (const { plugin, reason } of refused) this.leaveOut(plugin, reason);
    for (const slot of [own_slots, ...plugins.map(({ slots }) => Object.values(slots))].flat())
      this.slots_by_id.set((slot as SlotRef<any>).id, slot as SlotRef<any>);
    const sources = this.sources();
    const migrated = await store.exclusively(() => this.migrated(sorted));
    await checkSecretKey({ data: this.options.paths.data, store, sealed: this.sealed });
    await this.settings.load(
      migrated.flatMap(({ section, checkConfig }) =>
        checkConfig ? [[section, checkConfig] as const] : [],
      ),
    );
    for (const plugin of migrated) {
      if (await this.setUpOne(plugin, sources)) continue;
      for (const replaced of this.replacedBy(plugin)) await this.setUpOne(replaced, sources);
    }
    this.slots.complete();
  }

  /** The plugins that return when this one, which replaces them, can't run. */
  private replacedBy(plugin: Plugin): Plugin[] {
    return this.plugins_off.flatMap((off) => (off.replaced_by === plugin ? off.plugin : []));
  }

  /** The plugins that are disabled or replaced. */
  get off(): readonly PluginOff[] {
    const off = this.plugins_off
      .filter(({ plugin }) => !this.running.some((running) => running.plugin === plugin))
      .map(({ plugin, reason }) => ({ ...this.statusOf(plugin), reason }));
    return [...off, ...this.options.skipped];
  }

  /** This process, and the others that serve the same database. */
  get nodes(): Nodes {
    return this.options.nodes;
  }

  /** Other processes may serve the same database. */
  get is_shared(): boolean {
    return this.options.store.channel !== null;
  }

  /** The plugins that are set up. */
  get plugins(): readonly PluginStatus[] {
    return this.running.map(({ plugin }) => this.statusOf(plugin));
  }

  private statusOf(plugin: Plugin): PluginStatus {
    const { name, version } = plugin;
    const file = this.dropped_in.get(plugin) ?? null;
    return { name, version, built_in: file === null, file };
  }

  /** The parts of each plugin; less is known of one that is not set up. */
  get described(): readonly DescribedPlugin[] {
    const plugins: readonly Plugin[] = [...this.options.built_in, ...this.dropped_in.keys()];
    return plugins.map((plugin) => {
      const result = this.running.find((running) => running.plugin === plugin)?.result ?? null;
      const file = this.dropped_in.get(plugin) ?? null;
      return { file, runs: result !== null, description: describePlugin(plugin, result) };
    });
  }

  /** The routes of every plugin, each with its handler. */
  get mounted(): readonly MountedRoute[] {
    return this.running.flatMap(({ plugin, result }) =>
      Object.entries(plugin.routes).map(([key, route]) => ({
        route: route as MountedRoute["route"],
        handler: result.routes[key],
      })),
    );
  }

  /** The commands of every plugin, each with its handler. */
  get commands(): readonly { readonly command: Command; readonly handler: CommandHandler }[] {
    return this.running.flatMap(({ plugin, result }) =>
      Object.entries(plugin.commands as Record<string, Command>).map(([key, command]) => ({
        command,
        handler: result.commands[key],
      })),
    );
  }

  /** See `SlotRegistry.read`. @throws Error before `setUp` has returned */
  slot<T>(ref: SlotRef<T>): readonly T[] {
    return this.slots.read(ref);
  }

  /** The same, each with the plugin that provides it. */
  filled<T>(ref: SlotRef<T>): readonly Filled<T>[] {
    return this.slots.readFilled(ref);
  }

  /** Call when a request arrives, before anything is read for it. */
  readonly noteRequest = (): void => this.options.store.noteRequest();

  /** Why nothing, or nothing new, can be stored; null when all is well. */
  storageFailure(): Promise<string | null> {
    return this.options.store.failure();
  }

  /** Why original files can't be stored or read; null when all is well. */
  filesFailure(): Promise<string | null> {
    return this.options.files.failure();
  }

  /**
   * The result of a slot's value that a response depends on; `otherwise` when a dropped-in plugin
   * takes too long. @throws what `read` throws.
   */
  async inTime<R>(label: CodeLabel, read: () => R | Promise<R>, otherwise: NoInfer<R>): Promise<R> {
    const answer = Promise.resolve(read());
    if (![...this.dropped_in.keys()].some(({ name }) => name === label.plugin)) return answer;
    const timeout_error = new Error(`it took longer than ${read_ms_max / 1_000} s`);
    return withTimeout(answer, read_ms_max, () => timeout_error).catch((error: unknown) => {
      if (error !== timeout_error) throw error;
      this.faults.note(label, error);
      return otherwise;
    });
  }

  /** The failing plugins, and why. */
  health(): Promise<Failing[]> {
    const running = this.running.map(({ plugin, result }) => ({
      name: plugin.name,
      health: result.health,
    }));
    return failingPlugins(running, this.faults);
  }

  /** Starts the plugins, then their jobs. */
  async start(): Promise<void> {
    let gone_nodes: readonly string[] = [];
    // First, because it releases what dead processes have left behind.
    await this.deferred.start("the list of processes", async () => {
      gone_nodes = await startNode({ ...this.options, queue: this.queue });
    });
    for (const { plugin, result } of this.running) {
      if (!result.start) continue;
      if (this.dropped_in.has(plugin))
        await withCodeTimeout(result.start(), setup_ms_max, "its start").catch((error: unknown) =>
          this.noteFailure(plugin, "start", error),
        );
      else await this.deferred.start(plugin.name, result.start);
    }
    if (this.nodes.role !== "web")
      await this.deferred.start("jobs", () => this.queue.start(gone_nodes));
    await this.settings.noteOrigins();
    this.stalls.start();
  }

  /** Call it after `start`: no request waits for schedules. */
  startSchedules(): void {
    if (this.nodes.role === "web") return;
    for (const { plugin, result } of this.running) this.schedule(plugin, result.schedules ?? []);
  }

  private schedule(plugin: Plugin, schedules: readonly Schedule[] | (() => Schedule[])): void {
    if (typeof schedules !== "function") return this.schedules.set(plugin.name, schedules);
    const setSchedules = (): void => this.schedules.set(plugin.name, schedules());
    setSchedules();
    this.settings.onChange(plugin.section, setSchedules);
  }

  /** Ends jobs within `drain_ms`, then stops the plugins in reverse order. */
  async stop(drain_ms: number): Promise<void> {
    this.schedules.stop();
    this.stalls.stop();
    await this.deferred.stop();
    await this.queue.drain(drain_ms);
    for (const { plugin, result } of this.running.toReversed())
      if (result.stop)
        await withCodeTimeout(result.stop(), setup_ms_max, "its stop").catch((error: unknown) =>
          this.noteFailure(plugin, "stop", error),
        );
    await this.nodes.stop();
  }

  private sources(): ContextSources {
    const { options, queue, slots, services, sealed, settings, operations } = this;
    return { ...options, queue, slots, services, sealed, settings, operations };
  }

  /** The plugins whose tables are up to date. */
  private async migrated(sorted: readonly Plugin[]): Promise<readonly Plugin[]> {
    const migrating = new PluginMigrations(this.options);
    await migrating.builtIn();
    await this.queue.readTime();
    const migrated_plugins: Plugin[] = [];
    const migrateOne = async (plugin: Plugin): Promise<boolean> => {
      try {
        if (this.dropped_in.has(plugin)) await migrating.droppedIn(plugin);
        migrated_plugins.push(plugin);
        return true;
      } catch (error) {
        this.leaveOut(plugin, `its migration failed: ${messageOf(error)}`);
        return false;
      }
    };
    for (const plugin of sorted) {
      if (await migrateOne(plugin)) continue;
      for (const replaced of this.replacedBy(plugin)) await migrateOne(replaced);
    }
    return migrated_plugins;
  }

  /** Returns whether it runs now; otherwise it is left out. */
  private async setUpOne(plugin: Plugin, sources: ContextSources): Promise<boolean> {
    const missing = refsOf(plugin.needs).find(([, ref]) => !this.services.has(ref.id));
    if (missing) {
      const [, { id }] = missing;
      this.leaveOut(plugin, `it needs the service ${id}, whose plugin was left out`);
      return false;
    }
    const file = this.dropped_in.get(plugin);
    try {
      const dropped_in = file === undefined ? undefined : { file, guard: this.guard };
      const context = contextOf(plugin, dropped_in, sources);
      plugin.checkConfig?.(context.config);
      const setUp = async (): Promise<unknown> => plugin.setup(context);
      const returned = dropped_in
        ? await withCodeTimeout(this.run(plugin, "its set-up", setUp), setup_ms_max, "its set-up")
        : await setUp();
      const checked = dropped_in
        ? checkedResult(plugin, returned, this.claimedNames())
        : (returned as SetUpResult);
      this.register(plugin, checked);
      return true;
    } catch (error) {
      if (error instanceof ConfigError && file === undefined) throw error;
      this.leaveOut(plugin, messageOf(error));
      return false;
    }
  }

  /** Runs code of a dropped-in plugin, marked as such. */
  private run<R>(plugin: Plugin, what: string, work: () => R): R {
    return this.code.marked({ plugin: plugin.name, what })(work);
  }

  private register(plugin: Plugin, checked: SetUpResult): void {
    const guard = { guard: this.guard, slotOf: (id: string) => this.slots_by_id.get(id) };
    const result = this.dropped_in.has(plugin) ? guardedResult(plugin, checked, guard) : checked;
    this.running.push({ plugin, result });
    for (const [key, ref] of refsOf(plugin.provides))
      this.services.set(ref.id, frozenService(result.services[key]));
    for (const fill of (result.fills ?? []) as Fill[]) this.slots.add(plugin.name, fill);
    for (const handler of result.jobs ?? []) this.queue.register(plugin.name, handler);
  }

  private claimedNames(): ClaimedNames {
    return {
      slotOf: (id) => this.slots_by_id.get(id),
      slot_ids: [...this.slots_by_id.keys()],
      fillerOf: (slot, value) => this.slots.fillerOf(slot, value),
      base_path: basePathOf(this.options.public_url()),
      handlerOf: (job) => this.queue.handlerOf(job),
    };
  }

  /** @throws Error when it is built in. */
  private leaveOut(plugin: Plugin, reason: string): void {
    const file = this.dropped_in.get(plugin);
    if (file === undefined)
      throw new Error(`The built-in plugin ${plugin.name} can't run: ${reason}.`);
    this.failures.push({ name: plugin.name, file, reason });
    this.options.log.error("plugin left out", { plugin: plugin.name, file, reason });
  }

  /** For a dropped-in plugin that keeps running despite the failure. */
  private noteFailure({ name }: Plugin, what: string, error: unknown): void {
    this.faults.noteLasting(name, `its ${what} failed: ${messageOf(error)}`);
    this.options.log.error(`plugin ${what} failed`, { plugin: name, ...errorFields(error) });
  }
}

const refsOf = (refs: Plugin["needs"]): [string, ServiceRef<unknown>][] => Object.entries(refs);
const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message + locationOf(error) : String(error);
