/**
 * Imports that come again and again: a cron expression for each, whose next time is a job of its
 * own.
 */
import { Cron } from "croner";
import {
  badRequest,
  forbidden,
  notFound,
  type Context,
  type Db,
  type JobEffect,
  type PageRequest,
} from "../../core/sdk";
import type { Folders } from "../folders/contract";
import { Tick } from "./jobs";
import * as store from "./store";
import type { ImportsDb, ScheduleRow } from "./store";
import type { GivenSource, ImportService } from "./service";

export interface SchedulesParts {
  readonly db: ImportsDb;
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly enqueue: Context["enqueue"];
  readonly cancelJobs: Context["cancelJobs"];
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  readonly folders: Folders;
  readonly imports: Pick<ImportService, "checked" | "begin">;
  /** An owner who may not sign in any more starts nothing. */
  readonly isActive: (owner_id: string) => Promise<boolean>;
}
export interface NewSchedule {
  readonly folder_id: string;
  readonly source: GivenSource;
  readonly every: string;
}

const expression_length_max = 200;
export const schedules_max = 100;

export function createSchedules({
  db,
  inTransaction,
  enqueue,
  cancelJobs,
  now_ms,
  newId,
  folders,
  imports,
  isActive,
}: SchedulesParts) {
  /** Writes down the next time, and the job that comes then. */
  async function arm(
    tx: Db<any>,
    { id, every }: Pick<ScheduleRow, "id" | "every">,
  ): Promise<number | null> {
    const at = nextTime(cronOf(every), now_ms());
    await store.setNext(tx, id, at);
    if (at !== null)
      await enqueue(
        tx,
        Tick,
        { schedule_id: id, at },
        { run_at_ms: at, subject: id, key: `${id} ${at}` },
      );
    return at;
  }

  return {
    /** @throws HttpError 400 on an expression or a source that can't be, 403, 404. */
    async create(
      owner_id: string,
      { folder_id, source: given, every }: NewSchedule,
    ): Promise<ScheduleRow> {
      if (nextTime(givenCron(every), now_ms()) === null)
        throw badRequest("The time that `every` names never comes.", "/every");
      const { text: source } = await imports.checked(given);
      return inTransaction(async (tx) => {
        await folders.require(tx, owner_id, folder_id);
        if ((await store.countSchedules(tx, owner_id)) >= schedules_max)
          throw forbidden(
            `One user may have at most ${schedules_max} schedules of imports. Delete one first.`,
            "quota_exceeded",
          );
        const schedule: ScheduleRow = {
          id: newId("sch"),
          owner_id,
          folder_id,
          source,
          every,
          next_run_at: null,
          created_at: now_ms(),
        };
        await store.insertSchedule(tx, schedule);
        return { ...schedule, next_run_at: await arm(tx, schedule) };
      });
    },

    list: (owner_id: string, page: PageRequest) => store.listSchedules(db, owner_id, page),

    /** Runs that it has begun go on. @throws HttpError 403 or 404. */
    remove: (owner_id: string, schedule_id: string): Promise<void> =>
      inTransaction(async (tx) => {
        const schedule = await store.findSchedule(tx, schedule_id);
        if (!schedule) throw notFound("schedule");
        if (schedule.owner_id !== owner_id)
          throw forbidden("This schedule belongs to another user.");
        await cancelJobs(tx, [schedule_id]);
        await store.deleteSchedule(tx, schedule_id);
      }),

    async folderGone(tx: Db<any>, folder_ids: readonly string[]): Promise<void> {
      const ids = await store.deleteSchedulesIn(tx, folder_ids);
      if (ids.length > 0) await cancelJobs(tx, ids);
    },

    /**
     * Its time has come: begins a run, unless the one before is still under way. A time that the
     * server slept through counts once.
     */
    async tick({ schedule_id }: { readonly schedule_id: string }): Promise<JobEffect | void> {
      const schedule = await store.findSchedule(db, schedule_id);
      if (!schedule) return;
      const active = await isActive(schedule.owner_id);
      return async (tx) => {
        const now = await store.findSchedule(tx, schedule_id);
        if (!now) return;
        const { owner_id, folder_id, source } = now;
        if (active && !(await store.unfinishedOfSchedule(tx, schedule_id)))
          await imports.begin(tx, owner_id, { folder_id, source, overwrite: false, schedule_id });
        await arm(tx, now);
      };
    },
    tickFailed: async (
      tx: Db<any>,
      { schedule_id }: { readonly schedule_id: string },
    ): Promise<void> => {
      const schedule = await store.findSchedule(tx, schedule_id);
      if (schedule) await arm(tx, schedule);
    },
  };
}
export type ScheduleService = ReturnType<typeof createSchedules>;

const cronOf = (every: string): Cron => new Cron(every, { utcOffset: 0, paused: true });

/**
 * In UTC. Five fields: a sixth would count seconds, and no host is to be asked that often. @throws
 * HttpError 400
 */
function givenCron(every: string): Cron {
  const fields = every.trim() === "" ? 0 : every.trim().split(/\s+/).length;
  try {
    if (every.length > expression_length_max)
      throw new Error(`it has more than ${expression_length_max} characters`);
    if (fields !== 5 && !every.startsWith("@"))
      throw new Error(`it has ${fields} field${fields === 1 ? "" : "s"}`);
    return cronOf(every);
  } catch (error) {
    const why =
      error instanceof Error ? error.message.replace(/^CronPattern: |\.$/g, "") : String(error);
    throw badRequest(
      `The field \`every\` must be a cron expression of five fields, such as "0 6 * * *" for each day at 06:00 UTC; ${why}.`,
      "/every",
    );
  }
}

const nextTime = (cron: Cron, after_ms: number): number | null =>
  cron.nextRun(new Date(after_ms))?.getTime() ?? null;
