/**
 * Migrates the tables of every plugin: in the given order, after a copy of the database. Each step
 * is a transaction; for a new database, all of them together are one.
 */
import { messageOf } from "../lib/error-message";
import type { Clock } from "../base/clock";
import type { Log } from "../base/log";
import { commit, version } from "../base/version";
import type { WrittenBy } from "./inspection";
import { copyBefore, copyDatabase, hasCopy, noteCopy } from "./migration-copies";
import type { Migration, Schema } from "./schema";
import type { Db, Store } from "./store";

interface Step {
  readonly schema: Schema;
  readonly migration: Migration;
}

/** A migration that is about to run. */
export interface MigrationAhead {
  /** There are no tables yet. */
  readonly is_new: boolean;
  /** Whether a copy of the database is made first. */
  readonly keeps_copy: boolean;
}

/** What happens before and after the steps. */
export interface MigrateOptions {
  /**
   * The directory for the copy of the database; null when this start has made one already. The
   * newest three are kept.
   */
  readonly backups: string | null;
  /**
   * Every start passes these plugins: a migration that was interrupted continues, and its copy is
   * not made again. Default: false.
   */
  readonly continues?: boolean;
  readonly log: Log;
  /** Called when there are steps to apply; throws to prevent it. */
  readonly before?: ((ahead: MigrationAhead) => Promise<void>) | undefined;
}

/**
 * Applies missing steps, plugins in the given order, and returns them as `plugin/id`. Tables of
 * other plugins stay as they are. @throws Error when a newer build wrote the database, or when a
 * step fails or touches a table of another plugin.
 */
export async function migrate(
  store: Store,
  plugins: readonly Schema[],
  clock: Pick<Clock, "now_ms">,
  { backups, continues = false, log, before }: MigrateOptions,
): Promise<string[]> {
  const applied_rows = await ledger(store, store.db);
  const steps: Step[] = [];
  for (const schema of plugins) {
    const applied = applied_rows.filter((row) => row.plugin === schema.name).map((row) => row.id);
    const unknown = applied.find((id) => !schema.migrations.some((step) => step.id === id));
    if (unknown !== undefined) throw await writtenByNewer(store, schema, unknown);
    steps.push(...missingSteps(schema, applied));
  }
  if (steps.length === 0) {
    if (continues && hasCopy(applied_rows))
      await store.inTransaction((tx) => noteCopy(tx, null, clock));
    return [];
  }
  const { copyTo } = store;
  const is_new = (await store.tableNames(store.db)).length === 0;
  await before?.({ is_new, keeps_copy: copyTo !== null });
  let copy: string | null = null;
  if (backups !== null && copyTo !== null && !is_new) {
    const earlier = continues ? await copyBefore(applied_rows, backups) : null;
    copy = earlier ?? (await copyDatabase(copyTo, backups, clock));
    log.info(
      earlier ? "an interrupted migration continues" : "copied the database before migrating",
      { copy },
    );
  }
  const applied: string[] = [];
  // Every transaction waits for the disk.
  const batches = is_new ? [steps] : steps.map((step) => [step]);
  for (const [index, batch] of batches.entries()) {
    const is_last = index === batches.length - 1;
    try {
      const applied_now = await store.inTransaction(async (tx) => {
        const applied_in = await applyAll(store, tx, batch, clock);
        if (continues && copy !== null) await noteCopy(tx, is_last ? null : copy, clock);
        return applied_in;
      });
      applied.push(...applied_now);
    } finally {
      store.forgetStatements();
    }
  }
  if (is_new) log.info("created the database", { steps: applied.length });
  else log.info("migrated the database", { applied });
  return applied;
}

