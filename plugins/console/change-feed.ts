/**
 * Changes of a user's records as server-sent events, for the browsers that show them. Kept in
 * memory, and only for users with an open page.
 */
import type { OpenLimit } from "../../core/lib/open-limit";
import {
  eventStream,
  HttpError,
  sentEvent,
  type Change,
  type EventStreamOptions,
  type Feed,
} from "../../core/sdk";

/** What the feed of changes needs; the times are for tests, and have defaults. */
export interface ChangeFeedOptions {
  readonly newUuid: () => string;
  /** Per user. */
  readonly open_limit: OpenLimit;
  /**
   * Changes are collected this long before they are sent, so that repeated changes of one record
   * become one.
   */
  readonly gather_ms?: number;
  /** A silent stream sends a comment this often, as a keep-alive. */
  readonly heartbeat_ms?: number;
  /**
   * A user's changes are kept this long after the last stream closed, because browsers reconnect.
   */
  readonly linger_ms?: number;
}

const gather_default_ms = 100;
const heartbeat_default_ms = 15_000;
const linger_default_ms = 5 * 60_000;
/** Changes kept per user. A client that has missed more has to refetch everything. */
const changes_max = 500;
/** Streams that one user can have open at a time. */
export const streams_max = 10;

/** The user whose changes are streamed, and the last event that the browser has seen. */
export interface Subscription extends Pick<
  EventStreamOptions,
  "isAllowed" | "owner_id" | "signals"
> {
  readonly last_event_id: string | null;
}

interface NumberedChange {
  readonly seq: number;
  readonly change: Change;
}

/** The latest changes of one user, and the streams that wait for more. */
class Backlog {
  readonly listeners = new Set<() => void>();
  expiry: ReturnType<typeof setTimeout> | undefined;
  private readonly pending = new Map<string, Change>();
  private changes: NumberedChange[] = [];

  /** `from_seq`: every change after this number is still in the backlog. */
  constructor(public from_seq: number) {}

  get last_seq(): number {
    return this.changes.at(-1)?.seq ?? this.from_seq;
  }

  add(change: Change): void {
    const key = `${change.kind} ${change.id} ${change.folder_id ?? ""}`;
    this.pending.set(key, merged(this.pending.get(key), change));
  }

  /** Drops the backlog: clients that saw earlier changes have to refetch. */
  reset(seq: number): void {
    this.pending.clear();
    this.changes = [];
    this.from_seq = seq;
    for (const wake of this.listeners) wake();
  }

  /** Numbers what was added since the last call and wakes the streams. */
  publish(nextSeq: () => number): void {
    if (this.pending.size === 0) return;
    for (const change of this.pending.values()) this.changes.push({ seq: nextSeq(), change });
    this.pending.clear();
    if (this.changes.length > changes_max) {
      this.changes = this.changes.slice(-changes_max);
      this.from_seq = this.changes[0]!.seq - 1;
    }
    for (const wake of this.listeners) wake();
  }

  changesAfter(seq: number): readonly NumberedChange[] {
    return this.changes.filter((numbered) => numbered.seq > seq);
  }
}

/**
 * Held in the memory of this process: a browser that reconnects to another one has to refetch.
 * Changes made by other processes arrive through the notifier.
 */
export class ChangeFeed {
  /** Prefix of event ids: numbers of another process mean nothing here. */
  private readonly run_id: string;
  private readonly options: Required<ChangeFeedOptions>;
  private readonly backlogs = new Map<string, Backlog>();
  private seq = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor({
    gather_ms = gather_default_ms,
    heartbeat_ms = heartbeat_default_ms,
    linger_ms = linger_default_ms,
    ...options
  }: ChangeFeedOptions) {
    this.options = { gather_ms, heartbeat_ms, linger_ms, ...options };
    this.run_id = options.newUuid().slice(0, 8);
  }

  /** Receives every change of every user. */
  readonly observe = (change: Change): void => {
    const backlog = this.backlogs.get(change.owner_id);
    if (!backlog) return;
    backlog.add(change);
    if (this.timer === undefined)
      this.timer = setTimeout(() => this.publish(), this.options.gather_ms);
  };

