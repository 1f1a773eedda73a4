/**
 * Turns plugin values into a running server: order → migrate → set up → mount → start. Each step
 * only feeds the next.
 */
import { ConfigError, type Config } from "../base/config";
import type { Clock } from "../base/clock";
import { newId } from "../base/ids";
import { errorFields, type Log } from "../base/log";
import type { LogRing } from "../base/log-ring";
import type { IsolatedRun } from "../isolate/pool";
import { CronSchedules } from "../jobs/cron";
import { JobQueue } from "../jobs/queue";
import { coreSchema } from "../jobs/schema";
import type { Mounted } from "../http/mount";
import type { Files } from "../store/files";
import { migrate } from "../store/migrate";
import type { Schema } from "../store/schema";
import type { Store } from "../store/store";
import { createSeal, type Seal } from "../store/seal";
import { RecordChanged, type Change, type Notifier } from "../base/notifier";
import type { Command, CommandHandler } from "./command";
import type { Fill } from "../base/refs";
import type { Plugin } from "./define";
import {
  createOperations,
  type Operations,
  type PluginFailure,
  type PluginStatus,
} from "./operations";
import { order } from "./order";
import type { ServiceRef, SlotRef } from "../base/refs";

export interface HostParts {
  /** Part of the executable: a problem in one of them stops the start. */
  readonly built_in: readonly Plugin[];
  /** From the plugins directory: a problem in one of them leaves it out. */
  readonly dropped_in: readonly { readonly plugin: Plugin; readonly file: string }[];
  /** Files of the plugins directory that could not be loaded. */
  readonly failures: readonly PluginFailure[];
  readonly config: Config;
  readonly store: Store;
  readonly files: Files;
  readonly clock: Clock;
  readonly notifier: Notifier;
  readonly log: Log;
  readonly recent: LogRing;
  readonly isolate: IsolatedRun;
  readonly paths: {
    readonly data: string;
    readonly database: string;
    readonly temporary: string;
    readonly backups: string;
  };
  readonly public_url: () => string;
  /** Called before tables change; throws when they may not. */
  readonly beforeMigration?: (() => Promise<void>) | undefined;
}

export interface Host {
  readonly plugins: readonly PluginStatus[];
  readonly failures: readonly PluginFailure[];
  readonly mounted: readonly Mounted[];
  readonly commands: readonly { readonly command: Command; readonly handler: CommandHandler }[];
  readonly queue: JobQueue;
  slot<T>(ref: SlotRef<T>): readonly T[];
  health(): Promise<{ readonly plugin: string; readonly failing: string }[]>;
  /** Starts the plugins, then their jobs and schedules. */
  start(): Promise<void>;
  /** Ends jobs within `drain_ms`, then stops the plugins in reverse order. */
  stop(drain_ms: number): Promise<void>;
}

/** The longest that a plugin of the plugins directory may take to set itself up, and to start. */
const setup_ms_max = 3_000;
const health_ms_max = 2_000;

interface SetUp {
  readonly plugin: Plugin;
  readonly parts: Record<string, any>;
}

/**
 * @throws Error when a built-in plugin can't run, ConfigError when its settings are to blame; a
 * dropped-in one is left out and listed.
 */
