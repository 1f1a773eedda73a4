/**
 * Every SQL statement for prompts. The database is the first parameter, so that the caller decides
 * the transaction.
 */
import {
  listInParts,
  pageWindow,
  type Db,
  type ListedInParts,
  type PageRequest,
} from "../../core/sdk";

/** A stored prompt. Times are epoch milliseconds. */
export interface PromptRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly text: string;
  readonly description: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}
export interface PromptsTables {
  prompts: PromptRow;
}
type PromptsDb = Db<PromptsTables>;
/** The columns that can be changed. */
export type PromptValues = Partial<Pick<PromptRow, "name" | "text" | "description">>;

export const insertPrompt = async (db: PromptsDb, row: PromptRow): Promise<void> => {
  await db.insertInto("prompts").values(row).execute();
};

export const findPrompt = (db: PromptsDb, id: string): Promise<PromptRow | undefined> =>
  db.selectFrom("prompts").selectAll().where("id", "=", id).executeTakeFirst();

/** Those of these prompts that exist, in any order. */
export const findPrompts = async (db: PromptsDb, ids: readonly string[]): Promise<PromptRow[]> =>
  ids.length === 0 ? [] : db.selectFrom("prompts").selectAll().where("id", "in", ids).execute();

/** The oldest with this name and text. */
export const findSame = async (
  db: PromptsDb,
  { owner_id, name, text }: Pick<PromptRow, "owner_id" | "name" | "text">,
): Promise<string | undefined> =>
  (
    await db
      .selectFrom("prompts")
      .select("id")
      .where("owner_id", "=", owner_id)
      .where("name", "=", name)
      .where("text", "=", text)
      .orderBy("created_at")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst()
  )?.id;

/** One page, newest first, and the owner's total. */
export async function listPrompts(
  db: PromptsDb,
  owner_id: string,
  page: PageRequest,
): Promise<ListedInParts<PromptRow>> {
  const prompts = db.selectFrom("prompts").where("owner_id", "=", owner_id);
  return listInParts(prompts.selectAll(), pageWindow(page));
}

/** Ids of the owner's prompts, at most `limit`. */
export const somePrompts = async (
  db: PromptsDb,
  owner_id: string,
  limit: number,
): Promise<string[]> =>
  (
    await db
      .selectFrom("prompts")
      .select("id")
      .where("owner_id", "=", owner_id)
      .limit(limit)
      .execute()
  ).map(({ id }) => id);

/** The prompt after the change; undefined if it was deleted meanwhile. */
export const updatePrompt = (
  db: PromptsDb,
  id: string,
  values: PromptValues,
  updated_at: number,
): Promise<PromptRow | undefined> =>
  db
    .updateTable("prompts")
    .set({ ...values, updated_at })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();

export const deletePrompt = async (db: PromptsDb, id: string): Promise<void> => {
  await db.deleteFrom("prompts").where("id", "=", id).execute();
};
