/** The settings of single sign-on, and whether they are consistent. */
import {
  OneOf,
  ConfigError,
  Duration,
  EndpointLimits,
  List,
  NotBlankLimits,
  Secret,
  t,
  type Static,
  type StoredLimits,
} from "../../core/sdk";

const well_known = "/.well-known/openid-configuration";
const now = { changes: "now" } as const;
const timeout_ms_max = 30_000;
const scope_pattern = String.raw`[!#-+\--\[\]-~]+`;
const one_scope = ` *${scope_pattern} *`;
/** Names of scopes, including openid. Comma-separated when given as one text. */
const ScopeLimits: StoredLimits = {
  item: `^${scope_pattern}$`,
  items_least: 1,
  json: {
    contains: { const: "openid" },
    pattern: `^(?:${one_scope},)* *openid *(?:,${one_scope})*$`,
  },
  must: "be a list of scopes that includes openid",
};

export const OidcConfig = t.Object({
  issuer: t.Optional(
    t.String({
      ...now,
      stored: EndpointLimits,
      description:
        "The address of the OpenID Connect provider, such as " +
        "https://sso.example.com/realms/main. Without it, this sign-in is off.",
    }),
  ),
  client_id: t.Optional(
    t.String({
      ...now,
      stored: NotBlankLimits,
      description: "The client ID of this server at the provider.",
    }),
  ),
  client_secret: t.Optional(
    Secret({
      ...now,
      description: "The client secret of this server at the provider; none for a public client.",
    }),
  ),
  title: t.String({
    ...now,
    default: "Single sign-on",
    maxLength: 80,
    description: "The label of the button on the sign-in page.",
  }),
  scopes: List("string", {
    ...now,
    default: "openid,email,profile",
    stored: ScopeLimits,
    description: "The scopes requested from the provider.",
  }),
  role_claim: t.Optional(
    t.String({
      ...now,
      stored: NotBlankLimits,
      description:
        "The claim with a user's roles or groups, such as groups or realm_access.roles, read " +
        "at every sign-in. Without it, new users are members, and roles are assigned here.",
    }),
  ),
  admin_values: List("string", {
    ...now,
    description: "Values of the role claim that make a user an administrator.",
  }),
  member_values: List("string", {
    ...now,
    description:
      "Values of the role claim that make a user a member; users with none of these or of " +
      "`admin_values` can't sign in. Without any, everybody else is a member.",
  }),
  allowed_domains: List("string", {
    ...now,
    description: "Email domains whose users may sign in; all if empty.",
  }),
  require_verified_email: t.Boolean({
    ...now,
    default: true,
    description: "Whether users whose email address was not verified by the provider are refused.",
  }),
  create_users: t.Boolean({
    ...now,
    default: true,
    description: "Whether a user account is created at a person's first sign-in.",
  }),
  link_by_email: OneOf(["nobody", "members", "everybody"], {
    ...now,
    default: "nobody",
    description:
      "Which existing accounts are linked to a person with the same verified email address: " +
      "none, those of members, or all, including administrators.",
  }),
  sign_out: t.Boolean({
    ...now,
    default: true,
    description: "Whether signing out here also signs out at the provider, if it supports that.",
  }),
  timeout: Duration({
    ...now,
    default: "10s",
    stored: { least_ms: 1, most_ms: timeout_ms_max },
    description: "The time limit for one response of the provider.",
  }),
});
export type OidcSettings = Static<typeof OidcConfig>;

/** What is needed to contact the provider. */
export interface OidcClient {
  readonly issuer: URL;
  readonly client_id: string;
  readonly client_secret: string | undefined;
  readonly scope: string;
  readonly timeout_ms: number;
}

/** Null when single sign-on is off. @throws ConfigError that says what to set. */
export function clientOf(settings: OidcSettings): OidcClient | null {
  const { issuer, client_id, client_secret, scopes, timeout } = settings;
  if (!issuer?.trim()) return null;
  const url = issuerUrl(issuer);
  const problems = [
    typeof url === "string" ? url : null,
    client_id?.trim()
      ? null
      : "oidc.client_id is required when oidc.issuer is set. Set it to the client ID of this " +
        "server at the provider.",
    scopes.includes("openid") ? null : "oidc.scopes must include openid.",
    scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      ? null
      : "oidc.scopes contains an invalid scope name.",
    timeout > 0 && timeout <= timeout_ms_max
      ? null
      : "oidc.timeout must be more than 0s and at most 30s.",
    settings.role_claim?.trim() ||
    (settings.admin_values.length === 0 && settings.member_values.length === 0)
      ? null
      : "oidc.role_claim is required when role values are set. Set it to the claim that " +
        "contains them.",
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    issuer: url as URL,
    client_id: client_id!.trim(),
    client_secret: client_secret || undefined,
    scope: scopes.join(" "),
    timeout_ms: timeout,
  };
}

/**
 * Accepts the address of the discovery document for the issuer. Returns what is wrong as a text.
 */
function issuerUrl(issuer: string): URL | string {
  const url = URL.parse(issuer.trim().replace(new RegExp(`${RegExp.escape(well_known)}$`), ""));
  if (!url || !/^https?:$/.test(url.protocol))
    return "oidc.issuer must start with https:// or http://.";
  return url.username || url.password || url.search || url.hash
    ? "oidc.issuer must not contain a user name, password, query or fragment."
    : url;
}
