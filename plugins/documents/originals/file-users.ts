/**
 * Originals that may be needed although no document of this database uses them: they must not be
 * taken for leftovers of a crash.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { rolled_back_pattern, type Context } from "../../../core/sdk";
import { FileUses } from "../contract";
import * as store from "./file-user-store";

/** What it needs from `Context`. */
export type FileUsersContext = Pick<Context, "db" | "inDeletion" | "log" | "operations" | "paths">;

/** Remembers from start to start which plugins keep originals without a document. */
export class FileUsers {
  constructor(private readonly ctx: FileUsersContext) {}

  /** At the start. */
  async remember(): Promise<void> {
    const { db, inDeletion } = this.ctx;
    const known = await store.fileUsers(db);
    const added = this.loaded().difference(new Set(known));
    if (added.size > 0) await inDeletion((tx) => store.addFileUsers(tx, [...added]));
  }

  /**
   * Only originals stored since this time, epoch ms, can be leftovers of this database: older ones
   * are those of another one, as when a new database was set by mistake. Infinity: none can,
   * because a plugin that keeps originals is disabled or can't run, or because a rollback has put a
   * database aside to which they may belong.
   */
  async leftOverSince(): Promise<number> {
    const { db, log } = this.ctx;
    const loaded = this.loaded();
    const missing = (await store.fileUsers(db)).filter((name) => !loaded.has(name));
    const aside = await this.rolledBack();
    if (missing.length + aside.length === 0) return store.createdAt(db);
    log.warn("originals without a document are kept, because something else may need them", {
      ...(missing.length > 0 && { plugins_not_loaded: missing }),
      ...(aside.length > 0 && { databases_put_aside: aside }),
    });
    return Infinity;
  }

  private async rolledBack(): Promise<string[]> {
    const directory = join(this.ctx.paths.data, "backups");
    const names = await readdir(directory).catch((): string[] => []);
    return names.filter((name) => rolled_back_pattern.test(name));
  }

  private loaded(): Set<string> {
    return new Set(this.ctx.operations.filled(FileUses).map(({ plugin }) => plugin));
  }
}
