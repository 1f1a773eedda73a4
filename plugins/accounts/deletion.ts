/**
 * Deletes users: after one small transaction nobody can act for them any more; their data is
 * deleted afterwards, plugin by plugin, in the jobs of `UserDeleted`.
 */
import { every, handle, job, notFound, t, type Context, type JobHandler } from "../../core/sdk";
import { sessionsChanged, type AccountContext } from "./context";
import { UserDeleted, type User } from "./contract";
import { requireAnotherAdmin } from "./last-admin";
import { deletePasswordLink, deleteSessions } from "./session-store";
import * as store from "./store";
import { toUser } from "./user";

/**
 * A request that was running when its user was deleted may have stored something after everything
 * else was deleted: how long to repeat the purge.
 */
const repeated_for_ms = 3 * 3_600_000;
/** How long a start repeats the purge, whatever became of the earlier one. */
const remembered_ms = 7 * 24 * 3_600_000;

/** Deletes users, and repeats the purge of their data for what it may have missed. */
export class UserDeletion {
  constructor(
    private readonly ctx: AccountContext & Pick<Context, "certain_now_ms" | "truncateWal">,
  ) {}

  /** @throws HttpError 404, 409 `last_admin` when nobody could administer the server any more. */
  async remove(user_id: string): Promise<User> {
    const { emit, inDeletion, notify, now_ms, truncateWal } = this.ctx;
    const user = await inDeletion(async (tx) => {
      const row = await store.findUser(tx, user_id);
      if (!row) throw notFound("user");
      await requireAnotherAdmin(tx, row);
      await deleteSessions(tx, user_id);
      await deletePasswordLink(tx, user_id);
      await store.deleteUser(tx, user_id, now_ms());
      await emit(tx, UserDeleted, { user_id });
      notify(sessionsChanged(user_id));
      return toUser(row);
    });
    truncateWal();
    return user;
  }

  /** Before the first job: continues every purge, and repeats it for what it may have missed. */
  resume(): Promise<void> {
    return this.repeat(remembered_ms);
  }

  private async repeat(age_ms_max: number): Promise<void> {
    const { certain_now_ms, emit, inDeletion, now_ms } = this.ctx;
    const deleted = await store.deletedUsers(this.ctx.db);
    if (deleted.length === 0) return;
    const forgotten_until = certain_now_ms() - remembered_ms;
    await inDeletion(async (tx) => {
      await store.forgetDeletedUsers(tx, forgotten_until);
      for (const { user_id, deleted_at } of deleted)
        if (deleted_at > now_ms() - age_ms_max) await emit(tx, UserDeleted, { user_id });
    });
  }

  jobs(): readonly JobHandler[] {
    return [
      handle(RepeatPurge, () => this.repeat(repeated_for_ms), {
        attempts_max: 3,
        timeout_ms: 60_000,
        uses_reserve: true,
      }),
    ];
  }
}

const RepeatPurge = job("accounts.look_again", t.Object({}));
/** Once an hour. */
export const deletionSchedules = [every("37 * * * *", RepeatPurge, {})];
