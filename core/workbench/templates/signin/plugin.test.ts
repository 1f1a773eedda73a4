/** Tests of my plugin, on a server of their own: `dossier plugin test`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDossier, type Dossier } from "dossier/test";
import { readTicket, signed, type Ticket } from "./plugin";

const secret = "a secret of more than thirty-two characters";
let dossier: Dossier;
beforeAll(async () => {
  dossier = await startDossier({
    env: {
      DOSSIER_MY_PLUGIN_URL: "https://people.example.com/sign-in",
      DOSSIER_MY_PLUGIN_SECRET: secret,
    },
  });
});
afterAll(() => dossier.stop());

const ticketOf = (state: string, more: Partial<Ticket> = {}): Ticket => ({
  email: "eve@example.com",
  id: "4711",
  state,
  expires: Math.floor(Date.now() / 1_000) + 60,
  ...more,
});

test("a ticket is read only if it was signed with the secret, for this attempt, just now", () => {
  const text = signed(ticketOf("s1"), secret);
  expect(readTicket(text, secret, "s1", Date.now())?.email).toBe("eve@example.com");
  expect(readTicket(text, "another secret", "s1", Date.now())).toBeNull();
  expect(readTicket(text, secret, "s2", Date.now())).toBeNull();
  expect(readTicket(text, secret, "s1", Date.now() + 120_000)).toBeNull();
  expect(readTicket("nonsense", secret, "s1", Date.now())).toBeNull();
});

/** A browser that has begun to sign in: its cookie, and the state that it was sent away with. */
async function begin() {
  const way = "//console/api/v1/sign-in/my-plugin";
  const began = await dossier.send(null, "POST", way, { to: "/" }, { origin: dossier.url });
  const there = new URL(began.body.location);
  const cookie = began.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
  return { there, cookie, state: there.searchParams.get("state")! };
}
const comeBack = (ticket: string, state: string, cookie: string) =>
  dossier.send(
    null,
    "GET",
    `//console/api/v1/sign-in/my-plugin/callback?state=${state}&ticket=${ticket}`,
    undefined,
    { cookie },
  );

test("the button leads to the other site, and back into the console", async () => {
  const { there, cookie, state } = await begin();
  expect(there.origin + there.pathname).toBe("https://people.example.com/sign-in");
  const back = await comeBack(signed(ticketOf(state), secret), state, cookie);
  expect([back.status, back.headers.get("location")]).toEqual([302, "/console/"]);
  const session = back.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
  const signed_in = await dossier.send(null, "GET", "//console/api/v1/session", undefined, {
    cookie: session,
  });
  expect(signed_in.body.user.email).toBe("eve@example.com");
});

test("nobody comes in with a forged ticket", async () => {
  const { cookie, state } = await begin();
  const back = await comeBack(signed(ticketOf(state), "another secret"), state, cookie);
  expect([back.status, back.headers.getSetCookie().join().includes("dossier=")]).toEqual([
    403,
    false,
  ]);
});
