/**
 * Copies of the database beside it: lists them, deletes expired ones, and removes interrupted ones.
 */
import { counted } from "../../core/lib/counted";
import { rm } from "node:fs/promises";
import type { Context } from "../../core/sdk";
import { ok, type CheckResult } from "../doctor/contract";
import { findKeptCopies, pruneKeptCopies, rolled_back_max, type KeptCopies } from "./leftovers";

/** What the copies need besides `Context`. */
export interface CopiesContext extends Pick<Context, "paths" | "now_ms" | "log"> {
  /** The current setting. */
  readonly keep_ms: () => number;
}

const day_ms = 86_400_000;

/** The files beside the database that upgrades, rollbacks and restores leave. */
export class Copies {
  constructor(private readonly ctx: CopiesContext) {}

  /** When the server starts: nobody else works on the directory then. */
  async clean(): Promise<void> {
    await this.discard(this.find(Infinity));
    await this.prune();
  }

  /** Deletes expired ones. Returns their number. */
  async prune(): Promise<number> {
    const { paths, now_ms, keep_ms, log } = this.ctx;
    const deleted = await pruneKeptCopies(paths.data, { keep_ms: keep_ms(), now_ms: now_ms() });
    if (deleted.length > 0) log.info("deleted old copies of the database", { names: deleted });
    return deleted.length;
  }

  async check(): Promise<CheckResult> {
    const files = this.find();
    const detail = this.words(files);
    const { abandoned, rolled_back } = files;
    if (abandoned.length === 0 && rolled_back.length <= rolled_back_max) return ok(detail);
    const reason =
      abandoned.length > 0
        ? `An interrupted restore or rollback left ${abandoned.join(" and ")} behind.`
        : `Rollbacks keep at most ${rolled_back_max} earlier databases, and there are more.`;
    return { status: "warn", detail: `${detail} ${reason}`, fix: "Delete the excess files." };
  }

  async mend(): Promise<string> {
    const { abandoned } = this.find();
    await this.discard({ abandoned });
    const deleted = await this.prune();
    return `${abandoned.length + deleted} excess files were deleted.`;
  }

  private find(now_ms = this.ctx.now_ms()): KeptCopies {
    return findKeptCopies(this.ctx.paths.data, now_ms);
  }

  private async discard({ abandoned }: Pick<KeptCopies, "abandoned">): Promise<void> {
    for (const path of abandoned) {
      await rm(path, { recursive: true, force: true });
      this.ctx.log.info("deleted the remains of interrupted restores and rollbacks", { path });
    }
  }

  private words({ copies, rolled_back, bytes }: KeptCopies): string {
    if (copies.length + rolled_back.length === 0) return "There are no copies of the database.";
    return (
      `${copies.length} from before upgrades and ${rolled_back.length} set aside by ` +
      `rollbacks use ${(bytes / 2 ** 20).toFixed(1)} MiB. Each is deleted after ` +
      `${counted(Math.round(this.ctx.keep_ms() / day_ms), "day")}.`
    );
  }
}
