/** Inserts a new user, and emits the event. */
import type { Db } from "../../core/sdk";
import { UserCreated } from "../events/contract";
import type { AccountContext } from "./context";
import { insertUser, type UserRow } from "./store";
import { emailTaken } from "./user";

/** @throws HttpError 409 when the email is taken. */
export async function addUser(
  { emit }: Pick<AccountContext, "emit">,
  tx: Db,
  row: UserRow,
): Promise<void> {
  if (!(await insertUser(tx, row))) throw emailTaken(row.email);
  const { id: user_id, email, role } = row;
  await emit(tx, UserCreated, { user_id, email, role });
}
