/**
 * Events that are written down for those who listen to `GET /events`, or did so lately: in the
 * transaction of the change, so that none is missing and each has its place, whatever happens to
 * the server. For everybody else nothing is written.
 */
import { inParts } from "../../core/lib/parts";
import { topic, type Context, type Db, type EventRef, type EventWriter } from "../../core/sdk";
import type { StreamedEvent } from "./contract";
import * as store from "./store";
import type { EventRow, ReaderRow } from "./store";

/** There are more events of an owner, who is the key. */
export const EventsGrew = topic<null>("events.grew");

export type LoggedEvent = Pick<EventRow, "seq" | "type" | "body"> & {
  readonly folder_ids: readonly string[];
};
/**
 * From a start of the server, or from when somebody listens anew, to the next. After a backup is
 * restored, and when an owner was forgotten, numbers are given a second time: with the run, an id
 * says which of them it means.
 */
interface KnownRun {
  readonly id: string;
  /** The last number it gave; null while it may give more. */
  readonly until: number | null;
}
/** Where a stream begins. */
export interface Place {
  /** What the ids of its events begin with. */
  readonly run_id: string;
  /** What the client has seen. */
  readonly seq: number;
  /** `lost`: what came after the id that was given is not known any more. */
  readonly how: "new" | "resumed" | "lost";
}

interface EventLogParts extends Pick<
  Context,
  | "afterCommit"
  | "certain_now_ms"
  | "db"
  | "inDeletion"
  | "notifier"
  | "now_ms"
  | "reads"
  | "truncateWal"
> {
  readonly streamed: () => readonly StreamedEvent[];
  /** How long events are kept, and written down for somebody who listens no more. */
  readonly keep_ms: () => number;
  /** An id of a run: a word without a dash. */
  readonly newRunId: () => string;
  /** Events kept for one owner. Default 10,000. */
  readonly kept_max?: number;
}

/** Somebody for whom events are written down. */
interface Listener {
  /** Open streams. */
  streams: number;
  run_id: string;
}

const runs_max = 50;
/** So many more than are kept may be there: they are dropped together. */
const spare = 256;
const batch = 500;

/** Who listens is kept in memory too, for the one process that writes. */
export class EventLog implements EventWriter {
  private readonly listeners = new Map<string, Listener>();
  private byEvent: ReadonlyMap<string, StreamedEvent> | undefined;

  constructor(private readonly ctx: EventLogParts) {}

  /** Before the first request: those who listened before the server was started. */
  async load(): Promise<void> {
    const readers = await store.listReaders(this.ctx.db);
    if (readers.length === 0) return;
    await this.ctx.inDeletion(async (tx) => {
      for (const { owner_id, runs, last_seq } of readers) {
        const run_id = this.listenerOf(owner_id).run_id;
        await store.updateReader(tx, owner_id, { runs: withRun(runs, last_seq, run_id) });
      }
    });
  }

  wants(on: EventRef, { owner_id }: { readonly owner_id?: unknown }): boolean {
    return this.listeners.size > 0 && this.listeners.has(owner_id as string) && this.knows(on);
  }

  async write(tx: Db, on: EventRef, payload: unknown): Promise<void> {
    const told =
      this.streamed()
        .get(on.id)
        ?.tell(payload as never) ?? null;
    if (told === null) return;
    const { owner_id, type, body, folder_ids = [], replaces, stays = false } = told;
    const seq = await store.nextSeq(tx, owner_id);
    if (seq === undefined) return;
    if (replaces !== undefined) await store.dropReplaced(tx, owner_id, replaces);
    await store.insertEvent(tx, {
      owner_id,
      seq,
      type,
      body: JSON.stringify({ event: type, ...body }),
      folder_ids: JSON.stringify(folder_ids),
      replaces: stays ? null : (replaces ?? null),
      created_at: this.ctx.now_ms(),
    });
    const { kept_max = 10_000, notifier } = this.ctx;
    if (seq % spare === 0 && seq > kept_max) await store.dropUpTo(tx, owner_id, seq - kept_max);
    notifier.publish(EventsGrew, owner_id, null);
  }

  /**
   * From now on, until `close` and a while longer, the owner's events are written down. `close`
   * must follow. @throws HttpError 507 or 503 when nothing can be written
   */
  async open(owner_id: string, last_event_id: string | null): Promise<Place> {
    const listener = this.listenerOf(owner_id);
    listener.streams += 1;
    try {
      const reader = await this.listen(owner_id);
      const { run_id } = listener;
      const seen = last_event_id === null ? null : seqIn(last_event_id, reader);
      if (seen !== null) return { run_id, seq: seen, how: "resumed" };
      return { run_id, seq: reader.last_seq, how: last_event_id === null ? "new" : "lost" };
    } catch (error) {
      this.close(owner_id);
      throw error;
    }
  }

  close(owner_id: string): void {
    const listener = this.listeners.get(owner_id);
    if (listener) listener.streams -= 1;
  }

