/** The tables of webhooks, of their deliveries, and of every attempt. */
import type { Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_webhooks",
    up: async (tx) => {
      await tx.schema
        .createTable("webhooks")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("event_type", "text", (c) => c.notNull())
        .addColumn("url", "text", (c) => c.notNull())
        .addColumn("href", "text", (c) => c.notNull())
        .addColumn("secret", "text", (c) => c.notNull())
        .addColumn("previous_secret", "text")
        .addColumn("previous_until", "bigint")
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .execute();
      await tx.schema
        .createIndex("webhooks_unique")
        .on("webhooks")
        .columns(["owner_id", "event_type", "href"])
        .unique()
        .execute();

      await tx.schema
        .createTable("webhooks_deliveries")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("webhook_id", "text", (c) => c.notNull())
        .addColumn("message_id", "text", (c) => c.notNull())
        .addColumn("event_type", "text", (c) => c.notNull())
        .addColumn("status", "text", (c) => c.notNull())
        .addColumn("request_body", "text", (c) => c.notNull())
        .addColumn("attempts", "integer", (c) => c.notNull())
        .addColumn("next_attempt_at", "bigint")
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .execute();
      await tx.schema
        .createIndex("webhooks_deliveries_by_webhook")
        .on("webhooks_deliveries")
        .columns(["webhook_id", "created_at", "id"])
        .execute();
      await tx.schema
        .createIndex("webhooks_deliveries_by_age")
        .on("webhooks_deliveries")
        .columns(["created_at", "id"])
        .execute();

      await tx.schema
        .createTable("webhooks_attempts")
        .addColumn("delivery_id", "text", (c) => c.notNull())
        .addColumn("number", "integer", (c) => c.notNull())
        .addColumn("started_at", "bigint", (c) => c.notNull())
        .addColumn("status_code", "integer")
        .addColumn("error", "text")
        .addColumn("duration_ms", "integer")
        .addColumn("response_body", "text")
        .addPrimaryKeyConstraint("webhooks_attempts_key", ["delivery_id", "number"])
        .execute();
    },
  },
  // Deliveries are counted by status.
  {
    id: "0002_delivery_status",
    up: async (tx) => {
      await tx.schema
        .createIndex("webhooks_deliveries_by_status")
        .on("webhooks_deliveries")
        .column("status")
        .execute();
    },
  },
  // Events that a webhook receives besides the one that it is registered for.
  {
    id: "0003_events",
    up: async (tx) => {
      await tx.schema.alterTable("webhooks").addColumn("events", "text").execute();
      await tx.schema
        .createTable("webhooks_events")
        .addColumn("webhook_id", "text", (c) => c.notNull())
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("event_type", "text", (c) => c.notNull())
        .addColumn("href", "text", (c) => c.notNull())
        .addPrimaryKeyConstraint("webhooks_events_key", ["webhook_id", "event_type"])
        .execute();
      await tx.schema
        .createIndex("webhooks_events_unique")
        .on("webhooks_events")
        .columns(["owner_id", "event_type", "href"])
        .unique()
        .execute();
    },
  },
];
