/** Authenticates callers of the API by their key. */
import type { Authenticator, Caller, Context } from "../../core/sdk";
import { scopesOf } from "./key";
import type { LastUseBuffer } from "./last-use";
import { findWorkingKey } from "./store";
import { publicIdOf, sameDigest, sha256 } from "./token";

/** What the authenticator needs besides `Context`. */
export interface KeyAuthenticatorContext extends Pick<Context, "reads" | "now_ms"> {
  readonly last_use: Pick<LastUseBuffer, "note">;
}

/** Caches nothing, so that a deactivated key or user stops at once. */
export class KeyAuthenticator implements Authenticator {
  constructor(private readonly ctx: KeyAuthenticatorContext) {}

  /**
   * The caller with this key, whose use is noted; null if the key is unknown, deactivated or
   * expired.
   */
  async authenticate(token: string): Promise<Caller | null> {
    const caller = await this.recheck(token);
    if (caller) this.ctx.last_use.note(caller.key_id, this.ctx.now_ms());
    return caller;
  }

  /** The same without noting a use, for requests that stay open. */
  async recheck(token: string): Promise<Caller | null> {
    const { reads, now_ms } = this.ctx;
    const public_id = publicIdOf(token);
    const key = public_id === null ? undefined : await findWorkingKey(reads, public_id);
    if (!key || !sameDigest(key.token_sha256, sha256(token))) return null;
    if (key.expires_at !== null && key.expires_at <= now_ms()) return null;
    return {
      owner_id: key.user_id,
      key_id: key.id,
      scopes: scopesOf(key.scopes),
      admin: key.role === "admin",
    };
  }
}