  /** Changes of other processes may have been missed, so every client refetches. */
  readonly noteMissed = (): void => {
    this.seq += 1;
    for (const backlog of this.backlogs.values()) backlog.reset(this.seq);
  };

  /**
   * A user's changes from now on, or after `last_event_id`. Ends when a signal fires and when the
   * session ends. @throws HttpError 429 above `streams_max` streams of one user.
   */
  async open(subscription: Subscription): Promise<ReadableStream<Uint8Array>> {
    const { owner_id, last_event_id } = subscription;
    const release = await this.options.open_limit.acquire(owner_id);
    if (!release)
      throw new HttpError(
        429,
        "too_many_streams",
        `A user can have at most ${streams_max} streams open. Close a page of the console.`,
        { headers: { "retry-after": "30" } },
      );
    const backlog = this.backlogOf(owner_id);
    const resumed = last_event_id === null ? null : this.seqOf(last_event_id, backlog);
    const cursor = resumed ?? this.seq;
    const greeting =
      last_event_id === null
        ? this.event(cursor, "ready", {})
        : resumed === null
          ? this.event(cursor, "reset", {})
          : "";
    return eventStream({
      ...subscription,
      heartbeat_ms: this.options.heartbeat_ms,
      feed: new BacklogFeed(backlog, cursor, greeting, (seq, name, data) =>
        this.event(seq, name, data),
      ),
      onClose: () => {
        release();
        this.expire(owner_id, backlog);
      },
    });
  }

  /** The number of users whose changes are held. */
  size(): number {
    return this.backlogs.size;
  }

  private publish(): void {
    this.timer = undefined;
    for (const backlog of this.backlogs.values()) backlog.publish(() => ++this.seq);
  }

  private backlogOf(owner_id: string): Backlog {
    const backlog = this.backlogs.get(owner_id) ?? new Backlog(this.seq);
    this.backlogs.set(owner_id, backlog);
    clearTimeout(backlog.expiry);
    return backlog;
  }

  /** Drops the backlog some time after its last stream was closed. */
  private expire(owner_id: string, backlog: Backlog): void {
    if (backlog.listeners.size > 0) return;
    backlog.expiry = setTimeout(() => this.backlogs.delete(owner_id), this.options.linger_ms);
    backlog.expiry.unref();
  }

  /** The number in the id of an event; null when later changes have been dropped. */
  private seqOf(event_id: string, { from_seq }: Backlog): number | null {
    const [run_id, number] = event_id.split("-");
    const seq = Number(number);
    const is_held = Number.isInteger(seq) && seq >= from_seq && seq <= this.seq;
    return run_id === this.run_id && is_held ? seq : null;
  }

  private event(seq: number, name: string, data: object): string {
    return sentEvent(`${this.run_id}-${seq}`, name, JSON.stringify(data));
  }
}

/** The state of one open stream. */
class BacklogFeed implements Feed {
  constructor(
    private readonly backlog: Backlog,
    /** The number of the last change that the client knows. */
    private cursor: number,
    /** Sent at once. */
    private greeting: string,
    private readonly event: (seq: number, name: string, data: object) => string,
  ) {}

  subscribe(wake: () => void): () => void {
    const { listeners } = this.backlog;
    // A separate function for each stream.
    const listener = (): void => wake();
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  read(): string {
    const { backlog, event, greeting } = this;
    if (greeting !== "") {
      this.greeting = "";
      return greeting;
    }
    if (this.cursor < backlog.from_seq) {
      this.cursor = backlog.last_seq;
      return event(this.cursor, "reset", {});
    }
    const changes = backlog.changesAfter(this.cursor);
    this.cursor = changes.at(-1)?.seq ?? this.cursor;
    return changes.map(({ seq, change }) => event(seq, "change", wireOf(change))).join("");
  }

  refusal(): string {
    return this.event(this.cursor, "closed", {});
  }
}

/** Merges two changes of one record: created and then changed is still created. */
const merged = (before: Change | undefined, now: Change): Change =>
  before?.action === "created" && now.action === "changed" ? { ...now, action: "created" } : now;

const wireOf = ({ kind, id, folder_id = null, action }: Change) => ({
  kind,
  id,
  folder_id,
  action,
});
