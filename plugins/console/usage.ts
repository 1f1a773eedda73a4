/**
 * Each user's activity per day: counted in memory and written once a minute in one transaction, so
 * that no request waits for it.
 */
import { toNumber, type Change, type Context, type ServedRequest } from "../../core/sdk";
import * as store from "./store";
import type { UsageRow } from "./store";

const flush_every_ms = 60_000;
const day_ms = 24 * 3_600_000;
/** The longest period that can be requested, in days. */
export const days_max = 366;

/** What the counter needs besides `Context`. */
export interface UsageContext extends Pick<
  Context,
  "certain_now_ms" | "db" | "inTransaction" | "now_ms" | "log"
> {
  /** Bytes of originals that the owner holds now. */
  readonly storageOf: (owner_id: string) => Promise<number>;
  /** How long days are kept. */
  readonly keep_ms: () => number;
}
type Counted = "requests" | "console_requests" | "answers" | "uploads";
interface Counts {
  readonly owner_id: string;
  readonly day: string;
  requests: number;
  console_requests: number;
  answers: number;
  uploads: number;
}
/** The activity of one day. `date` is `2026-11-21`, in UTC. */
export type UsageDay = Pick<UsageRow, Counted | "storage_bytes"> & { readonly date: string };

/** Counts in memory and writes once a minute. A crash loses the counts of the last minute. */
export class UsageCounter {
  private readonly ctx: UsageContext;
  /** Not written yet, by owner and day. */
  private counts = new Map<string, Counts>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(ctx: UsageContext) {
    this.ctx = ctx;
  }

  /** Deletes days that are no longer kept, and begins to write. */
  async start(): Promise<void> {
    const { certain_now_ms, db, keep_ms } = this.ctx;
    await store.pruneUsage(db, dayOf(certain_now_ms() - keep_ms()));
    this.timer = setInterval(() => void this.flush(), flush_every_ms);
    this.timer.unref();
  }

  /** Stops the timer and writes what was counted. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** For a deleted user. */
  async forget(owner_id: string): Promise<void> {
    await this.flush();
    await this.ctx.inTransaction((tx) => store.forgetUsage(tx, owner_id));
  }

  /**
   * Counts requests of programs in any protocol; the console's are counted separately, because it
   * makes many by itself.
   */
  readonly noteRequest = ({
    surface,
    owner_id,
    route,
  }: Pick<ServedRequest, "surface" | "owner_id" | "route">): void => {
    if (owner_id === null || surface === "root") return;
    if (surface === "console") this.today(owner_id).console_requests += 1;
    // Calls that a protocol makes to the API for its caller belong to the request it received.
    else if (surface === "api" || route?.surface === surface) this.today(owner_id).requests += 1;
  };

  readonly noteChange = ({ owner_id, kind, action }: Change): void => {
    if (kind === "message" && action === "created") this.today(owner_id).answers += 1;
    else if (kind === "document" && action === "created") this.today(owner_id).uploads += 1;
    // An empty entry makes the next write record the current usage, which may have shrunk.
    else if (kind === "document" || kind === "folder") this.today(owner_id);
  };

  /** The last `days` days including today, oldest first. */
  async read(owner_id: string, days: number): Promise<UsageDay[]> {
    await this.flush();
    const { db, now_ms, storageOf } = this.ctx;
    const today_ms = now_ms();
    const dates = Array.from({ length: days }, (_, index) =>
      dayOf(today_ms - (days - 1 - index) * day_ms),
    );
    const { rows, previous } = await store.readUsage(db, owner_id, dates[0]!);
    const by_day = new Map(rows.map((row) => [row.day, row]));
    const stored_now_bytes = await storageOf(owner_id);
    let storage_bytes = toNumber(previous?.storage_bytes);
    return dates.map((date, index) => {
      const row = by_day.get(date);
      storage_bytes =
        index === days - 1 ? stored_now_bytes : toNumber(row?.storage_bytes ?? storage_bytes);
      return {
        date,
        requests: toNumber(row?.requests),
        console_requests: toNumber(row?.console_requests),
        answers: toNumber(row?.answers),
        uploads: toNumber(row?.uploads),
        storage_bytes,
      };
    });
  }

  /** Never rejects: what can't be written is kept for the next time. */
  flush(): Promise<void> {
    return (this.writing = this.writing.then(() => this.write()));
  }

  private async write(): Promise<void> {
    const { inTransaction, storageOf, log } = this.ctx;
    const batch = this.counts;
    if (batch.size === 0) return;
    this.counts = new Map();
    try {
      await inTransaction(async (tx) => {
        for (const counts of batch.values()) {
          const storage_bytes = await storageOf(counts.owner_id);
          await store.addUsage(tx, { ...counts, storage_bytes });
        }
      });
    } catch (error) {
      for (const [key, counts] of batch) this.counts.set(key, added(counts, this.counts.get(key)));
      log.warn("usage could not be saved yet", { error: String(error) });
    }
  }

  private today(owner_id: string): Counts {
    const day = dayOf(this.ctx.now_ms());
    const key = `${owner_id} ${day}`;
    const counts = this.counts.get(key) ?? {
      owner_id,
      day,
      requests: 0,
      console_requests: 0,
      answers: 0,
      uploads: 0,
    };
    this.counts.set(key, counts);
    return counts;
  }
}

/** `2026-11-21`, in UTC. */
const dayOf = (at_ms: number): string => new Date(at_ms).toISOString().slice(0, 10);

const added = (a: Counts, b: Counts | undefined): Counts =>
  b === undefined
    ? a
    : {
        ...a,
        requests: a.requests + b.requests,
        console_requests: a.console_requests + b.console_requests,
        answers: a.answers + b.answers,
        uploads: a.uploads + b.uploads,
      };
