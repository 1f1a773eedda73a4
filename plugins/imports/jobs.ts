/**
 * Every job of imports: name, payload, how it is enqueued, what it runs, limits and schedule. A run
 * is listed first; its items are imported host by host meanwhile.
 */
import { every, handle, job, t, type Context, type JobHandler } from "../../core/sdk";
import { clearRest } from "./clearing";
import type { ImportContext } from "./context";
import { failRest } from "./host-failure";
import { importItems, itemsExhausted } from "./items";
import { listingExhausted, listItems } from "./lister";
import { reopenRest } from "./reopening";
import { deleteOldRuns } from "./runs";
import type { Schedules } from "./schedules";

/** Lists the items of a run. */
const ListItems = job("imports.list", t.Object({ run_id: t.String() }));
/** Imports some items of one host. */
const ImportItems = job("imports.items", t.Object({ run_id: t.String(), host: t.String() }));
/** Ends what is left of a run that has ended. */
const ClearRun = job("imports.clear", t.Object({ run_id: t.String() }));
/** Continues to retry the failed items of a run. */
const ReopenItems = job(
  "imports.reopen",
  t.Object({ run_id: t.String(), relists: t.Boolean(), after: t.Integer() }),
);
/** Continues to fail the items of one host. */
const FailHost = job(
  "imports.fail_host",
  t.Object({ run_id: t.String(), host: t.String(), code: t.String(), message: t.String() }),
);
/** Starts the run of a schedule. `at`: epoch ms. */
export const Tick = job("imports.tick", t.Object({ schedule_id: t.String(), at: t.Integer() }));
/** Deletes runs that ended long ago. */
export const Prune = job("imports.prune", t.Object({}));

const minute_ms = 60_000;
/** Jobs that wait for hosts; one owner has at most an eighth of them. */
const fetching_concurrency = 64;
/** Many, because each attempt continues where the last one ended. As many crashes are allowed. */
const attempts_max = 50;
const listings_per_owner = 2;
/** Hosts contacted at the same time for one run. */
const hosts_per_run = 4;

/** The functions that enqueue the jobs of imports. */
export const enqueuers = ({
  enqueue,
}: Pick<Context, "enqueue">): Pick<
  ImportContext,
  | "enqueueListing"
  | "enqueueItems"
  | "enqueueClearing"
  | "enqueueReopening"
  | "enqueueHostFailure"
  | "enqueueTick"
> => ({
  enqueueListing: (tx, { id, owner_id }) =>
    enqueue(
      tx,
      ListItems,
      { run_id: id },
      {
        key: id,
        queue: `imports of ${owner_id}`,
        queue_concurrency: listings_per_owner,
        owner: owner_id,
        subject: id,
      },
    ),
  enqueueItems: (tx, { id, owner_id }, host, run_at_ms) =>
    enqueue(
      tx,
      ImportItems,
      { run_id: id, host },
      {
        key: `${id} ${host}`,
        queue: `imports ${id}`,
        queue_concurrency: hosts_per_run,
        owner: owner_id,
        subject: id,
        ...(run_at_ms === undefined ? {} : { run_at_ms }),
      },
    ),
  enqueueClearing: (tx, { id, owner_id }) =>
    enqueue(tx, ClearRun, { run_id: id }, { key: id, owner: owner_id }),
  enqueueReopening: (tx, { id, owner_id }, reopening) =>
    enqueue(tx, ReopenItems, reopening, { key: id, owner: owner_id, subject: id }),
  enqueueHostFailure: (tx, { id, owner_id }, failure) =>
    enqueue(tx, FailHost, failure, {
      key: `${id} ${failure.host}`,
      owner: owner_id,
      subject: id,
    }),
  enqueueTick: (tx, schedule_id, at) =>
    enqueue(
      tx,
      Tick,
      { schedule_id, at },
      { run_at_ms: at, subject: schedule_id, key: `${schedule_id} ${at}` },
    ),
});

/** The jobs with their limits. */
export const importJobs = (ctx: ImportContext, schedules: Schedules): readonly JobHandler[] => [
  handle(ListItems, (payload, run) => listItems(ctx, payload, run), {
    attempts_max,
    intake: true,
    timeout_ms: 60 * minute_ms,
    concurrency: fetching_concurrency,
    io_bound: true,
    onExhausted: (tx, payload) => listingExhausted(ctx, tx, payload),
  }),
  handle(ImportItems, (payload, run) => importItems(ctx, payload, run), {
    attempts_max,
    intake: true,
    timeout_ms: 30 * minute_ms,
    concurrency: fetching_concurrency,
    io_bound: true,
    onExhausted: (tx, payload) => itemsExhausted(ctx, tx, payload),
  }),
  handle(ClearRun, ({ run_id }, { signal }) => clearRest(ctx, run_id, signal), {
    attempts_max: 20,
    timeout_ms: 60 * minute_ms,
    concurrency: 16,
    io_bound: true,
    uses_reserve: true,
  }),
  handle(ReopenItems, (payload, { signal }) => reopenRest(ctx, payload, signal), {
    attempts_max,
    timeout_ms: 60 * minute_ms,
    concurrency: 16,
    io_bound: true,
    onExhausted: (tx, payload) => listingExhausted(ctx, tx, payload),
  }),
  handle(FailHost, (payload, { signal }) => failRest(ctx, payload, signal), {
    attempts_max,
    timeout_ms: 60 * minute_ms,
    concurrency: 16,
    io_bound: true,
    onExhausted: (tx, payload) => listingExhausted(ctx, tx, payload),
  }),
  handle(Tick, (payload) => schedules.tick(payload), {
    attempts_max: 5,
    timeout_ms: minute_ms,
    onExhausted: (tx, payload) => schedules.tickExhausted(tx, payload),
  }),
  handle(Prune, (_payload, { signal }) => deleteOldRuns(ctx, signal), {
    attempts_max: 3,
    timeout_ms: 10 * minute_ms,
  }),
];

/** Old runs are deleted once a day. */
export const importSchedules = [every("41 3 * * *", Prune, {})];
