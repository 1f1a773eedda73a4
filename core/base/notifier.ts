/**
 * Publish and subscribe, for those who are watching something right now. Nothing is stored: whoever
 * subscribes later reads the record. What must not be missed is an event that jobs handle, not a
 * message here.
 */
import { withoutOrigin } from "./origin";

/** A name for messages of one type. `M` exists only for the compiler. */
export interface Topic<M> {
  readonly kind: "topic";
  readonly id: string;
  readonly M?: M;
}
export const topic = <M>(id: string): Topic<M> => ({ kind: "topic", id });

/**
 * Must be quick. `here`: the message was published by this process, not by another one that serves
 * the same database.
 */
export type Listener<M> = (message: M, here: boolean) => void;

/**
 * The one channel of all processes that serve the same database. A message arrives after `publish`
 * has returned, and has to fit into a few kilobytes of JSON; in the other processes within some
 * milliseconds, or not at all while their connection is broken. So whoever waits for something
 * re-reads it when told that messages may have been missed, and looks by himself now and then.
 */
export interface Notifier {
  /**
   * Inside a transaction the message is part of it: all processes hear it once that is kept, nobody
   * when it is undone. Outside one it goes out at once. `key` is what it is about: an id.
   */
  publish<M>(topic: Topic<M>, key: string, message: M): void;
  /** Returns what ends the subscription. `all`: whatever the key. */
  subscribe<M>(topic: Topic<M>, keys: readonly string[] | "all", listener: Listener<M>): () => void;
  /**
   * Calls `listener` whenever messages of other processes may have been missed, after which they
   * are heard again: what was kept in memory because of such messages is read anew. Returns what
   * ends it. Where one process serves the database it is never called.
   */
  onMissed(listener: () => void): () => void;
}

/** Within this process: a message arrives before `publish` returns. */
export class LocalNotifier implements Notifier {
  private readonly listeners = new Map<string, Set<Listener<any>>>();
  private readonly missing = new Set<() => void>();

  publish<M>(about: Topic<M>, key: string, message: M): void {
    this.tell(about.id, key, message, true);
  }

  /** `here`: published by this process. */
  tell(topic_id: string, key: string, message: unknown, here: boolean): void {
    for (const name of [channel(topic_id, key), channel(topic_id)])
      for (const listener of [...(this.listeners.get(name) ?? [])])
        withoutOrigin(() => listener(message, here));
  }

  onMissed(listener: () => void): () => void {
    const hear = (): void => listener();
    this.missing.add(hear);
    return () => void this.missing.delete(hear);
  }

  /** Messages may have been missed. */
  missed(): void {
    for (const listener of [...this.missing]) withoutOrigin(listener);
  }

  subscribe<M>(
    { id }: Topic<M>,
    keys: readonly string[] | "all",
    listener: Listener<M>,
  ): () => void {
    const names = keys === "all" ? [channel(id)] : keys.map((key) => channel(id, key));
    // A separate function for each subscription, so that one listener may subscribe twice.
    const hear: Listener<M> = (message, here) => listener(message, here);
    for (const name of names)
      this.listeners.set(name, (this.listeners.get(name) ?? new Set()).add(hear));
    return () => {
      for (const name of names) {
        const others = this.listeners.get(name);
        if (others?.delete(hear) && others.size === 0) this.listeners.delete(name);
      }
    };
  }

  /** Subscriptions that have not ended. */
  get subscriptions(): number {
    return new Set([...this.listeners.values()].flatMap((listeners) => [...listeners])).size;
  }
}

const channel = (topic_id: string, key?: string): string =>
  key === undefined ? topic_id : `${topic_id} ${key}`;

/** A record of a user was created, changed or deleted. */
export interface Change {
  readonly owner_id: string;
  /** `folder`, `document`, `chat`, `message` …: what a plugin calls its records. */
  readonly kind: string;
  readonly id: string;
  /** The folder whose list shows it, when there is one. */
  readonly folder_id?: string | null;
  readonly action: "created" | "changed" | "deleted";
}
/** Every change of a record; the key is its owner. */
export const RecordChanged = topic<Change>("core.record_changed");
