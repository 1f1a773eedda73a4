/**
 * Imports a validated archive: everything is written where nobody sees it, and made visible by one
 * small transaction at the end. Nothing is extracted or embedded again.
 */
import { nextTurn } from "../../core/lib/chunked-work";
import type { FolderCopy } from "../folders/contract";
import type { PromptCopy } from "../prompts/contract";
import { readEntries } from "./archive";
import { ChatImporter } from "./chat-importer";
import { DocumentImporter } from "./document-importer";
import { ImportRun, type ImporterContext } from "./import-run";
import { folders_part, prompts_part } from "./layout";
import * as store from "./store";
import type { ImportRow } from "./store";

/** Imports one archive. */
export class FolderImporter {
  private readonly new_prompts: PromptCopy[] = [];

  private constructor(private readonly run: ImportRun) {}

  /** `left_out`: names of parts that no record refers to. */
  static async open(
    ctx: ImporterContext,
    row: ImportRow,
    path: string,
    left_out: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<FolderImporter> {
    const entries = await readEntries(path);
    const needed = new Map([...entries].filter(([name]) => !left_out.has(name)));
    return new FolderImporter(new ImportRun(ctx, row, path, needed, signal));
  }

  /** Writes everything without making it visible. @throws HttpError 507 */
  async stage(): Promise<void> {
    const { run } = this;
    await this.stageFolders();
    await this.choosePrompts();
    const documents = new DocumentImporter(run);
    for (const name of run.names("document")) {
      await this.turn();
      await documents.importPart(name);
      await run.progress();
    }
    const chats = new ChatImporter(run, documents.texts);
    for (const name of run.names("chat")) {
      await this.turn();
      await chats.importPart(name);
    }
  }

  /** Makes everything visible in one transaction. @throws HttpError 403 when a quota is reached. */
  async reveal(): Promise<void> {
    const { chats, folders, inTransaction, now_ms, prompts, quotas } = this.run.ctx;
    const { ids, owner_id, root_id, row } = this.run;
    const folder_ids = [...ids.folder.values()];
    await inTransaction(async (tx) => {
      for (const prompt of this.new_prompts) await prompts.insertCopy(tx, owner_id, prompt);
      for (const source_id of ids.prompt.keys()) await this.run.keepRecord(tx, "prompt", source_id);
      await folders.reveal(tx, owner_id, folder_ids);
      const { documents, bytes: storage } = await folders.sumHeld(tx, folder_ids);
      await quotas.chargeAll(tx, owner_id, { documents, storage });
      await chats.reveal(tx, owner_id, [...ids.chat.values()]);
      const values = {
        status: "completed",
        folder_id: root_id,
        done: row.total,
        // From now on it belongs to the folder and is deleted with it.
        name: null,
        finished_at: now_ms(),
      } as const;
      if (!(await store.updateUnfinished(tx, row.id, values)))
        throw new Error("the import has ended already");
      await this.run.ctx.enqueueAnnouncing(tx, row, "");
      this.run.notify();
    });
  }

  /** Documents that still have to be read. */
  get unread(): readonly string[] {
    return this.run.unread;
  }

  /** Deletes what was staged, in the background. */
  async abandon(): Promise<void> {
    const { chats, folders, inDeletion } = this.run.ctx;
    const { ids, owner_id } = this.run;
    if (ids.folder.size === 0) return;
    await inDeletion(async (tx) => {
      await chats.abandon(tx, owner_id, [...ids.chat.values()]);
      await folders.abandon(tx, owner_id, this.run.root_id);
    });
  }

  /** Yields to other work between parts. @throws the reason of the signal */
  private async turn(): Promise<void> {
    await nextTurn();
    this.run.signal.throwIfAborted();
  }

  private async stageFolders(): Promise<void> {
    const { db, folders, inTransaction, now_ms } = this.run.ctx;
    const { ids, owner_id, row, signal } = this.run;
    const now = now_ms();
    let staged: Parameters<typeof folders.stage>[2][number][] = [];
    const write = () =>
      inTransaction(async (tx) => {
        await folders.stage(tx, owner_id, staged);
        for (const [source_id, id] of ids.folder)
          if (staged.some((folder) => folder.id === id))
            await this.run.keepRecord(tx, "folder", source_id);
        staged = [];
      });
    for await (const { value } of this.run.lines(folders_part)) {
      const folder = value as FolderCopy;
      const is_root = ids.folder.size === 0;
      const name = !is_root
        ? folder.name
        : (row.name ?? (await folders.freeName(db, owner_id, folder.name)));
      const id = this.run.newId("folder", folder.id);
      const parent_id = is_root ? null : this.run.root_id;
      const { description } = folder;
      const admitted = await folders.admit({ owner_id, name, description, parent_id }, signal);
      staged.push({ ...folder, id, name, parent_id, admitted, created_at: now, updated_at: now });
      if (staged.length === folders_at_once) await write();
    }
    await write();
  }

  /** Prompts that the user has already are reused; the others are created with the rest. */
  private async choosePrompts(): Promise<void> {
    const { db, now_ms, prompts } = this.run.ctx;
    const { ids, owner_id } = this.run;
    const now = now_ms();
    for await (const { value } of this.run.lines(prompts_part)) {
      const prompt = value as PromptCopy;
      const existing_id = await prompts.findSame(db, owner_id, prompt);
      if (existing_id !== undefined) ids.prompt.set(prompt.id, existing_id);
      else
        this.new_prompts.push({
          ...prompt,
          id: this.run.newId("prompt", prompt.id),
          created_at: Math.min(prompt.created_at, now),
          updated_at: Math.min(prompt.updated_at, now),
        });
    }
  }
}
/** Rows per transaction. */
const folders_at_once = 100;
