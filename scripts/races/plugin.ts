/**
 * The test plugin of the races' servers: a sign-in method that accepts everybody, and an import
 * source whose listing waits for a gate, or for ever.
 */
import { definePlugin, fill, t } from "dossier";
import { Accounts, ImportSources, SignIn, type ImportSource } from "dossier/contracts";

const schema = t.Object({
  folder: t.Optional(t.String({ description: "Of its only item." })),
  gate: t.Optional(t.String({ description: "An address that is asked for first." })),
  waits: t.Optional(t.Boolean({ description: "Its listing never ends." })),
});
interface Racing {
  readonly folder?: string;
  readonly gate?: string;
  readonly waits?: boolean;
}

let items = 0;
const source: ImportSource<Racing> = {
  type: "racing",
  description: "One text, which has never been there before.",
  schema,

  async *items({ folder, gate, waits }, { signal }) {
    if (gate !== undefined) await (await fetch(gate, { signal })).text();
    if (waits === true) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield {
      uri: `racing:${process.pid}.${items++}`,
      name: `${process.pid}.${items}.txt`,
      ...(folder !== undefined && { folder }),
    };
  },

  async read({ uri }) {
    const text = new TextEncoder().encode(`The text of ${uri}.`);
    return {
      name: `${uri}.txt`,
      media_type: "text/plain",
      bytes: (async function* () {
        yield text;
      })(),
    };
  },
};

export default definePlugin({
  name: "racing",
  version: "1.0.0",
  needs: { accounts: Accounts },
  setup: ({ services: { accounts } }) => ({
    fills: [
      fill(ImportSources, source),
      fill(SignIn, {
        id: "racing",
        title: "Sign in",
        start: async ({ state, callback_url }) => ({ redirect: `${callback_url}?state=${state}` }),
        callback: async () => ({
          user: await accounts.ensureUser({
            email: "somebody@example.com",
            external_id: "somebody",
            provider: "racing",
            role: "member",
          }),
        }),
      }),
    ],
  }),
});
