/**
 * A real OpenID Connect provider (`oidc-provider`) on loopback. Every visitor is signed in at once
 * as the person set by the test.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// @ts-expect-error: it brings no types
import * as library from "oidc-provider";

/** The claims about a person; `sub` identifies them. */
export interface Person {
  readonly sub: string;
  readonly [claim: string]: unknown;
}
/** An application that is registered with the provider. */
export interface Client {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly redirect_uris: readonly string[];
  readonly [more: string]: unknown;
}
/** A running provider. */
export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Who signs in from now on; null aborts the sign-in. */
  person: Person | null;
  /** The statuses of requests to its token endpoint. */
  readonly token_statuses: number[];
  /** Modifies a response of this path before it is sent, to simulate a malicious provider. */
  tamper: ((path: string, body: string) => string) | null;
  /** Follows a browser's redirects until it is sent back: returns that address. */
  follow(url: string): Promise<URL>;
  /** Stops listening; `resume` listens at the same address. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** Starts one. `clients`: from its own address. */
export async function startOidcProvider(
  clients: (issuer: string) => readonly Client[],
  { port = 0, hostname = "127.0.0.1" } = {},
): Promise<OidcProvider> {
  let handle: (request: any, response: any) => void = () => undefined;
  const server = createServer((request, response) => handle(request, response));
  const listen = (at: number) =>
    new Promise<void>((resolve) => server.listen(at, hostname, () => resolve()));
  await listen(port);
  const bound = (server.address() as AddressInfo).port;
  const issuer = `http://${hostname}:${bound}`;
  const oidc: OidcProvider = {
    issuer,
    person: { sub: "nobody" },
    token_statuses: [],
    tamper: null,
    follow: (url) => follow(url, issuer),
    pause: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
    resume: () => listen(bound),
    [Symbol.asyncDispose]: () => oidc.pause(),
  };
  const people = new Map<string, Person>();
  const provider = new library.Provider(issuer, configurationOf(clients(issuer), people));
  provider.use(async (ctx: any, next: () => Promise<void>) => {
    const [, area, uid] = ctx.path.split("/");
    if (area === "interaction" && uid) return interact(provider, ctx, oidc.person, people);
    await next();
    if (ctx.path === "/token") oidc.token_statuses.push(ctx.status);
    if (oidc.tamper && typeof ctx.body === "object")
      ctx.body = JSON.parse(oidc.tamper(ctx.path, JSON.stringify(ctx.body)));
  });
  handle = provider.callback();
  return oidc;
}

const configurationOf = (clients: readonly Client[], people: ReadonlyMap<string, Person>) => ({
  clients,
  cookies: { keys: ["a key of the test"] },
  features: {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: true },
  },
  interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  pkce: { required: () => true },
  claims: {
    openid: ["sub"],
    email: ["email", "email_verified"],
    profile: ["name", "groups", "realm_access"],
  },
  findAccount: (_: unknown, sub: string) => ({
    accountId: sub,
    claims: async () => people.get(sub) ?? { sub },
  }),
  // Skips the consent page.
  async loadExistingGrant({ oidc }: any) {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client.clientId,
      accountId: oidc.session.accountId,
    });
    grant.addOIDCScope("openid email profile");
    await grant.save();
    return grant;
  },
  ttl: { Session: 3_600, Interaction: 600, Grant: 3_600, AccessToken: 600, IdToken: 600 },
});

async function interact(
  provider: any,
  ctx: any,
  person: Person | null,
  people: Map<string, Person>,
): Promise<void> {
  if (person) people.set(person.sub, person);
  const result = person
    ? { login: { accountId: person.sub } }
    : { error: "access_denied", error_description: "given up" };
  await provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: false });
  ctx.respond = false;
}

/** Without cookies. */
async function follow(url: string, issuer: string): Promise<URL> {
  const jar = new Map<string, string>();
  for (let at = new URL(url), hops = 0; hops < 10; hops++) {
    if (at.origin !== issuer) return at;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(at, { redirect: "manual", headers: cookie ? { cookie } : {} });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(
        `${at.pathname} was answered with ${response.status} ${await response.text()}`,
      );
    at = new URL(location, at);
  }
  throw new Error("it is sent from one place to another for ever");
}
