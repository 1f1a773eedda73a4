/**
 * Rows through which processes coordinate on shared original files: which uploads hold a file, and
 * which files are to be deleted. A file is deleted only by the process that has recorded so while
 * no upload held it; an upload that arrives meanwhile waits until that is over.
 */
import type { Clock } from "../../base/clock";
import { newId } from "../../base/ids";
import { toNumber } from "../columns";
import type { Db, Store } from "../store";

/** The tables that contain the claims. Times are epoch milliseconds. */
export interface FileClaimsTables {
  /** Uploads that hold their file until `held_until`. */
  core_file_pins: { id: string; sha256: string; held_until: number };
  /** Files to be deleted; `deleting_until`: a process is deleting it. */
  core_file_removals: { sha256: string; due_at: number; deleting_until: number | null };
}
type Claims = Db<FileClaimsTables>;

/** How long a silent upload holds its file. */
export const pin_ms = 120_000;
/**
 * The minimum delay before files of a silent upload are deleted: its process may only be asleep,
 * and continue.
 */
const cut_off_ms_min = 15 * 60_000;
/** How long to wait before a blocked deletion is tried again. */
export const retry_ms = 60_000;

/** Reads and writes claims. Every method is one short transaction. */
export class FileClaims {
  constructor(
    private readonly store: Pick<Store, "db" | "inDeletion">,
    private readonly clock: Pick<Clock, "now_ms">,
  ) {}

  /** The id of the pin, and for how long somebody may still be deleting the file; 0: nobody is. */
  async pin(sha256: string): Promise<{ readonly id: string; readonly deleting_ms: number }> {
    const id = newId("pin");
    const deleting_ms = await this.write(async (tx) => {
      const now_ms = this.clock.now_ms();
      await tx
        .insertInto("core_file_pins")
        .values({ id, sha256, held_until: now_ms + pin_ms })
        .execute();
      return remaining_ms(await findRemoval(tx, sha256), now_ms);
    });
    return { id, deleting_ms };
  }

  /** The milliseconds for which somebody may still be deleting the file. */
  async deletingFor(sha256: string): Promise<number> {
    return remaining_ms(await findRemoval(this.store.db, sha256), this.clock.now_ms());
  }

  /** Extends a pin by `pin_ms` from now on. */
  async renew(id: string): Promise<void> {
    const held_until = this.clock.now_ms() + pin_ms;
    await this.write((tx) =>
      tx.updateTable("core_file_pins").set({ held_until }).where("id", "=", id).execute(),
    );
  }

  /** Removes a pin. Does nothing when it has expired and was removed. */
  async unpin(id: string): Promise<void> {
    await this.write((tx) => tx.deleteFrom("core_file_pins").where("id", "=", id).execute());
  }

  /** Schedules the deletion in `delay_ms`, also for files that are scheduled already. */
  async remove(sha256s: readonly string[], delay_ms: number): Promise<void> {
    if (sha256s.length === 0) return;
    const due_at = this.clock.now_ms() + delay_ms;
    await this.write((tx) => insertRemovals(tx, sha256s, due_at));
  }

  /**
   * Records that this process deletes the file within `for_ms`. False when an upload holds it, or
   * another process is deleting it.
   */
  begin(sha256: string, for_ms: number): Promise<boolean> {
    return this.write(async (tx) => {
      const now_ms = this.clock.now_ms();
      if (remaining_ms(await findRemoval(tx, sha256), now_ms) > 0) return false;
      const pin = await tx
        .selectFrom("core_file_pins")
        .select("id")
        .where("sha256", "=", sha256)
        .where("held_until", ">", now_ms)
        .limit(1)
        .executeTakeFirst();
      if (pin) {
        await insertRemovals(tx, [sha256], now_ms + retry_ms);
        return false;
      }
      const deleting_until = now_ms + for_ms;
      await tx
        .insertInto("core_file_removals")
        .values({ sha256, due_at: now_ms, deleting_until })
        .onConflict((on) => on.columns(["sha256"]).doUpdateSet({ deleting_until }))
        .execute();
      return true;
    });
  }

