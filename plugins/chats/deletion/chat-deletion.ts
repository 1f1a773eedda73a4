/**
 * Deletes sessions: restorably for a while, and then for good. In one small transaction a session
 * becomes invisible to everyone; its rows are deleted afterwards, in parts.
 */
import { inParts } from "../../../core/lib/chunked-work";
import type { Db, JobEffect } from "../../../core/sdk";
import { requireChat, requireOpenChat } from "../access";
import { emitChat, type ChatContext } from "../context";
import * as store from "./deletion-store";
import { deleteEvents } from "../events/event-store";
import { cancelledAt } from "../events/answer-events";
import { endMessage } from "../message-store";
import { withUses, type Chat, type ChatRow } from "../store";
import { publishStatus } from "../events/waiter";

/** How many answers are cancelled with their session; the rest end before they start. */
const cancelled_max = 100;
/** The size of one part, of a purge and of an expiry. */
const messages_per_part = 20;
const events_per_part = 500;
const chats_per_part = 20;
/** How long to wait before checking again, while the clock is ahead of the certain time. */
const recheck_delay_ms = 10 * 60_000;

/**
 * Deletes the session restorably and ends its polls and streams; its messages stay, a pending
 * answer is completed, and it counts until it is purged. @throws HttpError 403, 404, 410.
 */
export const removeChat = (ctx: ChatContext, owner_id: string, chat_id: string): Promise<void> =>
  ctx.inDeletion(async (tx) => {
    const row = await requireOpenChat(ctx, tx, owner_id, chat_id);
    const now = ctx.now_ms();
    await store.setDeleted(tx, chat_id, now);
    await ctx.enqueueExpiry(tx, now + ctx.restore_ms());
    publishStatus(ctx, chat_id);
    await emitChat(ctx, tx, row, "deleted");
  });

/** Removes the session for good, deleted or not. @throws HttpError 403, 404. */
export const removeChatForGood = (
  ctx: ChatContext,
  owner_id: string,
  chat_id: string,
): Promise<void> =>
  ctx.inDeletion(async (tx) => hideForGood(ctx, tx, await requireChat(ctx, tx, owner_id, chat_id)));

/** Restores a deleted session; does nothing when it is not deleted. @throws HttpError 404, 403. */
export const restoreChat = (ctx: ChatContext, owner_id: string, chat_id: string): Promise<Chat> =>
  ctx.inTransaction(async (tx) => {
    const row = await requireChat(ctx, tx, owner_id, chat_id);
    if (row.deleted_at !== null) {
      if (row.counted === 0) {
        await ctx.quotas.charge(tx, owner_id, "chats", 1);
        await store.setCounted(tx, chat_id);
      }
      await store.setDeleted(tx, chat_id, null);
      await emitChat(ctx, tx, row, "created");
    }
    return (await withUses(tx, [row]))[0]!;
  });

/** From now on it is invisible, and its owner's quota is freed. */
async function hideForGood(ctx: ChatContext, tx: Db, row: ChatRow): Promise<void> {
  const now = ctx.now_ms();
  await store.setGone(tx, row.id, now);
  if (row.counted === 1) await ctx.quotas.charge(tx, row.owner_id, "chats", -1);
  const unfinished = await store.unfinishedMessages(tx, row.id, cancelled_max);
  for (const id of unfinished) await endMessage(tx, id, cancelledAt(now));
  await ctx.cancelJobs(tx, unfinished);
  await ctx.enqueuePurge(tx, row);
  publishStatus(ctx, row.id);
  await emitChat(ctx, tx, row, "deleted");
}

/** Runs `ExpireChats`: sessions that were not restored in time are deleted for good. */
export async function expireChats(ctx: ChatContext, signal: AbortSignal): Promise<JobEffect> {
  await inParts(
    () =>
      ctx.inDeletion(async (tx) => {
        const deleted_until = ctx.certain_now_ms() - ctx.restore_ms();
        const expired = await store.expiredChats(tx, deleted_until, chats_per_part);
        for (const row of expired) await hideForGood(ctx, tx, row);
        return expired.length > 0;
      }),
    signal,
  );
  return (tx) => enqueueNextExpiry(ctx, tx);
}

/** Deletes every session of a deleted user. */
export const removeChatsOf = (
  ctx: ChatContext,
  owner_id: string,
  signal: AbortSignal,
): Promise<void> =>
  inParts(
    () =>
      ctx.inDeletion(async (tx) => {
        const rows = await store.chatsOf(tx, owner_id, chats_per_part);
        for (const row of rows) await hideForGood(ctx, tx, row);
        return rows.length > 0;
      }),
    signal,
  );

/** For the session that expires next. */
async function enqueueNextExpiry(ctx: ChatContext, tx: Db): Promise<void> {
  const now = ctx.now_ms();
  await store.correctDeletions(tx, now);
  const deleted_at = await store.firstDeletion(tx);
  if (deleted_at === undefined) return;
  const due_at = deleted_at + ctx.restore_ms();
  const is_doubtful = due_at <= now && due_at > ctx.certain_now_ms();
  await ctx.enqueueExpiry(tx, is_doubtful ? now + recheck_delay_ms : due_at);
}

/**
 * Runs `PurgeChat`: deletes the rows of a session that is gone. Continues where it was interrupted.
 */
export async function purgeChat(
  ctx: ChatContext,
  chat_id: string,
  signal: AbortSignal,
): Promise<void> {
  await inParts(() => ctx.inDeletion((tx) => purgePart(ctx, tx, chat_id)), signal);
  ctx.truncateWal();
}

/** False after the last part. */
async function purgePart(ctx: ChatContext, tx: Db, chat_id: string): Promise<boolean> {
  const ids = await store.messageIds(tx, chat_id, messages_per_part);
  if (ids.length === 0) {
    await store.deleteChat(tx, chat_id);
    return false;
  }
  const batch = await deleteEvents(tx, ids, events_per_part);
  await ctx.cancelJobs(tx, batch);
  await store.deleteMessages(tx, batch);
  return true;
}

/**
 * Before the first job: makes sure that sessions that are gone are purged, whatever became of
 * earlier jobs, and that others expire according to the current settings.
 */
export async function resumeDeletions(ctx: ChatContext): Promise<void> {
  // Sessions that another process may be staging stay.
  const before_ms = await ctx.node.goneBefore_ms();
  const has_gone = (await store.goneChats(ctx.db, before_ms)).length > 0;
  // Most starts find none: they write nothing, and wait for no disk.
  if (!has_gone && (await store.firstDeletion(ctx.db)) === undefined) return;
  await ctx.inDeletion(async (tx) => {
    for (const chat of await store.goneChats(tx, before_ms)) await ctx.enqueuePurge(tx, chat);
    await ctx.cancelExpiry(tx);
    await enqueueNextExpiry(ctx, tx);
  });
}
