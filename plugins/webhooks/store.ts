/**
 * The tables of this plugin, and every SQL statement about webhooks. The database is the first
 * parameter, so that the caller decides the transaction.
 */
import { countRows, type Db } from "../../core/sdk";

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

/** The state of a delivery; all but `pending` are final. */
export type DeliveryStatus = "pending" | "delivered" | "skipped" | "dropped" | "cancelled";

/** A delivery. Times are in epoch ms. */
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

/** An attempt. `started_at` is in epoch ms. */
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

export interface WebhooksTables {
  webhooks: WebhookRow;
  webhooks_events: ListedEventRow;
  webhooks_deliveries: DeliveryRow;
  webhooks_attempts: AttemptRow;
}

export type WebhooksDb = Db<WebhooksTables>;

/** Whether the owner has a webhook for one of these events and this URL. */
export async function isRegistered(
  db: WebhooksDb,
  { owner_id, href }: Pick<WebhookRow, "owner_id" | "href">,
  types: readonly string[],
): Promise<boolean> {
  for (const table of ["webhooks", "webhooks_events"] as const) {
    const taken = await db
      .selectFrom(table)
      .select("event_type")
      .where("owner_id", "=", owner_id)
      .where("href", "=", href)
      .where("event_type", "in", types)
      .limit(1)
      .executeTakeFirst();
    if (taken) return true;
  }
  return false;
}

/** Includes the events that it is sent besides its `event_type`. */
export async function insertWebhook(
  db: WebhooksDb,
  row: WebhookRow,
  other_events: readonly string[],
): Promise<void> {
  const { id: webhook_id, owner_id, href } = row;
  await db.insertInto("webhooks").values(row).execute();
  for (const event_type of other_events)
    await db
      .insertInto("webhooks_events")
      .values({ webhook_id, owner_id, event_type, href })
      .execute();
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
  const eventsIn = (table: "webhooks" | "webhooks_events") =>
    db
      .selectFrom(table)
      .select("event_type")
      .where("owner_id", "=", owner_id)
      .where("event_type", "=", event_type);
  const subscribed = eventsIn("webhooks").union(eventsIn("webhooks_events")).limit(1);
  return (await subscribed.executeTakeFirst()) !== undefined;
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

/** Sets the secret and the one before, with the time until that is used. Returns the webhook. */
export const setSecret = (
  db: WebhooksDb,
  id: string,
  values: Pick<WebhookRow, "secret" | "previous_secret" | "previous_until">,
): Promise<WebhookRow | undefined> =>
  db.updateTable("webhooks").set(values).where("id", "=", id).returningAll().executeTakeFirst();

/** Deletes the webhook; its deliveries are left. */
export async function deleteWebhook(db: WebhooksDb, id: string): Promise<void> {
  await db.deleteFrom("webhooks_events").where("webhook_id", "=", id).execute();
  await db.deleteFrom("webhooks").where("id", "=", id).execute();
}

/** Those with the lowest ids after this one. */
export const listSecrets = (db: WebhooksDb, after: string, limit: number) =>
  db
    .selectFrom("webhooks")
    .select(["id", "secret"])
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();

/** The webhook that was created last, whoever owns it. */
export const findNewestWebhook = (db: WebhooksDb): Promise<WebhookRow | undefined> =>
  db.selectFrom("webhooks").selectAll().orderBy("id", "desc").limit(1).executeTakeFirst();
