/** Originals that are no longer used. */
import type { Context } from "../../../core/sdk";
import { enqueueDeletion } from "../deletion/original-deletion";
import type { FileUsers } from "./file-users";

/** What uses originals. */
export interface FileUsage {
  readonly isUsed: (sha256: string) => Promise<boolean>;
  /** The used ones among many, in one query. */
  readonly findUsed: (sha256s: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly file_users: Pick<FileUsers, "leftOverSince">;
}

/** Deletes unused originals in the background. */
export class UnusedFiles {
  private stopped = false;
  private sweeping: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ctx: Pick<
      Context,
      "afterCommit" | "db" | "enqueue" | "files" | "log" | "now_ms"
    >,
    private readonly uses: FileUsage,
  ) {}

  /** Deletes the unused ones among these, once the surrounding transaction is committed. */
  remove(sha256s: readonly string[]): void {
    if (sha256s.length > 0) this.ctx.afterCommit(() => void this.delete(sha256s));
  }

  /** The same now; never rejects. Not inside a transaction. */
  async delete(sha256s: readonly string[]): Promise<void> {
    try {
      const due_ms = await this.ctx.files.remove(sha256s, this.isUsedWhileRunning);
      if (due_ms !== null) await enqueueDeletion(this.ctx, due_ms);
    } catch (error) {
      this.report(error);
    }
  }

  /** Runs `DeleteOriginals`. Returns when the next one is due. */
  deleteDue(): Promise<number | null> {
    return this.ctx.files.deleteDue(this.isUsedWhileRunning);
  }

  /** Runs `FindUnusedOriginals`: examines all files of the place. */
  async findUnused(signal: AbortSignal): Promise<void> {
    const { files } = this.ctx;
    const since_ms = await this.uses.file_users.leftOverSince();
    for await (const listed of files.list()) {
      signal.throwIfAborted();
      const names = listed
        .filter(({ stored_at }) => stored_at >= since_ms)
        .map(({ sha256 }) => sha256);
      const used = await this.findUsedWhileRunning(names);
      await this.delete(await files.findLeftOver(names.filter((name) => !used.has(name))));
    }
  }

  /** Deletes all unused originals, which a crash may have left behind. */
  sweep(): void {
    const sweep = async (): Promise<void> => {
      await this.ctx.files.sweep(
        this.isUsedWhileRunning,
        this.findUsedWhileRunning,
        await this.uses.file_users.leftOverSince(),
      );
      if (this.ctx.files.place !== null) await enqueueDeletion(this.ctx, 0);
    };
    this.sweeping = sweep().catch(this.report);
  }

  /** Stops the search for unused files, and waits until it has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.sweeping;
  }

  private readonly isUsedWhileRunning = (sha256: string): Promise<boolean> => {
    this.requireRunning();
    return this.uses.isUsed(sha256);
  };
  private readonly findUsedWhileRunning = (
    sha256s: readonly string[],
  ): Promise<ReadonlySet<string>> => {
    this.requireRunning();
    return this.uses.findUsed(sha256s);
  };
  private requireRunning(): void {
    if (this.stopped) throw new Error("the server is stopping");
  }

  private readonly report = (error: unknown): void => {
    if (!this.stopped)
      this.ctx.log.warn("unused originals could not be deleted; retrying at the next start", {
        error: String(error),
      });
  };
}
