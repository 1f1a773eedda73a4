/**
 * Changes of a user's records as server-sent events, for the browsers that show them. Kept in
 * memory, and only for users who have a page open.
 */
import { HttpError, pullStream, type Change } from "../../core/sdk";

export interface ChangeFeedParts {
  /** Whether the session is still valid: it may end while its stream is open. */
  readonly isLive: (session_id: string) => Promise<boolean>;
  readonly newUuid: () => string;
  /** Changes are collected this long before they are sent, so that ten of one record become one. */
  readonly gather_ms?: number;
  /** A silent stream sends a comment this often. */
  readonly heartbeat_ms?: number;
  /** A user's changes are kept this long after the last stream closed: browsers reconnect. */
  readonly linger_ms?: number;
}

const gather_default_ms = 100;
/** Well below the idle timeout of the server, and of the proxies before it. */
const heartbeat_default_ms = 15_000;
const linger_default_ms = 5 * 60_000;
/** How long a client waits before it reconnects. */
const retry_ms = 2_000;
/** Changes kept for each user. A client that missed more is told to refetch everything. */
const kept_max = 500;
export const streams_max = 10;

export interface Subscription {
  readonly owner_id: string;
  readonly session_id: string;
  readonly last_event_id: string | null;
  /** The stream ends when one of them fires. */
  readonly signals: readonly AbortSignal[];
}

interface NumberedChange {
  readonly seq: number;
  readonly change: Change;
}

/** The latest changes of one user, and the streams that wait for more. */
class Backlog {
  readonly listeners = new Set<() => void>();
  expiry: ReturnType<typeof setTimeout> | undefined;
  readonly #pending = new Map<string, Change>();
  #kept: NumberedChange[] = [];

  /** `from_seq`: every change after this number is kept. */
  constructor(public from_seq: number) {}

  get last_seq(): number {
    return this.#kept.at(-1)?.seq ?? this.from_seq;
  }

  add(change: Change): void {
    const key = `${change.kind} ${change.id} ${change.folder_id ?? ""}`;
    this.#pending.set(key, merged(this.#pending.get(key), change));
  }

  /** Numbers what was added since the last call and wakes the streams. */
  publish(nextSeq: () => number): void {
    if (this.#pending.size === 0) return;
    for (const change of this.#pending.values()) this.#kept.push({ seq: nextSeq(), change });
    this.#pending.clear();
    if (this.#kept.length > kept_max) {
      this.#kept = this.#kept.slice(-kept_max);
      this.from_seq = this.#kept[0]!.seq - 1;
    }
    for (const wake of this.listeners) wake();
  }

  after(seq: number): readonly NumberedChange[] {
    return this.#kept.filter((numbered) => numbered.seq > seq);
  }
}

/**
 * Kept in the memory of this process, and so is the count of a user's streams: a browser that
 * reconnects to another process is told to fetch again. Changes made by other processes arrive
 * through the notifier.
 */
export class ChangeFeed {
  /** Ids of events begin with it: the numbers of another process mean nothing here. */
  readonly #run_id: string;
  readonly #parts: Required<ChangeFeedParts>;
  readonly #backlogs = new Map<string, Backlog>();
  #seq = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({
    gather_ms = gather_default_ms,
    heartbeat_ms = heartbeat_default_ms,
    linger_ms = linger_default_ms,
    ...parts
  }: ChangeFeedParts) {
    this.#parts = { gather_ms, heartbeat_ms, linger_ms, ...parts };
    this.#run_id = parts.newUuid().slice(0, 8);
  }

