/**
 * Sessions that are deleted: back again for a while, and then for good. What is gone for good is
 * gone for everyone at once, in one small transaction; its rows go after it, in parts.
 */
import { inParts } from "../../core/lib/parts";
import type { Db, JobEffect } from "../../core/sdk";
import { requireChat, requireOpenChat } from "./access";
import { tellOfChat, type ChatContext } from "./context";
import * as store from "./deletion-store";
import { deleteEvents } from "./event-store";
import { cancelledAt } from "./events";
import { endMessage, withUses, type Chat, type ChatRow } from "./store";
import { publishStatus } from "./waiter";

/** Answers of a session that are ended as it goes; those that are left end before they begin. */
const ended_at_once = 100;
/** One part of a purge, and of what expires. */
const messages_each = 20;
const events_each = 500;
const expired_each = 20;
/** While the clock is ahead of the time that has certainly come, so long until the next look. */
const doubt_pause_ms = 10 * 60_000;

/**
 * Takes the session out of use and ends its polls and streams; its messages stay, an answer that is
 * being made is finished, and it counts until it is purged.
 * @throws HttpError 403, 404, 410.
 */
export const removeChat = (ctx: ChatContext, owner_id: string, chat_id: string): Promise<void> =>
  ctx.inDeletion(async (tx) => {
    const row = await requireOpenChat(ctx, tx, owner_id, chat_id);
    const now = ctx.now_ms();
    await store.setDeleted(tx, chat_id, now);
    await ctx.enqueueExpiry(tx, now + ctx.restore_ms());
    publishStatus(ctx, chat_id);
    await tellOfChat(ctx, tx, row, "deleted");
  });

/** Removes the session for good, deleted or not. @throws HttpError 403, 404. */
export const removeChatForGood = (
  ctx: ChatContext,
  owner_id: string,
  chat_id: string,
): Promise<void> =>
  ctx.inDeletion(async (tx) => hideForGood(ctx, tx, await requireChat(ctx, tx, owner_id, chat_id)));

/**
 * Brings a deleted session back; one that is not deleted stays as it is.
 * @throws HttpError 404, 403.
 */
export const restoreChat = (ctx: ChatContext, owner_id: string, chat_id: string): Promise<Chat> =>
  ctx.inTransaction(async (tx) => {
    const row = await requireChat(ctx, tx, owner_id, chat_id);
    if (row.deleted_at !== null) {
      if (row.counted === 0) {
        await ctx.quotas.charge(tx, owner_id, "chats", 1);
        await store.setCounted(tx, chat_id);
      }
      await store.setDeleted(tx, chat_id, null);
      await tellOfChat(ctx, tx, row, "created");
    }
    return (await withUses(tx, [row]))[0]!;
  });

/** From now on nobody finds it, and its owner has its place back. */
async function hideForGood(ctx: ChatContext, tx: Db, row: ChatRow): Promise<void> {
  const now = ctx.now_ms();
  await store.setGone(tx, row.id, now);
  if (row.counted === 1) await ctx.quotas.charge(tx, row.owner_id, "chats", -1);
  const unfinished = await store.unfinishedMessages(tx, row.id, ended_at_once);
  for (const id of unfinished) await endMessage(tx, id, cancelledAt(now));
  await ctx.cancelJobs(tx, unfinished);
  await ctx.enqueuePurge(tx, row);
  publishStatus(ctx, row.id);
  await tellOfChat(ctx, tx, row, "deleted");
}

/** Runs `ExpireChats`: what was not restored in time goes for good. */
export async function expireChats(ctx: ChatContext, signal: AbortSignal): Promise<JobEffect> {
  await inParts(
    () =>
      ctx.inDeletion(async (tx) => {
        const deleted_until = ctx.certain_now_ms() - ctx.restore_ms();
        const expired = await store.expiredChats(tx, deleted_until, expired_each);
        for (const row of expired) await hideForGood(ctx, tx, row);
        return expired.length > 0;
      }),
    signal,
  );
  return (tx) => enqueueNextExpiry(ctx, tx);
}

/** Every session of a user who is gone. */
export const removeChatsOf = (
  ctx: ChatContext,
  owner_id: string,
  signal: AbortSignal,
): Promise<void> =>
  inParts(
    () =>
      ctx.inDeletion(async (tx) => {
        const rows = await store.chatsOf(tx, owner_id, expired_each);
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
  await ctx.enqueueExpiry(tx, is_doubtful ? now + doubt_pause_ms : due_at);
}

/** Runs `PurgeChat`: deletes the rows of a session that is gone. Goes on where it was cut off. */
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
  const ids = await store.someMessages(tx, chat_id, messages_each);
  if (ids.length === 0) {
    await store.deleteChat(tx, chat_id);
    return false;
  }
  const some = await deleteEvents(tx, ids, events_each);
  await ctx.cancelJobs(tx, some);
  await store.deleteMessages(tx, some);
  return true;
}

/**
 * Before the first job: what is gone has its purge, whatever became of an earlier one, and what
 * expires has its time, as the settings are now.
 */
export async function resumeDeletions(ctx: ChatContext): Promise<void> {
  // What another process may be staging stays.
  const before_ms = await ctx.node.goneBefore_ms();
  await ctx.inDeletion(async (tx) => {
    for (const gone of await store.goneChats(tx, before_ms)) await ctx.enqueuePurge(tx, gone);
    await ctx.cancelExpiry(tx);
    await enqueueNextExpiry(ctx, tx);
  });
}
