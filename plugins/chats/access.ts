/** The access checks for sessions with which every call begins. */
import { HttpError, notFound, requireOwned, type Db } from "../../core/sdk";
import type { ChatContext } from "./context";
import { findChat, type ChatRow } from "./store";

type AccessContext = Pick<ChatContext, "now_ms" | "restore_ms">;

/** Sessions deleted at or before this time can't be restored any more. */
export const restorableAfter = ({ now_ms, restore_ms }: AccessContext): number =>
  now_ms() - restore_ms();

/** Includes deleted ones. @throws HttpError 404, or 403 when it is another user's. */
export async function requireChat(
  ctx: AccessContext,
  db: Db,
  owner_id: string,
  chat_id: string,
): Promise<ChatRow> {
  const row = requireOwned(await findChat(db, chat_id), owner_id, "chat session");
  if (row.deleted_at !== null && row.deleted_at <= restorableAfter(ctx))
    throw notFound("chat session");
  return row;
}

/** @throws HttpError 404, 403, or 410 when it is deleted. */
export async function requireOpenChat(
  ctx: AccessContext,
  db: Db,
  owner_id: string,
  chat_id: string,
): Promise<ChatRow> {
  const row = await requireChat(ctx, db, owner_id, chat_id);
  if (row.deleted_at !== null)
    throw new HttpError(
      410,
      "gone",
      "This chat session has expired: it was deleted. " +
        `POST /api/dev/v1/chats/${chat_id}/restore brings it back.`,
    );
  return row;
}
