/** The rows of settings stored while the server ran. */
import { toNumber } from "../store/columns";
import type { Db } from "../store/store";

/** Times are epoch milliseconds. */
export interface SettingsTables {
  core_settings: {
    /** `section.key` */
    setting: string;
    /** JSON; for a secret the sealed text. */
    value: string;
    sealed: number;
    changed_at: number;
  };
  /**
   * The settings that the server started last takes from elsewhere. The value is JSON, as shown.
   */
  core_settings_origins: { setting: string; origin: string; value: string };
}
/** The database or a transaction, for statements about settings. */
export type SettingsDb = Db<SettingsTables>;
/** A stored setting. */
export type SettingRow = SettingsTables["core_settings"];

/** Sorted by name. */
export const readSettings = async (db: SettingsDb): Promise<SettingRow[]> =>
  (await db.selectFrom("core_settings").selectAll().orderBy("setting").execute()).map((row) => ({
    ...row,
    sealed: toNumber(row.sealed),
    changed_at: toNumber(row.changed_at),
  }));

/** Inserts or replaces it. */
export const writeSetting = async (db: SettingsDb, row: SettingRow): Promise<void> => {
  const { value, sealed, changed_at } = row;
  await db
    .insertInto("core_settings")
    .values(row)
    .onConflict((c) => c.column("setting").doUpdateSet({ value, sealed, changed_at }))
    .execute();
};

/** Does nothing when it is not stored. */
export const deleteSetting = async (db: SettingsDb, setting: string): Promise<void> => {
  await db.deleteFrom("core_settings").where("setting", "=", setting).execute();
};

/** By setting. */
export type Origins = ReadonlyMap<string, { readonly origin: string; readonly value: unknown }>;

/** What the server that was started last has recorded. */
export const readOrigins = async (db: SettingsDb): Promise<Origins> =>
  new Map(
    (await db.selectFrom("core_settings_origins").selectAll().orderBy("setting").execute()).map(
      ({ setting, origin, value }) => [setting, { origin, value: JSON.parse(value) as unknown }],
    ),
  );

/** Replaces what an earlier start has recorded. */
export const writeOrigins = async (db: SettingsDb, origins: Origins): Promise<void> => {
  await db.deleteFrom("core_settings_origins").execute();
  const rows = [...origins].map(([setting, { origin, value }]) => ({
    setting,
    origin,
    value: JSON.stringify(value),
  }));
  if (rows.length > 0) await db.insertInto("core_settings_origins").values(rows).execute();
};
