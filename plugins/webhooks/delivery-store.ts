/**
 * Every SQL statement about deliveries and their attempts. The database is the first parameter, so
 * that the caller decides the transaction.
 */
import { listPage, pageWindow, type Listed, type PageRequest } from "../../core/sdk";
import type { AttemptRow, DeliveryRow, WebhooksDb } from "./store";

/** The columns that the end of an attempt sets. */
export type AttemptEnd = Pick<
  AttemptRow,
  "status_code" | "error" | "duration_ms" | "response_body"
>;

/** Deletes at most `limit` deliveries of a webhook, with their attempts; returns how many. */
export async function deleteDeliveriesOf(
  db: WebhooksDb,
  webhook_id: string,
  limit: number,
): Promise<number> {
  const batch = await db
    .selectFrom("webhooks_deliveries")
    .select("id")
    .where("webhook_id", "=", webhook_id)
    .limit(limit)
    .execute();
  return deleteByIds(
    db,
    batch.map(({ id }) => id),
  );
}

export const insertDelivery = async (db: WebhooksDb, row: DeliveryRow): Promise<void> => {
  await db.insertInto("webhooks_deliveries").values(row).execute();
};

export const findDelivery = (db: WebhooksDb, id: string): Promise<DeliveryRow | undefined> =>
  db.selectFrom("webhooks_deliveries").selectAll().where("id", "=", id).executeTakeFirst();

/** The oldest unfinished ones. */
export const listPending = (db: WebhooksDb, limit: number) =>
  db
    .selectFrom("webhooks_deliveries")
    .select(["id", "webhook_id", "attempts"])
    .where("status", "=", "pending")
    .orderBy("id")
    .limit(limit)
    .execute();

/** The newest delivery of a webhook. */
export const findLastDelivery = (
  db: WebhooksDb,
  webhook_id: string,
): Promise<DeliveryRow | undefined> =>
  db
    .selectFrom("webhooks_deliveries")
    .selectAll()
    .where("webhook_id", "=", webhook_id)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();

/** One page, newest first, and the total number of the webhook's deliveries. */
export async function listDeliveries(
  db: WebhooksDb,
  webhook_id: string,
  page: PageRequest,
): Promise<Listed<DeliveryRow>> {
  const all = db.selectFrom("webhooks_deliveries").where("webhook_id", "=", webhook_id);
  return listPage(all.selectAll(), pageWindow(page));
}

export const updateDelivery = async (
  db: WebhooksDb,
  id: string,
  values: Partial<Pick<DeliveryRow, "status" | "attempts" | "next_attempt_at">>,
): Promise<void> => {
  await db.updateTable("webhooks_deliveries").set(values).where("id", "=", id).execute();
};

/** Records that an attempt has begun, epoch ms. Attempts are numbered from 1. */
export const insertAttempt = async (
  db: WebhooksDb,
  delivery_id: string,
  number: number,
  started_at: number,
): Promise<void> => {
  await db
    .insertInto("webhooks_attempts")
    .values({
      delivery_id,
      number,
      started_at,
      status_code: null,
      error: null,
      duration_ms: null,
      response_body: null,
    })
    .execute();
};

export const findAttempt = (
  db: WebhooksDb,
  delivery_id: string,
  number: number,
): Promise<AttemptRow | undefined> =>
  db
    .selectFrom("webhooks_attempts")
    .selectAll()
    .where("delivery_id", "=", delivery_id)
    .where("number", "=", number)
    .executeTakeFirst();

export const endAttempt = async (
  db: WebhooksDb,
  delivery_id: string,
  number: number,
  end: AttemptEnd,
): Promise<void> => {
  await db
    .updateTable("webhooks_attempts")
    .set(end)
    .where("delivery_id", "=", delivery_id)
    .where("number", "=", number)
    .execute();
};

/** In order. */
export const listAttempts = async (
  db: WebhooksDb,
  delivery_ids: readonly string[],
): Promise<AttemptRow[]> =>
  delivery_ids.length === 0
    ? []
    : db
        .selectFrom("webhooks_attempts")
        .selectAll()
        .where("delivery_id", "in", delivery_ids)
        .orderBy("delivery_id")
        .orderBy("number")
        .execute();

/**
 * Deletes at most `limit` finished deliveries created before `before` (epoch ms); returns how many.
 */
export async function deleteOldDeliveries(
  db: WebhooksDb,
  before: number,
  limit: number,
): Promise<number> {
  const old = await db
    .selectFrom("webhooks_deliveries")
    .select("id")
    .where("created_at", "<", before)
    .where("status", "!=", "pending")
    .orderBy("created_at")
    .limit(limit)
    .execute();
  return deleteByIds(
    db,
    old.map(({ id }) => id),
  );
}

async function deleteByIds(db: WebhooksDb, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  await db.deleteFrom("webhooks_attempts").where("delivery_id", "in", ids).execute();
  await db.deleteFrom("webhooks_deliveries").where("id", "in", ids).execute();
  return ids.length;
}
