/**
 * Every SQL statement about webhooks and deliveries. The database is the first parameter, so that
 * the caller decides the transaction.
 */
import {
  countRows,
  listPage,
  pageWindow,
  type Db,
  type Listed,
  type PageRequest,
} from "../../core/sdk";

/** Secrets are sealed. Times are epoch milliseconds. */
export interface WebhookRow {
  readonly id: string;
  readonly owner_id: string;
  readonly event_type: string;
  /** As given by the caller. */
  readonly url: string;
  /** The same URL, normalised. */
  readonly href: string;
  readonly secret: string;
  /** The secret before the last rotation; it still signs until `previous_until`. */
  readonly previous_secret: string | null;
  readonly previous_until: number | null;
  /** JSON: every event that it is sent, if it was given a list; `event_type` is the first. */
  readonly events: string | null;
  readonly created_at: number;
}
/** An event that a webhook is sent besides its `event_type`. */
interface ListedEventRow extends Pick<WebhookRow, "owner_id" | "event_type" | "href"> {
  readonly webhook_id: string;
}
export type DeliveryStatus = "pending" | "delivered" | "skipped" | "dropped" | "cancelled";
export interface DeliveryRow {
  readonly id: string;
  readonly webhook_id: string;
  /** The id of the first delivery of this message; repeated deliveries share it. */
  readonly message_id: string;
  readonly event_type: string;
  readonly status: DeliveryStatus;
  /** The exact text that every attempt sends. */
  readonly request_body: string;
  /** The number of attempts begun. */
  readonly attempts: number;
  readonly next_attempt_at: number | null;
  readonly created_at: number;
}
export interface AttemptRow {
  readonly delivery_id: string;
  readonly number: number;
  readonly started_at: number;
  readonly status_code: number | null;
  readonly error: string | null;
  /** Null until it has ended. */
  readonly duration_ms: number | null;
  readonly response_body: string | null;
}
export type AttemptEnd = Pick<
  AttemptRow,
  "status_code" | "error" | "duration_ms" | "response_body"
>;
export interface WebhooksTables {
  webhooks: WebhookRow;
  webhooks_events: ListedEventRow;
  webhooks_deliveries: DeliveryRow;
  webhooks_attempts: AttemptRow;
}
type WebhooksDb = Db<WebhooksTables>;

/**
 * Includes the events that it is sent besides its `event_type`. False when the owner has a webhook
 * for one of these events and this URL.
 */
export async function insertWebhook(
  db: WebhooksDb,
  row: WebhookRow,
  others: readonly string[],
): Promise<boolean> {
  const { id: webhook_id, owner_id, href } = row;
  const types = [row.event_type, ...others];
  for (const table of ["webhooks", "webhooks_events"] as const) {
    const taken = await db
      .selectFrom(table)
      .select("event_type")
      .where("owner_id", "=", owner_id)
      .where("href", "=", href)
      .where("event_type", "in", types)
      .limit(1)
      .executeTakeFirst();
    if (taken) return false;
  }
  await db.insertInto("webhooks").values(row).execute();
  for (const event_type of others)
    await db
      .insertInto("webhooks_events")
      .values({ webhook_id, owner_id, event_type, href })
      .execute();
  return true;
}

/** Every event that webhooks are sent, and their owners; for one owner, or all. */
export const listSubscribed = (
  db: WebhooksDb,
  owner_id?: string,
): Promise<Pick<WebhookRow, "owner_id" | "event_type">[]> => {
  let registered = db.selectFrom("webhooks").select(["owner_id", "event_type"]);
  let listed = db.selectFrom("webhooks_events").select(["owner_id", "event_type"]);
  if (owner_id !== undefined) {
    registered = registered.where("owner_id", "=", owner_id);
    listed = listed.where("owner_id", "=", owner_id);
  }
  return registered.union(listed).execute();
};

