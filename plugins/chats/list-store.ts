/** Lists of sessions: one page of all, of pinned ones, or of those that contain some words. */
import { StepPauses } from "../../core/lib/chunked-work";
import { FairLimiter } from "../../core/lib/limiter";
import {
  listPage,
  pageWindow,
  sql,
  toNumber,
  type Context,
  type Listed,
  type PageRequest,
  type PreparedReads,
} from "../../core/sdk";
import type { ChatRow, ChatsDb, MessageRow } from "./store";

type ListContext = Pick<Context, "db" | "reads">;

/** Which sessions a list contains. */
export interface ChatFilter {
  /** Sessions deleted after this time, instead of live ones; epoch ms. */
  readonly deleted_after: number | null;
  /** Pinned ones, or those that are not. */
  readonly pinned?: boolean | undefined;
  /** In the name or in a question, ignoring case. */
  readonly words?: string | undefined;
}

/** Lists of sessions. */
export class ChatLists {
  /** Searches read every question: one per owner at a time. */
  private readonly limiter = new FairLimiter({ concurrency: 2 });

  constructor(private readonly ctx: ListContext) {}

  /** One page of the owner's sessions, newest first, and their number. */
  list(
    owner_id: string,
    filter: ChatFilter,
    page: PageRequest,
    signal: AbortSignal,
  ): Promise<Listed<ChatRow>> {
    const rows = filtered(this.ctx.db, owner_id, filter).selectAll();
    const words = folded(filter.words ?? "").trim();
    if (words === "") return listPage(rows, pageWindow(page));
    return this.limiter.run(owner_id, signal, () =>
      listMatching(this.ctx, rows, { words, page, signal }),
    );
  }
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

/** The number of sessions read at a time. */
const chats_at_once = 100;
/** The number of questions read at a time, each of which may be long. */
const questions_at_once = 16;

interface Search {
  readonly words: string;
  readonly page: PageRequest;
  readonly signal: AbortSignal;
}

/** No index finds a part of a text: every name and question is searched, a few at a time. */
async function listMatching(
  { reads }: ListContext,
  rows: ReturnType<ReturnType<typeof filtered>["selectAll"]>,
  { words, page, signal }: Search,
): Promise<Listed<ChatRow>> {
  const { offset, limit } = pageWindow(page);
  const ordered = rows.orderBy("created_at", "desc").orderBy("id", "desc").limit(chats_at_once);
  const page_rows: ChatRow[] = [];
  let total = 0;
  const pauses = new StepPauses();
  const asks = async ({ id, message_count }: ChatRow): Promise<boolean> => {
    if (toNumber(message_count) === 0) return false;
    for await (const texts of questionsOf(reads, id)) {
      if (texts.some((text) => folded(text).includes(words))) return true;
      await pauses.pause();
      signal.throwIfAborted();
    }
    return false;
  };
  for (let part = ordered; ;) {
    const chats = await part.execute();
    for (const chat of chats) {
      await pauses.pause();
      if (!folded(chat.name ?? "").includes(words) && !(await asks(chat))) continue;
      if (total >= offset && page_rows.length < limit) page_rows.push(chat);
      total++;
    }
    const last = chats.at(-1);
    if (chats.length < chats_at_once || !last) break;
    part = ordered.where(sql<boolean>`(created_at, id) < (${last.created_at}, ${last.id})`);
  }
  return { rows: page_rows, total };
}

const questions_sql =
  "select created_at, id, text from chats_messages " +
  "where chat_id = ? and (created_at, id) > (?, ?) " +
  `order by created_at, id limit ${questions_at_once}`;
/** The questions of a session, oldest first, a few at a time. */
async function* questionsOf(
  reads: PreparedReads,
  chat_id: string,
): AsyncGenerator<readonly string[], void> {
  let after: Pick<MessageRow, "created_at" | "id"> = { created_at: -1, id: "" };
  for (;;) {
    const questions = await reads.all<Pick<MessageRow, "created_at" | "id" | "text">>(
      questions_sql,
      chat_id,
      after.created_at,
      after.id,
    );
    yield questions.map(({ text }) => text);
    const last = questions.at(-1);
    if (questions.length < questions_at_once || !last) return;
    after = last;
  }
}
