/**
 * What each user does on each day: counted in memory, written now and then in one transaction, so
 * that no request waits for it.
 */
import { toNumber, type Change, type Db, type Log, type Seen } from "../../core/sdk";
import * as store from "./store";
import type { UsageRow } from "./store";

export const flush_every_ms = 60_000;
const day_ms = 24 * 3_600_000;
const days_kept = 400;
export const days_max = 366;

export interface UsageParts {
  readonly db: Db<store.ConsoleTables>;
  readonly inTransaction: <R>(work: (tx: Db) => Promise<R>) => Promise<R>;
  readonly now_ms: () => number;
  /** Bytes of originals that the owner holds now. */
  readonly storageOf: (owner_id: string) => Promise<number>;
  readonly log: Log;
}
type Counted = "requests" | "answers" | "uploads";
interface Counts {
  readonly owner_id: string;
  readonly day: string;
  requests: number;
  answers: number;
  uploads: number;
}
export type UsageDay = Pick<UsageRow, Counted | "storage_bytes"> & { readonly date: string };

export function createUsage({ db, inTransaction, now_ms, storageOf, log }: UsageParts) {
  let counts = new Map<string, Counts>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let writing: Promise<void> = Promise.resolve();

  const dayOf = (at_ms: number): string => new Date(at_ms).toISOString().slice(0, 10);
  /** Of today. */
  function countsOf(owner_id: string): Counts {
    const day = dayOf(now_ms());
    const key = `${owner_id} ${day}`;
    const found = counts.get(key) ?? { owner_id, day, requests: 0, answers: 0, uploads: 0 };
    counts.set(key, found);
    return found;
  }

  async function write(): Promise<void> {
    const batch = counts;
    if (batch.size === 0) return;
    counts = new Map();
    try {
      await inTransaction(async (tx) => {
        for (const one of batch.values())
          await store.addUsage(tx, { ...one, storage_bytes: await storageOf(one.owner_id) });
      });
    } catch (error) {
      for (const [key, one] of batch) counts.set(key, added(one, counts.get(key)));
      log.warn("usage could not be written yet", { error: String(error) });
    }
  }
  /** Never fails: what can't be written is kept for the next time. */
  const flush = (): Promise<void> => (writing = writing.then(write));

  return {
    /** Requests of programs count; what the console asks for by itself does not. */
    noteRequest({ surface, owner_id }: Seen): void {
      if (surface === "api" && owner_id !== null) countsOf(owner_id).requests += 1;
    },

    noteChange({ owner_id, kind, action }: Change): void {
      if (kind === "message" && action === "created") countsOf(owner_id).answers += 1;
      else if (kind === "document" && action === "created") countsOf(owner_id).uploads += 1;
      // What is held may be less now.
      else if (kind === "document" || kind === "folder") countsOf(owner_id);
    },

    /** The last `days` days, today included, the oldest first. */
    async read(owner_id: string, days: number): Promise<UsageDay[]> {
      await flush();
      const today_ms = now_ms();
      const dates = Array.from({ length: days }, (_, back) =>
        dayOf(today_ms - (days - 1 - back) * day_ms),
      );
      const { rows, before } = await store.readUsage(db, owner_id, dates[0]!);
      const by_day = new Map(rows.map((row) => [row.day, row]));
      let storage_bytes = toNumber(before?.storage_bytes);
      const stored_now_bytes = await storageOf(owner_id);
      return dates.map((date, at) => {
        const row = by_day.get(date);
        storage_bytes =
          at === days - 1 ? stored_now_bytes : toNumber(row?.storage_bytes ?? storage_bytes);
        return {
          date,
          requests: toNumber(row?.requests),
          answers: toNumber(row?.answers),
          uploads: toNumber(row?.uploads),
          storage_bytes,
        };
      });
    },

    flush,
    async start(): Promise<void> {
      await store.pruneUsage(db, dayOf(now_ms() - days_kept * day_ms));
      timer = setInterval(() => void flush(), flush_every_ms);
      timer.unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}
export type UsageService = ReturnType<typeof createUsage>;

const added = (one: Counts, other: Counts | undefined): Counts =>
  other === undefined
    ? one
    : {
        ...one,
        requests: one.requests + other.requests,
        answers: one.answers + other.answers,
        uploads: one.uploads + other.uploads,
      };