/** Whether a webhook of the owner is sent this event. */
export const isSubscribed = async (
  db: WebhooksDb,
  owner_id: string,
  event_type: string,
): Promise<boolean> => {
  const of = (table: "webhooks" | "webhooks_events") =>
    db
      .selectFrom(table)
      .select("event_type")
      .where("owner_id", "=", owner_id)
      .where("event_type", "=", event_type);
  const found = of("webhooks").union(of("webhooks_events")).limit(1);
  return (await found.executeTakeFirst()) !== undefined;
};

export const findWebhook = (db: WebhooksDb, id: string): Promise<WebhookRow | undefined> =>
  db.selectFrom("webhooks").selectAll().where("id", "=", id).executeTakeFirst();

/** Newest first. */
export const listWebhooks = (db: WebhooksDb, owner_id: string): Promise<WebhookRow[]> =>
  db
    .selectFrom("webhooks")
    .selectAll()
    .where("owner_id", "=", owner_id)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();

export const countWebhooks = (db: WebhooksDb, owner_id: string): Promise<number> =>
  countRows(db.selectFrom("webhooks").where("owner_id", "=", owner_id));

/** Webhooks of the owner for this event. */
export const findListeners = (
  db: WebhooksDb,
  owner_id: string,
  event_type: string,
): Promise<{ id: string }[]> =>
  db
    .selectFrom("webhooks")
    .select("id")
    .where("owner_id", "=", owner_id)
    .where(({ eb, or, selectFrom }) =>
      or([
        eb("event_type", "=", event_type),
        eb(
          "id",
          "in",
          selectFrom("webhooks_events")
            .select("webhook_id")
            .where("owner_id", "=", owner_id)
            .where("event_type", "=", event_type),
        ),
      ]),
    )
    .orderBy("created_at")
    .orderBy("id")
    .execute();

export const setSecret = (
  db: WebhooksDb,
  id: string,
  values: Pick<WebhookRow, "secret" | "previous_secret" | "previous_until">,
): Promise<WebhookRow | undefined> =>
  db.updateTable("webhooks").set(values).where("id", "=", id).returningAll().executeTakeFirst();

/** Deletes the webhook, its deliveries and their attempts. */
export async function deleteWebhook(db: WebhooksDb, id: string): Promise<void> {
  const deliveries = db.selectFrom("webhooks_deliveries").select("id").where("webhook_id", "=", id);
  await db.deleteFrom("webhooks_attempts").where("delivery_id", "in", deliveries).execute();
  await db.deleteFrom("webhooks_deliveries").where("webhook_id", "=", id).execute();
  await db.deleteFrom("webhooks_events").where("webhook_id", "=", id).execute();
  await db.deleteFrom("webhooks").where("id", "=", id).execute();
}

/** Deletes some deliveries of a webhook, with their attempts; returns how many. */
export async function deleteSomeDeliveries(
  db: WebhooksDb,
  webhook_id: string,
  limit: number,
): Promise<number> {
  const some = await db
    .selectFrom("webhooks_deliveries")
    .select("id")
    .where("webhook_id", "=", webhook_id)
    .limit(limit)
    .execute();
  return deleteThese(
    db,
    some.map(({ id }) => id),
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
/** Those with the lowest ids after this one. */
export const listSecrets = (db: WebhooksDb, after: string, limit: number) =>
  db
    .selectFrom("webhooks")
    .select(["id", "secret"])
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
export const findNewestWebhook = (db: WebhooksDb): Promise<WebhookRow | undefined> =>
  db.selectFrom("webhooks").selectAll().orderBy("id", "desc").limit(1).executeTakeFirst();
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
export async function deleteDeliveries(
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
  return deleteThese(
    db,
    old.map(({ id }) => id),
  );
}

async function deleteThese(db: WebhooksDb, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  await db.deleteFrom("webhooks_attempts").where("delivery_id", "in", ids).execute();
  await db.deleteFrom("webhooks_deliveries").where("id", "in", ids).execute();
  return ids.length;
}
