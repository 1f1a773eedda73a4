/**
 * The integrity check of the database: reads all of it in the background, step by step, and returns
 * at once with what is known so far.
 */
import { counted } from "../../core/lib/counted";
import { rfc3339, type Context, type DamageFound, type SearchPlace } from "../../core/sdk";
import { leftUntil, settlesWithin } from "../../core/lib/timeout";
import { failed, ok, type CheckResult } from "./contract";

/** How long a result is valid before the database is read again. */
const hold_ms = 30 * 60_000;
/** A small database is read while the first caller waits for the result. */
const first_wait_ms = 300;
/** Pause between two steps, so that others can use the disk. */
const pause_ms = 1_000;

/** What the check needs besides `Context`. */
export interface DamageCheckContext extends Pick<Context, "now_ms"> {
  /** One step of the scan; see `findDamage`. */
  readonly findDamage: (from: SearchPlace | null) => Promise<DamageFound>;
}

/** Scans the database in steps. Until the first scan has ended, the result says so. */
export class DamageCheck {
  private last: { readonly at_ms: number; readonly result: CheckResult } | undefined;
  private running: Promise<void> | undefined;
  private progress: Pick<DamageFound, "tables" | "tables_done"> = { tables: 0, tables_done: 0 };

  constructor(private readonly ctx: DamageCheckContext) {}

  /** The last result, and the progress of the running scan. */
  async run(): Promise<CheckResult> {
    if (!this.running && !this.holds()) {
      this.running = this.search().finally(() => {
        this.running = undefined;
      });
      if (!this.last) await settlesWithin(this.running, first_wait_ms);
    }
    if (!this.running) return this.last!.result;
    const { tables, tables_done } = this.progress;
    const progress = tables === 0 ? "" : `: ${tables_done} of ${counted(tables, "table")} so far`;
    if (this.last)
      return {
        ...this.last.result,
        detail: `${this.last.result.detail} It is being read again${progress}.`,
      };
    return ok(`It is being read for the first time since the server started${progress}.`);
  }

  private holds(): boolean {
    const { now_ms } = this.ctx;
    return this.last !== undefined && leftUntil(this.last.at_ms + hold_ms, now_ms(), hold_ms) > 0;
  }

  private async search(): Promise<void> {
    const result = await this.findAll().then(this.resultOf, failed);
    this.last = { at_ms: this.ctx.now_ms(), result };
  }

  private async findAll(): Promise<string[]> {
    const problems: string[] = [];
    for (let from: SearchPlace | null = null; ; await Bun.sleep(pause_ms)) {
      const damage: DamageFound = await this.ctx.findDamage(from);
      this.progress = damage;
      problems.push(...damage.problems);
      if (damage.next === null) return problems;
      from = damage.next;
    }
  }

  private readonly resultOf = (problems: readonly string[]): CheckResult => {
    if (problems.length > 0)
      return {
        status: "fail",
        detail: `The database is damaged: ${problems.join("; ")}.`,
        fix:
          "Stop the server, keep a copy of the data directory, and restore the newest " +
          "backup to a new directory: dossier restore FILE --data DIR.",
      };
    const at = rfc3339(this.ctx.now_ms());
    return ok(`All of the database was read until ${at}, and no damage was found.`);
  };
}