  /** Some events after this one; null when there were others that are gone. */
  async after(owner_id: string, seq: number, limit: number): Promise<LoggedEvent[] | null> {
    const { reads } = this.ctx;
    const rows = await store.eventsAfter(reads, owner_id, seq, limit);
    // Read last: what was dropped meanwhile is missed by no stream.
    const reader = await store.readReader(reads, owner_id);
    if (reader && reader.dropped_seq > seq) return null;
    return rows.map(({ folder_ids, ...row }) => ({
      ...row,
      folder_ids: JSON.parse(folder_ids) as string[],
    }));
  }

  /** The number of the owner's newest event. */
  async newest(owner_id: string): Promise<number> {
    return (await store.readReader(this.ctx.reads, owner_id))?.last_seq ?? 0;
  }

  /** For a stream that stays open: the owner goes on listening. */
  async renew(owner_id: string): Promise<void> {
    await this.listen(owner_id);
  }

  /** Drops what is too old, and stops writing for those who have not listened for as long. */
  async prune(signal: AbortSignal): Promise<void> {
    const { certain_now_ms, db, inDeletion, keep_ms, truncateWal } = this.ctx;
    const before = certain_now_ms() - keep_ms();
    await inParts(
      () =>
        inDeletion(async (tx) => {
          const old = await store.oldest(tx, before, batch);
          if (old) await store.dropUpTo(tx, old.owner_id, old.seq);
          return old !== undefined;
        }),
      signal,
    );
    for (const { owner_id, listens_until } of await store.listReaders(db))
      if (listens_until < certain_now_ms() && !this.listeners.get(owner_id)?.streams)
        await this.forget(owner_id, signal);
    truncateWal();
  }

  /** Nothing is kept of this owner any more. */
  async forget(owner_id: string, signal: AbortSignal): Promise<void> {
    const { afterCommit, inDeletion, truncateWal } = this.ctx;
    await inParts(
      () =>
        inDeletion(async (tx) => {
          if (await store.dropSome(tx, owner_id, batch)) return true;
          await store.deleteReader(tx, owner_id);
          afterCommit(() => {
            if (!this.listeners.get(owner_id)?.streams) this.listeners.delete(owner_id);
          });
          return false;
        }),
      signal,
    );
    truncateWal();
  }

  private async listen(owner_id: string): Promise<ReaderRow> {
    const { inDeletion, keep_ms, newRunId, now_ms, reads } = this.ctx;
    const listener = this.listenerOf(owner_id);
    const known = await store.readReader(reads, owner_id);
    const until = now_ms() + keep_ms();
    const is_fresh = known && Math.abs(until - known.listens_until) < keep_ms() / 10;
    if (is_fresh && hasRun(known, listener.run_id)) return known;
    return inDeletion(async (tx) => {
      const row = { owner_id, last_seq: 0, dropped_seq: 0, runs: "[]", listens_until: until };
      const reader = await store.ensureReader(tx, row);
      // Numbers begin anew, and ids that were given before mean nothing now.
      if (reader.runs === "[]") listener.run_id = newRunId();
      const { run_id } = listener;
      const runs = hasRun(reader, run_id)
        ? reader.runs
        : withRun(reader.runs, reader.last_seq, run_id);
      await store.updateReader(tx, owner_id, { runs, listens_until: until });
      return { ...reader, runs, listens_until: until };
    });
  }

  private listenerOf(owner_id: string): Listener {
    const known = this.listeners.get(owner_id);
    if (known) return known;
    const listener = { streams: 0, run_id: this.ctx.newRunId() };
    this.listeners.set(owner_id, listener);
    return listener;
  }

  private knows(on: EventRef): boolean {
    return this.streamed().has(on.id);
  }

  /** Complete once every plugin is set up: nothing is emitted before. */
  private streamed(): ReadonlyMap<string, StreamedEvent> {
    return (this.byEvent ??= new Map(this.ctx.streamed().map((one) => [one.on.id, one])));
  }
}

const runsOf = (runs: string): readonly KnownRun[] => JSON.parse(runs) as KnownRun[];
const hasRun = ({ runs }: ReaderRow, run_id: string): boolean =>
  runsOf(runs).some(({ id }) => id === run_id);
/** Those before have given numbers up to `last_seq`. */
const withRun = (runs: string, last_seq: number, run_id: string): string =>
  JSON.stringify([
    ...runsOf(runs)
      .map(({ id, until }) => ({ id, until: until ?? last_seq }))
      .slice(1 - runs_max),
    { id: run_id, until: null },
  ]);

/** The number in an id, when all that came after it is known. */
function seqIn(event_id: string, { runs, last_seq, dropped_seq }: ReaderRow): number | null {
  const [, run_id, number] = /^([^-]{1,20})-(\d{1,15})$/.exec(event_id) ?? [];
  const run = runsOf(runs).find(({ id }) => id === run_id);
  const seq = Number(number);
  return run && seq >= dropped_seq && seq <= (run.until ?? last_seq) ? seq : null;
}
