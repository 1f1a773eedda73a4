/** How a new server gets its first administrator: by a one-time link, or from the configuration. */
import { conflict, HttpError, type Db } from "../../core/sdk";
import type { User } from "./contract";
import { emailTaken, newUserRow, toUser, type AccountsParts } from "./service";
import * as store from "./store";
import { newToken, sha256 } from "./token";

const link_valid_ms = 24 * 3_600_000;
const alreadySetUp = () =>
  conflict("This server has an administrator already: sign in instead.", "already_set_up");
const badLink = () =>
  new HttpError(
    403,
    "bad_link",
    "This set-up link is not valid: it may be incomplete, used, or older than 24 hours. Print " +
      "another with: dossier setup --link",
  );

export interface FirstAdminParts extends Omit<AccountsParts, "reads" | "notify"> {
  readonly public_url: () => string;
}
/** What the first administrator enters. */
export interface AdminForm {
  readonly email: string;
  readonly password: string;
}

export function createFirstAdmin(parts: FirstAdminParts) {
  const { db, inTransaction, now_ms, public_url } = parts;

  /**
   * @throws HttpError 409 when there is an administrator, 403 when the token is not, or no longer,
   * a set-up token.
   */
  const requireToken = async (from: Db, token: string): Promise<void> => {
    if (await store.hasAdmin(from)) throw alreadySetUp();
    if (!(await store.hasSetupLink(from, sha256(token), now_ms()))) throw badLink();
  };

  /**
   * A new one-time link; earlier ones stay valid until they expire. @throws HttpError 409 when
   * there is an administrator.
   */
  const newLink = async (): Promise<string> => {
    const token = newToken("dst");
    await inTransaction(async (tx) => {
      if (await store.hasAdmin(tx)) throw alreadySetUp();
      await store.deleteExpiredSetupLinks(tx, now_ms());
      await store.insertSetupLink(tx, sha256(token), now_ms() + link_valid_ms);
    });
    // Behind the #, so that no proxy and no log on the way sees it.
    return `${public_url()}/console/setup#t=${token}`;
  };

  return {
    newLink,

    /** @throws HttpError 409 or 403: what `complete` would say of the token. */
    check: (token: string): Promise<void> => requireToken(db, token),

    isSetUp: (): Promise<boolean> => store.hasAdmin(db),

    /**
     * Creates the administrator, and spends every set-up link.
     * @throws HttpError 409 or 403 as `check`, 400 on an email or a password that won't do: the
     * link stays valid then.
     */
    async complete(token: string, form: AdminForm): Promise<User> {
      await requireToken(db, token);
      const user = await newUserRow({ ...form, role: "admin" }, parts);
      await inTransaction(async (tx) => {
        // Asked again: another user of the same link may have been faster.
        await requireToken(tx, token);
        if (!(await store.insertUser(tx, user))) throw emailTaken(user.email);
        await store.deleteSetupLinks(tx);
      });
      return toUser(user);
    },

    /**
     * The administrator that the settings name, when there is none. @throws Error that names the
     * settings when they won't do.
     */
    async fromSettings({ email, password }: Partial<AdminForm>): Promise<User | null> {
      if ((email === undefined && password === undefined) || (await store.hasAdmin(db)))
        return null;
      if (email === undefined || password === undefined)
        throw new Error(
          "The first administrator needs both settings, admin.email and admin.password.",
        );
      try {
        const user = await newUserRow({ email, password, role: "admin" }, parts);
        if (!(await store.insertUser(db, user))) throw emailTaken(user.email);
        return toUser(user);
      } catch (error) {
        if (error instanceof HttpError && error.status < 500)
          throw new Error(
            `The first administrator can't be created from admin.email and admin.password: ${error.detail}`,
          );
        throw error;
      }
    },

    /** A line for the terminal of whoever starts the server. */
    async signInHint(): Promise<string> {
      return (await store.hasAdmin(db))
        ? `Sign in at ${public_url()}/console/`
        : `Create the first administrator (this link works once, for 24 hours): ${await newLink()}`;
    },
  };
}
export type FirstAdmin = ReturnType<typeof createFirstAdmin>;
