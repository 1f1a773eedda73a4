/** Migrates the tables of plugins: of all built-in ones together, of the others one by one. */
import type { Clock } from "../base/clock";
import type { Log } from "../base/log";
import { coreSchema } from "./migrations";
import { migrate, noteVersion, type MigrateOptions } from "../store/migrator";
import type { Schema } from "../store/schema";
import type { Store } from "../store/store";
import type { Plugin } from "./contract";
import { sortedByNeeds } from "./order";

/** The plugins, and where a copy of the database is kept. */
export interface PluginMigrationsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly built_in: readonly Plugin[];
  readonly paths: { readonly backups: string };
  /** Called before tables are changed; throws to prevent it. */
  readonly beforeMigration?: MigrateOptions["before"];
}

/** The migrations of one start. Call `builtIn` first. */
export class PluginMigrations {
  private copied = false;

  constructor(private readonly options: PluginMigrationsOptions) {}

  /** Including disabled ones: their tables wait for them. */
  async builtIn(): Promise<void> {
    const { built_in, store, clock } = this.options;
    await this.bring([coreSchema, ...sortedByNeeds(built_in)], { continues: true });
    await noteVersion(store, clock);
  }

  /** @throws Error with the reason why its tables can't be migrated. */
  droppedIn(plugin: Plugin): Promise<void> {
    return this.bring([plugin], { continues: false });
  }

  private async bring(
    schemas: readonly Schema[],
    { continues }: Required<Pick<MigrateOptions, "continues">>,
  ): Promise<void> {
    const { store, clock, log, paths, beforeMigration: before } = this.options;
    const backups = this.copied ? null : paths.backups;
    const applied = await migrate(store, schemas, clock, { backups, continues, log, before });
    // One copy before all of them: another one would displace that of an earlier start.
    this.copied ||= applied.length > 0;
  }
}
