/** The rules about chat sessions. Knows nothing of HTTP requests and writes no SQL. */
import {
  checkedName,
  forbidden,
  gone,
  isBlank,
  notFound,
  type Change,
  type Db,
  type PageRequest,
} from "../../core/sdk";
import type { Folders } from "../folders/contract";
import type { Prompts } from "../prompts/contract";
import * as store from "./store";
import type { Chat, ChatRow } from "./store";

export const folders_max = 200;
export const prompts_max = 20;

/** Absent fields stay as they are on a change; null clears. */
export interface ChatInput {
  readonly name?: string | null | undefined;
  readonly usedFolders?: readonly string[] | null | undefined;
  readonly usedPrompts?: readonly string[] | null | undefined;
}
export interface ChatParts {
  readonly db: Db<store.ChatsTables>;
  readonly inTransaction: <R>(work: (tx: Db) => Promise<R>) => Promise<R>;
  readonly afterCommit: (work: () => void) => void;
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  readonly folders: Folders;
  readonly prompts: Prompts;
  /** Counts sessions against the owner's quota. @throws HttpError 403 */
  readonly charge: (tx: Db, owner_id: string, chats: number) => Promise<void>;
  /** Tells polls and watchers that the session was deleted. */
  readonly tell: (chat_id: string) => void;
  readonly notify: (change: Change) => void;
}

export function createChats({
  db,
  inTransaction,
  afterCommit,
  now_ms,
  newId,
  folders,
  prompts,
  charge,
  tell,
  notify,
}: ChatParts) {
  const changedTo = (owner_id: string, id: string, action: Change["action"]): void =>
    notify({ owner_id, kind: "chat", id, action });
  /** Deleted or not. @throws HttpError 404, or 403 when it is another user's. */
  const requireRow = async (from: Db, owner_id: string, chat_id: string): Promise<ChatRow> => {
    const row = await store.findChat(from, chat_id);
    if (!row) throw notFound("chat session");
    if (row.owner_id !== owner_id) throw forbidden("This chat session belongs to another user.");
    return row;
  };

  /** @throws HttpError 404, 403, or 410 when it is deleted. */
  const requireOpen = async (from: Db, owner_id: string, chat_id: string): Promise<ChatRow> => {
    const row = await requireRow(from, owner_id, chat_id);
    if (row.deleted_at !== null)
      throw gone(
        `This chat session has expired: it was deleted. POST /api/dev/v1/chats/${chat_id}/restore brings it back.`,
      );
    return row;
  };

  const whole = async (from: Db, row: ChatRow): Promise<Chat> =>
    (await store.withUses(from, [row]))[0]!;

  /** Replaces what is given. @throws HttpError 404 or 403 on a folder or prompt. */
  async function setUses(
    tx: Db,
    owner_id: string,
    chat_id: string,
    { usedFolders, usedPrompts }: ChatInput,
  ): Promise<void> {
    const folder_ids = usedFolders && unique(usedFolders);
    const prompt_ids = usedPrompts && unique(usedPrompts);
    if (folder_ids?.length) await folders.scope(tx, owner_id, folder_ids, "/usedFolders");
    if (prompt_ids?.length) await prompts.require(tx, owner_id, prompt_ids, "/usedPrompts");
    if (folder_ids !== undefined) await store.replaceFolders(tx, chat_id, folder_ids ?? []);
    if (prompt_ids !== undefined) await store.replacePrompts(tx, chat_id, prompt_ids ?? []);
  }

  return {
    requireOpen,

    /** Live sessions, or the deleted ones that can be restored. */
    async list(
      owner_id: string,
      deleted: boolean,
      page: PageRequest,
    ): Promise<{ chats: Chat[]; total: number }> {
      const { rows, total } = await store.listChats(db, owner_id, deleted, page);
      return { chats: await store.withUses(db, rows), total };
    },

    get: async (owner_id: string, chat_id: string): Promise<Chat> =>
      whole(db, await requireOpen(db, owner_id, chat_id)),

    /**
     * @throws HttpError 400 on a name that is too long, 404 or 403 on a folder or prompt, 403 when
     * the quota is reached.
     */
    async create(owner_id: string, input: ChatInput): Promise<Chat> {
      const now = now_ms();
      const row: ChatRow = {
        id: newId("chs"),
        owner_id,
        name: nameOf(input.name),
        message_count: 0,
        last_message_at: null,
        created_at: now,
        updated_at: now,
        deleted_at: null,
      };
      return inTransaction(async (tx) => {
        await charge(tx, owner_id, 1);
        await store.insertChat(tx, row);
        await setUses(tx, owner_id, row.id, input);
        changedTo(owner_id, row.id, "created");
        return whole(tx, row);
      });
    },

    /**
     * Replaces the fields that are given. @throws HttpError 400, 403, 404, or 410 when it is
     * deleted.
     */
    async change(owner_id: string, chat_id: string, input: ChatInput): Promise<Chat> {
      const values = input.name === undefined ? {} : { name: nameOf(input.name) };
      return inTransaction(async (tx) => {
        const before = await requireOpen(tx, owner_id, chat_id);
        if (
          input.name === undefined &&
          input.usedFolders === undefined &&
          input.usedPrompts === undefined
        )
          return whole(tx, before);
        const updated_at = now_ms();
        await setUses(tx, owner_id, chat_id, input);
        await store.updateChat(tx, chat_id, values, updated_at);
        changedTo(owner_id, chat_id, "changed");
        return whole(tx, { ...before, ...values, updated_at });
      });
    },

    /**
     * Takes the session out of use, and nobody waits or watches any more; its messages stay and an
     * answer in work is finished. @throws HttpError 403, 404, 410.
     */
    remove: (owner_id: string, chat_id: string): Promise<void> =>
      inTransaction(async (tx) => {
        await requireOpen(tx, owner_id, chat_id);
        await store.setDeleted(tx, chat_id, now_ms());
        await charge(tx, owner_id, -1);
        afterCommit(() => tell(chat_id));
        changedTo(owner_id, chat_id, "deleted");
      }),

    /**
     * Brings a deleted session back; one that is not deleted stays as it is. @throws HttpError 404,
     * or 403 also when the quota is reached.
     */
    restore: (owner_id: string, chat_id: string): Promise<Chat> =>
      inTransaction(async (tx) => {
        const row = await requireRow(tx, owner_id, chat_id);
        if (row.deleted_at !== null) {
          await charge(tx, owner_id, 1);
          await store.setDeleted(tx, chat_id, null);
          changedTo(owner_id, chat_id, "created");
        }
        return whole(tx, row);
      }),
  };
}
export type ChatService = ReturnType<typeof createChats>;

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** A session need not have a name: null and a blank one mean none. */
const nameOf = (name: string | null | undefined): string | null =>
  name === undefined || name === null || isBlank(name) ? null : checkedName(name, "/name");
