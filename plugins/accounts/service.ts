/** The rules about users and keys. Knows nothing of HTTP requests and contains no SQL. */
import { notFound, type Context, type Listed, type PageRequest } from "../../core/sdk";
import { UserChanged } from "../events/contract";
import { keyChanged, sessionsChanged, type AccountContext } from "./context";
import {
  UserDeactivated,
  type Accounts,
  type ExternalUser,
  type Key,
  type NewKey,
  type NewUser,
  type Role,
  type User,
} from "./contract";
import type { FirstAdmin } from "./first-admin";
import { Identities } from "./identities";
import { newKeyRow, toKey } from "./key";
import { isActiveAdmin, requireAnotherAdmin } from "./last-admin";
import { checkPassword } from "./passwords";
import type { UserDeletion } from "./deletion";
import { deletePasswordLink, deleteSessions } from "./session-store";
import * as store from "./store";
import type { UserRow } from "./store";
import { addUser } from "./new-user";
import { foldedEmail, newUserRow, toUser } from "./user";

/** Longer than any command takes. */
const temporary_key_ms = 3_600_000;

/** Users and keys for the routes, the commands and other plugins. */
export class AccountService implements Accounts {
  private readonly identities: Identities;

  constructor(
    private readonly ctx: AccountContext & Pick<Context, "log" | "reads">,
    private readonly first_admin: Pick<FirstAdmin, "signInHint">,
    private readonly deletion: Pick<UserDeletion, "remove">,
  ) {
    this.identities = new Identities({
      ...ctx,
      changeUser: (user_id, change) => this.changeUser(user_id, change),
    });
  }

  ensureUser(input: ExternalUser): Promise<User> {
    return this.identities.ensureUser(input);
  }

  externalUser(identity: Pick<ExternalUser, "external_id" | "provider">) {
    return this.identities.find(identity);
  }

  async findUser(id_or_email: string): Promise<User> {
    return toUser(await this.requireRow(id_or_email));
  }

  async listUsers(): Promise<User[]> {
    return (await store.listUsers(this.ctx.db)).map(toUser);
  }

  /** One page, newest first. */
  async pageOfUsers(page: PageRequest): Promise<Listed<User>> {
    const { rows, total } = await store.pageOfUsers(this.ctx.db, page);
    return { rows: rows.map(toUser), total };
  }

  async createUser(input: NewUser): Promise<User> {
    const row = await newUserRow(input, this.ctx);
    return this.ctx.inTransaction(async (tx) => {
      await addUser(this.ctx, tx, row);
      return toUser(row);
    });
  }

  async verifyPassword(email: string, password: string): Promise<User | null> {
    const row = await store.findUserByEmail(this.ctx.db, foldedEmail(email));
    const right = await this.ctx.passwords.verify(password, row?.password_hash);
    return right && row?.active === 1 ? toUser(row) : null;
  }

  /** `kept_session_id`: the session that stays, when users change their own password. */
  async changePassword(user_id: string, password: string, kept_session_id?: string): Promise<void> {
    const { inDeletion, notify, passwords } = this.ctx;
    checkPassword(password);
    const password_hash = await passwords.hash(password);
    await inDeletion(async (tx) => {
      if (!(await store.updateUser(tx, user_id, { password_hash }))) throw notFound("user");
      await deleteSessions(tx, user_id, kept_session_id);
      await deletePasswordLink(tx, user_id);
      notify(sessionsChanged(user_id));
    });
  }

  setUserActive(user_id: string, active: boolean): Promise<User> {
    return this.changeUser(user_id, { active });
  }

  /**
   * Takes effect at the next request. @throws HttpError 404, 409 `last_admin` when nobody could
   * administer the server any more.
   */
  changeUser(
    user_id: string,
    { role, active }: { readonly role?: Role; readonly active?: boolean },
  ): Promise<User> {
    return this.ctx.inDeletion(async (tx) => {
      const before = await store.findUser(tx, user_id);
      if (!before) throw notFound("user");
      const row = (await store.updateUser(tx, user_id, {
        role: role ?? before.role,
        active: active === undefined ? before.active : Number(active),
      }))!;
      if (!isActiveAdmin(row)) await requireAnotherAdmin(tx, before);
      if (active === false) await deleteSessions(tx, user_id);
      if (before.active !== row.active || before.role !== row.role)
        await this.ctx.emit(tx, UserChanged, {
          user_id,
          role: row.role,
          active: row.active === 1,
        });
      if (before.active === 1 && row.active === 0)
        await this.ctx.emit(tx, UserDeactivated, { user_id });
      this.ctx.notify(sessionsChanged(user_id, "all", active === false ? "deleted" : "changed"));
      return toUser(row);
    });
  }

  deleteUser(user_id: string): Promise<User> {
    return this.deletion.remove(user_id);
  }

  async createKey(
    user_id: string,
    input: NewKey,
  ): Promise<{ readonly key: Key; readonly token: string }> {
    const user = await this.requireRow(user_id);
    const { row, token } = newKeyRow(user.id, input, this.ctx);
    await store.insertKey(this.ctx.db, row);
    this.ctx.notify(keyChanged(row, "created"));
    return { key: toKey(row), token };
  }

  async withTemporaryKey<R>(
    user_id: string,
    name: string,
    work: (token: string) => Promise<R>,
  ): Promise<R> {
    const expires_at = this.ctx.now_ms() + temporary_key_ms;
    const { key, token } = await this.createKey(user_id, { name, expires_at });
    try {
      return await work(token);
    } finally {
      await this.ctx.inDeletion((tx) => store.deleteKey(tx, key.id));
    }
  }

  async listKeys(user_id: string): Promise<Key[]> {
    await this.requireRow(user_id);
    return (await store.listKeys(this.ctx.db, user_id)).map(toKey);
  }

  /** One page of the user's keys, newest first. */
  async pageOfKeys(user_id: string, page: PageRequest): Promise<Listed<Key>> {
    const { rows, total } = await store.pageOfKeys(this.ctx.db, user_id, page);
    return { rows: rows.map(toKey), total };
  }

  async deactivateKey(key_id: string, of_user_id?: string): Promise<Key> {
    const row = await this.ctx.inDeletion((tx) => store.deactivateKey(tx, key_id, of_user_id));
    if (!row) throw notFound("key");
    this.ctx.notify(keyChanged(row, "changed"));
    return toKey(row);
  }

  signInHint(): Promise<string> {
    return this.first_admin.signInHint();
  }

  private async requireRow(id_or_email: string): Promise<UserRow> {
    const { db } = this.ctx;
    const row = id_or_email.includes("@")
      ? await store.findUserByEmail(db, foldedEmail(id_or_email))
      : await store.findUser(db, id_or_email);
    if (!row) throw notFound("user");
    return row;
  }
}
