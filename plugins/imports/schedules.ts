/** Recurring imports: each has a cron expression, and a job for its next time. */
import { forbidden, requireOwned, type Db, type JobEffect, type PageRequest } from "../../core/sdk";
import { isActive, type ImportContext } from "./context";
import { nextTime } from "../../core/lib/cron";
import { checkCron } from "./cron";
import type { GivenSource, Imports } from "./service";
import { sealSecrets } from "./secrets";
import * as scheduleStore from "./schedule-store";
import { unfinishedOfSchedule } from "./store";
import type { Gone, ScheduleRow } from "./store";

/** A schedule to create. `every` is a cron expression, in UTC. */
export interface NewSchedule {
  readonly folder_id: string;
  readonly source: GivenSource;
  readonly every: string;
  /** As for an import. */
  readonly gone?: Gone;
}

type Payload = { readonly schedule_id: string };

/** Schedules that a user can have. */
export const schedules_max = 100;

/** Creates, lists and deletes schedules, and starts their runs. */
export class Schedules {
  constructor(
    private readonly ctx: ImportContext,
    private readonly imports: Imports,
  ) {}

  /** @throws HttpError 400 on an invalid expression or source, 403, 404. */
  async create(
    owner_id: string,
    { folder_id, source: input, every, gone = "keep" }: NewSchedule,
  ): Promise<ScheduleRow> {
    const { folders, inTransaction, newId, now_ms } = this.ctx;
    checkCron(every, now_ms());
    const { text: source, secrets } = await this.imports.checkSource(owner_id, input);
    const sealed = sealSecrets(this.ctx, owner_id, secrets);
    return inTransaction(async (tx) => {
      await folders.require(tx, owner_id, folder_id);
      if ((await scheduleStore.countSchedules(tx, owner_id)) >= schedules_max)
        throw forbidden(
          `A user can have at most ${schedules_max} import schedules. Delete one first.`,
          "quota_exceeded",
        );
      const schedule: ScheduleRow = {
        id: newId("sch"),
        owner_id,
        folder_id,
        source,
        secrets: sealed,
        gone,
        every,
        next_run_at: null,
        created_at: now_ms(),
      };
      await scheduleStore.insertSchedule(tx, schedule);
      return { ...schedule, next_run_at: await this.enqueueNext(tx, schedule) };
    });
  }

  list(owner_id: string, page: PageRequest) {
    return scheduleStore.listSchedules(this.ctx.db, owner_id, page);
  }

  /** Runs that it has started continue. @throws HttpError 403 or 404. */
  remove(owner_id: string, schedule_id: string): Promise<void> {
    return this.ctx.inTransaction(async (tx) => {
      requireOwned(await scheduleStore.findSchedule(tx, schedule_id), owner_id, "schedule");
      await this.ctx.cancelJobs(tx, [schedule_id]);
      await scheduleStore.deleteSchedule(tx, schedule_id);
    });
  }

  /** Deletes those of a deleted user: a hundred at most. */
  removeAll(owner_id: string): Promise<void> {
    return this.ctx.inDeletion(async (tx) => {
      const ids = await scheduleStore.deleteSchedulesOf(tx, owner_id);
      if (ids.length > 0) await this.ctx.cancelJobs(tx, ids);
    });
  }

  /** Inside the transaction that deletes the folders. */
  async removeFolders(tx: Db, folder_ids: readonly string[]): Promise<void> {
    const ids = await scheduleStore.deleteSchedulesIn(tx, folder_ids);
    if (ids.length > 0) await this.ctx.cancelJobs(tx, ids);
  }

  /**
   * It is due: starts a run, unless the previous one is unfinished. Times that passed while the
   * server was down count once.
   */
  async tick({ schedule_id }: Payload): Promise<JobEffect | void> {
    const schedule = await scheduleStore.findSchedule(this.ctx.db, schedule_id);
    if (!schedule) return;
    const active = await isActive(this.ctx, schedule.owner_id);
    return async (tx) => {
      const current = await scheduleStore.findSchedule(tx, schedule_id);
      if (!current) return;
      const { owner_id, folder_id, source, secrets, gone } = current;
      if (active && !(await unfinishedOfSchedule(tx, schedule_id)))
        await this.imports.start(tx, owner_id, {
          folder_id,
          source,
          secrets,
          gone,
          overwrite: false,
          schedule_id,
        });
      await this.enqueueNext(tx, current);
    };
  }

  /** The last attempt has failed, or crashed: this time is skipped. */
  async tickExhausted(tx: Db, { schedule_id }: Payload): Promise<void> {
    const schedule = await scheduleStore.findSchedule(tx, schedule_id);
    if (schedule) await this.enqueueNext(tx, schedule);
  }

  /** Stores the next time, and enqueues the job for it. Null when there is none. */
  private async enqueueNext(
    tx: Db,
    { id, every }: Pick<ScheduleRow, "id" | "every">,
  ): Promise<number | null> {
    const at = nextTime(every, this.ctx.now_ms());
    await scheduleStore.setNext(tx, id, at);
    if (at !== null) await this.ctx.enqueueTick(tx, id, at);
    return at;
  }
}
