/**
 * Every SQL statement for quotas. The database is the first parameter, so that the caller decides
 * the transaction.
 */
import { preparedFirst, rowsOf, sql, toNumber, type Db, type PreparedReads } from "../../core/sdk";
import type { Resource } from "./contract";

export interface QuotasTables {
  quotas_used: { owner_id: string; what: Resource; used: number };
}
type QuotasDb = Db<QuotasTables>;

/**
 * Adds a positive amount if the sum stays within `limit` (null: no limit). It is one statement, so
 * two transactions can't both take the last unit. False when the limit would be exceeded; nothing
 * is changed then.
 */
export async function add(
  db: QuotasDb,
  owner_id: string,
  resource: Resource,
  amount: number,
  limit: number | null,
): Promise<boolean> {
  // An owner's first row is inserted instead of updated, so its limit is checked here.
  if (limit !== null && amount > limit) return false;
  const row = { owner_id, what: resource, used: amount };
  const added = limit === null ? await addFreely(db, row) : await addWithin(db, { ...row, limit });
  return added !== undefined;
}
const addFreely = preparedFirst((db: QuotasDb, row: QuotasTables["quotas_used"]) =>
  db
    .insertInto("quotas_used")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["owner_id", "what"])
        .doUpdateSet({ used: sql<number>`quotas_used.used + excluded.used` }),
    )
    .returning("used"),
);
/** Adds positive amounts without a limit. */
export async function addAll(
  db: QuotasDb,
  owner_id: string,
  amounts: readonly (readonly [resource: Resource, amount: number])[],
): Promise<void> {
  const rows = Array(amounts.length).fill("(?, ?, ?)").join(", ");
  await rowsOf(
    db,
    `insert into quotas_used (owner_id, what, used) values ${rows}
    on conflict (owner_id, what) do update set used = quotas_used.used + excluded.used`,
    amounts.flatMap(([resource, amount]) => [owner_id, resource, amount]),
  );
}
const addWithin = preparedFirst(
  (db: QuotasDb, { limit, ...row }: QuotasTables["quotas_used"] & { readonly limit: number }) =>
    db
      .insertInto("quotas_used")
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(["owner_id", "what"])
          .doUpdateSet({ used: sql<number>`quotas_used.used + excluded.used` })
          .where(sql<boolean>`quotas_used.used + excluded.used <= ${limit}`),
      )
      .returning("used"),
);

/** Releases a positive amount; usage never falls below zero. */
export const giveBack = async (
  db: QuotasDb,
  owner_id: string,
  resource: Resource,
  amount: number,
): Promise<void> => {
  await db
    .updateTable("quotas_used")
    .set({ used: sql<number>`case when used > ${amount} then used - ${amount} else 0 end` })
    .where("owner_id", "=", owner_id)
    .where("what", "=", resource)
    .execute();
};

/** The user's usage as the transaction sees it. */
export async function findUsage(
  db: QuotasDb,
  owner_id: string,
  resource: Resource,
): Promise<number> {
  const row = await db
    .selectFrom("quotas_used")
    .select("used")
    .where("owner_id", "=", owner_id)
    .where("what", "=", resource)
    .executeTakeFirst();
  return toNumber(row?.used);
}

/** The user's usage as of the last commit: for lists, which run outside a transaction. */
export async function findCommittedUsage(
  reads: PreparedReads,
  owner_id: string,
  resource: Resource,
): Promise<number> {
  const row = await reads.get<{ used: number }>(
    "select used from quotas_used where owner_id = ? and what = ?",
    owner_id,
    resource,
  );
  return toNumber(row?.used);
}

/** Forgets the usage of an owner. */
export const forget = async (db: QuotasDb, owner_id: string): Promise<void> => {
  await db.deleteFrom("quotas_used").where("owner_id", "=", owner_id).execute();
};
