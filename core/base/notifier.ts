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
 * Connects all processes that serve the same database: a message may arrive after `publish` has
 * returned, and has to fit into a few kilobytes of JSON.
 */
export interface Notifier {
  /** `key` is what the message is about: an id. Without a subscription to it, it costs nothing. */
  publish<M>(topic: Topic<M>, key: string, message: M): void;
  /** Returns what ends the subscription. `all`: whatever the key. */
  subscribe<M>(topic: Topic<M>, keys: readonly string[] | "all", listener: Listener<M>): () => void;
}

/** Within this process: a message arrives before `publish` returns. */
export class LocalNotifier implements Notifier {
  private readonly listeners = new Map<string, Set<Listener<any>>>();

  publish<M>({ id }: Topic<M>, key: string, message: M): void {
    for (const name of [channel(id, key), channel(id)])
      for (const listener of [...(this.listeners.get(name) ?? [])])
        withoutOrigin(() => listener(message, true));
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
