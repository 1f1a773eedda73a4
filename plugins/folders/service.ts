/** The rules about folders. Knows nothing of HTTP requests and contains no SQL. */
import { batchesOf } from "../../core/lib/batch";
import {
  checkedName,
  description_length_max,
  notFound,
  optionalText,
  type Change,
  type Context,
  type Db,
  type Hooks,
  type PageRequest,
} from "../../core/sdk";
import { inParts, nextTurn } from "../../core/lib/chunked-work";
import { FolderChanged, FolderCreated } from "../events/contract";
import type { Quotas } from "../quotas/contract";
import {
  FolderDeleted,
  type AdmittedFolder,
  type Contents,
  type CounterChange,
  type FolderCopy,
  type FolderCreation,
  type Folders,
} from "./contract";
import { requireRoot, requireRow, requireRows } from "./access";
import type { DeletedTree } from "./purge";
import * as purgeStore from "./purge-store";
import * as store from "./store";
import type { CounterSums, FolderRow, ListedFolder } from "./store";

/** The fields of a new folder. Without `parentId` it is a root folder. */
export interface NewFolder {
  readonly name: string;
  readonly description?: string | null;
  readonly parentId?: string | null;
}
/** Absent fields stay as they are; null removes the description. */
export interface FolderChange {
  readonly name?: string;
  readonly description?: string | null;
}

/** What the service needs besides `Context`. */
export interface FolderContext extends Pick<
  Context,
  "db" | "emit" | "inDeletion" | "inTransaction" | "newId" | "notify" | "now_ms" | "reads"
> {
  readonly quotas: Quotas;
  /** Enqueues the job that purges the contents of the deleted folder: jobs.ts. */
  readonly enqueuePurge: (tx: Db, deleted: DeletedTree) => Promise<void>;
  /** Plugins that keep data in folders. */
  readonly contents: () => readonly Contents[];
  /** The hooks that may refuse a folder. */
  readonly before_create: Hooks<FolderCreation>;
}

const nobody_refused: AdmittedFolder = Object.freeze({ admitted: true });
/** @throws Error when the hooks were not run: a plugin has forgotten to */
function requireAdmitted(admitted: AdmittedFolder | undefined): void {
  if (admitted !== nobody_refused)
    throw new Error("a folder needs what Folders.admit gives: call it before the transaction");
}

/** Ids per statement. */
const ids_at_once = 500;
/** Folders that one transaction deletes, besides the root. */
const deleted_at_once = 500;

const unmoved: CounterSums = {
  syncing: 0,
  synced: 0,
  sync_failed: 0,
  held_documents: 0,
  held_bytes: 0,
  restorable_count: 0,
  vectors_pending: 0,
};

/** Folders for the routes, and for other plugins. */
export class FolderService implements Folders {
  constructor(private readonly ctx: FolderContext) {}

  // --- For other plugins: every call states which database or transaction to read.

  require(db: Db, owner_id: string, folder_id: string): Promise<FolderRow> {
    return requireRow(db, owner_id, folder_id);
  }

  requireAll(...ids: Parameters<Folders["requireAll"]>): Promise<void> {
    return requireRows(...ids);
  }

  async requireWithSubfolders(
    db: Db,
    owner_id: string,
    folder_ids: readonly string[],
    pointer: string,
  ): Promise<readonly string[]> {
    await requireRows(db, owner_id, folder_ids, pointer);
    return store.idsWithSubfolders(db, [...new Set(folder_ids)]);
  }

  listIds(db: Db, owner_id: string): Promise<readonly string[]> {
    return store.ownedIds(db, owner_id);
  }

  listSyncing(db: Db, limit: number): ReturnType<Folders["listSyncing"]> {
    return store.syncingFolders(db, limit);
  }

  countSyncing(db: Db, folder_ids: readonly string[]): Promise<number> {
    return store.sumSyncing(db, folder_ids);
  }

  async ensureChild(
    tx: Db,
    owner_id: string,
    { parent_id, name, admitted }: Parameters<Folders["ensureChild"]>[2],
  ): Promise<string> {
    requireAdmitted(admitted);
    const existing = await findChild(tx, { owner_id, parent_id, name });
    if (existing) return existing.id;
    const folder = this.newRow(owner_id, parent_id, name, null);
    await this.insert(tx, folder);
    return folder.id;
  }

  async admit(folder: FolderCreation, signal?: AbortSignal): Promise<AdmittedFolder> {
    const { before_create } = this.ctx;
    if (before_create.any) await before_create.run(folder, signal);
    return nobody_refused;
  }

  async admitChild(
    child: Parameters<Folders["admitChild"]>[0],
    signal?: AbortSignal,
  ): Promise<AdmittedFolder> {
    const { before_create, db } = this.ctx;
    if (!before_create.any || (await findChild(db, child))) return nobody_refused;
    return this.admit({ ...child, description: null }, signal);
  }

