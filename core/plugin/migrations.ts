/**
 * The tables of core, which every layer declares for itself, in the order in which they were added.
 * The host migrates them before those of the plugins.
 */
import { version } from "../base/version";
import * as jobs from "../jobs/migrations";
import type { Schema } from "../store/schema";
import * as store from "../store/migrations";
import type { Db } from "../store/store";

/** Settings stored while the server ran, and what overrides them in the server. */
async function createSettings(tx: Db<any>): Promise<void> {
  await tx.schema
    .createTable("core_settings")
    .addColumn("setting", "text", (c) => c.primaryKey())
    .addColumn("value", "text", (c) => c.notNull())
    .addColumn("sealed", "integer", (c) => c.notNull())
    .addColumn("changed_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema
    .createTable("core_settings_origins")
    .addColumn("setting", "text", (c) => c.primaryKey())
    .addColumn("origin", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .execute();
}

/** The tables of core. Released steps are never edited. */
export const coreSchema: Schema = {
  name: "core",
  version,
  tables: [
    "core_jobs",
    "core_ticks",
    "core_versions",
    "core_clock",
    "core_settings",
    "core_settings_origins",
    "core_nodes",
    "core_numbers",
    "core_shared",
    "core_secret",
    "core_file_pins",
    "core_file_removals",
  ],
  migrations: [
    { id: "0001_jobs", up: jobs.createJobs },
    { id: "0002_job_owner", up: jobs.addOwner },
    { id: "0003_failed_jobs", up: jobs.addFailed },
    { id: "0004_job_crashes", up: jobs.addCrashes },
    { id: "0005_versions", up: store.createVersions },
    { id: "0006_job_request", up: jobs.addRequest },
    { id: "0007_clock", up: jobs.createClock },
    { id: "0008_settings", up: createSettings },
    { id: "0009_nodes", up: store.createNodes },
    { id: "0010_numbers", up: store.createNumbers },
    { id: "0011_shared", up: store.createShared },
    { id: "0012_secret", up: store.createSecret },
    { id: "0013_file_claims", up: store.createFileClaims },
    { id: "0014_node_life", up: store.addLivenessLock },
  ],
};
