/**
 * A proxy that has signed people in as a way to sign in: a session begins by itself, and goes on
 * for as long as the proxy names the same person.
 */
import { forbidden, type Client, type Networks } from "../../core/sdk";
import type { Accounts } from "../accounts/contract";
import { roleOf, type RoleRules, type SignIn } from "../sign-in/contract";
import { proxyIdentity, type HeaderNames, type ProxyIdentity } from "./proxy-identity";

/** The settings: what follows from the headers. */
export interface HeaderRules extends RoleRules {
  readonly title: string;
  readonly create_users: boolean;
  readonly link_by_email: "nobody" | "members" | "everybody";
  readonly sign_out_url?: string | undefined;
}
/** What the method needs. */
export interface SignInMethodOptions {
  readonly accounts: Pick<Accounts, "ensureUser" | "externalUser">;
  readonly names: HeaderNames;
  readonly trusted: Networks;
  readonly rules: HeaderRules;
}

const id = "signin-header";

/** The method for the headers in the settings. */
export function createSignInMethod({
  accounts,
  names,
  trusted,
  rules,
}: SignInMethodOptions): SignIn {
  const named = (request: Request, client: Client) =>
    proxyIdentity(request, client, names, trusted);
  return {
    id,
    title: rules.title,
    offer: (request, client) => (named(request, client) === null ? null : "automatic"),
    async start({ request, client }) {
      const identity = named(request, client);
      if (identity === null)
        throw forbidden("The proxy in front of this server did not identify you.", "not_named");
      return { user: await accounts.ensureUser(externalUser(identity, names, rules)) };
    },
    /** A session of somebody else than the proxy names is over, whichever way it began. */
    async holds({ user_id, way }, request, client) {
      const identity = named(request, client);
      if (identity === null) return way !== id;
      const user = await accounts.externalUser({ provider: id, external_id: identity.name });
      return user?.id === user_id;
    },
    signOut: async () => rules.sign_out_url ?? null,
  };
}

function externalUser(
  { name, email, roles }: ProxyIdentity,
  names: HeaderNames,
  rules: HeaderRules,
) {
  if (email === null)
    throw forbidden(
      "The proxy in front of this server did not send your email address.",
      "no_email",
    );
  return {
    email,
    external_id: name,
    provider: id,
    role: names.role === undefined ? undefined : roleOf(roles, rules),
    create: rules.create_users,
    link: rules.link_by_email,
  };
}