  async findRoot(db: Db, owner_id: string, name: string): Promise<string | undefined> {
    return (await store.findRootNamed(db, owner_id, name))?.id;
  }

  async findRoots(db: Db, folder_ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await store.findParents(db, folder_ids);
    return new Map(rows.map(({ id, parent_id }) => [id, parent_id ?? id]));
  }

  sumHeld(db: Db, folder_ids: readonly string[]): Promise<store.Held> {
    return store.sumHeld(db, folder_ids);
  }

  async listTree(db: Db, owner_id: string, folder_id: string): Promise<FolderCopy[]> {
    const tree = [copyOf(await requireRow(db, owner_id, folder_id))];
    for (let after: FolderRow | null = null; ; await nextTurn()) {
      const rows: FolderRow[] = await store.subfoldersAfter(db, folder_id, after, ids_at_once);
      tree.push(...rows.map(copyOf));
      if (rows.length < ids_at_once) return tree;
      after = rows.at(-1)!;
    }
  }

  async freeName(db: Db, owner_id: string, name: string): Promise<string> {
    const taken_names = new Set(await store.rootNamesLike(db, owner_id, name));
    let free = name;
    for (let n = 2; taken_names.has(free); n++) free = `${name} (${n})`;
    return free;
  }

  async stage(tx: Db, owner_id: string, folders: Parameters<Folders["stage"]>[2]): Promise<void> {
    for (const { id, parent_id, name, description, admitted, ...at } of folders) {
      requireAdmitted(admitted);
      const { created_at, updated_at } = at;
      const row = this.newRow(owner_id, parent_id, name, description);
      const new_row = { id, created_at, updated_at, deleted_at: row.created_at, staged: 1 };
      await store.insertFolder(tx, { ...row, ...new_row });
    }
  }

  async reveal(tx: Db, owner_id: string, folder_ids: readonly string[]): Promise<void> {
    for (const batch of batchesOf(folder_ids, ids_at_once))
      if ((await store.reveal(tx, batch)).length < batch.length)
        throw new Error("a folder that should be revealed is not there");
    await this.ctx.quotas.charge(tx, owner_id, "folders", folder_ids.length);
    for (const batch of batchesOf(folder_ids, ids_at_once))
      for (const { id, name, parent_id } of await store.findFolders(tx, batch))
        await this.ctx.emit(tx, FolderCreated, { owner_id, folder_id: id, name, parent_id });
    for (const id of folder_ids) this.notify(owner_id, id, "created");
  }

  abandon(tx: Db, owner_id: string, root_id: string): Promise<void> {
    return this.ctx.enqueuePurge(tx, { folder_id: root_id, owner_id });
  }

  countToPurge(): Promise<number> {
    return purgeStore.countToPurge(this.ctx.reads);
  }

  async moveCounters(tx: Db, changes: readonly CounterChange[]): Promise<void> {
    const sums = new Map<string, { -readonly [C in keyof CounterSums]: number }>();
    for (const change of changes) {
      const sum = sums.get(change.folder_id) ?? { ...unmoved };
      sum["status" in change ? change.status : change.counter] += change.by;
      sums.set(change.folder_id, sum);
    }
    // A document in a thousand folders changes the counters of all of them alike.
    const alike = Map.groupBy(sums, ([, by]) => JSON.stringify(by));
    for (const folders of alike.values()) {
      const [, by] = folders[0]!;
      if (Object.values(by).some((change) => change !== 0))
        await store.moveCounters(
          tx,
          folders.map(([folder_id]) => folder_id),
          by,
        );
    }
  }

  async clearVectorsPending(tx: Db): Promise<void> {
    await store.clearVectorsPending(tx);
  }

  listVectorsPending(db: Db): ReturnType<Folders["listVectorsPending"]> {
    return store.listVectorsPending(db);
  }

  // --- For the routes.

  /** The total is the quota's counter: counting rows would take as long as listing them. */
  async list(
    owner_id: string,
    page: PageRequest,
  ): Promise<{ readonly rows: ListedFolder[]; readonly total: number }> {
    const total = await this.ctx.quotas.committedUsage(owner_id, "folders");
    return { rows: await store.listFolders(this.ctx.reads, owner_id, page, total), total };
  }

  get(owner_id: string, folder_id: string): Promise<FolderRow> {
    return requireRow(this.ctx.db, owner_id, folder_id);
  }

  /**
   * @throws HttpError 400 on a bad name or a parent that is itself a subfolder, 404 or 403 on the
   * parent, 403 when the quota is reached.
   */
  async create(owner_id: string, input: NewFolder, signal?: AbortSignal): Promise<FolderRow> {
    const folder = this.newRow(
      owner_id,
      input.parentId ?? null,
      checkedName(input.name, "/name"),
      optionalText(input.description, "/description", description_length_max),
    );
    const { before_create, db, quotas } = this.ctx;
    const { name, description, parent_id } = folder;
    if (before_create.any) {
      if (parent_id !== null) await requireRoot(db, owner_id, parent_id);
      await quotas.require(db, owner_id, "folders", 1);
      await before_create.run({ owner_id, name, description, parent_id }, signal);
    }
    await this.ctx.inTransaction(async (tx) => {
      if (parent_id !== null) await requireRoot(tx, owner_id, parent_id);
      await this.insert(tx, folder);
    });
    return folder;
  }

