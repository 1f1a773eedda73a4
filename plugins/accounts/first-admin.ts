/**
 * How a new server gets its first administrator: through a one-time link, or from the
 * configuration.
 */
import { conflict, HttpError, type Context, type Db } from "../../core/sdk";
import type { AccountContext } from "./context";
import type { User } from "./contract";
import * as store from "./store";
import { newToken, sha256 } from "./token";
import { addUser } from "./new-user";
import { newUserRow, toUser } from "./user";

const link_valid_ms = 24 * 3_600_000;
/** Binds the sealed token of a start's link. */
const seal_context = "accounts_setup_links.sealed";
const alreadySetUp = () =>
  conflict("This server already has an administrator. Sign in instead.", "already_set_up");
const badLink = () =>
  new HttpError(
    403,
    "bad_link",
    "This set-up link is not valid: it may be incomplete, already used, or older than 24 " +
      "hours. To print a new one, run: dossier setup",
  );

export type FirstAdminContext = Omit<AccountContext, "notify"> &
  Pick<Context, "certain_now_ms" | "public_url" | "sealed">;

/** What the first administrator enters. */
export interface AdminForm {
  readonly email: string;
  readonly password: string;
}

/** Knows whether there is an administrator, and creates the first one. */
export class FirstAdmin {
  constructor(private readonly ctx: FirstAdminContext) {}

  /**
   * A new one-time link; earlier ones stay valid until they expire. @throws HttpError 409 when
   * there is an administrator.
   */
  newLink(): Promise<string> {
    return this.ctx.inTransaction(async (tx) => {
      if (await store.hasAdmin(tx)) throw alreadySetUp();
      return this.insertLink(tx, newToken("dst"), null);
    });
  }

  /** @throws HttpError 409 or 403, like `complete` for this token. */
  check(token: string): Promise<void> {
    return this.requireToken(this.ctx.db, token);
  }

  isSetUp(): Promise<boolean> {
    return store.hasAdmin(this.ctx.db);
  }

  /**
   * Creates the administrator, and invalidates every set-up link. @throws HttpError 409 or 403 as
   * `check`, 400 on an invalid email or password: the link stays valid then.
   */
  async complete(token: string, form: AdminForm): Promise<User> {
    await this.check(token);
    const user = await newUserRow({ ...form, role: "admin" }, this.ctx);
    await this.ctx.inTransaction(async (tx) => {
      // Checked again: somebody else with the same link may have been faster.
      await this.requireToken(tx, token);
      await addUser(this.ctx, tx, user);
      await store.deleteSetupLinks(tx);
    });
    return toUser(user);
  }

  /**
   * The administrator named in the settings, when there is none. @throws Error that names the
   * settings when they are invalid.
   */
  async fromSettings({ email, password }: Partial<AdminForm>): Promise<User | null> {
    if ((email === undefined && password === undefined) || (await this.isSetUp())) return null;
    if (email === undefined || password === undefined)
      throw new Error(
        "To create the first administrator, set both admin.email and admin.password.",
      );
    try {
      const user = await newUserRow({ email, password, role: "admin" }, this.ctx);
      const added = await this.ctx.inTransaction(async (tx) => {
        // Checked again: another starting process may have been faster.
        if (await store.hasAdmin(tx)) return false;
        await addUser(this.ctx, tx, user);
        return true;
      });
      return added ? toUser(user) : null;
    } catch (error) {
      if (error instanceof HttpError && error.status < 500)
        throw new Error(
          "The first administrator can't be created from admin.email and admin.password: " +
            error.detail,
        );
      throw error;
    }
  }

  /** A line for the terminal of the person who starts the server. */
  async signInHint(): Promise<string> {
    if (await this.isSetUp()) return `Sign in at ${this.ctx.public_url()}/console/`;
    const link = await this.linkOfStart();
    return `Create the first administrator (this link works once, for 24 hours): ${link}`;
  }

  /**
   * The link printed by the last start, valid for another 24 hours: however often a server starts,
   * there is one, and a browser that has it open can continue. A new one when it has expired, or
   * the secret key has changed.
   */
  private linkOfStart(): Promise<string> {
    const { inTransaction, now_ms, sealed } = this.ctx;
    return inTransaction(async (tx) => {
      const last = await store.findSetupLinkOfStart(tx, now_ms());
      const token = last && this.unsealed(last.sealed);
      if (token !== undefined) {
        await store.extendSetupLink(tx, last!.token_sha256, now_ms() + link_valid_ms);
        return this.urlOf(token);
      }
      await store.deleteSetupLinksOfStarts(tx);
      const fresh = newToken("dst");
      return this.insertLink(tx, fresh, sealed.seal(fresh, seal_context));
    });
  }

  private unsealed(token: string): string | undefined {
    try {
      return this.ctx.sealed.unseal(token, seal_context);
    } catch {
      return undefined;
    }
  }

  private async insertLink(tx: Db, token: string, sealed: string | null): Promise<string> {
    const now = this.ctx.now_ms();
    await store.deleteExpiredSetupLinks(tx, this.ctx.certain_now_ms());
    await store.insertSetupLink(tx, {
      token_sha256: sha256(token),
      expires_at: now + link_valid_ms,
      sealed,
    });
    return this.urlOf(token);
  }

  /** Behind the #, so that no proxy or log on the way sees the token. */
  private urlOf(token: string): string {
    return `${this.ctx.public_url()}/console/setup#t=${token}`;
  }

  /**
   * @throws HttpError 409 when there is an administrator, 403 when the token is not, or no longer,
   * a set-up token.
   */
  private async requireToken(db: Db, token: string): Promise<void> {
    if (await store.hasAdmin(db)) throw alreadySetUp();
    if (!(await store.hasSetupLink(db, sha256(token), this.ctx.now_ms()))) throw badLink();
  }
}
