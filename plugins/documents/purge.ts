/**
 * Documents that go for good, with their folder or because they were not restored in time; and
 * originals that nothing uses any more. Whoever began the deletion also empties the write-ahead log
 * of their text: `purgeExpired` here, the folders plugin for a folder.
 */
import type { Context, Db } from "../../core/sdk";
import type { DocumentContext } from "./context";
import * as linkStore from "./link-store";
import * as store from "./store";

/** One statement names at most this many ids. */
const ids_at_once = 5_000;
/**
 * What goes in one transaction when the disk is full: this many documents, or fewer of this many
 * bytes, but at least one.
 */
const part_documents_max = 200;
const part_bytes_max = 2 ** 20;

/**
 * Inside the transaction that deletes the folders: their links and search entries go, and every
 * document that no other folder holds or could get back.
 */
export async function purgeFolders(
  ctx: DocumentContext,
  tx: Db,
  folder_ids: readonly string[],
): Promise<void> {
  const { orphans, kept } = await linkStore.deleteFolderLinks(tx, folder_ids);
  for (const [folder_id, document_ids] of kept) {
    for (const some of slices(document_ids)) await ctx.index.unlink(tx, some, folder_id);
  }
  await purge(ctx, tx, orphans);
}

/** The same for documents alone, with as little as can be written at a time. */
export async function purgeFoldersInParts(
  ctx: DocumentContext,
  folder_ids: readonly string[],
): Promise<void> {
  for (;;) {
    const found = await linkStore.findOnlyIn(ctx.db, folder_ids, part_documents_max);
    let left_bytes = part_bytes_max;
    const part = found.filter(
      ({ size_bytes }, index) => (left_bytes -= size_bytes) >= 0 || index === 0,
    );
    if (part.length === 0) return;
    const ids = part.map(({ id }) => id);
    await ctx.inDeletion(async (tx) => {
      const held = await linkStore.foldersOfAll(tx, ids);
      await ctx.folders.moveCounters(
        tx,
        part.flatMap(({ id, status }) =>
          held.get(id)!.map((folder_id) => ({ folder_id, status, by: -1 })),
        ),
      );
      await purge(ctx, tx, ids);
    });
  }
}

/**
 * Runs `PurgeDocuments`: deletes links for good that were taken away too long ago, and documents
 * that have no link left.
 */
export async function purgeExpired(ctx: DocumentContext, signal: AbortSignal): Promise<void> {
  const deleted_until = ctx.now_ms() - ctx.config.restore_for;
  for (let purged = 0; ;) {
    signal.throwIfAborted();
    const { links, orphans } = await ctx.inDeletion(async (tx) => {
      const expired = await linkStore.deleteExpiredLinks(tx, deleted_until);
      await purge(ctx, tx, expired.orphans);
      return expired;
    });
    purged += orphans.length;
    if (orphans.length > 0) ctx.truncateWal();
    if (links > 0) continue;
    if (purged > 0) ctx.log.info("expired documents were deleted for good", { documents: purged });
    return;
  }
}

async function purge(ctx: DocumentContext, tx: Db, document_ids: readonly string[]): Promise<void> {
  for (const some of slices(document_ids)) {
    await ctx.cancelJobs(tx, some);
    for (const uses of ctx.uses()) await uses.remove(tx, some);
    await ctx.index.remove(tx, some);
    const { files, owners } = await store.deleteDocuments(tx, some);
    for (const { owner_id, documents, bytes } of owners) {
      await ctx.quotas.charge(tx, owner_id, "documents", -documents);
      await ctx.quotas.charge(tx, owner_id, "storage", -bytes);
    }
    ctx.removeFiles(files);
  }
}

const slices = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / ids_at_once) }, (_, i) =>
    ids.slice(i * ids_at_once, (i + 1) * ids_at_once),
  );

/** Deletes originals that nothing uses, in the background. */
export class UnusedFiles {
  #stopped = false;
  #sweeping: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ctx: Pick<Context, "afterCommit" | "files" | "log">,
    private readonly isUsed: (sha256: string) => Promise<boolean>,
  ) {}

  /** Those of these that nothing uses, once the surrounding transaction is on disk. */
  remove(sha256s: readonly string[]): void {
    if (sha256s.length === 0) return;
    const { afterCommit, files } = this.ctx;
    afterCommit(() => void files.remove(sha256s, this.#isUsed).catch(this.#report));
  }

  /** All that nothing uses, as a crash may have left them behind. */
  sweep(): void {
    this.#sweeping = this.ctx.files.sweep(this.#isUsed).catch(this.#report);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#sweeping;
  }

  readonly #isUsed = (sha256: string): Promise<boolean> => {
    if (this.#stopped) throw new Error("the server is stopping");
    return this.isUsed(sha256);
  };

  readonly #report = (error: unknown): void => {
    if (!this.#stopped)
      this.ctx.log.warn("unused originals could not be deleted; the next start tries again", {
        error: String(error),
      });
  };
}