  /** It is deleted, or in use after all. */
  async end(sha256: string): Promise<void> {
    await this.write((tx) =>
      tx.deleteFrom("core_file_removals").where("sha256", "=", sha256).execute(),
    );
  }

  /** It could not be deleted. */
  async postpone(sha256: string): Promise<void> {
    const due_at = this.clock.now_ms() + retry_ms;
    await this.write((tx) =>
      tx
        .updateTable("core_file_removals")
        .set({ due_at, deleting_until: null })
        .where("sha256", "=", sha256)
        .execute(),
    );
  }

  /** Some of the files that are due. */
  async due(limit: number): Promise<string[]> {
    const now_ms = this.clock.now_ms();
    const rows = await (this.store.db as Claims)
      .selectFrom("core_file_removals")
      .select("sha256")
      .where("due_at", "<=", now_ms)
      .where((where) =>
        where.or([where("deleting_until", "is", null), where("deleting_until", "<=", now_ms)]),
      )
      .orderBy("due_at")
      .orderBy("sha256")
      .limit(limit)
      .execute();
    return rows.map(({ sha256 }) => sha256);
  }

  /** Milliseconds until the next one is due; null when there is none. */
  async nextDue(): Promise<number | null> {
    const db = this.store.db as Claims;
    const removal = await db
      .selectFrom("core_file_removals")
      .select(["due_at", "deleting_until"])
      .orderBy("due_at")
      .limit(1)
      .executeTakeFirst();
    const pin = await db
      .selectFrom("core_file_pins")
      .select("held_until")
      .orderBy("held_until")
      .limit(1)
      .executeTakeFirst();
    const times = [
      ...(removal
        ? [Math.max(toNumber(removal.due_at), toNumber(removal.deleting_until ?? 0))]
        : []),
      ...(pin ? [toNumber(pin.held_until)] : []),
    ];
    return times.length === 0 ? null : Math.max(0, Math.min(...times) - this.clock.now_ms());
  }

  /**
   * Schedules the files of interrupted uploads for deletion: those of silent uploads, or, when no
   * other process can be running, of all.
   */
  async releaseCutOff({ all, delay_ms }: { all: boolean; delay_ms: number }): Promise<void> {
    await this.write(async (tx) => {
      const now_ms = this.clock.now_ms();
      const rows = await tx
        .deleteFrom("core_file_pins")
        .where("held_until", "<=", all ? Number.MAX_SAFE_INTEGER : now_ms)
        .returning("sha256")
        .execute();
      const due_at = now_ms + (all ? delay_ms : Math.max(delay_ms, cut_off_ms_min));
      await insertRemovals(tx, [...new Set(rows.map(({ sha256 }) => sha256))], due_at);
    });
  }

  /** Those of these files that an upload holds, or that are scheduled for deletion. */
  async claimed(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    if (sha256s.length === 0) return new Set();
    const db = this.store.db as Claims;
    const pins = await db
      .selectFrom("core_file_pins")
      .select("sha256")
      .where("sha256", "in", sha256s)
      .execute();
    const removals = await db
      .selectFrom("core_file_removals")
      .select("sha256")
      .where("sha256", "in", sha256s)
      .execute();
    return new Set([...pins, ...removals].map(({ sha256 }) => sha256));
  }

  /** Deletions continue on a full disk, and these are few small rows. */
  private write<R>(work: (tx: Claims) => Promise<R>): Promise<R> {
    return this.store.inDeletion(work);
  }
}

const findRemoval = (db: Claims, sha256: string) =>
  db
    .selectFrom("core_file_removals")
    .select("deleting_until")
    .where("sha256", "=", sha256)
    .executeTakeFirst();

type Removal = { readonly deleting_until: number | null } | undefined;
const remaining_ms = (removal: Removal, now_ms: number): number =>
  Math.max(0, toNumber(removal?.deleting_until ?? 0) - now_ms);

async function insertRemovals(
  tx: Claims,
  sha256s: readonly string[],
  due_at: number,
): Promise<void> {
  if (sha256s.length === 0) return;
  await tx
    .insertInto("core_file_removals")
    .values(sha256s.map((sha256) => ({ sha256, due_at, deleting_until: null })))
    .onConflict((on) => on.columns(["sha256"]).doUpdateSet({ due_at }))
    .execute();
}
