/** A running import: its dependencies, its progress, and the mapping of old ids to new ones. */
import type { ZipEntry } from "../../core/lib/zip";
import type { Context, Db } from "../../core/sdk";
import type { Chats } from "../chats/contract";
import type { Documents } from "../documents/contract";
import type { Folders } from "../folders/contract";
import type { Prompts } from "../prompts/contract";
import type { Quotas } from "../quotas/contract";
import type { SearchIndex } from "../search-index/contract";
import type { Texts } from "../texts/contract";
import { readBytes, readLines } from "./archive";
import { kindOfPart, type PartKind } from "./layout";
import * as store from "./store";
import type { ImportRow, RecordKind } from "./store";

/** What an import needs besides `Context`. */
export interface ImporterContext extends Pick<
  Context,
  "db" | "files" | "inDeletion" | "inTransaction" | "newId" | "notify" | "now_ms"
> {
  /** Queues the events of the imported documents after this one; see jobs.ts. */
  readonly enqueueAnnouncing: (
    tx: Db,
    row: Pick<ImportRow, "id" | "owner_id">,
    after: string,
  ) => Promise<void>;
  readonly chats: Chats;
  readonly documents: Documents;
  readonly folders: Folders;
  readonly index: SearchIndex;
  readonly prompts: Prompts;
  readonly quotas: Quotas;
  readonly texts: Texts;
}

/** Progress is written at most this often. */
const report_every_ms = 500;

/** The state of an import that is shared by what imports folders, documents and chats. */
export class ImportRun {
  readonly ids: Readonly<Record<RecordKind, Map<string, string>>> = {
    folder: new Map(),
    document: new Map(),
    prompt: new Map(),
    chat: new Map(),
  };
  /** Documents that were unread when exported: they are indexed once everything is imported. */
  readonly unread: string[] = [];
  private reported_ms = 0;
  private imported_count = 0;

  constructor(
    readonly ctx: ImporterContext,
    readonly row: ImportRow,
    readonly path: string,
    readonly entries: ReadonlyMap<string, ZipEntry>,
    readonly signal: AbortSignal,
  ) {}

  /** The user who imports. */
  get owner_id(): string {
    return this.row.owner_id;
  }
  /** The folder that contains everything else. */
  get root_id(): string {
    const [root_id] = this.ids.folder.values();
    return root_id!;
  }

  /** Assigns a new id to a record of the archive. */
  newId(kind: RecordKind, source_id: string): string {
    const id = this.ctx.newId({ folder: "fld", document: "doc", prompt: "prm", chat: "chs" }[kind]);
    this.ids[kind].set(source_id, id);
    return id;
  }

  /** Records the new id of a record, to find what was imported after a crash. */
  keepRecord(tx: Db, kind: RecordKind, source_id: string): Promise<unknown> {
    const id = this.ids[kind].get(source_id)!;
    return store.insertRecord(tx, { import_id: this.row.id, id, kind, source_id });
  }

  /** The lines of a part. @throws BadArchive */
  lines(name: string) {
    return readLines(name, readBytes(this.path, this.entries.get(name)!));
  }
  /** The names of the parts of a kind, in order. */
  names(kind: PartKind): string[] {
    return [...this.entries.keys()].filter((name) => kindOfPart(name) === kind).sort();
  }

  /** Counts an imported document. */
  async progress(): Promise<void> {
    const { db, now_ms } = this.ctx;
    this.imported_count++;
    if (Math.abs(now_ms() - this.reported_ms) < report_every_ms) return;
    this.reported_ms = now_ms();
    await store.updateUnfinished(db, this.row.id, { done: this.imported_count });
    this.notify();
  }
  /** Tells open pages that the import has come further. */
  notify(): void {
    const { id, owner_id } = this.row;
    this.ctx.notify({ owner_id, kind: "folder_import", id, action: "changed" });
  }
}
