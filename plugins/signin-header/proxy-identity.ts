/** Whom a proxy names in the headers of a request, when it is one that is believed. */
import { inBlock, type Client, type Networks } from "../../core/sdk";

/** The names of the headers that a proxy sets. */
export interface HeaderNames {
  /** `X-Forwarded-User` */
  readonly name: string;
  readonly email: string | undefined;
  readonly role: string | undefined;
}
/** Whom the proxy names. */
export interface ProxyIdentity {
  readonly name: string;
  /** Null: none that can be one. */
  readonly email: string | null;
  readonly roles: readonly string[];
}

/** An email address at most. */
const value_length_max = 320;
const roles_length_max = 8_000;

/**
 * Null when the other end of the connection is not believed, or names nobody. A header that came
 * twice is joined by a comma: one of the two is not the proxy's, and it is unknown which.
 */
export function proxyIdentity(
  { headers }: Request,
  client: Pick<Client, "peer">,
  names: HeaderNames,
  trusted: Networks,
): ProxyIdentity | null {
  if (client.peer !== "unix" && !inBlock(trusted, client.peer)) return null;
  const name = single(headers.get(names.name));
  if (name === null) return null;
  const email = names.email === undefined ? name : single(headers.get(names.email));
  const roles = (names.role === undefined ? null : headers.get(names.role)) ?? "";
  return {
    name,
    email: email !== null && email.includes("@") ? email : null,
    roles: roles.length > roles_length_max ? [] : rolesIn(roles),
  };
}

/** `staff,Domain Users`, or with `|` or `;` between them. */
const rolesIn = (header: string): string[] =>
  header
    .split(/[,;|]/)
    .map((role) => role.trim())
    .filter((role) => role !== "");

function single(header: string | null): string | null {
  const value = header?.trim() ?? "";
  return value === "" || value.length > value_length_max || /[,;\p{C}]/u.test(value) ? null : value;
}
