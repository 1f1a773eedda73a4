/** Migration steps of the tables of the store: versions, processes, shared state, file claims. */
import type { Db } from "./store";

/** The versions that have opened the database, and when: identifies the origin of a copy. */
export async function createVersions(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_versions")
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("commit_id", "text", (c) => c.notNull())
    .addColumn("started_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("core_versions_pk", ["version", "commit_id"])
    .execute();
}

/** The processes that serve the database, where several may. */
export async function createNodes(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_nodes")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("place", "text", (c) => c.notNull())
    .addColumn("host", "text", (c) => c.notNull())
    .addColumn("pid", "integer", (c) => c.notNull())
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("started_at", "bigint", (c) => c.notNull())
    .addColumn("seen_at", "bigint", (c) => c.notNull())
    .execute();
}

/**
 * Adds the lock that a process holds while it lives, null for versions without one; and when others
 * noticed that it was gone.
 */
export async function addLivenessLock(tx: Db<any>): Promise<void> {
  await tx.schema.alterTable("core_nodes").addColumn("lock_key", "integer").execute();
  await tx.schema.alterTable("core_nodes").addColumn("gone_at", "bigint").execute();
}

/** The next number of each series of ids that processes lease from, where several may. */
export async function createNumbers(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_numbers")
    .addColumn("series", "text", (c) => c.primaryKey())
    .addColumn("next", "bigint", (c) => c.notNull())
    .execute();
}

/** State shared by all processes on the database; see `SharedState`. */
export async function createShared(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_shared")
    .addColumn("scope", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .addColumn("version", "bigint", (c) => c.notNull())
    .addColumn("until_ms", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("core_shared_key", ["scope", "name"])
    .execute();
}

/** A single row: a text sealed with the key of all processes, where several may be. */
export async function createSecret(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_secret")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("sealed", "text", (c) => c.notNull())
    .execute();
}

/** Uploads that hold original files, and files to be deleted; see `FileClaims`. */
export async function createFileClaims(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_file_pins")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("sha256", "text", (c) => c.notNull())
    .addColumn("held_until", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("core_file_pins_sha256")
    .on("core_file_pins")
    .columns(["sha256"])
    .execute();
  await tx.schema
    .createTable("core_file_removals")
    .addColumn("sha256", "text", (c) => c.primaryKey())
    .addColumn("due_at", "bigint", (c) => c.notNull())
    .addColumn("deleting_until", "bigint")
    .execute();
  await tx.schema
    .createIndex("core_file_removals_due")
    .on("core_file_removals")
    .columns(["due_at"])
    .execute();
}
