/**
 * Publish and subscribe, for whatever is being watched right now. Nothing is stored: a later
 * subscriber reads the record. What must not be missed is an event handled by jobs, not a message
 * here.
 */
import { withoutOrigin } from "./origin";

/** A name for messages of one type. `M` exists only at compile time. */
export interface Topic<M> {
  readonly kind: "topic";
  readonly id: string;
  readonly M?: M;
}
/** Defines a topic. `id` must be unique: it is how processes tell topics apart. */
export const topic = <M>(id: string): Topic<M> => ({ kind: "topic", id });

/**
 * Must be quick. `is_local`: the message was published by this process rather than by another one
 * on the same database.
 */
export type Listener<M> = (message: M, is_local: boolean) => void;

/**
 * The one channel shared by all processes on a database. A message arrives after `publish` has
 * returned, and has to fit into a few kilobytes of JSON; it reaches other processes within
 * milliseconds, or not at all while their connection is broken. A subscriber therefore re-reads the
 * record when told that messages may have been missed, and polls it now and then.
 */
export interface Notifier {
  /**
   * Inside a transaction the message is part of it: all processes receive it after the commit,
   * nobody after a rollback. Outside one it is sent at once. `key` is the id of what it is about.
   */
  publish<M>(topic: Topic<M>, key: string, message: M): void;
  /** Returns a function that ends the subscription. `all`: whatever the key. */
  subscribe<M>(topic: Topic<M>, keys: readonly string[] | "all", listener: Listener<M>): () => void;
  /**
   * Calls `listener` when messages from other processes may have been missed and the connection is
   * back: whatever is cached because of such messages has to be read again. Returns a function that
   * ends the subscription. Never called where a single process serves the database.
   */
  onMissed(listener: () => void): () => void;
}

/** Within one process: a message arrives before `publish` returns. */
export class LocalNotifier implements Notifier {
  private readonly listeners = new Map<string, Set<Listener<any>>>();
  private readonly missed_listeners = new Set<() => void>();

  publish<M>(about: Topic<M>, key: string, message: M): void {
    this.deliver(about.id, key, message, true);
  }

  /** Calls the listeners of a message. `is_local`: it was published by this process. */
  deliver(topic_id: string, key: string, message: unknown, is_local: boolean): void {
    for (const name of [channel(topic_id, key), channel(topic_id)])
      for (const listener of [...(this.listeners.get(name) ?? [])])
        withoutOrigin(() => listener(message, is_local));
  }

  onMissed(listener: () => void): () => void {
    const subscription = (): void => listener();
    this.missed_listeners.add(subscription);
    return () => {
      this.missed_listeners.delete(subscription);
    };
  }

  /** Messages may have been missed. */
  missed(): void {
    for (const listener of [...this.missed_listeners]) withoutOrigin(listener);
  }

  subscribe<M>(
    { id }: Topic<M>,
    keys: readonly string[] | "all",
    listener: Listener<M>,
  ): () => void {
    const names = keys === "all" ? [channel(id)] : keys.map((key) => channel(id, key));
    // A new function for each subscription, so that one listener may subscribe twice.
    const subscription: Listener<M> = (message, is_local) => listener(message, is_local);
    for (const name of names)
      this.listeners.set(name, (this.listeners.get(name) ?? new Set()).add(subscription));
    return () => {
      for (const name of names) {
        const listeners = this.listeners.get(name);
        if (listeners?.delete(subscription) && listeners.size === 0) this.listeners.delete(name);
      }
    };
  }

  /** The number of active subscriptions. */
  get subscriptions(): number {
    return new Set([...this.listeners.values()].flatMap((listeners) => [...listeners])).size;
  }
}

const channel = (topic_id: string, key?: string): string =>
  key === undefined ? topic_id : `${topic_id} ${key}`;

/** A user's record was created, changed or deleted. */
export interface Change {
  readonly owner_id: string;
  /** `folder`, `document`, `chat`, `message` …: the plugin's own name for the kind of record. */
  readonly kind: string;
  readonly id: string;
  /** The folder whose list contains it, if any. */
  readonly folder_id?: string | null;
  readonly action: "created" | "changed" | "deleted";
}
/** Every change of a record; the key is the id of its owner. */
export const RecordChanged = topic<Change>("core.record_changed");
