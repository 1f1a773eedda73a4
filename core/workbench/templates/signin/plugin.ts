/**
 * My plugin: people sign in through another site, which sends them back with a ticket: who they
 * are, signed with a secret that both know. For companies whose own site knows its users already.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { definePlugin, fill, HttpError, Secret, t } from "dossier";
import { Accounts, SignIn } from "dossier/contracts";

/** [my_plugin] in dossier.toml, or DOSSIER_MY_PLUGIN_URL and so on in the environment. */
const config = t.Object({
  url: t.String({
    pattern: "^https?://",
    description: "Where people sign in: they are sent there with state and return_to.",
  }),
  secret: Secret({ description: "Signs the tickets; at least 32 characters." }),
  title: t.String({ default: "Sign in with our site", description: "The words of the button." }),
});

/** Who has signed in there. */
export interface Ticket {
  readonly email: string;
  /** Who it is there, for good: an email may change hands. */
  readonly id: string;
  /** Of the attempt that it answers: a ticket works once, in one browser. */
  readonly state: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** What the other site does: `data.signature`. */
export function signed(ticket: Ticket, secret: string): string {
  const data = Buffer.from(JSON.stringify(ticket)).toString("base64url");
  return `${data}.${signatureOf(data, secret)}`;
}

/** The ticket; null when it is not signed with the secret, not for this attempt, or too old. */
export function readTicket(
  text: string,
  secret: string,
  state: string,
  now_ms: number,
): Ticket | null {
  const [data = "", signature = ""] = text.split(".");
  const expected = Buffer.from(signatureOf(data, secret));
  const received = Buffer.from(signature);
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return null;
  const ticket = JSON.parse(Buffer.from(data, "base64url").toString()) as Ticket;
  return ticket.state === state && ticket.expires * 1_000 > now_ms ? ticket : null;
}

const signatureOf = (data: string, secret: string): string =>
  createHmac("sha256", secret).update(data).digest("base64url");

export default definePlugin({
  name: "my-plugin",
  version: "0.1.0",
  config,
  needs: { accounts: Accounts },
  setup({ config, now_ms, services: { accounts } }) {
    const way: SignIn = {
      id: "my-plugin",
      title: config.title,
      async start({ state, callback_url }) {
        const there = new URL(config.url);
        there.searchParams.set("state", state);
        there.searchParams.set("return_to", callback_url);
        return { redirect: there.href };
      },
      async callback({ url, state }) {
        const text = url.searchParams.get("ticket") ?? "";
        const ticket = readTicket(text, config.secret, state, now_ms());
        // A sentence for whoever signs in.
        if (ticket === null)
          throw new HttpError(403, "bad_ticket", "The ticket of our site is not valid any more.");
        const { email, id } = ticket;
        return {
          user: await accounts.ensureUser({ email, external_id: id, provider: "my-plugin" }),
        };
      },
    };
    return { fills: [fill(SignIn, way)] };
  },
});
