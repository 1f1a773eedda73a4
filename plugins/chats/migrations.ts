/** The tables of chat sessions and their messages. */
import { sql, type Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_chats",
    up: async (tx) => {
      await tx.schema
        .createTable("chats")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("name", "text")
        .addColumn("message_count", "integer", (c) => c.notNull())
        .addColumn("last_message_at", "bigint")
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addColumn("updated_at", "bigint", (c) => c.notNull())
        .addColumn("deleted_at", "bigint")
        .execute();
      await tx.schema
        .createIndex("chats_live")
        .on("chats")
        .columns(["owner_id", "created_at", "id"])
        .where(sql.ref("deleted_at"), "is", null)
        .execute();
      await tx.schema
        .createIndex("chats_deleted")
        .on("chats")
        .columns(["owner_id", "created_at", "id"])
        .where(sql.ref("deleted_at"), "is not", null)
        .execute();
      for (const [table, column] of [
        ["chats_folders", "folder_id"],
        ["chats_prompts", "prompt_id"],
      ] as const) {
        await tx.schema
          .createTable(table)
          .addColumn("chat_id", "text", (c) =>
            c.notNull().references("chats.id").onDelete("cascade"),
          )
          .addColumn(column, "text", (c) => c.notNull())
          .addColumn("position", "integer", (c) => c.notNull())
          .addPrimaryKeyConstraint(`${table}_key`, ["chat_id", column])
          .execute();
        await tx.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
      }
    },
  },
  {
    id: "0002_messages",
    up: async (tx) => {
      await tx.schema
        .createTable("chats_messages")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("chat_id", "text", (c) => c.notNull().references("chats.id").onDelete("cascade"))
        .addColumn("request_id", "text", (c) => c.notNull())
        .addColumn("request_key", "text", (c) => c.notNull())
        .addColumn("text", "text", (c) => c.notNull())
        .addColumn("status", "text", (c) => c.notNull())
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addColumn("started_at", "bigint")
        .addColumn("completed_at", "bigint")
        .addColumn("result", "text")
        .addColumn("error_code", "text")
        .addColumn("error_message", "text")
        .execute();
      await tx.schema
        .createIndex("chats_messages_request")
        .on("chats_messages")
        .columns(["chat_id", "request_key"])
        .unique()
        .execute();
      await tx.schema
        .createIndex("chats_messages_newest")
        .on("chats_messages")
        .columns(["chat_id", "created_at", "id"])
        .execute();
      await tx.schema
        .createTable("chats_citations")
        .addColumn("message_id", "text", (c) =>
          c.notNull().references("chats_messages.id").onDelete("cascade"),
        )
        .addColumn("document_id", "text", (c) => c.notNull())
        .addPrimaryKeyConstraint("chats_citations_key", ["message_id", "document_id"])
        .execute();
      await tx.schema
        .createIndex("chats_citations_by_document")
        .on("chats_citations")
        .column("document_id")
        .execute();
    },
  },
  {
    id: "0003_events",
    up: async (tx) => {
      await tx.schema
        .alterTable("chats_messages")
        .addColumn("attempt", "integer", (c) => c.notNull().defaultTo(0))
        .execute();
      await tx.schema
        .alterTable("chats_messages")
        .addColumn("last_event", "integer", (c) => c.notNull().defaultTo(0))
        .execute();
      await tx.schema
        .createTable("chats_events")
        .addColumn("message_id", "text", (c) =>
          c.notNull().references("chats_messages.id").onDelete("cascade"),
        )
        .addColumn("seq", "integer", (c) => c.notNull())
        .addColumn("kind", "text", (c) => c.notNull())
        .addColumn("data", "text", (c) => c.notNull())
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addPrimaryKeyConstraint("chats_events_key", ["message_id", "seq"])
        .execute();
      await tx.schema
        .createIndex("chats_events_last")
        .on("chats_events")
        .column("created_at")
        .where(sql<boolean>`kind in ('done', 'error')`)
        .execute();
    },
  },
  {
    id: "0004_deletion",
    up: async (tx) => {
      // Gone for good: invisible, and waiting to be purged.
      await tx.schema.alterTable("chats").addColumn("gone_at", "bigint").execute();
      // Until now a deleted session did not count towards the quota, and was kept for ever.
      await tx.schema
        .alterTable("chats")
        .addColumn("counted", "integer", (c) => c.notNull().defaultTo(1))
        .execute();
      await sql`update chats set counted = 0 where deleted_at is not null`.execute(tx);
      await tx.schema
        .createIndex("chats_expiring")
        .on("chats")
        .column("deleted_at")
        .where(sql<boolean>`deleted_at is not null and gone_at is null`)
        .execute();
      await tx.schema
        .createIndex("chats_gone")
        .on("chats")
        .column("id")
        .where(sql.ref("gone_at"), "is not", null)
        .execute();
      await tx.schema
        .createIndex("chats_messages_unfinished")
        .on("chats_messages")
        .column("chat_id")
        .where(sql<boolean>`status in ('PENDING', 'PROCESSING')`)
        .execute();
    },
  },
  {
    id: "0005_list_of_deleted",
    up: async (tx) => {
      // The list of restorable sessions reads no more rows than it shows.
      await tx.schema.dropIndex("chats_deleted").execute();
      await tx.schema
        .createIndex("chats_deleted")
        .on("chats")
        .columns(["owner_id", "created_at", "id", "deleted_at"])
        .where(sql<boolean>`deleted_at is not null and gone_at is null`)
        .execute();
    },
  },
  {
    id: "0006_pins_and_feedback",
    up: async (tx) => {
      for (const column of ["pinned", "all_folders"])
        await tx.schema
          .alterTable("chats")
          .addColumn(column, "integer", (c) => c.notNull().defaultTo(0))
          .execute();
      await tx.schema
        .createIndex("chats_pinned")
        .on("chats")
        .columns(["owner_id", "pinned", "created_at", "id"])
        .where(sql.ref("deleted_at"), "is", null)
        .execute();
      // It is deleted with its message.
      await tx.schema
        .createTable("chats_feedback")
        .addColumn("message_id", "text", (c) =>
          c.primaryKey().references("chats_messages.id").onDelete("cascade"),
        )
        .addColumn("owner_id", "text", (c) => c.notNull())
        .addColumn("rating", "text", (c) => c.notNull())
        .addColumn("note", "text")
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addColumn("updated_at", "bigint", (c) => c.notNull())
        .execute();
      await tx.schema
        .createIndex("chats_feedback_of_owner")
        .on("chats_feedback")
        .columns(["owner_id", "created_at", "message_id"])
        .execute();
      await tx.schema
        .createIndex("chats_feedback_newest")
        .on("chats_feedback")
        .columns(["created_at", "message_id"])
        .execute();
    },
  },
];
