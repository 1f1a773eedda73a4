/**
 * Decides when packs are made, and stores them: when much was published, or when a search met much
 * that is in no pack. Packs only make searches faster, so nothing depends on them.
 */
import type { Context } from "../../../core/sdk";
import type { BuiltPack } from "./pack";
import { pack_chunks_max } from "./pack";
import { insertPack } from "./pack-store";
import type { PackRequest, SearchProtocol } from "../ranking/search-handler";
import type { WorkerClient } from "../workers/worker-client";

/** How much has to be outside of packs before packing is worthwhile. */
const loose_chunks_max = 2 * pack_chunks_max;
/** Folders per run; the most recently written ones. */
const folders_max = 1_000;
/**
 * The minimum interval of packing for an owner because of searches: a pack is deleted with any of
 * its documents, and an account whose documents change all the time should not be packed again and
 * again.
 */
const search_pause_ms = 60_000;
/** The number of owners whose last time is remembered. */
const remembered_max = 10_000;

/** What it needs besides `Context`. */
export interface PackerContext extends Pick<Context, "inTransaction" | "now_ms" | "log"> {
  readonly files: Pick<Context["files"], "requireFreeSpace">;
  readonly searcher: Pick<WorkerClient<SearchProtocol>, "ask">;
  readonly nextId: () => number;
}
/** What was published for an owner and not packed yet. */
interface Backlog {
  chunks: number;
  /** The smallest id of a segment. */
  first_id: number;
  readonly folder_ids: Set<string>;
}

/** Counts in memory: what another process publishes is found by searches. */
export class Packer {
  private readonly backlogs = new Map<string, Backlog>();
  /** By owner: when searches last had packs made, least recent first. */
  private readonly packed_at_ms = new Map<string, number>();
  private readonly running = new Set<string>();

  constructor(private readonly ctx: PackerContext) {}

  /**
   * After the commit: an index version with this many chunks. Only new content is packed then; what
   * falls out of packs because its neighbours change is left to searches.
   */
  published(
    owner_id: string,
    folder_ids: readonly string[],
    { id, chunks }: { readonly id: number; readonly chunks: number },
  ): void {
    const backlog = this.backlogs.get(owner_id) ?? {
      chunks: 0,
      first_id: id,
      folder_ids: new Set(),
    };
    this.backlogs.set(owner_id, backlog);
    backlog.first_id = Math.min(backlog.first_id, id);
    // At least one, to limit the number of folders.
    backlog.chunks += Math.max(1, chunks);
    for (const folder_id of folder_ids) {
      backlog.folder_ids.delete(folder_id);
      backlog.folder_ids.add(folder_id);
    }
    if (backlog.chunks < loose_chunks_max || this.running.has(owner_id)) return;
    this.backlogs.delete(owner_id);
    const folders = [...backlog.folder_ids].slice(-folders_max);
    void this.pack({ owner_id, folder_ids: folders, from_id: backlog.first_id });
  }

  /** After a search of these folders: `loose_chunks` of those covered are in no pack. */
  searched(owner_id: string, folder_ids: readonly string[], loose_chunks: number): void {
    const { now_ms } = this.ctx;
    const last_ms = this.packed_at_ms.get(owner_id);
    if (loose_chunks < loose_chunks_max || this.running.has(owner_id)) return;
    if (last_ms !== undefined && now_ms() >= last_ms && now_ms() < last_ms + search_pause_ms)
      return;
    this.packed_at_ms.delete(owner_id);
    this.packed_at_ms.set(owner_id, now_ms());
    if (this.packed_at_ms.size > remembered_max)
      this.packed_at_ms.delete(this.packed_at_ms.keys().next().value!);
    void this.pack({ owner_id, folder_ids, from_id: 0 });
  }

  /** Never rejects. */
  private async pack(request: PackRequest): Promise<void> {
    const { searcher, log } = this.ctx;
    const { owner_id } = request;
    this.running.add(owner_id);
    let stored: Promise<unknown> = Promise.resolve();
    const onPart = (pack: BuiltPack): Promise<unknown> =>
      (stored = stored.then(() => this.store(owner_id, pack)));
    try {
      await searcher.ask({ pack: request }, { owner: owner_id, background: true, onPart });
      await stored;
    } catch (error) {
      log.debug("packs could not be created", { owner_id, error: String(error) });
    } finally {
      this.running.delete(owner_id);
    }
  }

  private store(owner_id: string, pack: BuiltPack): Promise<boolean> {
    const { inTransaction, files, nextId } = this.ctx;
    return inTransaction((tx) => {
      files.requireFreeSpace();
      return insertPack(tx, nextId(), owner_id, pack);
    });
  }
}
