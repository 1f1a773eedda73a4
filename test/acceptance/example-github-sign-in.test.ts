/**
 * The plugin of examples/github-sign-in in the built executable, against a server that follows
 * GitHub's documentation.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { openBrowser } from "../helpers/browser";
import { startExecutable, type Executable } from "../helpers/executable";

interface Person {
  readonly id: number;
  readonly login: string;
  readonly email: string;
  readonly state?: "active" | "pending";
  readonly verified?: boolean;
}
let person: Person;
let challenge = "";
const github = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/login/oauth/access_token") {
      const form = new URLSearchParams(await request.text());
      const proof = createHash("sha256").update(form.get("code_verifier") ?? "");
      const right =
        form.get("code") === "good" &&
        form.get("client_secret") === "secret" &&
        proof.digest("base64url") === challenge;
      // GitHub answers 200 to refused requests too.
      return Response.json(right ? { access_token: "gho_1" } : { error: "bad_verification_code" });
    }
    if (request.headers.get("authorization") !== "Bearer gho_1")
      return Response.json({ message: "Bad credentials" }, { status: 401 });
    const { id, login, email, state, verified = true } = person;
    if (pathname === "/api/user") return Response.json({ id, login });
    if (pathname === "/api/user/emails")
      return Response.json([
        { email: "old@example.com", primary: false, verified: true },
        { email, primary: true, verified },
      ]);
    if (pathname === "/api/user/memberships/orgs/example" && state !== undefined)
      return Response.json({ state });
    return Response.json({ message: "Not Found" }, { status: 404 });
  },
});

let dossier: Executable;
beforeAll(async () => {
  const here = `http://127.0.0.1:${github.port}`;
  const plugin = resolve(import.meta.dir, "../../examples/github-sign-in/plugin.ts");
  dossier = await startExecutable({
    files: { "plugins/github-sign-in.ts": await Bun.file(plugin).text() },
    env: {
      DOSSIER_GITHUB_SIGN_IN_CLIENT_ID: "Iv1.1",
      DOSSIER_GITHUB_SIGN_IN_CLIENT_SECRET: "secret",
      DOSSIER_GITHUB_SIGN_IN_ORGANIZATION: "example",
      DOSSIER_GITHUB_SIGN_IN_ADMINS: "ada",
      DOSSIER_GITHUB_SIGN_IN_URL: here,
      DOSSIER_GITHUB_SIGN_IN_API_URL: `${here}/api`,
    },
  });
}, 180_000);
afterAll(async () => {
  github.stop(true);
  await dossier?.[Symbol.asyncDispose]();
});

test.each([
  [
    "a member is signed in",
    { id: 1, login: "bob", email: "bob@example.com", state: "active" },
    "good",
    "member",
  ],
  [
    "an administrator listed in the settings",
    { id: 2, login: "ada", email: "ada@example.com", state: "active" },
    "good",
    "admin",
  ],
  [
    "a member whose login has changed",
    { id: 1, login: "bobby", email: "bobby@example.com", state: "active" },
    "good",
    "bob@example.com",
  ],
  [
    "a user outside the organization is refused",
    { id: 3, login: "eve", email: "eve@example.com" },
    "good",
    "not a member of example",
  ],
  [
    "an invited user is refused",
    { id: 4, login: "kim", email: "kim@example.com", state: "pending" },
    "good",
    "not a member of example",
  ],
  [
    "a user without a verified address is refused",
    { id: 5, login: "zoe", email: "zoe@example.com", state: "active", verified: false },
    "good",
    "no verified email address",
  ],
  [
    "an invalid code is refused",
    { id: 1, login: "bob", email: "bob@example.com", state: "active" },
    "bad",
    "did not confirm the sign-in",
  ],
] as [string, Person, string, string][])("%s", async (_, who, code, says) => {
  person = who;
  const browser = openBrowser(fetch, dossier.url());
  const { body } = await browser.send("POST", "/sign-in/github", { to: "/chats" });
  const there = new URL(body.location).searchParams;
  challenge = there.get("code_challenge")!;
  const callback = `/sign-in/github/callback?code=${code}&state=${there.get("state")}`;
  const { status } = await browser.send("GET", callback);
  const { user } = (await browser.send("GET", "/session")).body;
  const { problem } = (await browser.send("GET", "/sign-in")).body;
  expect([status, Object.values(user ?? {}), problem].flat().join(" ")).toContain(says);
  expect(status === 302).toBe(user !== null);
});

test("the command line can turn password sign-in off and on again", async () => {
  const root = { email: "root@example.com", password: "correct horse battery staple" };
  const create = ["user", "create", "--email", root.email, "--role", "admin", "--password-stdin"];
  await dossier.mustCli(create, { stdin: root.password });
  const signIn = async () =>
    (await openBrowser(fetch, dossier.url()).send("POST", "/session", root)).status;
  const statuses = [await signIn()];
  for (const allowed of ["false", "true"]) {
    await dossier.mustCli(["config", "set", "sign_in.password", allowed]);
    statuses.push(await signIn());
  }
  expect(statuses).toEqual([200, 403, 200]);
});