/** Skips those that another process, started at the same moment, has applied already. */
async function applyAll(
  store: Store,
  tx: Db,
  steps: readonly Step[],
  clock: Pick<Clock, "now_ms">,
): Promise<string[]> {
  await createLedger(tx);
  const applied_rows = await ledger(store, tx);
  const applied: string[] = [];
  let before = await store.tableNames(tx);
  for (const { schema, migration } of steps) {
    if (applied_rows.some((row) => row.plugin === schema.name && row.id === migration.id)) continue;
    const name = `${schema.name}/${migration.id}`;
    try {
      await migration.up(tx);
      const after = await store.tableNames(tx);
      requireOwnTables(schema, before, after);
      before = after;
      await tx
        .insertInto("core_migrations")
        .values({ plugin: schema.name, id: migration.id, applied_at: clock.now_ms() })
        .execute();
      applied.push(name);
    } catch (error) {
      const reason = messageOf(error);
      throw new Error(`migration ${name} failed and was undone: ${reason}`, { cause: error });
    }
    store.forgetStatements();
  }
  return applied;
}

const createLedger = (db: Db) =>
  db.schema
    .createTable("core_migrations")
    .ifNotExists()
    .addColumn("plugin", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("applied_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("core_migrations_pk", ["plugin", "id"])
    .execute();

/** Every step ever applied. */
const ledger = async (
  { tableNames }: Pick<Store, "tableNames">,
  db: Db,
): Promise<{ plugin: string; id: string }[]> =>
  (await tableNames(db)).includes("core_migrations")
    ? db.selectFrom("core_migrations").select(["plugin", "id"]).execute()
    : [];

function missingSteps(schema: Schema, applied: readonly string[]): Step[] {
  const ids = schema.migrations.map((migration) => migration.id);
  const unsorted = ids.find((id, i) => i > 0 && id <= ids[i - 1]!);
  if (unsorted !== undefined)
    throw new Error(
      `plugin ${schema.name}: migration ${unsorted} must sort after the one before it`,
    );
  return schema.migrations
    .filter((migration) => !applied.includes(migration.id))
    .map((migration) => ({ schema, migration }));
}

async function writtenByNewer(store: Store, schema: Schema, unknown: string): Promise<Error> {
  const last_version = await lastVersion(store);
  return new Error(
    `plugin ${schema.name}: the database was written by a newer ` +
      `build${last_version === undefined ? "" : ` (${namedVersion(last_version)})`}: it has ` +
      `migration ${unknown}, which ${schema.version} does not know. Start that build, or restore ` +
      `${
        store.copyTo === null
          ? "a dump from before it was started"
          : "the copy that it made before: `dossier rollback` lists the copies"
      }`,
  );
}

/** `Dossier 0.2.0 (1a2b3c4)`. */
export const namedVersion = ({ version: version_name, commit: commit_id }: WrittenBy): string =>
  `Dossier ${version_name}${commit_id === null ? "" : ` (${commit_id})`}`;

/** The version that opened the database last; undefined when it was not recorded yet. */
async function lastVersion({ db, tableNames }: Store): Promise<WrittenBy | undefined> {
  if (!(await tableNames(db)).includes("core_versions")) return undefined;
  const row = (await db
    .selectFrom("core_versions")
    .selectAll()
    .orderBy("started_at", "desc")
    .limit(1)
    .executeTakeFirst()) as { version: string; commit_id: string } | undefined;
  return row && { version: row.version, commit: row.commit_id || null };
}

/** Records that this version has opened the database, whose tables are up to date. */
export async function noteVersion(store: Store, clock: Pick<Clock, "now_ms">): Promise<void> {
  const last = await lastVersion(store);
  if (last?.version === version && last.commit === commit) return;
  const started_at = clock.now_ms();
  await store.inTransaction(async (tx) => {
    await tx
      .insertInto("core_versions")
      .values({ version, commit_id: commit ?? "", started_at })
      .onConflict((on) => on.columns(["version", "commit_id"]).doUpdateSet({ started_at }))
      .execute();
  });
}

function requireOwnTables(
  schema: Schema,
  before: readonly string[],
  after: readonly string[],
): void {
  const changed = [
    ...after.filter((name) => !before.includes(name)),
    ...before.filter((name) => !after.includes(name)),
  ];
  const foreign = changed.find((name) => !schema.tables.includes(name));
  if (foreign !== undefined)
    throw new Error(
      `plugin ${schema.name} may only make and drop the tables it declares ` +
        `(${schema.tables.join(", ") || "none"}), not ${foreign}`,
    );
}
