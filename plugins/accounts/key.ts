/** API keys: scopes, expiry, the stored row and what others see of it. */
import { badRequest, checkedName, rfc3339, type Context } from "../../core/sdk";
import type { Key, NewKey, Scope } from "./contract";
import type { KeyRow } from "./store";
import { keyPrefix, newKeyToken, sha256 } from "./token";

const all_scopes: readonly Scope[] = ["read", "write"];
const scopes_by_column: Readonly<Record<string, readonly Scope[]>> = {
  read: ["read"],
  write: ["write"],
  "read,write": all_scopes,
};
/** The scopes in a row's column. */
export const scopesOf = (column: string): readonly Scope[] => scopes_by_column[column]!;

/** As stored in the column. @throws HttpError 400 */
function checkedScopes(scopes: readonly string[]): string {
  const unknown = scopes.find((scope) => !(all_scopes as readonly string[]).includes(scope));
  if (unknown !== undefined)
    throw badRequest(`There is no scope "${unknown}". The scopes are read and write.`, "/scopes");
  if (scopes.length === 0)
    throw badRequest("The key needs at least one scope: read or write.", "/scopes");
  return all_scopes.filter((scope) => scopes.includes(scope)).join(",");
}

/** A stored key, and its token. @throws HttpError 400 on an invalid name, scope or expiry. */
export function newKeyRow(
  user_id: string,
  { name, scopes = all_scopes, expires_at = null }: NewKey,
  { now_ms, newId }: Pick<Context, "now_ms" | "newId">,
): { readonly row: KeyRow; readonly token: string } {
  const now = now_ms();
  if (expires_at !== null && expires_at <= now)
    throw badRequest("The key can't expire in the past.", "/expires_at");
  const { token, public_id } = newKeyToken();
  const row: KeyRow = {
    id: newId("key"),
    user_id,
    public_id,
    token_sha256: sha256(token),
    name: checkedName(name, "/name"),
    scopes: checkedScopes(scopes),
    active: 1,
    created_at: now,
    expires_at,
    last_used_at: null,
  };
  return { row, token };
}

/** The key as others see it: without the digest of its token. */
export const toKey = (row: KeyRow): Key => ({
  id: row.id,
  user_id: row.user_id,
  name: row.name,
  prefix: keyPrefix(row.public_id),
  scopes: scopesOf(row.scopes),
  active: row.active === 1,
  created_at: row.created_at,
  expires_at: row.expires_at,
  last_used_at: row.last_used_at,
});

/**
 * `2027-01-01` (midnight UTC) or an RFC 3339 time, as epoch ms. @throws Error when it is neither.
 */
export function parseTime(written: string): number {
  const pattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;
  const at_ms = pattern.test(written) ? Date.parse(written) : NaN;
  // The runtime parses 2027-02-30 as a day in March.
  const day = Date.parse(written.slice(0, 10));
  if (Number.isNaN(at_ms) || !rfc3339(day).startsWith(written.slice(0, 10)))
    throw new Error(
      `"${written}" is not a valid date. Use a date such as 2027-01-01 or 2027-01-01T12:00:00Z.`,
    );
  return at_ms;
}
