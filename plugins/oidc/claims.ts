/** The claims about a user, and what follows from them: identity and role. */
import { isObject } from "../../core/lib/json-values";
import { forbidden } from "../../core/sdk";
import type { ExternalUser } from "../accounts/contract";
import { roleOf } from "../sign-in/contract";
import type { OidcSettings } from "./settings";

/** The claims of an ID token by name. */
export type Claims = Readonly<Record<string, unknown>>;
type Rules = Pick<
  OidcSettings,
  | "role_claim"
  | "admin_values"
  | "member_values"
  | "allowed_domains"
  | "require_verified_email"
  | "create_users"
  | "link_by_email"
>;

/** The identity according to the settings. @throws HttpError 403 with a sentence for the user. */
export function externalUserOf(issuer: string, claims: Claims, rules: Rules): ExternalUser {
  const { sub, email } = claims;
  if (typeof sub !== "string" || sub === "")
    throw forbidden("The sign-in provider did not identify you.", "no_subject");
  if (typeof email !== "string" || email === "")
    throw forbidden(
      "The sign-in provider did not send your email address. It must grant the scope email.",
      "no_email",
    );
  const is_verified = claims.email_verified === true || claims.email_verified === "true";
  if (rules.require_verified_email && !is_verified)
    throw forbidden(
      `Your email address ${email} is not verified. Verify it with the sign-in provider.`,
      "email_not_verified",
    );
  checkDomain(email, rules);
  return {
    email,
    role: rules.role_claim ? roleOf(valuesOf(claims, rules.role_claim), rules) : undefined,
    external_id: sub,
    provider: `oidc ${issuer}`,
    create: rules.create_users,
    link: is_verified ? rules.link_by_email : "nobody",
  };
}

/** Whether these claims suffice, or the userinfo endpoint has to be queried. */
export const isComplete = (claims: Claims, { role_claim }: Rules): boolean =>
  typeof claims.email === "string" &&
  claims.email_verified !== undefined &&
  (!role_claim || valuesOf(claims, role_claim).length > 0);

function checkDomain(email: string, { allowed_domains }: Rules): void {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const allowed = allowed_domains.map((domain) => domain.trim().replace(/^@/, "").toLowerCase());
  if (allowed.length > 0 && !allowed.includes(domain))
    throw forbidden(
      `Email addresses of ${domain} are not allowed to sign in.`,
      "domain_not_allowed",
    );
}

/**
 * The value is a text, a list of texts, or an object whose keys count; `realm_access.roles` is a
 * path into an object.
 */
function valuesOf(claims: Claims, name: string): string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : within(claims, name.split("."));
  // Group names may contain spaces and commas, so a text is one value.
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.filter((entry) => typeof entry === "string");
  return isObject(value) ? Object.keys(value) : [];
}

function within(claims: Claims, [first, ...path]: readonly string[]): unknown {
  const value = first !== undefined && Object.hasOwn(claims, first) ? claims[first] : undefined;
  if (path.length === 0) return value;
  return isObject(value) ? within(value, path) : undefined;
}
