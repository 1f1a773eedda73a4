/**
 * The plugins that keep originals without a document. While one of them is not loaded, because it
 * is disabled or can't run, nobody knows which these are: they must not be taken for leftovers.
 */
import type { Context } from "../../../core/sdk";
import { FileUses } from "../contract";
import * as store from "./file-user-store";

/** What it needs from `Context`. */
export type FileUsersContext = Pick<Context, "db" | "inDeletion" | "log" | "operations">;

/** Remembers these plugins from start to start. */
export class FileUsers {
  constructor(private readonly ctx: FileUsersContext) {}

  /** At the start. */
  async remember(): Promise<void> {
    const { db, inDeletion } = this.ctx;
    const known = await store.fileUsers(db);
    const added = this.loaded().difference(new Set(known));
    if (added.size > 0) await inDeletion((tx) => store.addFileUsers(tx, [...added]));
  }

  /** Those that are not loaded, and whose data is still there. */
  async missing(): Promise<readonly string[]> {
    const loaded = this.loaded();
    return (await store.fileUsers(this.ctx.db)).filter((name) => !loaded.has(name));
  }

  /** False, with a warning, while one of them is not loaded. */
  async areLoaded(): Promise<boolean> {
    const plugins = await this.missing();
    if (plugins.length === 0) return true;
    this.ctx.log.warn(
      "originals without a document are kept: they may belong to plugins that are not loaded",
      { plugins },
    );
    return false;
  }

  private loaded(): Set<string> {
    return new Set(this.ctx.operations.filled(FileUses).map(({ plugin }) => plugin));
  }
}
