/**
 * Sign in with GitHub, or a GitHub Enterprise Server: members of the organization may sign in.
 * GitHub offers OAuth without OpenID Connect, so it needs a sign-in method of its own. To use it,
 * copy it to `<data directory>/plugins/github-sign-in.ts`, register an OAuth app there whose
 * callback is `<public address>/console/api/v1/sign-in/github/callback`, and configure it in
 * `dossier.toml`:
 *
 *     [github_sign_in]
 *     client_id = "Iv1.…"
 *     client_secret = "…"
 *     organization = "example"
 *     admins = ["ada"]
 */
import { createHash, randomBytes } from "node:crypto";
import {
  definePlugin,
  fetchBounded,
  fill,
  forbidden,
  HttpError,
  List,
  Secret,
  t,
  type Static,
} from "dossier";
import { Accounts, SignIn } from "dossier/contracts";

const limits = { timeout_ms: 10_000, bytes_max: 2 ** 20 };

const config = t.Object({
  client_id: t.String({ description: "The client ID of the OAuth app." }),
  client_secret: Secret({ description: "The client secret of the OAuth app." }),
  organization: t.String({ description: "The organization whose members may sign in." }),
  admins: List("string", {
    description: "The GitHub names of the users who are administrators here.",
  }),
  url: t.String({ default: "https://github.com", description: "The address of GitHub." }),
  api_url: t.String({
    default: "https://api.github.com",
    description: "The address of the API; for an Enterprise Server https://host/api/v3.",
  }),
});
type Settings = Static<typeof config>;

interface Member {
  readonly id: number;
  readonly login: string;
  readonly email: string;
}

/** Null if GitHub refuses. */
async function ask<T>(url: string, init: RequestInit): Promise<T | null> {
  const headers = { accept: "application/json", "user-agent": "dossier", ...init.headers };
  const answer = await fetchBounded(url, { ...init, headers }, limits).catch(() => {
    throw new HttpError(502, "github_away", "GitHub is not responding. Try again later.");
  });
  return answer.ok ? ((await answer.json()) as T) : null;
}

/** @throws HttpError 403 when the code is invalid or expired. */
async function tokenFor(
  { url, client_id, client_secret }: Settings,
  grant: { readonly code: string; readonly redirect_uri: string; readonly code_verifier: string },
): Promise<string> {
  const body = new URLSearchParams({ client_id, client_secret, ...grant });
  const granted = await ask<{ access_token?: unknown }>(`${url}/login/oauth/access_token`, {
    method: "POST",
    body,
  });
  // GitHub reports errors with status 200, too.
  if (typeof granted?.access_token === "string") return granted.access_token;
  throw forbidden(
    "GitHub did not confirm the sign-in, or it has expired. Sign in again.",
    "no_token",
  );
}

/** @throws HttpError 403 when the user is not a member of the organization. */
async function memberWith(token: string, { api_url, organization }: Settings): Promise<Member> {
  const read = <T>(path: string) =>
    ask<T>(`${api_url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const user = await read<{ id: number; login: string }>("/user");
  if (user === null) throw forbidden("GitHub did not say who you are.", "nobody");
  const name = encodeURIComponent(organization);
  const membership = await read<{ state: string }>(`/user/memberships/orgs/${name}`);
  if (membership?.state !== "active")
    throw forbidden(`${user.login} is not a member of ${organization} at GitHub.`, "no_member");
  const emails =
    await read<{ email: string; primary: boolean; verified: boolean }[]>("/user/emails");
  const email = emails?.find(({ primary, verified }) => primary && verified)?.email;
  if (email === undefined)
    throw forbidden("Your GitHub account has no verified email address.", "no_email");
  return { ...user, email };
}

export default definePlugin({
  name: "github-sign-in",
  version: "1.0.0",
  config,
  needs: { accounts: Accounts },
  setup({ config, services: { accounts } }) {
    const way: SignIn = {
      id: "github",
      title: "Sign in with GitHub",
      async start({ state, callback_url }) {
        const verifier = randomBytes(32).toString("base64url");
        const there = new URL(`${config.url}/login/oauth/authorize`);
        for (const [name, value] of Object.entries({
          client_id: config.client_id,
          redirect_uri: callback_url,
          scope: "user:email read:org",
          state,
          code_challenge: createHash("sha256").update(verifier).digest("base64url"),
          code_challenge_method: "S256",
        }))
          there.searchParams.set(name, value);
        return { redirect: there.href, remember: verifier };
      },
      async callback({ url, callback_url, remembered }) {
        const code = url.searchParams.get("code") ?? "";
        const grant = { code, redirect_uri: callback_url, code_verifier: remembered };
        const { id, login, email } = await memberWith(await tokenFor(config, grant), config);
        const user = await accounts.ensureUser({
          email,
          // Names can be changed, and reused by others: the numeric id stays.
          external_id: String(id),
          provider: `github ${config.url}`,
          role: config.admins.includes(login) ? "admin" : "member",
        });
        return { user };
      },
    };
    return { fills: [fill(SignIn, way)] };
  },
});
