/** Users: email addresses, the stored row and what others see of it. */
import { badRequest, conflict, trimmed, type Context } from "../../core/sdk";
import type { NewUser, User } from "./contract";
import { checkPassword, type Passwords } from "./passwords";
import type { UserRow } from "./store";

/**
 * One @, a local part of at most 64 characters, a domain of at most 255, no spaces and nothing
 * invisible.
 */
const email_pattern = new RegExp(
  String.raw`^[^\s\p{C}@<>"(),:;\\[\]]{1,64}@` +
    String.raw`[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}.-]{0,253}[\p{L}\p{M}\p{N}])?$`,
  "u",
);

/** The address in its stored form. @throws HttpError 400 */
export function checkedEmail(text: string): string {
  const email = trimmed(text).normalize("NFC");
  if (!email_pattern.test(email) || email.includes(".."))
    throw badRequest(`The email must be an address such as ada@example.com.`, "/email");
  return email;
}

/** The form in which an email is unique: ignoring case. */
export const foldedEmail = (email: string): string => trimmed(email).normalize("NFC").toLowerCase();

/** The refusal of an email address that another user has. */
export const emailTaken = (email: string) =>
  conflict(`A user with the email ${email} already exists.`, "email_taken");

/**
 * A stored user, with the password hashed. @throws HttpError 400 on an invalid email or password.
 */
export async function newUserRow(
  { email, password, role }: NewUser,
  ctx: Pick<Context, "now_ms" | "newId"> & { readonly passwords: Pick<Passwords, "hash"> },
): Promise<UserRow> {
  const address = checkedEmail(email);
  checkPassword(password);
  return {
    id: ctx.newId("usr"),
    email: address,
    email_folded: foldedEmail(address),
    role,
    password_hash: await ctx.passwords.hash(password),
    last_seen_at: null,
    active: 1,
    created_at: ctx.now_ms(),
  };
}

/** Replaces the hash of a user who signs in by other means, and never had a password. */
export const no_password = "none";

/** Has not chosen a password yet. */
export const isInvited = (user: UserRow): boolean => user.password_hash === "";

/** The user as others see it: without the hash of the password. */
export const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  role: row.role,
  active: row.active === 1,
  invited: isInvited(row),
  has_password: row.password_hash !== "" && row.password_hash !== no_password,
  created_at: row.created_at,
});
