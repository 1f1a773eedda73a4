/**
 * Loaded beside the plugin that is tried out: makes users with keys, and writes them into the data
 * directory, where the test finds them.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin } from "dossier";
import { Accounts } from "dossier/contracts";

const people = { ada: "admin", bob: "member" } as const;
const password = "correct horse battery staple";

export default definePlugin({
  name: "people-of-the-bench",
  version: "1.0.0",
  needs: { accounts: Accounts },
  setup: ({ services: { accounts }, paths }) => ({
    async start() {
      const file = join(paths.data, ".people.json");
      const known = existsSync(file) ? readFileSync(file, "utf8") : "{}";
      const made = JSON.parse(known) as Record<string, unknown>;
      await Promise.all(
        Object.entries(people).map(async ([name, role]) => {
          if (name in made) return;
          const email = `${name}@example.com`;
          const { id } = await accounts.createUser({ email, password, role });
          const { token: key } = await accounts.createKey(id, { name: "plugin bench" });
          made[name] = { id, email, password, role, key };
        }),
      );
      writeFileSync(file, JSON.stringify(made));
    },
  }),
});
