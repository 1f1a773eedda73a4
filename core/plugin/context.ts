/** Creates the `Context` passed to a plugin's `setup`. */
import type { Clock } from "../base/clock";
import type { Config } from "../base/config";
import { newId } from "../base/ids";
import type { Log } from "../base/log";
import { RecordChanged, type Change, type Notifier } from "../base/notifier";
import type { ServiceRef, SlotRef } from "../base/refs";
import type { IsolatedRun } from "../isolate/pool";
import type { JobQueue } from "../jobs/queue";
import type { Shared } from "../shared/shared";
import type { Files } from "../store/files";
import type { Nodes } from "../store/nodes";
import type { Seal } from "../store/seal";
import type { Store } from "../store/store";
import type { Context, Plugin } from "./contract";
import type { Guard } from "./guard";
import type { LiveSettings } from "./live-settings";
import type { Operations } from "./operations";
import type { SlotRegistry } from "./slots";

/** The sources of every plugin's context. */
export interface ContextSources {
  readonly config: Config;
  readonly store: Store;
  readonly files: Files;
  readonly clock: Clock;
  readonly notifier: Notifier;
  readonly shared: Shared;
  readonly log: Log;
  readonly nodes: Nodes;
  readonly isolate: IsolatedRun;
  readonly paths: Context["paths"];
  readonly public_url: () => string;
  readonly sealed: Seal;
  readonly operations: Operations;
  readonly queue: JobQueue;
  readonly slots: SlotRegistry;
  readonly settings: LiveSettings;
  /** Of plugins that are set up, by the id of the ref. */
  readonly services: ReadonlyMap<string, unknown>;
}

/** A plugin that is not built in. */
export interface DroppedIn {
  /** The file it was loaded from. */
  readonly file: string;
  readonly guard: Guard;
}

/** The context for `setup` of this plugin. `dropped_in`: for a plugin that is not built in. */
export function contextOf(
  plugin: Plugin,
  dropped_in: DroppedIn | undefined,
  sources: ContextSources,
): Context<any, any, any, any> {
  const { config, store, files, clock, isolate, paths, public_url, sealed, queue } = sources;
  const guardListener = listenerGuard(plugin.name, dropped_in?.guard);
  const notifier = dropped_in ? guardedNotifier(sources.notifier, guardListener) : sources.notifier;
  return {
    config: config.values[plugin.section] ?? {},
    whenSettingsChange: (listener: () => void) =>
      sources.settings.onChange(
        plugin.section,
        guardListener("a listener to its settings", listener),
      ),
    services: mapValues(plugin.needs as Record<string, ServiceRef<unknown>>, (ref) =>
      sources.services.get(ref.id),
    ),
    slots: mapValues(
      plugin.slots as Record<string, SlotRef<unknown>>,
      (ref) => () => sources.slots.read(ref),
    ),
    db: store.db,
    inTransaction: store.inTransaction,
    inDeletion: store.inDeletion,
    afterCommit: dropped_in ? guardedAfterCommit(store, guardListener) : store.afterCommit,
    reads: store.reads,
    read_connection: store.read_connection,
    truncateWal: store.truncateWal,
    notify: (change: Change) => notifier.publish(RecordChanged, change.owner_id, change),
    notifier,
    shared: sources.shared,
    files,
    sealed,
    now_ms: () => clock.now_ms(),
    certain_now_ms: queue.certain_now_ms,
    log: sources.log.child({ plugin: plugin.name }),
    node: sources.nodes,
    newId,
    enqueue: queue.enqueue.bind(queue),
    begin: queue.begin.bind(queue),
    emit: queue.emit.bind(queue),
    cancelJobs: queue.cancelJobs.bind(queue),
    cancelSomeJobs: queue.cancelSomeJobs.bind(queue),
    // The child finds a built-in plugin by name, and loads any other from its file.
    isolate: (task: string, input: unknown, options: never) =>
      isolate(dropped_in?.file ?? plugin.name, task, input, options),
    paths,
    public_url,
    operations: sources.operations,
  } as never;
}

type GuardListener = <F extends (...args: any[]) => void>(what: string, listener: F) => F;

/** An error thrown by a listener of a dropped-in plugin does not keep others from being called. */
const listenerGuard = (plugin: string, guard: Guard | undefined): GuardListener => {
  if (!guard) return (_what, listener) => listener;
  const handling = { isFault: () => true, otherwise: () => undefined };
  return (what, listener) => guard.function({ plugin, what }, listener, handling);
};

const guardedAfterCommit =
  (store: Store, guardListener: GuardListener): Context["afterCommit"] =>
  (work, undone) =>
    store.afterCommit(
      guardListener("what it does after a commit", work),
      undone && guardListener("what it does after a commit that failed", undone),
    );

const guardedNotifier = (notifier: Notifier, guardListener: GuardListener): Notifier => ({
  publish: (topic, key, message) => notifier.publish(topic, key, message),
  subscribe: (topic, keys, listener) =>
    notifier.subscribe(topic, keys, guardListener(`its listener to ${topic.id}`, listener)),
  onMissed: (listener) =>
    notifier.onMissed(guardListener("its listener to what was missed", listener)),
});

const mapValues = <T, R>(record: Record<string, T>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
