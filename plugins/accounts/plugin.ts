/** Accounts: users, their passwords and API keys, and how a new server gets its first administrator. */
import { Authenticator, definePlugin, fill, Secret, StartNotice, t } from "../../core/sdk";
import { commandHandlers, commands } from "./commands";
import { Accounts } from "./contract";
import { createFirstAdmin } from "./first-admin";
import { migrations } from "./migrations";
import { createPasswords } from "./passwords";
import { routes, setupHandlers } from "./routes";
import { createAccounts, createAuthenticator } from "./service";
import { noteUse, type AccountsTables } from "./store";
import { createUsage } from "./usage";

export default definePlugin({
  name: "accounts",
  version: "1.0.0",
  section: "admin",
  config: t.Object({
    email: t.Optional(t.String({ description: "Email of the first administrator. Read only while there is none." })),
    password: t.Optional(Secret({ description: "Password of the first administrator. Read only while there is none." })),
  }),
  provides: { accounts: Accounts },
  tables: ["accounts_users", "accounts_keys", "accounts_setup_links"],
  migrations,
  routes,
  commands,
  setup: ({ clock, config, database, hot, inTransaction, log, newId, paths, public_url }) => {
    const now_ms = () => clock.now_ms();
    const parts = { db: database<AccountsTables>(), hot, inTransaction, now_ms, newId, passwords: createPasswords(), public_url, data: paths.data };
    const accounts = createAccounts(parts);
    const firstAdmin = createFirstAdmin(parts);
    const usage = createUsage({ log, write: (uses) => inTransaction(async (tx) => {
      for (const [key_id, at_ms] of uses) await noteUse(tx, key_id, at_ms);
    }) });
    return {
      services: { accounts: { ...accounts, signInHint: firstAdmin.signInHint } },
      routes: setupHandlers(firstAdmin, public_url),
      commands: commandHandlers(accounts, firstAdmin),
      fills: [fill(Authenticator, createAuthenticator({ hot, now_ms, noteUse: usage.note })), fill(StartNotice, firstAdmin.signInHint)],
      start: async () => {
        const admin = await firstAdmin.fromSettings(config);
        if (admin) log.info("created the first administrator from the settings", { user_id: admin.id });
        usage.start();
      },
      stop: usage.stop,
    };
  },
});
