/** Makes the `Context` that a plugin's `setup` is given. */
import type { Clock } from "../base/clock";
import type { Config } from "../base/config";
import { newId } from "../base/ids";
import type { Log } from "../base/log";
import { RecordChanged, type Change, type Notifier } from "../base/notifier";
import type { ServiceRef, SlotRef } from "../base/refs";
import type { IsolatedRun } from "../isolate/pool";
import type { JobQueue } from "../jobs/queue";
import type { Files } from "../store/files";
import type { Seal } from "../store/seal";
import type { Store } from "../store/store";
import type { Context, Plugin } from "./define";
import type { LiveSettings } from "./live-settings";
import type { Operations } from "./operations";
import type { SlotRegistry } from "./slots";

/** What every plugin's context is made of. */
export interface ContextSources {
  readonly config: Config;
  readonly store: Store;
  readonly files: Files;
  readonly clock: Clock;
  readonly notifier: Notifier;
  readonly log: Log;
  readonly isolate: IsolatedRun;
  readonly paths: Context["paths"];
  readonly public_url: () => string;
  readonly sealed: Seal;
  readonly operations: Operations;
  readonly queue: JobQueue;
  readonly slots: SlotRegistry;
  readonly settings: LiveSettings;
  /** Of the plugins that are set up, by the id of their ref. */
  readonly services: ReadonlyMap<string, unknown>;
}

/** `file`: where the plugin was loaded from, when it is not built in. */
export function contextOf(
  plugin: Plugin,
  file: string | undefined,
  sources: ContextSources,
): Context<any, any, any, any> {
  const { config, store, files, clock, isolate, paths, public_url, sealed, queue } = sources;
  const notifier = afterCommit(sources.notifier, store);
  return {
    config: config.values[plugin.section] ?? {},
    whenSettingsChange: (listener: () => void) =>
      sources.settings.onChange(plugin.section, listener),
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
    afterCommit: store.afterCommit,
    reads: store.reads,
    read_connection: store.read_connection,
    truncateWal: store.truncateWal,
    notify: (change: Change) => notifier.publish(RecordChanged, change.owner_id, change),
    notifier,
    files,
    sealed,
    now_ms: () => clock.now_ms(),
    certain_now_ms: queue.certain_now_ms,
    log: sources.log.child({ plugin: plugin.name }),
    newId,
    enqueue: queue.enqueue.bind(queue),
    emit: queue.emit.bind(queue),
    cancelJobs: queue.cancelJobs.bind(queue),
    // The child finds a built-in plugin by its name, and loads any other from its file.
    isolate: (task: string, input: unknown, options: never) =>
      isolate(file ?? plugin.name, task, input, options),
    paths,
    public_url,
    operations: sources.operations,
  } as never;
}

/** Publishes once the surrounding transaction is on disk. */
const afterCommit = (notifier: Notifier, store: Store): Notifier => ({
  publish: (topic, key, message) => store.afterCommit(() => notifier.publish(topic, key, message)),
  subscribe: (topic, keys, listener) => notifier.subscribe(topic, keys, listener),
});

const mapValues = <T, R>(of: Record<string, T>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]));
