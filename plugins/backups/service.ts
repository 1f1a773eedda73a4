/**
 * The rules of backups: which exist, which are kept, when one is overdue, and what is in progress
 * here.
 */
import { existsSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { messageOf } from "../../core/lib/error-message";
import { nextTime } from "../../core/lib/cron";
import { conflict, HttpError, notFound, type Context, type Isolate } from "../../core/sdk";
import type { Description } from "./child/lookup";
import {
  backup_pattern,
  isBackupName,
  type BackupMaker,
  type Made,
  type MakeRequest,
  type Watch,
} from "./maker";
import type { Progress } from "./progress";
import * as store from "./store";
import type { BackupTasks } from "./tasks";

/** How long after its scheduled time a backup may be ready. */
const grace_ms = 3_600_000;
const describe_limits = { timeout_ms: 60_000, memory_max_bytes: 1024 * 2 ** 20 };
/** The number of newest ones that are listed. */
const listed_max = 500;

/** The settings, as they are at the moment. */
export interface BackupSettings {
  /** Cron; null: no schedule. */
  readonly schedule: string | null;
  readonly keep: number;
  /** How long copies from before upgrades and from rollbacks are kept, milliseconds. */
  readonly keep_copies: number;
  readonly directory: string;
}
/** A backup in the directory, with what is known about its rehearsals. */
export interface Listed extends Description {
  readonly name: string;
  /** Epoch ms of the last successful rehearsal, and why the last one failed if it did. */
  readonly rehearsed_at: number | null;
  readonly failure: string | null;
}
/** Whether backups are as they should be. Times are in epoch ms. */
export interface Standing {
  readonly last_success: number | null;
  /** Why the last one failed; null when it succeeded, or there was none. */
  readonly failure: { readonly at: number; readonly error: string } | null;
  readonly overdue: boolean;
  readonly next: number | null;
  /** Backups were made in the directory, and it is missing: its disk may not be mounted. */
  readonly directory_gone: boolean;
}
/** The backup or rehearsal that is running in this process. */
export interface Current {
  readonly kind: store.RunRow["kind"];
  readonly name: string | null;
  progress: Progress | null;
}

/** What the service needs besides `Context`. */
export interface BackupsContext extends Pick<
  Context,
  | "db"
  | "inTransaction"
  | "log"
  | "newId"
  | "now_ms"
  | "operations"
  | "reads"
  | "whenSettingsChange"
> {
  readonly settings: BackupSettings;
  readonly maker: BackupMaker;
  readonly isolate: Isolate<BackupTasks>;
}

/** Makes, rehearses, lists and deletes backups, one at a time. */
export class BackupService {
  private running: Current | null = null;
  /** By name; a description is valid as long as the file is unchanged. */
  private readonly described = new Map<string, Description & { readonly changed_ms: number }>();
  /** When the schedule was changed while the server ran. */
  private scheduled_at_ms = 0;
  private schedule: string | null;

  constructor(private readonly ctx: BackupsContext) {
    this.schedule = ctx.settings.schedule;
    ctx.whenSettingsChange(() => {
      if (this.schedule === ctx.settings.schedule) return;
      this.schedule = ctx.settings.schedule;
      this.scheduled_at_ms = ctx.now_ms();
    });
  }

  /** What is running in this process; null if nothing is. */
  get current(): Current | null {
    return this.running;
  }
  get settings(): BackupSettings {
    return this.ctx.settings;
  }

  /** Makes a backup, and deletes surplus ones. @throws Error in plain words */
  async make(request: MakeRequest, watch: Partial<Watch> = {}): Promise<Made> {
    const backup = await this.run("backup", null, watch, async (progress) => {
      if (request.directory === undefined) await this.requireDirectory();
      return this.ctx.maker.make(request, progress);
    });
    if (dirname(backup.path) === resolve(this.ctx.settings.directory)) await this.deleteOldest();
    return backup;
  }

  /** @throws HttpError 404, Error that says why the backup can't be relied on. */
  async rehearse(name: string, watch: Partial<Watch> = {}): Promise<void> {
    const path = await this.require(name);
    await this.rehearseAt(path, watch);
  }

  /** Rehearses a backup anywhere on this machine. @throws Error with what is wrong with it. */
  async rehearseAt(path: string, watch: Partial<Watch> = {}): Promise<void> {
    await this.run("rehearsal", path, watch, (progress) => this.ctx.maker.rehearse(path, progress));
  }

  /** @throws HttpError 404, 409 while one is in progress, or when a newer one needs it. */
  async remove(name: string): Promise<void> {
    const path = await this.require(name);
    this.requireIdle();
    const { directory } = this.ctx.settings;
    const others = (await this.names()).filter((other) => other > name);
    const needed = await this.needed(others.map((other) => join(directory, other)));
    if (needed.includes(name))
      throw conflict("A newer backup needs its originals. Delete that one first.", "needed");
    await rm(path, { force: true });
    this.described.delete(name);
    this.ctx.log.info("deleted a backup", { name });
  }

  /** The path of the backup with this name. @throws HttpError 404 */
  async require(name: string): Promise<string> {
    if (!isBackupName(name) || !(await this.names()).includes(name)) throw notFound("backup");
    return join(this.ctx.settings.directory, name);
  }

  /** @throws HttpError 409 while one is in progress here. */
  requireIdle(): void {
    if (this.running !== null)
      throw conflict(
        "A backup or a rehearsal is in progress. Wait until it has finished.",
        "backup_running",
      );
  }

  /** Newest first, at most five hundred; `total` counts all. */
  async list(): Promise<{ readonly backups: Listed[]; readonly total: number }> {
    const all = (await this.names()).reverse();
    const names = all.slice(0, listed_max);
    await this.describe(names);
    const runs = await store.listRuns(this.ctx.db);
    const backups = names.flatMap((name) => {
      const description = this.described.get(name);
      if (!description) return [];
      const of_archive = runs.filter(({ path }) => path === description.path);
      return [
        {
          ...description,
          name,
          rehearsed_at: of_archive.find(({ error }) => error === null)?.finished_at ?? null,
          failure: of_archive[0]?.error ?? null,
        },
      ];
    });
    return { backups, total: all.length };
  }

  /** Reads new and changed ones, and forgets those that are gone. */
  private async describe(names: readonly string[]): Promise<void> {
    const { isolate, settings } = this.ctx;
    for (const name of [...this.described.keys()])
      if (!names.includes(name)) this.described.delete(name);
    const changed = new Map<string, number>();
    for (const name of names) {
      const path = join(settings.directory, name);
      const changed_ms = (await stat(path).catch(() => null))?.mtimeMs ?? 0;
      if (this.described.get(name)?.changed_ms !== changed_ms) changed.set(path, changed_ms);
    }
    if (changed.size === 0) return;
    for (const description of await isolate("describe", [...changed.keys()], describe_limits))
      this.described.set(basename(description.path), {
        ...description,
        changed_ms: changed.get(description.path)!,
      });
  }

  /** Used by GET /health: it reads two rows, however many there are. */
  async standing(): Promise<Standing> {
    const { now_ms, operations, reads, settings } = this.ctx;
    const { last, good_at: last_success } = await store.findLast(reads);
    const due = this.tickAfter(
      Math.max(last_success ?? operations.started_at_ms, this.scheduled_at_ms),
    );
    return {
      last_success,
      failure: last?.error ? { at: last.finished_at, error: last.error } : null,
      overdue: due !== null && this.running === null && now_ms() > due + grace_ms,
      next: settings.schedule === null ? null : this.tickAfter(now_ms()),
      directory_gone: last_success !== null && (await this.isDirectoryGone()),
    };
  }

  /** For `/health`: why backups are not as they should be, as a sentence. */
  async health(): Promise<"ok" | { failing: string }> {
    const { failure, overdue, last_success, directory_gone } = await this.standing();
    if (directory_gone) return { failing: this.directoryGoneMessage() };
    if (failure) return { failing: `The last backup failed: ${failure.error}.` };
    if (overdue)
      return {
        failing:
          last_success === null
            ? "A backup is overdue: none has been created since the server started."
            : "A backup is overdue: the last one is from " +
              `${new Date(last_success).toISOString()}.`,
      };
    return "ok";
  }

  private tickAfter(at_ms: number): number | null {
    const { schedule } = this.ctx.settings;
    if (schedule === null) return null;
    return nextTime(schedule, at_ms);
  }

  directoryGoneMessage(): string {
    return (
      `The backup directory ${this.ctx.settings.directory} does not exist. Check that its ` +
      "disk is mounted."
    );
  }

  /** Empty while there is no such directory. */
  private async names(): Promise<string[]> {
    const { directory } = this.ctx.settings;
    const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
      throw error;
    });
    return names.filter((name) => backup_pattern.test(name)).sort();
  }

  private async isDirectoryGone(): Promise<boolean> {
    const { db, settings } = this.ctx;
    const { directory } = settings;
    if (existsSync(directory)) return false;
    const is_here = ({ path, error }: store.RunRow): boolean =>
      error === null && path !== null && dirname(path) === resolve(directory);
    return (await store.listRuns(db)).some(is_here);
  }

  /** A missing directory would be created anew on another disk. @throws Error */
  private async requireDirectory(): Promise<void> {
    if (await this.isDirectoryGone()) throw new Error(this.directoryGoneMessage());
  }

  private needed(paths: readonly string[]): Promise<string[]> {
    return this.ctx.isolate("findNeeded", paths, describe_limits);
  }

  /** A run, and the row about its outcome. */
  private async run<R extends object>(
    kind: store.RunRow["kind"],
    path: string | null,
    { onProgress, signal }: Partial<Watch>,
    work: (watch: Watch) => Promise<R>,
  ): Promise<R> {
    this.requireIdle();
    const { inTransaction, log, newId, now_ms } = this.ctx;
    const current: Current = { kind, name: path && basename(path), progress: null };
    this.running = current;
    const started_at = now_ms();
    const note = (of: Pick<store.RunRow, "path" | "error">) =>
      inTransaction((tx) =>
        store.insertRun(tx, { id: newId("bkp"), kind, ...of, started_at, finished_at: now_ms() }),
      );
    try {
      const result = await work({
        signal,
        onProgress: (progress) => {
          current.progress = progress;
          onProgress?.(progress);
        },
      });
      const backup_path = "path" in result ? (result.path as string) : path;
      await note({ path: backup_path, error: null });
      log.info(`${kind} succeeded`, { path: backup_path });
      return result;
    } catch (error) {
      // It was refused, or the server is stopping: nothing is wrong with backups.
      if (error instanceof HttpError || signal?.aborted) throw error;
      const reason = messageOf(error);
      log.error(`${kind} failed`, { path, error: reason });
      await note({ path, error: reason.replace(/\.$/, "") }).catch(() => {});
      throw error;
    } finally {
      this.running = null;
    }
  }

  /** Those beyond `keep`, unless a newer one needs their content. */
  private async deleteOldest(): Promise<void> {
    const { directory, keep } = this.ctx.settings;
    const names = await this.names();
    const newest = names.slice(-keep);
    const needed = await this.needed(newest.map((name) => join(directory, name)));
    const kept_names = new Set([...newest, ...needed]);
    for (const name of names) {
      if (kept_names.has(name)) continue;
      await rm(join(directory, name), { force: true });
      this.described.delete(name);
      this.ctx.log.info("deleted an old backup", { name });
    }
  }
}
