/**
 * What a plugin has left in the database: tables, migrations, settings, jobs and schedules. All of
 * it can be found without the plugin's file.
 */
import { sql, toNumber, type Db, type PluginDescription } from "../../core/sdk";

interface CoreTables {
  core_jobs: { plugin: string; name: string; state: string };
  core_ticks: { name: string };
  core_settings: { setting: string };
  core_settings_origins: { setting: string };
  core_migrations: { plugin: string; id: string };
}

/** What is left of a plugin. */
export interface Leftovers {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  /** Jobs in any state: queued, running, done or failed. */
  readonly jobs: number;
  /** Stored settings, `section.key`. */
  readonly settings: readonly string[];
  /** Migrations of its tables. */
  readonly steps: number;
}
/** The plugin, and all other plugins, whose data is not touched. */
export interface Owners {
  readonly name: string;
  readonly section: string;
  readonly others: readonly Pick<PluginDescription, "name" | "section" | "tables">[];
}

/** Whether nothing is left. */
export const isNothing = ({ tables, jobs, settings, steps }: Leftovers): boolean =>
  tables.length + jobs + settings.length + steps === 0;

/** Looks for everything that is recorded under the plugin's name. */
export async function findLeftovers(db: Db<CoreTables>, owners: Owners): Promise<Leftovers> {
  const tables = [];
  for (const name of await ownTables(db, owners))
    tables.push({ name, rows: await rowsIn(db, name) });
  const { jobs } = await db
    .selectFrom("core_jobs")
    .select((e) => e.fn.countAll().as("jobs"))
    .where("plugin", "=", owners.name)
    .executeTakeFirstOrThrow();
  const settings = await ownSettings(db, owners);
  const { steps } = await db
    .selectFrom("core_migrations")
    .select((e) => e.fn.countAll().as("steps"))
    .where("plugin", "=", owners.name)
    .executeTakeFirstOrThrow();
  return { tables, jobs: toNumber(jobs), settings, steps: toNumber(steps) };
}

/** The number of rows of a table. */
export async function rowsIn(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
    db,
  );
  return toNumber(rows[0]!.n);
}

/** Within the transaction of `tx`. */
export async function dropLeftovers(tx: Db<CoreTables>, owners: Owners): Promise<void> {
  await dropAll(tx, await ownTables(tx, owners));
  const ticks = await ownTicks(tx, owners);
  await tx.deleteFrom("core_jobs").where("plugin", "=", owners.name).execute();
  const settings = await ownSettings(tx, owners);
  if (settings.length > 0) {
    await tx.deleteFrom("core_settings").where("setting", "in", settings).execute();
    await tx.deleteFrom("core_settings_origins").where("setting", "in", settings).execute();
  }
  if (ticks.length > 0) await tx.deleteFrom("core_ticks").where("name", "in", ticks).execute();
  await tx.deleteFrom("core_migrations").where("plugin", "=", owners.name).execute();
}

/** A table is dropped after those that refer to it. */
async function dropAll(tx: Db<CoreTables>, tables: readonly string[]): Promise<void> {
  let left = [...tables];
  while (left.length > 0) {
    const remaining: string[] = [];
    let problem: unknown;
    for (const table of left)
      try {
        await sql`savepoint before_drop`.execute(tx);
        await tx.schema.dropTable(table).execute();
      } catch (error) {
        // PostgreSQL rejects every statement in a transaction after one has failed.
        await sql`rollback to savepoint before_drop`.execute(tx);
        remaining.push(table);
        problem = error;
      }
    if (remaining.length === left.length) throw problem;
    left = remaining;
  }
}

const stemOf = (name: string): string => name.replaceAll("-", "_");
const isBelow = (table: string, stem: string): boolean =>
  table === stem || table.startsWith(`${stem}_`);

/** Table names begin with the plugin's name; of `web` and `web-push` the longer match wins. */
async function ownTables(db: Db<CoreTables>, { name, others }: Owners): Promise<string[]> {
  const stem = stemOf(name);
  const migrated = await db.selectFrom("core_migrations").select("plugin").distinct().execute();
  const closer = [...migrated.map(({ plugin }) => plugin), ...others.map((other) => other.name)]
    .map(stemOf)
    .filter((other) => other !== stem && isBelow(other, stem));
  const tables_of_others = new Set(others.flatMap(({ tables }) => tables));
  return (await db.introspection.getTables())
    .map((table) => table.name)
    .filter(
      (table) =>
        isBelow(table, stem) &&
        !tables_of_others.has(table) &&
        !closer.some((other) => isBelow(table, other)),
    );
}

/** The job of a schedule is called `job cron`. */
async function ownTicks(db: Db<CoreTables>, { name }: Owners): Promise<string[]> {
  const of_jobs = await db
    .selectFrom("core_jobs")
    .select("name")
    .distinct()
    .where("plugin", "=", name)
    .execute();
  const jobs = new Set(of_jobs.map((job) => job.name));
  return (await db.selectFrom("core_ticks").select("name").execute())
    .map((tick) => tick.name)
    .filter((tick) => tick.startsWith(`${name}.`) || jobs.has(tick.split(" ", 1)[0]!));
}

async function ownSettings(
  db: Db<CoreTables>,
  { section, others }: Owners,
): Promise<readonly string[]> {
  if (others.some((other) => other.section === section)) return [];
  const rows = await db.selectFrom("core_settings").select("setting").execute();
  return rows.map(({ setting }) => setting).filter((setting) => setting.startsWith(`${section}.`));
}
