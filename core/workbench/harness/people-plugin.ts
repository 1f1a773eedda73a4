/**
 * Loaded beside the plugin under development: creates users with keys and writes them into the data
 * directory for the process that started the server. They sign in without a password. Stops the
 * server when that process is gone.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin, fill } from "dossier";
import { Accounts, SignIn } from "dossier/contracts";

const people = {
  ada: { role: "admin", title: "Sign in as Ada, an administrator", offer: "automatic" },
  bob: { role: "member", title: "Sign in as Bob, a member", offer: "button" },
} as const;

export default definePlugin({
  name: "people-of-the-bench",
  version: "1.0.0",
  needs: { accounts: Accounts },
  setup({ services: { accounts }, paths }) {
    const userOf = (name: keyof typeof people) =>
      accounts.ensureUser({
        email: `${name}@example.com`,
        external_id: name,
        provider: "people-of-the-bench",
        role: people[name].role,
      });
    const parent_pid = process.ppid;
    let parent_timer: Timer | undefined;
    const names = Object.keys(people) as (keyof typeof people)[];
    return {
      fills: names.map((id) =>
        fill(SignIn, {
          id,
          title: people[id].title,
          offer: () => people[id].offer,
          start: async () => ({ user: await userOf(id) }),
        }),
      ),
      async start() {
        const file = join(paths.data, ".people.json");
        const known_text = existsSync(file) ? readFileSync(file, "utf8") : "{}";
        const people = JSON.parse(known_text) as Record<string, unknown>;
        for (const name of names) {
          if (name in people) continue;
          const { id, email, role } = await userOf(name);
          const { token: key } = await accounts.createKey(id, { name: "plugin bench" });
          people[name] = { id, email, role, key };
        }
        writeFileSync(file, JSON.stringify(people));
        parent_timer = setInterval(() => {
          if (process.ppid !== parent_pid) process.kill(process.pid, "SIGTERM");
        }, 1_000);
      },
      stop: async () => clearInterval(parent_timer),
    };
  },
});