export async function createHost(parts: HostParts): Promise<Host> {
  const failures = [...parts.failures];
  const fileOf = new Map(parts.dropped_in.map(({ plugin, file }) => [plugin, file]));
  const leaveOut = (plugin: Plugin, reason: string): void => {
    const file = fileOf.get(plugin);
    if (file === undefined)
      throw new Error(`The built-in plugin ${plugin.name} can't run: ${reason}.`);
    failures.push({ name: plugin.name, file, reason });
    parts.log.error("plugin left out", { plugin: plugin.name, file, reason });
  };
  const sealed = createSeal(
    parts.paths.data,
    parts.config.values.server?.secret_key as string | undefined,
  );
  const { sorted, refused } = order([...parts.built_in, ...fileOf.keys()]);
  for (const { plugin, reason } of refused) leaveOut(plugin, reason);

  const queue = new JobQueue(parts);
  const migrated = await migrateAll(sorted, fileOf, parts, leaveOut);
  const slots = createSlots();
  let host: Host | undefined;
  const operations = createOperations({
    ...parts,
    queue,
    started_at_ms: parts.clock.now_ms(),
    host: () => host!,
  });
  const services = new Map<string, unknown>();
  const up: SetUp[] = [];
  for (const plugin of migrated) {
    const missing = Object.values(plugin.needs as Record<string, ServiceRef<unknown>>).find(
      (ref) => !services.has(ref.id),
    );
    if (missing) {
      leaveOut(plugin, `it needs the service ${missing.id}, whose plugin was left out`);
      continue;
    }
    try {
      const made = await limited(
        Promise.resolve(
          plugin.setup(
            contextOf(
              plugin,
              fileOf.get(plugin),
              { ...parts, sealed, operations },
              queue,
              services,
              slots,
            ),
          ),
        ),
        fileOf.has(plugin) ? setup_ms_max : Infinity,
        "its set-up",
      );
      up.push({ plugin, parts: checkedParts(plugin, made) });
      for (const [key, ref] of Object.entries(
        plugin.provides as Record<string, ServiceRef<unknown>>,
      ))
        services.set(ref.id, (made as any).services[key]);
    } catch (error) {
      if (error instanceof ConfigError && !fileOf.has(plugin)) throw error;
      leaveOut(plugin, error instanceof Error ? error.message : String(error));
    }
  }
  for (const one of up) {
    for (const fill of (one.parts.fills ?? []) as Fill[]) slots.add(fill);
    for (const handler of one.parts.jobs ?? []) queue.register(one.plugin.name, handler);
  }
  slots.complete();
  return (host = assemble(up, failures, fileOf, queue, slots, parts));
}

async function migrateAll(
  sorted: readonly Plugin[],
  dropped_in: ReadonlyMap<Plugin, string>,
  parts: HostParts,
  leaveOut: (plugin: Plugin, reason: string) => void,
): Promise<Plugin[]> {
  let copied = false;
  const bring = async (schemas: readonly Schema[]): Promise<void> => {
    const applied = await migrate(parts.store, schemas, parts.clock, {
      backups: copied ? null : parts.paths.backups,
      log: parts.log,
      before: parts.beforeMigration,
    });
    // One copy from before all of them: a further one would push an older start's out.
    copied ||= applied.length > 0;
  };
  await bring([coreSchema, ...sorted.filter((plugin) => !dropped_in.has(plugin))]);
  const good: Plugin[] = [];
  for (const plugin of sorted) {
    if (dropped_in.has(plugin)) {
      try {
        await bring([plugin]);
      } catch (error) {
        leaveOut(
          plugin,
          `its migration failed: ${error instanceof Error ? error.message : String(error)}`,
        );
        continue;
      }
    }
    good.push(plugin);
  }
  return good;
}

function contextOf(
  plugin: Plugin,
  file: string | undefined,
  parts: HostParts & { readonly sealed: Seal; readonly operations: Operations },
  queue: JobQueue,
  services: ReadonlyMap<string, unknown>,
  slots: Slots,
): never {
  const { store, files, sealed, operations, clock, paths, public_url } = parts;
  const notifier: Notifier = {
    publish: (topic, key, message) =>
      store.afterCommit(() => parts.notifier.publish(topic, key, message)),
    subscribe: (topic, keys, listener) => parts.notifier.subscribe(topic, keys, listener),
  };
  return {
    config: parts.config.values[plugin.section] ?? {},
    services: mapValues(plugin.needs as Record<string, ServiceRef<unknown>>, (ref) =>
      services.get(ref.id),
    ),
    slots: mapValues(
      plugin.slots as Record<string, SlotRef<unknown>>,
      (ref) => () => slots.read(ref.id),
    ),
    db: store.db,
    inTransaction: store.inTransaction,
    afterCommit: store.afterCommit,
    reads: store.reads,
    read_connection: store.read_connection,
    truncateWal: store.truncateWal,
    notify: (change: Change) => notifier.publish(RecordChanged, change.owner_id, change),
    notifier,
    files,
    sealed,
    now_ms: clock.now_ms,
    log: parts.log.child({ plugin: plugin.name }),
    newId,
    enqueue: queue.enqueue.bind(queue),
    emit: queue.emit.bind(queue),
    cancelJobs: queue.cancelJobs.bind(queue),
    // The child finds a built-in plugin by its name, and loads any other from its file.
    isolate: (task: string, input: unknown, options: never) =>
      parts.isolate(file ?? plugin.name, task, input, options),
    paths,
    public_url,
    operations,
  } as never;
}

