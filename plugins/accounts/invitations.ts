/**
 * One-time links to set a password: the invitation of a new user, and the reset for one who has
 * lost theirs. No mail is sent: an administrator passes them on.
 */
import { HttpError, type Context } from "../../core/sdk";
import { sessionsChanged, type AccountContext } from "./context";
import type { Role, User } from "./contract";
import { checkPassword } from "./passwords";
import {
  deletePasswordLink,
  deleteSessions,
  findByPasswordLink,
  putPasswordLink,
} from "./session-store";
import { findUser, updateUser, type AccountsDb, type UserRow } from "./store";
import { newToken, sha256 } from "./token";
import { addUser } from "./new-user";
import { checkedEmail, foldedEmail, isInvited, toUser } from "./user";

const invitation_valid_ms = 7 * 24 * 3_600_000;
const reset_valid_ms = 24 * 3_600_000;

/** The purpose of a link. */
export interface LinkPurpose {
  readonly email: string;
  readonly kind: "invitation" | "reset";
}

/** Creates links, and sets the password of whoever has one. */
export class Invitations {
  constructor(private readonly ctx: AccountContext & Pick<Context, "public_url">) {}

  /**
   * Creates a user without a password, and a link to set one. @throws HttpError 400, 409
   * `email_taken`.
   */
  async invite(input: {
    readonly email: string;
    readonly role: Role;
  }): Promise<{ readonly user: User; readonly url: string }> {
    const email = checkedEmail(input.email);
    const row: UserRow = {
      id: this.ctx.newId("usr"),
      email,
      email_folded: foldedEmail(email),
      role: input.role,
      password_hash: "",
      last_seen_at: null,
      active: 1,
      created_at: this.ctx.now_ms(),
    };
    return this.ctx.inTransaction(async (tx) => {
      await addUser(this.ctx, tx, row);
      return { user: toUser(row), url: await this.newLink(tx, row) };
    });
  }

  /**
   * A link to set a new password; the old one works until the link is used. @throws HttpError 404,
   * 409 when the user is deactivated.
   */
  renew(user_id: string): Promise<string> {
    return this.ctx.inTransaction(async (tx) => {
      const user = await findUser(tx, user_id);
      if (!user) throw new HttpError(404, "not_found", "The user could not be found.");
      if (user.active !== 1)
        throw new HttpError(
          409,
          "deactivated",
          "This user is deactivated. Activate the user first.",
        );
      return this.newLink(tx, user);
    });
  }

  /** @throws HttpError 403 `bad_link`. */
  async check(token: string): Promise<LinkPurpose> {
    const user = await this.requireUser(this.ctx.db, token);
    return { email: user.email, kind: isInvited(user) ? "invitation" : "reset" };
  }

  /**
   * Sets the password, invalidates the link and ends every session of the user. @throws HttpError
   * 403 `bad_link`, 400 on an invalid password: the link stays valid then.
   */
  async accept(token: string, password: string): Promise<User> {
    const { db, inTransaction, notify, passwords } = this.ctx;
    await this.requireUser(db, token);
    checkPassword(password);
    const password_hash = await passwords.hash(password);
    return inTransaction(async (tx) => {
      // Checked again: the same link may have been used meanwhile.
      const { id } = await this.requireUser(tx, token);
      await deletePasswordLink(tx, id);
      await deleteSessions(tx, id);
      notify(sessionsChanged(id));
      return toUser((await updateUser(tx, id, { password_hash }))!);
    });
  }

  /** A new link for this user; the previous one becomes invalid. */
  private async newLink(tx: AccountsDb, user: UserRow): Promise<string> {
    const { now_ms, public_url } = this.ctx;
    const token = newToken("dsi");
    await putPasswordLink(tx, {
      user_id: user.id,
      token_sha256: sha256(token),
      expires_at: now_ms() + (isInvited(user) ? invitation_valid_ms : reset_valid_ms),
    });
    return `${public_url()}/console/invite#t=${token}`;
  }

  private async requireUser(db: AccountsDb, token: string): Promise<UserRow> {
    const user = await findByPasswordLink(db, sha256(token), this.ctx.now_ms());
    if (!user)
      throw new HttpError(
        403,
        "bad_link",
        "This link is not valid: it may be incomplete, already used, expired, or replaced " +
          "by a newer one. Ask an administrator for a new link.",
      );
    return user;
  }
}
