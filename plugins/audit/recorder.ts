/**
 * Writes entries: collected for a moment, so that a thousand uploads a second cost a few
 * transactions, and no response waits for its entry. What can't be written is reported, kept, and
 * tried again.
 */
import { counted } from "../../core/lib/counted";
import { messageOf } from "../../core/lib/error-message";
import type { Context } from "../../core/sdk";
import type { Accounts } from "../accounts/contract";
import type { NewEntry } from "./entries";
import { insertEntries, type EntryRow } from "./store";

/** What a crash of the machine may lose. */
const gather_ms = 100;
const retry_ms = 2_000;
/** Per statement; and how many are kept in memory while they can't be written. */
const batch_max = 200;
const kept_max = 20_000;

/** What the recorder needs besides `Context`. */
export interface RecorderContext extends Pick<
  Context,
  "inTransaction" | "log" | "newId" | "now_ms"
> {
  readonly accounts: Pick<Accounts, "findUser">;
}

/** Collects entries and writes them in batches. */
export class Recorder {
  private waiting: EntryRow[] = [];
  private lost = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private writing: Promise<void> = Promise.resolve();
  private failing: string | null = null;

  constructor(private readonly ctx: RecorderContext) {}

  /** Adds an entry, which is written a moment later. Never throws. */
  record(entry: NewEntry): void {
    const { newId, now_ms } = this.ctx;
    if (this.waiting.length >= kept_max) this.lost++;
    else this.waiting.push({ id: newId("aud"), created_at: now_ms(), ...entry });
    this.timer ??= setTimeout(() => void this.flush(), gather_ms).unref();
  }

  /** Why entries are not written; null when they are. */
  failure(): string | null {
    return this.failing === null
      ? null
      : `The audit log can't be written: ${this.failing} ` +
          counted(this.waiting.length, "entry is waiting", "entries are waiting") +
          (this.lost > 0 ? `, and ${counted(this.lost, "was", "were")} lost.` : ".");
  }

  /** Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    return (this.writing = this.writing.then(() => this.write()));
  }

  private async write(): Promise<void> {
    const { inTransaction, log } = this.ctx;
    try {
      // Entries that arrive meanwhile are collected again; otherwise every commit would write some.
      for (let left = this.waiting.length; left > 0;) {
        const batch = await this.named(this.waiting.slice(0, Math.min(left, batch_max)));
        await inTransaction((tx) => insertEntries(tx, batch));
        this.waiting = this.waiting.slice(batch.length);
        left -= batch.length;
      }
      if (this.failing !== null)
        log.warn("the audit log can be written again", { lost: this.lost });
      this.failing = null;
      this.lost = 0;
    } catch (error) {
      const reason = messageOf(error);
      if (this.failing === null)
        log.error("entries of the audit log could not be written yet", {
          error: reason,
          waiting: this.waiting.length,
        });
      this.failing = reason;
      this.timer ??= setTimeout(() => void this.flush(), retry_ms).unref();
    }
  }

  /** With the current emails of their actors. */
  private async named(entries: readonly EntryRow[]): Promise<EntryRow[]> {
    const emails = new Map<string, string | null>();
    for (const { actor_id } of entries)
      if (actor_id !== null && !emails.has(actor_id))
        emails.set(actor_id, await this.emailOf(actor_id));
    return entries.map((entry) =>
      entry.actor_id === null ? entry : { ...entry, actor: emails.get(entry.actor_id) ?? null },
    );
  }

  private async emailOf(user_id: string): Promise<string | null> {
    return this.ctx.accounts.findUser(user_id).then(
      ({ email }) => email,
      // Deleted meanwhile.
      () => null,
    );
  }
}
