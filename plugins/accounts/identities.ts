/** Users known to other systems: their id there, the matching user here, and their current role. */
import { badRequest, HttpError, type Context } from "../../core/sdk";
import type { AccountContext } from "./context";
import type { ExternalUser, Role, User } from "./contract";
import * as store from "./store";
import type { AccountsDb, UserRow } from "./store";
import { addUser } from "./new-user";
import { checkedEmail, foldedEmail, no_password, toUser } from "./user";

const id_length_max = 500;

/** What the identities need besides `Context`. */
export interface IdentityContext
  extends
    Pick<AccountContext, "db" | "emit" | "inTransaction" | "newId" | "now_ms">,
    Pick<Context, "log" | "reads"> {
  /** @throws HttpError 409 `last_admin` */
  readonly changeUser: (user_id: string, change: { readonly role: Role }) => Promise<User>;
}

/** Finds and creates users by their identity at another system. */
export class Identities {
  constructor(private readonly ctx: IdentityContext) {}

  /** See `Accounts.ensureUser`. Writes nothing when nothing has changed. */
  async ensureUser(input: ExternalUser): Promise<User> {
    const identity = { provider: input.provider ?? "", external_id: input.external_id };
    checkIdentity(identity);
    const row =
      (await store.findByIdentity(this.ctx.db, identity)) ??
      (await this.ctx.inTransaction((tx) => this.linkOrCreate(tx, input, identity)));
    if (row.active !== 1) throw deactivated();
    return this.withRole(toUser(row), input.role);
  }

  async find({
    provider = "",
    external_id,
  }: Pick<ExternalUser, "external_id" | "provider">): Promise<Pick<User, "id"> | null> {
    const id = await store.userIdOf(this.ctx.reads, { provider, external_id });
    return id === undefined ? null : { id };
  }

  private async linkOrCreate(
    tx: AccountsDb,
    input: ExternalUser,
    identity: Pick<store.IdentityRow, "provider" | "external_id">,
  ): Promise<UserRow> {
    // The person may have opened two windows.
    const user = await store.findByIdentity(tx, identity);
    if (user) return user;
    const email = checkedEmail(input.email);
    const row =
      (await this.linked(tx, email, input, identity.provider)) ?? (await this.created(tx, input));
    const created_at = this.ctx.now_ms();
    await store.linkIdentity(tx, { ...identity, user_id: row.id, created_at });
    return row;
  }

  /** @throws HttpError 403 when there is a user with this email who is not taken for them. */
  private async linked(
    tx: AccountsDb,
    email: string,
    { link = "nobody" }: ExternalUser,
    provider: string,
  ): Promise<UserRow | undefined> {
    const row = await store.findUserByEmail(tx, foldedEmail(email));
    if (!row) return undefined;
    if (row.active !== 1) throw deactivated();
    const allowed = link === "everybody" || (link === "members" && row.role === "member");
    // The provider has given the address to somebody else: a different person.
    if (!allowed || (await store.hasIdentity(tx, row.id, provider))) throw emailInUse(email);
    this.ctx.log.info("a user now signs in with another method", { user_id: row.id });
    if (row.password_hash !== "") return row;
    // A user who was only invited no longer needs a password.
    return (await store.updateUser(tx, row.id, { password_hash: no_password }))!;
  }

  private async created(
    tx: AccountsDb,
    { email, role = "member", create = true }: ExternalUser,
  ): Promise<UserRow> {
    if (!create) throw notAUser(email);
    const address = checkedEmail(email);
    const row: UserRow = {
      id: this.ctx.newId("usr"),
      email: address,
      email_folded: foldedEmail(address),
      role,
      password_hash: no_password,
      last_seen_at: null,
      active: 1,
      created_at: this.ctx.now_ms(),
    };
    await addUser(this.ctx, tx, row);
    this.ctx.log.info("created a user who signs in by other means", { user_id: row.id, role });
    return row;
  }

  private async withRole(user: User, role: Role | undefined): Promise<User> {
    if (role === undefined || role === user.role) return user;
    try {
      return await this.ctx.changeUser(user.id, { role });
    } catch (error) {
      if (!(error instanceof HttpError) || error.code !== "last_admin") throw error;
      this.ctx.log.warn(
        "the provider's role was not applied, because this is the last active administrator",
        {
          user_id: user.id,
        },
      );
      return user;
    }
  }
}

function checkIdentity({ provider, external_id }: { provider: string; external_id: string }): void {
  for (const [pointer, id] of [
    ["/external_id", external_id],
    ["/provider", provider],
  ] as const)
    if (typeof id !== "string" || id.length > id_length_max || !id.isWellFormed())
      throw badRequest(`It must be text of at most ${id_length_max} characters.`, pointer);
  if (external_id === "") throw badRequest("It must not be empty.", "/external_id");
}

/** The refusal of a user who is deactivated. */
export const deactivated = () =>
  new HttpError(
    403,
    "deactivated",
    "This user is deactivated. An administrator can activate them again.",
  );
const notAUser = (email: string) =>
  new HttpError(
    403,
    "not_a_user",
    `There is no user ${email} on this server. Ask an administrator for an invitation.`,
  );
const emailInUse = (email: string) =>
  new HttpError(
    403,
    "email_in_use",
    `The user ${email} already exists and signs in another way. Sign in as before, or ask ` +
      "an administrator.",
  );
