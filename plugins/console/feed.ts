/**
 * What changes in a user's records, told to the browsers that look on as server-sent events. Kept
 * in memory, and only for users who have a page open.
 */
import { HttpError, streamOf, type Change } from "../../core/sdk";

export interface FeedParts {
  /** Whether the session is still good: it may end while its stream is open. */
  readonly isLive: (session_id: string) => Promise<boolean>;
  readonly newUuid: () => string;
  /** Changes are gathered for so long, so that ten of one record become one. */
  readonly gather_ms?: number;
  /** A silent stream sends a comment so often. */
  readonly heartbeat_ms?: number;
  /**
   * A user's changes are kept for so long after the last stream was closed: a browser that comes
   * back goes on where it was.
   */
  readonly linger_ms?: number;
}

const gather_default_ms = 100;
/**
 * Well within the time after which the server, and the proxies before it, cut off a silent
 * connection.
 */
const heartbeat_default_ms = 15_000;
const linger_default_ms = 5 * 60_000;
/** A client that was cut off waits so long before it comes back. */
const retry_ms = 2_000;
/** Changes kept for each user. Who missed more is told to look at everything again. */
const ring_max = 500;
export const streams_max = 10;

interface Numbered {
  readonly seq: number;
  readonly change: Change;
}
interface Watched {
  /** Everything after this number was kept, as far as it is not pushed out of the ring. */
  from_seq: number;
  ring: Numbered[];
  readonly pending: Map<string, Change>;
  readonly listeners: Set<() => void>;
  leaving: ReturnType<typeof setTimeout> | undefined;
}
export interface Watch {
  readonly owner_id: string;
  readonly session_id: string;
  readonly last_event_id: string | null;
  readonly signals: readonly AbortSignal[];
}

export function createFeed({
  isLive,
  newUuid,
  gather_ms = gather_default_ms,
  heartbeat_ms = heartbeat_default_ms,
  linger_ms = linger_default_ms,
}: FeedParts) {
  /** Numbers of another run of the server mean nothing. */
  const run = newUuid().slice(0, 8);
  const watched = new Map<string, Watched>();
  let seq = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    timer = undefined;
    for (const one of watched.values()) {
      if (one.pending.size === 0) continue;
      for (const change of one.pending.values()) one.ring.push({ seq: ++seq, change });
      one.pending.clear();
      if (one.ring.length > ring_max) {
        one.ring = one.ring.slice(-ring_max);
        one.from_seq = one.ring[0]!.seq - 1;
      }
      for (const wake of one.listeners) wake();
    }
  }

  function watchedBy(owner_id: string): Watched {
    const one = watched.get(owner_id) ?? {
      from_seq: seq,
      ring: [],
      pending: new Map<string, Change>(),
      listeners: new Set<() => void>(),
      leaving: undefined,
    };
    watched.set(owner_id, one);
    clearTimeout(one.leaving);
    return one;
  }

  function leave(owner_id: string, one: Watched, listener: () => void): void {
    one.listeners.delete(listener);
    if (one.listeners.size > 0) return;
    one.leaving = setTimeout(() => watched.delete(owner_id), linger_ms);
    one.leaving.unref();
  }

  const idOf = (at: number): string => `id: ${run}-${at}\n`;

  /** The number to go on after; null when that can't be told from the id. */
  function placeOf(last_event_id: string, { from_seq }: Watched): number | null {
    const [of_run, number] = last_event_id.split("-");
    const at = Number(number);
    return of_run === run && Number.isInteger(at) && at >= from_seq && at <= seq ? at : null;
  }

  return {
    /** Hears of every change of every user. */
    observe(change: Change): void {
      const one = watched.get(change.owner_id);
      if (!one) return;
      const key = `${change.kind} ${change.id} ${change.folder_id ?? ""}`;
      one.pending.set(key, merged(one.pending.get(key), change));
      timer ??= setTimeout(flush, gather_ms);
    },

    /**
     * A user's changes from now on, or from where `last_event_id` left off. Ends when a signal
     * fires and when the session ends. @throws HttpError 429 above the most streams of one user.
     */
    open({ owner_id, session_id, last_event_id, signals }: Watch): ReadableStream<Uint8Array> {
      const one = watchedBy(owner_id);
      if (one.listeners.size >= streams_max)
        throw new HttpError(
          429,
          "too_many_streams",
          `One user may watch ${streams_max} streams at a time. Close a page.`,
          { headers: { "retry-after": "30" } },
        );
      const place = last_event_id === null ? seq : placeOf(last_event_id, one);
      let cursor = place ?? seq;
      let first =
        last_event_id === null
          ? event(cursor, "ready", {})
          : place === null
            ? event(cursor, "refetch", {})
            : "";
      first = `retry: ${retry_ms}\n\n${first}`;
      let wake = (): void => undefined;
      const listener = () => wake();
      one.listeners.add(listener);
      let over = false;
      const close = () => {
        if (over) return;
        over = true;
        for (const signal of signals) signal.removeEventListener("abort", close);
        leave(owner_id, one, listener);
        wake();
      };
      for (const signal of signals) signal.addEventListener("abort", close);
      if (signals.some(({ aborted }) => aborted)) close();

      /** What there is to send, after a wait when there is nothing. */
      const next = async (): Promise<string | null> => {
        if (first !== "") {
          const text = first;
          first = "";
          return text;
        }
        if (!over && cursor >= lastOf(one))
          await pause(heartbeat_ms, (done) => {
            wake = done;
          });
        if (over) return null;
        const live = await isLive(session_id);
        if (over) return null;
        if (!live) {
          close();
          return event(cursor, "signed_out", {});
        }
        if (cursor < one.from_seq) {
          cursor = lastOf(one);
          return event(cursor, "refetch", {});
        }
        const news = one.ring.filter(({ seq: at }) => at > cursor);
        cursor = news.at(-1)?.seq ?? cursor;
        return news.length === 0
          ? ":\n\n"
          : news.map(({ seq: at, change }) => event(at, "change", wireOf(change))).join("");
      };
      return streamOf(next, close);
    },

    /** How many users are watched. */
    size: (): number => watched.size,
  };

  function event(at: number, name: string, data: object): string {
    return `${idOf(at)}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  }
  function lastOf(one: Watched): number {
    return one.ring.at(-1)?.seq ?? one.from_seq;
  }
}
export type Feed = ReturnType<typeof createFeed>;

/** Two changes of one record as one: what is new stays new, what is gone is gone. */
const merged = (before: Change | undefined, now: Change): Change =>
  before?.action === "created" && now.action === "changed" ? { ...now, action: "created" } : now;

const wireOf = ({ kind, id, folder_id = null, action }: Change) => ({
  kind,
  id,
  folder_id,
  action,
});

/** Waits so long, or until `done` is called. */
function pause(limit_ms: number, started: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limit_ms);
    started(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