/**
 * What was promised must be there: the types say so, but a dropped-in file may not have been
 * checked.
 */
function checkedParts(plugin: Plugin, made: unknown): Record<string, any> {
  if (typeof made !== "object" || made === null) throw new Error("its set-up returned nothing");
  const parts = made as Record<string, any>;
  for (const kind of ["services", "routes", "commands"] as const) {
    const promised = Object.keys(kind === "services" ? plugin.provides : plugin[kind]);
    const missing = promised.find((key) => parts[kind]?.[key] === undefined);
    if (missing !== undefined)
      throw new Error(`it promised ${kind}.${missing} and its set-up did not return it`);
  }
  return parts;
}

function assemble(
  up: SetUp[],
  failures: PluginFailure[],
  fileOf: ReadonlyMap<Plugin, string>,
  queue: JobQueue,
  slots: Slots,
  parts: HostParts,
): Host {
  const schedules = new CronSchedules({ queue, store: parts.store, log: parts.log });
  const fail = (plugin: Plugin, what: string, error: unknown) => {
    failures.push({
      name: plugin.name,
      file: fileOf.get(plugin) ?? null,
      reason: `${what} failed: ${error instanceof Error ? error.message : String(error)}`,
    });
    parts.log.error(`plugin ${what} failed`, { plugin: plugin.name, ...errorFields(error) });
  };
  return {
    plugins: up.map(({ plugin }) => ({
      name: plugin.name,
      version: plugin.version,
      built_in: !fileOf.has(plugin),
    })),
    failures,
    mounted: up.flatMap(({ plugin, parts: made }) =>
      Object.entries(plugin.routes).map(([key, route]) => ({
        route: route as Mounted["route"],
        handler: made.routes[key],
      })),
    ),
    commands: up.flatMap(({ plugin, parts: made }) =>
      Object.entries(plugin.commands as Record<string, Command>).map(([key, command]) => ({
        command,
        handler: made.commands[key],
      })),
    ),
    queue,
    slot: (ref) => slots.read(ref.id) as never,
    async health() {
      const answers = await Promise.all(
        up
          .filter((one) => one.parts.health)
          .map(async ({ plugin, parts: made }) => {
            const answer = await limited(made.health(), health_ms_max, "its health check").catch(
              (error: unknown) => ({ failing: String(error) }),
            );
            return answer === "ok"
              ? []
              : [{ plugin: plugin.name, failing: (answer as { failing: string }).failing }];
          }),
      );
      return answers.flat();
    },
    async start() {
      for (const { plugin, parts: made } of up) {
        if (!made.start) continue;
        if (!fileOf.has(plugin)) {
          await made.start();
          continue;
        }
        await limited(made.start(), setup_ms_max, "its start").catch((error: unknown) =>
          fail(plugin, "start", error),
        );
      }
      await queue.start();
      for (const { parts: made } of up)
        for (const schedule of made.schedules ?? []) schedules.add(schedule);
    },
    async stop(drain_ms) {
      schedules.stop();
      await queue.drain(drain_ms);
      for (const { plugin, parts: made } of up.toReversed())
        if (made.stop)
          await limited(made.stop(), setup_ms_max, "its stop").catch((error: unknown) =>
            fail(plugin, "stop", error),
          );
    },
  };
}

interface Slots {
  add(fill: Fill): void;
  complete(): void;
  read(id: string): readonly unknown[];
}

function createSlots(): Slots {
  const values = new Map<string, unknown[]>();
  let complete = false;
  return {
    add: ({ slot, value }) => void values.set(slot.id, [...(values.get(slot.id) ?? []), value]),
    complete: () => {
      complete = true;
    },
    read(id) {
      if (!complete)
        throw new Error(
          `the slot ${id} was read before every plugin was set up; read it inside a handler`,
        );
      return values.get(id) ?? [];
    },
  };
}

/** @throws Error naming `what`, when the work takes longer. */
async function limited<T>(work: Promise<T>, limit_ms: number, what: string): Promise<T> {
  if (limit_ms === Infinity) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${what} took longer than ${limit_ms / 1_000} s`)),
    limit_ms,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

const mapValues = <T, R>(of: Record<string, T>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]));