  /** Changes the given fields. @throws HttpError 400, 403 or 404. */
  async change(
    owner_id: string,
    folder_id: string,
    { name, description }: FolderChange,
  ): Promise<FolderRow> {
    const { db, emit, inTransaction, now_ms } = this.ctx;
    const values = {
      ...(name === undefined ? {} : { name: checkedName(name, "/name") }),
      ...(description === undefined
        ? {}
        : { description: optionalText(description, "/description", description_length_max) }),
    };
    const before = await requireRow(db, owner_id, folder_id);
    if (Object.keys(values).length === 0) return before;
    return inTransaction(async (tx) => {
      const after = await store.updateFolder(tx, folder_id, values, now_ms());
      if (!after) throw notFound("folder");
      await emit(tx, FolderChanged, { owner_id, folder_id, name: after.name });
      this.notify(owner_id, folder_id, "changed");
      return after;
    });
  }

  /**
   * Deletes a folder, its subfolders and their contents: they are invisible from now on, and their
   * rows are deleted in the background. Of thousands of subfolders most are deleted before it, in
   * parts. @throws HttpError 403 or 404.
   */
  remove(owner_id: string, folder_id: string): Promise<void> {
    return inParts(() => this.ctx.inDeletion((tx) => this.removePart(tx, owner_id, folder_id)));
  }

  /** False after the last part. */
  private async removePart(tx: Db, owner_id: string, folder_id: string): Promise<boolean> {
    const { contents, emit, enqueuePurge, now_ms, quotas } = this.ctx;
    const { parent_id } = await requireRow(tx, owner_id, folder_id);
    const subfolder_ids = await purgeStore.someSubfolders(tx, folder_id, deleted_at_once);
    const is_last = subfolder_ids.length < deleted_at_once;
    const folder_ids = is_last ? [...subfolder_ids, folder_id] : subfolder_ids;
    await purgeStore.markDeleted(tx, folder_ids, now_ms());
    for (const content of contents()) await content.remove(tx, owner_id, folder_ids);
    await quotas.charge(tx, owner_id, "folders", -folder_ids.length);
    await emit(tx, FolderDeleted, {
      owner_id,
      folder_ids,
      parent_id: is_last ? parent_id : folder_id,
    });
    if (is_last) await enqueuePurge(tx, { folder_id, owner_id });
    for (const id of folder_ids) this.notify(owner_id, id, "deleted");
    return !is_last;
  }

  /** Deletes every folder of a deleted user. */
  removeAll(owner_id: string, signal: AbortSignal): Promise<void> {
    return inParts(async () => {
      const folder_id = await store.anyRoot(this.ctx.db, owner_id);
      if (folder_id !== undefined) await this.remove(owner_id, folder_id);
      return folder_id !== undefined;
    }, signal);
  }

  private async insert(tx: Db, folder: FolderRow): Promise<void> {
    await this.ctx.quotas.charge(tx, folder.owner_id, "folders", 1);
    await store.insertFolder(tx, folder);
    const { id: folder_id, owner_id, name, parent_id } = folder;
    await this.ctx.emit(tx, FolderCreated, { owner_id, folder_id, name, parent_id });
    this.notify(owner_id, folder_id, "created");
  }

  private newRow(
    owner_id: string,
    parent_id: string | null,
    name: string,
    description: string | null,
  ): FolderRow {
    const now = this.ctx.now_ms();
    return {
      id: this.ctx.newId("fld"),
      owner_id,
      parent_id,
      name,
      description,
      syncing_count: 0,
      synced_count: 0,
      failed_count: 0,
      created_at: now,
      updated_at: now,
      held_documents: 0,
      held_bytes: 0,
      restorable_count: 0,
      vectors_pending: 0,
      deleted_at: null,
      staged: 0,
    };
  }

  private notify(owner_id: string, id: string, action: Change["action"]): void {
    this.ctx.notify({ owner_id, kind: "folder", id, folder_id: id, action });
  }
}

/** The subfolder with that name, composed or decomposed: file systems differ. */
const findChild = (
  db: Db,
  { name, ...parent }: { readonly owner_id: string; parent_id: string; readonly name: string },
) =>
  store.findSubfolderNamed(db, parent, [
    ...new Set([name, name.normalize("NFC"), name.normalize("NFD")]),
  ]);

const copyOf = ({
  id,
  parent_id,
  name,
  description,
  created_at,
  updated_at,
}: FolderRow): FolderCopy => ({ id, parent_id, name, description, created_at, updated_at });
