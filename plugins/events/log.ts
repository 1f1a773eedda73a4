/**
 * The log of events for users who listen to `GET /events`, or did so recently. Events are written
 * in the transaction of the change, so that none is lost and each has its position, whatever
 * happens to the server. For users who don't listen nothing is written.
 */
import { inParts } from "../../core/lib/chunked-work";
import { topic, type Context, type Db, type EventRef, type EventWriter } from "../../core/sdk";
import type { Folders } from "../folders/contract";
import type { StreamedEvent } from "./contract";
import * as store from "./store";
import type { EventRow, ReaderRow } from "./store";

/** The owner, who is the key, has new events. */
export const EventsGrew = topic<null>("events.grew");

/** A position in the log of an owner, and its public id. */
export interface Mark {
  readonly seq: number;
  readonly id: string;
}
/** An event of the log with its position. */
export type LoggedEvent = Mark & Pick<EventRow, "type" | "body" | "folder_ids">;
/**
 * A run lasts from the start of a server, or from the moment a user listens again, to the next.
 * After a restore, and after an owner's log was dropped, numbers are given out a second time: the
 * run in an id says which of them is meant. The row holds the run of each number, for every
 * process.
 */
interface KnownRun {
  readonly id: string;
  /** The last number of the run; null while it is open. */
  readonly until: number | null;
}
/** Where a stream begins: what the client has received already. */
export interface Place extends Mark {
  /** `lost`: events after the given id have been dropped. */
  readonly how: "new" | "resumed" | "lost";
}

interface EventLogContext extends Pick<
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
  readonly folders: Pick<Folders, "findRoots">;
  readonly streamed: () => readonly StreamedEvent[];
  /**
   * How long events are kept, and how long they are still written for a user who stopped listening.
   */
  readonly keep_ms: () => number;
  /** An id of a run, without dashes. */
  readonly newRunId: () => string;
  /** Events kept per owner. Default 10,000. */
  readonly kept_max?: number;
  /** Their size; one about a document in a thousand folders is long. Default 16 MiB. */
  readonly kept_bytes_max?: number;
}

const runs_max = 50;
/** Up to this many more may accumulate, so that they are deleted in batches. */
const spare = 256;
/** … or this many more bytes. */
const spare_bytes = 2 ** 20;
const batch = 500;
/** What one read returns: every open stream may hold as much for a client that is slow. */
const at_once = { limit: 100, bytes_max: 64 * 1024 };

/**
 * A single process also caches in memory who listens, because most events have no listener. With
 * several processes, each event finds out through the row that assigns its number.
 */
export class EventLog implements EventWriter {
  /** Owner → open streams of this process. */
  private readonly listeners = new Map<string, number>();
  /** Owner → bytes written since his log was last shortened. */
  private readonly written_bytes = new Map<string, number>();
  private byEvent: ReadonlyMap<string, StreamedEvent> | undefined;

  constructor(private readonly ctx: EventLogContext) {}

  /** Called before the first request: loads the users who listened before the server started. */
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

  /** Whether an event must be written: its owner listens, or may do so at another process. */
  wants(on: EventRef, { owner_id }: { readonly owner_id?: unknown }): boolean {
    const may_be_heard = this.ctx.shared.is_distributed || this.listeners.has(owner_id as string);
    return may_be_heard && this.knows(on);
  }

  /**
   * Writes the event in the transaction of the change, unless its owner has not listened recently.
   */
  async write(tx: Db, on: EventRef, payload: unknown): Promise<void> {
    const message =
      this.streamed()
        .get(on.id)
        ?.messageOf(payload as never) ?? null;
    if (message === null) return;
    const { owner_id, type, body, folder_ids = [], replaces, stays = false } = message;
    const seq = await store.nextSeq(tx, owner_id);
    if (seq === undefined) return;
    if (replaces !== undefined) await store.dropReplaced(tx, owner_id, replaces);
    const row = {
      owner_id,
      seq,
      type,
      body: JSON.stringify({ event: type, ...body }),
      folder_ids: JSON.stringify(await this.withRoots(tx, folder_ids)),
      replaces: stays ? null : (replaces ?? null),
      created_at: this.ctx.now_ms(),
    };
    await store.insertEvent(tx, row);
    await this.shorten(tx, row);
    this.ctx.notifier.publish(EventsGrew, owner_id, null);
  }

  /** Drops the oldest events of a log that has grown by enough. */
  private async shorten(
    tx: Db,
    { owner_id, seq, body, folder_ids }: Pick<EventRow, "owner_id" | "seq" | "body" | "folder_ids">,
  ): Promise<void> {
    const { kept_max = 10_000, kept_bytes_max = 16 * 2 ** 20 } = this.ctx;
    const bytes =
      (this.written_bytes.get(owner_id) ?? 0) + Buffer.byteLength(body) + folder_ids.length;
    const is_due = seq % spare === 0 || bytes >= spare_bytes;
    this.written_bytes.set(owner_id, is_due ? 0 : bytes);
    if (!is_due) return;
    if (seq > kept_max) await store.dropUpTo(tx, owner_id, seq - kept_max);
    const limits = { limit: batch, bytes_max: kept_bytes_max };
    const beyond = await store.newestBeyond(tx, owner_id, limits);
    if (beyond !== undefined) await store.dropUpTo(tx, owner_id, beyond);
  }

