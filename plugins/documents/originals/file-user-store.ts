/** The SQL about plugins that keep originals. */
import { toNumber, type Db } from "../../../core/sdk";

interface FileUserTables {
  documents_file_users: { readonly plugin: string };
  /** Of core. The rows of a plugin are deleted with its data. */
  core_migrations: { readonly plugin: string; readonly applied_at: number };
}

/** The names of those with data. */
export const fileUsers = async (db: Db<FileUserTables>): Promise<string[]> =>
  (
    await db
      .selectFrom("documents_file_users as u")
      .select("u.plugin")
      .where((e) =>
        e.exists(
          e
            .selectFrom("core_migrations as m")
            .select("m.plugin")
            .whereRef("m.plugin", "=", "u.plugin"),
        ),
      )
      .orderBy("u.plugin")
      .execute()
  ).map(({ plugin }) => plugin);

/** Those that are known already stay. */
export const addFileUsers = (tx: Db<FileUserTables>, plugins: readonly string[]) =>
  tx
    .insertInto("documents_file_users")
    .values(plugins.map((plugin) => ({ plugin })))
    .onConflict((conflict) => conflict.column("plugin").doNothing())
    .execute();

/** When the database was created, epoch ms. */
export const createdAt = async (db: Db<FileUserTables>): Promise<number> =>
  toNumber(
    (
      await db
        .selectFrom("core_migrations")
        .select((e) => e.fn.min("applied_at").as("at"))
        .executeTakeFirst()
    )?.at,
  );
