/**
 * Accounts: users, their passwords, API keys and sessions, and how a new server gets its first
 * administrator.
 */
import { Authenticator, definePlugin, fill, Secret, StartNotice, t } from "../../core/sdk";
import { UserChanged, UserCreated } from "../events/contract";
import { accessCommandHandlers, accessCommands } from "./access-commands";
import { adminHandlers, adminRoutes } from "./admin-routes";
import { KeyAuthenticator } from "./authenticator";
import { commandHandlers, commands } from "./commands";
import { Accounts, SessionRules, Sessions, UserDeactivated, UserDeleted } from "./contract";
import { deletionSchedules, UserDeletion } from "./deletion";
import { FirstAdmin } from "./first-admin";
import { Invitations } from "./invitations";
import { LastUseBuffer } from "./last-use";
import { Lockout } from "./lockout";
import { migrations } from "./migrations";
import { PasswordVerifier } from "./password-verifier";
import { Passwords } from "./passwords";
import { accountHandlers, routes } from "./routes";
import { AccountService } from "./service";
import { lastSeen, linkEnds, noteSessionUse } from "./session-store";
import { SessionService } from "./sessions";
import { noteKeyUse } from "./store";

export default definePlugin({
  name: "accounts",
  version: "1.0.0",
  section: "admin",
  config: t.Object(
    {
      email: t.Optional(
        t.String({
          description:
            "The email address of the first administrator. Only read while there is none.",
        }),
      ),
      password: t.Optional(
        Secret({
          description: "The password of the first administrator. Only read while there is none.",
        }),
      ),
    },
    { changes: "outside" },
  ),
  provides: { accounts: Accounts, sessions: Sessions },
  events: [UserDeactivated, UserDeleted, UserCreated, UserChanged],
  tables: [
    "accounts_users",
    "accounts_keys",
    "accounts_setup_links",
    "accounts_sessions",
    "accounts_password_links",
    "accounts_deletions",
    "accounts_identities",
  ],
  slots: { rules: SessionRules },
  migrations,
  routes: { ...routes, ...adminRoutes },
  commands: { ...commands, ...accessCommands },
  setup: (ctx) => {
    const { config, db, inTransaction, log } = ctx;
    const account_ctx = { ...ctx, passwords: new Passwords() };
    const first_admin = new FirstAdmin(account_ctx);
    const deletion = new UserDeletion(account_ctx);
    const accounts = new AccountService(account_ctx, first_admin, deletion);
    const invitations = new Invitations(account_ctx);
    const writeEach = (note: typeof noteKeyUse) => (uses: ReadonlyMap<string, number>) =>
      inTransaction(async (tx) => {
        for (const [id, at_ms] of uses) await note(tx, id, at_ms);
      });
    const key_use = new LastUseBuffer({ log, write: writeEach(noteKeyUse) });
    const session_use = new LastUseBuffer({ log, write: writeEach(noteSessionUse) });
    const verifier = new PasswordVerifier({ ...account_ctx, lockout: new Lockout(ctx) });
    const sessions = new SessionService({
      ...account_ctx,
      verifier,
      last_use: session_use,
      rules: ctx.slots.rules,
    });
    return {
      services: { accounts, sessions },
      routes: {
        ...accountHandlers({ accounts, first_admin, invitations, sessions }),
        ...adminHandlers({
          accounts,
          invitations,
          about: async (user_ids) => {
            // Uses recorded since the last write count, too.
            await Promise.all([key_use.flush(), session_use.flush()]);
            return {
              last_seen_ms: await lastSeen(db, user_ids),
              link_expires_ms: await linkEnds(db, user_ids),
            };
          },
        }),
      },
      commands: {
        ...commandHandlers(accounts, first_admin),
        ...accessCommandHandlers({ ...ctx, accounts }),
      },
      fills: [
        fill(Authenticator, new KeyAuthenticator({ ...ctx, last_use: key_use })),
        fill(StartNotice, () => first_admin.signInHint()),
      ],
      jobs: deletion.jobs(),
      schedules: deletionSchedules,
      start: async () => {
        await deletion.resume();
        const admin = await first_admin.fromSettings(config);
        if (admin)
          log.info("created the first administrator from the settings", { user_id: admin.id });
        key_use.start();
        session_use.start();
      },
      stop: async () => {
        await key_use.stop();
        await session_use.stop();
      },
    };
  },
});
