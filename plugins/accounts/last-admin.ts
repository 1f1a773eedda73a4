/** The rule that the server always has an administrator who can sign in. */
import { conflict } from "../../core/sdk";
import { countOtherActiveAdmins, type AccountsDb, type UserRow } from "./store";

export const isActiveAdmin = ({ role, active }: Pick<UserRow, "role" | "active">): boolean =>
  role === "admin" && active === 1;

/** Call it before `user` is deleted, or loses the role. @throws HttpError 409 `last_admin` */
export async function requireAnotherAdmin(db: AccountsDb, user: UserRow): Promise<void> {
  if (isActiveAdmin(user) && (await countOtherActiveAdmins(db, user.id)) === 0)
    throw conflict("This is the last active administrator.", "last_admin");
}
