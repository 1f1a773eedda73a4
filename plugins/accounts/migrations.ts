/**
 * The tables of users, their identities elsewhere, keys, sessions and one-time links. Tokens and
 * passwords are stored only as hashes.
 */
import { sql, type Migration } from "../../core/sdk";

export const migrations: readonly Migration[] = [
  {
    id: "0001_accounts",
    up: async (tx) => {
      await tx.schema
        .createTable("accounts_users")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("email", "text", (c) => c.notNull())
        .addColumn("email_folded", "text", (c) => c.notNull())
        .addColumn("role", "text", (c) => c.notNull())
        .addColumn("password_hash", "text", (c) => c.notNull())
        .addColumn("active", "integer", (c) => c.notNull())
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .execute();
      await tx.schema
        .createIndex("accounts_users_email")
        .on("accounts_users")
        .column("email_folded")
        .unique()
        .execute();

      await tx.schema
        .createTable("accounts_keys")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("public_id", "text", (c) => c.notNull())
        .addColumn("token_sha256", "text", (c) => c.notNull())
        .addColumn("name", "text", (c) => c.notNull())
        .addColumn("scopes", "text", (c) => c.notNull())
        .addColumn("active", "integer", (c) => c.notNull())
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addColumn("expires_at", "bigint")
        .addColumn("last_used_at", "bigint")
        .addForeignKeyConstraint("accounts_keys_user", ["user_id"], "accounts_users", ["id"])
        .execute();
      await tx.schema
        .createIndex("accounts_keys_public_id")
        .on("accounts_keys")
        .column("public_id")
        .unique()
        .execute();
      await tx.schema
        .createIndex("accounts_keys_by_user")
        .on("accounts_keys")
        .columns(["user_id", "created_at", "id"])
        .execute();

      await tx.schema
        .createTable("accounts_setup_links")
        .addColumn("token_sha256", "text", (c) => c.primaryKey())
        .addColumn("expires_at", "bigint", (c) => c.notNull())
        .execute();
    },
  },
  {
    id: "0002_sessions",
    up: async (tx) => {
      await tx.schema
        .createTable("accounts_sessions")
        .addColumn("id", "text", (c) => c.primaryKey())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("token_sha256", "text", (c) => c.notNull())
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addColumn("last_seen_at", "bigint", (c) => c.notNull())
        .addColumn("address", "text", (c) => c.notNull())
        .addColumn("user_agent", "text", (c) => c.notNull())
        .addForeignKeyConstraint("accounts_sessions_user", ["user_id"], "accounts_users", ["id"])
        .execute();
      await tx.schema
        .createIndex("accounts_sessions_token")
        .on("accounts_sessions")
        .column("token_sha256")
        .unique()
        .execute();
      await tx.schema
        .createIndex("accounts_sessions_by_user")
        .on("accounts_sessions")
        .columns(["user_id", "created_at", "id"])
        .execute();

      await tx.schema
        .createTable("accounts_password_links")
        .addColumn("user_id", "text", (c) => c.primaryKey())
        .addColumn("token_sha256", "text", (c) => c.notNull())
        .addColumn("expires_at", "bigint", (c) => c.notNull())
        .addForeignKeyConstraint("accounts_password_links_user", ["user_id"], "accounts_users", [
          "id",
        ])
        .execute();
      await tx.schema
        .createIndex("accounts_password_links_token")
        .on("accounts_password_links")
        .column("token_sha256")
        .unique()
        .execute();
    },
  },
  {
    id: "0003_setup_link_of_start",
    up: async (tx) => {
      await tx.schema.alterTable("accounts_setup_links").addColumn("sealed", "text").execute();
    },
  },
  {
    id: "0004_list_of_users",
    up: async (tx) => {
      await tx.schema
        .createIndex("accounts_users_newest")
        .on("accounts_users")
        .columns(["created_at", "id"])
        .execute();
    },
  },
  {
    id: "0005_deleted_users",
    up: async (tx) => {
      await tx.schema
        .createTable("accounts_deletions")
        .addColumn("user_id", "text", (c) => c.primaryKey())
        .addColumn("deleted_at", "bigint", (c) => c.notNull())
        .execute();
    },
  },
  {
    id: "0006_identities",
    up: async (tx) => {
      await tx.schema
        .createTable("accounts_identities")
        .addColumn("provider", "text", (c) => c.notNull())
        .addColumn("external_id", "text", (c) => c.notNull())
        .addColumn("user_id", "text", (c) => c.notNull())
        .addColumn("created_at", "bigint", (c) => c.notNull())
        .addPrimaryKeyConstraint("accounts_identities_key", ["provider", "external_id"])
        .addForeignKeyConstraint("accounts_identities_user", ["user_id"], "accounts_users", ["id"])
        .execute();
      await tx.schema
        .createIndex("accounts_identities_by_user")
        .on("accounts_identities")
        .columns(["user_id", "provider"])
        .execute();
      await tx.schema.alterTable("accounts_sessions").addColumn("way", "text").execute();
      await tx.schema.alterTable("accounts_sessions").addColumn("kept", "text").execute();
    },
  },
  {
    id: "0007_last_seen",
    up: async (tx) => {
      // Sessions are deleted, but the time when a user was last seen stays.
      await tx.schema.alterTable("accounts_users").addColumn("last_seen_at", "bigint").execute();
      await sql`
        update accounts_users set last_seen_at = (
          select max(s.last_seen_at) from accounts_sessions s where s.user_id = accounts_users.id
        )`.execute(tx);
    },
  },
];
