/** Brings the tables of plugins up to date: those that are built in together, the others by one. */
import type { Clock } from "../base/clock";
import type { Log } from "../base/log";
import { coreSchema } from "../jobs/schema";
import { migrate, noteVersion, type MigrateOptions } from "../store/migrate";
import type { Schema } from "../store/schema";
import type { Store } from "../store/store";
import type { Plugin } from "./define";
import { order } from "./order";

export interface MigratingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly built_in: readonly Plugin[];
  readonly paths: { readonly backups: string };
  /** Called before tables change; throws when they may not. */
  readonly beforeMigration?: MigrateOptions["before"];
}

export class Migrating {
  private copied = false;

  constructor(private readonly options: MigratingOptions) {}

  /** Those that are disabled too: their tables wait for them. */
  async builtIn(): Promise<void> {
    const { built_in, store, clock } = this.options;
    await this.bring([coreSchema, ...order(built_in).sorted]);
    await noteVersion(store, clock);
  }

  /** @throws Error with why its tables can't be as it wants them. */
  droppedIn(plugin: Plugin): Promise<void> {
    return this.bring([plugin]);
  }

  private async bring(schemas: readonly Schema[]): Promise<void> {
    const { store, clock, log, paths, beforeMigration } = this.options;
    const backups = this.copied ? null : paths.backups;
    const applied = await migrate(store, schemas, clock, { backups, log, before: beforeMigration });
    // One copy before all of them: a further one would push out that of an earlier start.
    this.copied ||= applied.length > 0;
  }
}
