/** The cookie that carries the token of a session. */
import type { Client } from "../../core/sdk";

/** However much it is used. */
export const session_ms_max = 14 * 24 * 3_600_000;

/**
 * Over HTTPS a name that browsers bind to this host and protocol; over plain HTTP they reject that
 * name. Below a path, where other programs share the host, bound only to the protocol.
 */
const cookieName = ({ secure, base_path }: Client): string =>
  !secure ? "dossier" : base_path === "" ? "__Host-dossier" : "__Secure-dossier";

/** The token in the cookie of a request, or null. */
export function tokenInCookie({ headers }: Request, client: Client): string | null {
  const name = cookieName(client);
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/** `Set-Cookie` that keeps the token for the maximum duration of a session; null removes it. */
export function sessionCookie(client: Client, token: string | null): string {
  const age_s = token === null ? 0 : session_ms_max / 1_000;
  const secure = client.secure ? "; Secure" : "";
  return (
    `${cookieName(client)}=${token ?? ""}; Path=${client.base_path || "/"}; HttpOnly; ` +
    `SameSite=Strict; Max-Age=${age_s}${secure}`
  );
}