  /** Takes every change of every user. */
  readonly observe = (change: Change): void => {
    const backlog = this.#backlogs.get(change.owner_id);
    if (!backlog) return;
    backlog.add(change);
    if (this.#timer === undefined)
      this.#timer = setTimeout(() => this.#publish(), this.#parts.gather_ms);
  };

  /**
   * A user's changes from now on, or from where `last_event_id` left off. Ends when a signal fires
   * and when the session ends. @throws HttpError 429 above `streams_max` streams of one user.
   */
  open(subscription: Subscription): ReadableStream<Uint8Array> {
    const { owner_id, last_event_id } = subscription;
    const backlog = this.#backlogOf(owner_id);
    if (backlog.listeners.size >= streams_max)
      throw new HttpError(
        429,
        "too_many_streams",
        `One user may watch ${streams_max} streams at a time. Close a page.`,
        { headers: { "retry-after": "30" } },
      );
    const resumed = last_event_id === null ? null : this.#seqOf(last_event_id, backlog);
    const cursor = resumed ?? this.#seq;
    const greeting =
      last_event_id === null
        ? this.#event(cursor, "ready", {})
        : resumed === null
          ? this.#event(cursor, "refetch", {})
          : "";
    const stream = new ChangeStream({
      ...subscription,
      ...this.#parts,
      backlog,
      cursor,
      greeting: `retry: ${retry_ms}\n\n${greeting}`,
      event: (seq, name, data) => this.#event(seq, name, data),
      onClosed: () => this.#expire(owner_id, backlog),
    });
    return pullStream(() => stream.next(), stream.close);
  }

  /** How many users' changes are kept. */
  size(): number {
    return this.#backlogs.size;
  }

  #publish(): void {
    this.#timer = undefined;
    for (const backlog of this.#backlogs.values()) backlog.publish(() => ++this.#seq);
  }

  #backlogOf(owner_id: string): Backlog {
    const backlog = this.#backlogs.get(owner_id) ?? new Backlog(this.#seq);
    this.#backlogs.set(owner_id, backlog);
    clearTimeout(backlog.expiry);
    return backlog;
  }

  /** Drops the backlog a while after its last stream was closed. */
  #expire(owner_id: string, backlog: Backlog): void {
    if (backlog.listeners.size > 0) return;
    backlog.expiry = setTimeout(() => this.#backlogs.delete(owner_id), this.#parts.linger_ms);
    backlog.expiry.unref();
  }

  /** The number in the id of an event; null when the changes after it are not known any more. */
  #seqOf(event_id: string, { from_seq }: Backlog): number | null {
    const [run_id, number] = event_id.split("-");
    const seq = Number(number);
    const known = Number.isInteger(seq) && seq >= from_seq && seq <= this.#seq;
    return run_id === this.#run_id && known ? seq : null;
  }

  #event(seq: number, name: string, data: object): string {
    return `id: ${this.#run_id}-${seq}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}

interface ChangeStreamParts extends Subscription, Required<ChangeFeedParts> {
  readonly backlog: Backlog;
  /** The number of the last change that the client knows. */
  readonly cursor: number;
  /** Sent at once. */
  readonly greeting: string;
  readonly event: (seq: number, name: string, data: object) => string;
  readonly onClosed: () => void;
}

/** One open stream of a user's changes. */
class ChangeStream {
  readonly #parts: ChangeStreamParts;
  #cursor: number;
  #greeting: string;
  #closed = false;
  #wake = (): void => undefined;
  readonly #listener = (): void => this.#wake();

  constructor(parts: ChangeStreamParts) {
    this.#parts = parts;
    this.#cursor = parts.cursor;
    this.#greeting = parts.greeting;
    parts.backlog.listeners.add(this.#listener);
    for (const signal of parts.signals) signal.addEventListener("abort", this.close);
    if (parts.signals.some(({ aborted }) => aborted)) this.close();
  }

  readonly close = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    const { signals, backlog, onClosed } = this.#parts;
    for (const signal of signals) signal.removeEventListener("abort", this.close);
    backlog.listeners.delete(this.#listener);
    onClosed();
    this.#wake();
  };

  /** The next piece of the stream, after a wait when nothing has changed; null at its end. */
  async next(): Promise<string | null> {
    const { backlog, isLive, session_id, event } = this.#parts;
    if (this.#greeting !== "") {
      const greeting = this.#greeting;
      this.#greeting = "";
      return greeting;
    }
    if (!this.#closed && this.#cursor >= backlog.last_seq) await this.#changeOrHeartbeat();
    if (this.#closed) return null;
    const live = await isLive(session_id);
    if (this.#closed) return null;
    if (!live) {
      this.close();
      return event(this.#cursor, "signed_out", {});
    }
    if (this.#cursor < backlog.from_seq) {
      this.#cursor = backlog.last_seq;
      return event(this.#cursor, "refetch", {});
    }
    const changes = backlog.after(this.#cursor);
    this.#cursor = changes.at(-1)?.seq ?? this.#cursor;
    return changes.length === 0
      ? ":\n\n"
      : changes.map(({ seq, change }) => event(seq, "change", wireOf(change))).join("");
  }

  #changeOrHeartbeat(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#parts.heartbeat_ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Two changes of one record as one: created and then changed is still created. */
const merged = (before: Change | undefined, now: Change): Change =>
  before?.action === "created" && now.action === "changed" ? { ...now, action: "created" } : now;

const wireOf = ({ kind, id, folder_id = null, action }: Change) => ({
  kind,
  id,
  folder_id,
  action,
});
