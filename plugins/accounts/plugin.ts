/**
 * Accounts: users, their passwords, API keys and sessions, and how a new server gets its first
 * administrator.
 */
import { Authenticator, definePlugin, fill, Secret, StartNotice, t } from "../../core/sdk";
import { adminHandlers, adminRoutes } from "./admin-routes";
import { commandHandlers, commands } from "./commands";
import { Accounts, Sessions } from "./contract";
import { createFirstAdmin } from "./first-admin";
import { createInvitations } from "./invitations";
import { createLockout } from "./lockout";
import { migrations } from "./migrations";
import { createPasswords } from "./passwords";
import { accountHandlers, routes } from "./routes";
import { createAccounts, createAuthenticator } from "./service";
import { lastSeen, noteSeen } from "./session-store";
import { createSessions } from "./sessions";
import { noteUse } from "./store";
import { createUsage } from "./usage";

export default definePlugin({
  name: "accounts",
  version: "1.0.0",
  section: "admin",
  config: t.Object({
    email: t.Optional(
      t.String({ description: "Email of the first administrator. Read only while there is none." }),
    ),
    password: t.Optional(
      Secret({
        description: "Password of the first administrator. Read only while there is none.",
      }),
    ),
  }),
  provides: { accounts: Accounts, sessions: Sessions },
  tables: [
    "accounts_users",
    "accounts_keys",
    "accounts_setup_links",
    "accounts_sessions",
    "accounts_password_links",
  ],
  migrations,
  routes: { ...routes, ...adminRoutes },
  commands,
  setup: ({ now_ms, config, db, reads, inTransaction, log, newId, notify, public_url }) => {
    const parts = {
      db,
      reads,
      inTransaction,
      now_ms,
      newId,
      passwords: createPasswords(),
      public_url,
      notify,
    };
    const accounts = createAccounts(parts);
    const firstAdmin = createFirstAdmin(parts);
    const invitations = createInvitations(parts);
    const writeEach = (note: typeof noteUse) => (uses: ReadonlyMap<string, number>) =>
      inTransaction(async (tx) => {
        for (const [id, at_ms] of uses) await note(tx, id, at_ms);
      });
    const usage = createUsage({ log, write: writeEach(noteUse) });
    const seen = createUsage({ log, write: writeEach(noteSeen) });
    const sessions = createSessions({ ...parts, lockout: createLockout({ now_ms }), seen });
    return {
      services: { accounts: { ...accounts, signInHint: firstAdmin.signInHint }, sessions },
      routes: {
        ...accountHandlers({ accounts, firstAdmin, invitations, sessions }),
        ...adminHandlers({ accounts, invitations, lastSeen: () => lastSeen(db) }),
      },
      commands: commandHandlers(accounts, firstAdmin),
      fills: [
        fill(Authenticator, createAuthenticator({ reads, now_ms, noteUse: usage.note })),
        fill(StartNotice, firstAdmin.signInHint),
      ],
      start: async () => {
        const admin = await firstAdmin.fromSettings(config);
        if (admin)
          log.info("created the first administrator from the settings", { user_id: admin.id });
        usage.start();
        seen.start();
      },
      stop: async () => {
        await usage.stop();
        await seen.stop();
      },
    };
  },
});