  /**
   * The owner's events are written from now on until `close`, and for a while after it. `close`
   * must follow. @throws HttpError 507 or 503 when nothing can be written
   */
  async open(owner_id: string, last_event_id: string | null): Promise<Place> {
    this.listeners.set(owner_id, (this.listeners.get(owner_id) ?? 0) + 1);
    try {
      const reader = await this.listen(owner_id);
      const seen_seq = last_event_id === null ? null : seqIn(last_event_id, reader);
      if (seen_seq !== null) return { ...markOf(reader, seen_seq), how: "resumed" };
      const how = last_event_id === null ? "new" : "lost";
      return { ...markOf(reader, reader.last_seq), how };
    } catch (error) {
      this.close(owner_id);
      throw error;
    }
  }

  /** Counts a stream that has ended. */
  close(owner_id: string): void {
    const streams = this.listeners.get(owner_id);
    if (streams !== undefined) this.listeners.set(owner_id, streams - 1);
  }

  /** The next events after this one; null when events in between have been dropped. */
  async after(owner_id: string, last: Mark): Promise<LoggedEvent[] | null> {
    const { reads } = this.ctx;
    const rows = await store.eventsAfter(reads, owner_id, last.seq, at_once);
    // Read last, so that no stream misses what was dropped meanwhile.
    const reader = await store.readReader(reads, owner_id);
    if (!reader) return [];
    // A position of an unknown run belongs to a log that was dropped.
    const runs = runsOf(reader.runs);
    if (reader.dropped_seq > last.seq || markIn(runs, last.seq).id !== last.id) return null;
    return rows.map((row) => ({ ...row, ...markIn(runs, row.seq) }));
  }

  /** The owner's newest event. */
  async newest(owner_id: string): Promise<Mark> {
    const reader = await store.readReader(this.ctx.reads, owner_id);
    return reader ? markOf(reader, reader.last_seq) : { seq: 0, id: "0-0" };
  }

  /** For a stream that stays open: renews the time for which the owner counts as listening. */
  async renew(owner_id: string): Promise<void> {
    await this.listen(owner_id);
  }

  /**
   * Drops events that are too old, and stops writing for users who have not listened for as long.
   */
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
   * Drops everything kept for this owner; with `before_ms` only if nobody has listened since then.
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
            this.written_bytes.delete(owner_id);
          });
          return false;
        }),
      signal,
    );
    truncateWal();
  }

  private async listen(owner_id: string): Promise<ReaderRow> {
    const { inDeletion, keep_ms, newRunId, now_ms, reads } = this.ctx;
    const stored_reader = await store.readReader(reads, owner_id);
    const until = now_ms() + keep_ms();
    if (stored_reader && Math.abs(until - stored_reader.listens_until) < keep_ms() / 10)
      return stored_reader;
    return inDeletion(async (tx) => {
      const row = { owner_id, last_seq: 0, dropped_seq: 0, runs: "[]", listens_until: until };
      const reader = await store.ensureReader(tx, row);
      // Numbers start again, and earlier ids become invalid.
      const runs = reader.runs === "[]" ? withRun(reader.runs, 0, newRunId()) : reader.runs;
      await store.updateReader(tx, owner_id, { runs, listens_until: until });
      return { ...reader, runs, listens_until: until };
    });
  }

  /** With their root folders, so that a stream of these need not know all of their subfolders. */
  private async withRoots(tx: Db, folder_ids: readonly string[]): Promise<readonly string[]> {
    if (folder_ids.length === 0) return folder_ids;
    const roots = await this.ctx.folders.findRoots(tx, folder_ids);
    return [...new Set([...folder_ids, ...roots.values()])];
  }

  private knows(on: EventRef): boolean {
    return this.streamed().has(on.id);
  }

  /** Complete once every plugin is set up: nothing is emitted before. */
  private streamed(): ReadonlyMap<string, StreamedEvent> {
    return (this.byEvent ??= new Map(this.ctx.streamed().map((event) => [event.on.id, event])));
  }
}

const runsOf = (runs: string): readonly KnownRun[] => JSON.parse(runs) as KnownRun[];
const markOf = ({ runs }: ReaderRow, seq: number): Mark => markIn(runsOf(runs), seq);
/** Named after the run that assigned the number, or after the oldest known one. */
const markIn = (runs: readonly KnownRun[], seq: number): Mark => ({
  seq,
  id: `${runs.find(({ until }) => until === null || seq <= until)!.id}-${seq}`,
});
/** Earlier runs have assigned numbers up to `last_seq`. */
const withRun = (runs: string, last_seq: number, run_id: string): string =>
  JSON.stringify([
    ...runsOf(runs)
      .map(({ id, until }) => ({ id, until: until ?? last_seq }))
      .slice(1 - runs_max),
    { id: run_id, until: null },
  ]);

/** The number in an id, provided that everything after it is known. */
function seqIn(event_id: string, { runs, last_seq, dropped_seq }: ReaderRow): number | null {
  const [, run_id, number] = /^([^-]{1,20})-(\d{1,15})$/.exec(event_id) ?? [];
  const run = runsOf(runs).find(({ id }) => id === run_id);
  const seq = Number(number);
  return run && seq >= dropped_seq && seq <= (run.until ?? last_seq) ? seq : null;
}
