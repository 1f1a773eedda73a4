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

/** A place in the log of an owner, and what it is called outside. */
export interface Mark {
  readonly seq: number;
  readonly id: string;
}
export type LoggedEvent = Mark &
  Pick<EventRow, "type" | "body"> & { readonly folder_ids: readonly string[] };
/**
 * From a start of a server, or from when somebody listens anew, to the next. After a backup is
 * restored, and when an owner was forgotten, numbers are given a second time: with the run, an id
 * says which of them it means. The run of a number is what the row says, in every process.
 */
interface KnownRun {
  readonly id: string;
  /** The last number it gave; null while it may give more. */
  readonly until: number | null;
}
/** Where a stream begins: what the client has seen. */
export interface Place extends Mark {
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
  | "shared"
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

const runs_max = 50;
/** So many more than are kept may be there: they are dropped together. */
const spare = 256;
const batch = 500;

/**
 * For whom events are written down is in memory too, where one process writes: most are for nobody.
 * Where there are several, each event finds that out by the row that gives its number.
 */
export class EventLog implements EventWriter {
  /** Owner → open streams of this process. */
  private readonly listeners = new Map<string, number>();
  private byEvent: ReadonlyMap<string, StreamedEvent> | undefined;

  constructor(private readonly ctx: EventLogParts) {}

  /** Before the first request: those who listened before the server was started. */
  async load(): Promise<void> {
    const { db, inDeletion, newRunId } = this.ctx;
    if ((await store.listReaders(db)).length === 0) return;
    await inDeletion(async (tx) => {
      for (const { owner_id, runs, last_seq } of await store.listReaders(tx)) {
        this.listeners.set(owner_id, 0);
        await store.updateReader(tx, owner_id, { runs: withRun(runs, last_seq, newRunId()) });
      }
    });
  }

  wants(on: EventRef, { owner_id }: { readonly owner_id?: unknown }): boolean {
    const may_be_heard = this.ctx.shared.is_spread || this.listeners.has(owner_id as string);
    return may_be_heard && this.knows(on);
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
    this.listeners.set(owner_id, (this.listeners.get(owner_id) ?? 0) + 1);
    try {
      const reader = await this.listen(owner_id);
      const seen = last_event_id === null ? null : seqIn(last_event_id, reader);
      if (seen !== null) return { ...markOf(reader, seen), how: "resumed" };
      const how = last_event_id === null ? "new" : "lost";
      return { ...markOf(reader, reader.last_seq), how };
    } catch (error) {
      this.close(owner_id);
      throw error;
    }
  }

  close(owner_id: string): void {
    const streams = this.listeners.get(owner_id);
    if (streams !== undefined) this.listeners.set(owner_id, streams - 1);
  }

  /** Some events after this one; null when there were others that are gone. */
  async after(owner_id: string, last: Mark, limit: number): Promise<LoggedEvent[] | null> {
    const { reads } = this.ctx;
    const rows = await store.eventsAfter(reads, owner_id, last.seq, limit);
    // Read last: what was dropped meanwhile is missed by no stream.
    const reader = await store.readReader(reads, owner_id);
    if (!reader) return [];
    // A place of another name is of a log that was forgotten.
    if (reader.dropped_seq > last.seq || markOf(reader, last.seq).id !== last.id) return null;
    return rows.map(({ folder_ids, ...row }) => ({
      ...row,
      ...markOf(reader, row.seq),
      folder_ids: JSON.parse(folder_ids) as string[],
    }));
  }

  /** The owner's newest event. */
  async newest(owner_id: string): Promise<Mark> {
    const reader = await store.readReader(this.ctx.reads, owner_id);
    return reader ? markOf(reader, reader.last_seq) : { seq: 0, id: "0-0" };
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
      if (listens_until < certain_now_ms() && !this.listeners.get(owner_id))
        await this.forget(owner_id, signal, () => certain_now_ms());
    truncateWal();
  }

  /**
   * Nothing is kept of this owner any more; with `before_ms`, unless somebody listens who did not
   * then.
   */
  async forget(owner_id: string, signal: AbortSignal, before_ms?: () => number): Promise<void> {
    const { afterCommit, inDeletion, truncateWal } = this.ctx;
    await inParts(
      () =>
        inDeletion(async (tx) => {
          const reader = await store.findReader(tx, owner_id);
          if (before_ms && reader && reader.listens_until >= before_ms()) return false;
          if (await store.dropSome(tx, owner_id, batch)) return true;
          await store.deleteReader(tx, owner_id);
          afterCommit(() => {
            if (!this.listeners.get(owner_id)) this.listeners.delete(owner_id);
          });
          return false;
        }),
      signal,
    );
    truncateWal();
  }

  private async listen(owner_id: string): Promise<ReaderRow> {
    const { inDeletion, keep_ms, newRunId, now_ms, reads } = this.ctx;
    const known = await store.readReader(reads, owner_id);
    const until = now_ms() + keep_ms();
    if (known && Math.abs(until - known.listens_until) < keep_ms() / 10) return known;
    return inDeletion(async (tx) => {
      const row = { owner_id, last_seq: 0, dropped_seq: 0, runs: "[]", listens_until: until };
      const reader = await store.ensureReader(tx, row);
      // Numbers begin anew, and ids that were given before mean nothing now.
      const runs = reader.runs === "[]" ? withRun(reader.runs, 0, newRunId()) : reader.runs;
      await store.updateReader(tx, owner_id, { runs, listens_until: until });
      return { ...reader, runs, listens_until: until };
    });
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
/** Named after the run that gave the number, or after the oldest that is known. */
const markOf = ({ runs }: ReaderRow, seq: number): Mark => ({
  seq,
  id: `${runsOf(runs).find(({ until }) => until === null || seq <= until)!.id}-${seq}`,
});
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
