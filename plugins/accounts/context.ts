/** The context of the accounts services, and how they notify open pages of a change. */
import type { Change, Context } from "../../core/sdk";
import type { Passwords } from "./passwords";
import type { KeyRow } from "./store";

/** What the services of accounts need besides `Context`. */
export interface AccountContext extends Pick<
  Context,
  "db" | "emit" | "inDeletion" | "inTransaction" | "newId" | "notify" | "now_ms"
> {
  readonly passwords: Pick<Passwords, "hash" | "verify">;
}

/**
 * Sessions of this user have begun or ended, or have other rights now: open pages reload, and
 * streams of ended sessions end.
 */
export const sessionsChanged = (
  owner_id: string,
  id = "all",
  action: Change["action"] = "deleted",
): Change => ({ owner_id, kind: "session", id, action });

/** The change of a key, for open pages of its user. */
export const keyChanged = ({ user_id, id }: KeyRow, action: Change["action"]): Change => ({
  owner_id: user_id,
  kind: "key",
  id,
  action,
});
