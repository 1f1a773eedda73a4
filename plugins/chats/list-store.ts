/** Lists of sessions: one page of all, of pinned ones, or of those that contain some words. */
import { nextTurn } from "../../core/lib/chunked-work";
import { listPage, pageWindow, sql, type Listed, type PageRequest } from "../../core/sdk";
import type { ChatRow, ChatsDb } from "./store";

/** Which sessions a list contains. */
export interface ChatFilter {
  /** Sessions deleted after this time, instead of live ones; epoch ms. */
  readonly deleted_after: number | null;
  /** Pinned ones, or those that are not. */
  readonly pinned?: boolean | undefined;
  /** In the name or in a question, ignoring case. */
  readonly words?: string | undefined;
}

/** One page of the owner's sessions, newest first, and their number. */
export function listChats(
  db: ChatsDb,
  owner_id: string,
  filter: ChatFilter,
  page: PageRequest,
): Promise<Listed<ChatRow>> {
  const rows = filtered(db, owner_id, filter).selectAll();
  const words = folded(filter.words ?? "").trim();
  return words === "" ? listPage(rows, pageWindow(page)) : listMatching(db, rows, words, page);
}

function filtered(db: ChatsDb, owner_id: string, { deleted_after, pinned }: ChatFilter) {
  const of_owner = db.selectFrom("chats").where("owner_id", "=", owner_id);
  const listed =
    deleted_after === null
      ? of_owner.where("deleted_at", "is", null)
      : of_owner
          .where("deleted_at", "is not", null)
          .where("deleted_at", ">", deleted_after)
          .where("gone_at", "is", null);
  return pinned === undefined ? listed : listed.where("pinned", "=", pinned ? 1 : 0);
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase();

/**
 * The number of sessions, with all their questions, that are searched before yielding to the event
 * loop.
 */
const chats_at_once = 100;

/** No index finds a part of a text: every name and question is searched, a part at a time. */
async function listMatching(
  db: ChatsDb,
  rows: ReturnType<ReturnType<typeof filtered>["selectAll"]>,
  words: string,
  page: PageRequest,
): Promise<Listed<ChatRow>> {
  const ordered = rows.orderBy("created_at", "desc").orderBy("id", "desc").limit(chats_at_once);
  const matching_rows: ChatRow[] = [];
  for (let part = ordered; ;) {
    const chats = await part.execute();
    const named_ids = new Set(
      chats.filter(({ name }) => folded(name ?? "").includes(words)).map(({ id }) => id),
    );
    const asking_ids = await chatsWithQuestion(
      db,
      chats.filter(({ id }) => !named_ids.has(id)).map(({ id }) => id),
      words,
    );
    matching_rows.push(...chats.filter(({ id }) => named_ids.has(id) || asking_ids.has(id)));
    const last = chats.at(-1);
    if (chats.length < chats_at_once || !last) break;
    part = ordered.where(sql<boolean>`(created_at, id) < (${last.created_at}, ${last.id})`);
    await nextTurn();
  }
  const { offset, limit } = pageWindow(page);
  return { rows: matching_rows.slice(offset, offset + limit), total: matching_rows.length };
}

async function chatsWithQuestion(
  db: ChatsDb,
  ids: readonly string[],
  words: string,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const questions = await db
    .selectFrom("chats_messages")
    .select(["chat_id", "text"])
    .where("chat_id", "in", ids)
    .execute();
  return new Set(
    questions.filter(({ text }) => folded(text).includes(words)).map(({ chat_id }) => chat_id),
  );
}
