/**
 * The job table at work: what is written with a change runs after it, once, whatever happens in
 * between. Events become jobs here.
 */
import { Value } from "@sinclair/typebox/value";
import type { Clock } from "../base/clock";
import { newId, newUuid } from "../base/ids";
import { errorFields, type Log } from "../base/log";
import type { EnqueueOptions, JobHandler } from "./contract";
import type { EventRef, JobRef, PayloadOf } from "./contract";
import type { Db, Store } from "../store/store";
import { createOverview, type Overview } from "./overview";
import { createServedLog, handlerOf, ownerMax, pick, type Picked } from "./pick";
import { run, Stopped, type Run } from "./run";
import * as table from "./table";

export interface QueueParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Jobs that run at the same time in the whole server, those aside that only wait for others. */
  readonly slots_max?: number;
  /** How long a handler may go on after its signal fired before its slot is given to another. */
  readonly grace_ms?: number;
}
export interface QueueStatus {
  readonly ready: number;
  readonly running: number;
  readonly failed: number;
}

export interface Queue {
  /** Before `start`. */
  register(plugin: string, handler: JobHandler): void;
  /**
   * As in the plugin contract. @throws Error on a payload that does not fit, or when nobody handles
   * the job.
   */
  enqueue<R extends JobRef>(
    db: Db<any>,
    on: R,
    payload: PayloadOf<R>,
    options?: EnqueueOptions,
  ): Promise<void>;
  emit<R extends EventRef>(db: Db<any>, on: R, payload: PayloadOf<R>): Promise<void>;
  cancelJobs(db: Db<any>, subjects: readonly string[]): Promise<void>;
  /**
   * Makes interrupted jobs wait again and begins to run jobs. Only behind the lock on the data
   * directory.
   */
  start(): Promise<void>;
  /**
   * Claims nothing more, aborts what runs, and after `timeout_ms` at the latest returns what is
   * unfinished to the table.
   */
  drain(timeout_ms: number): Promise<void>;
  status(): Promise<QueueStatus>;
  /** For whoever runs the server. */
  readonly overview: Overview;
  /**
   * Runs every job that is due, and those that they enqueue, and returns how many ran. For tests.
   */
  runDue(): Promise<number>;
}

const lease_ms = 30_000;
const heartbeat_ms = 10_000;
const poll_ms = 1_000;
/** With more queues than this a claim looks at some of them. */
const queues_few = 64;
const candidates_per_slot = 8;
/**
 * So many of a queue, or of those that wait for others, are claimed at once; the next look follows
 * at once.
 */
const claims_max = 16;
const candidates_max = 10_000;
const prune_every_ms = 10 * 60_000;
const prune_each = 500;
const hour_ms = 3_600_000;
/** How long finished jobs stay to be looked at. */
const kept_ms = { done: 24 * hour_ms, cancelled: 24 * hour_ms, failed: 30 * 24 * hour_ms };
const prune_pause_ms = 20;

/** Looks for jobs are at least so far apart while some are at work. */
const look_gap_ms = 3;

export function createQueue({
  store,
  clock,
  log,
  slots_max = 16,
  grace_ms = 10_000,
}: QueueParts): Queue {
  const handlers = new Map<string, { readonly plugin: string; readonly handler: JobHandler }>();
  const active = new Map<string, Run & { readonly ended: Promise<void> }>();
  /** One job name never takes all slots: the others would wait for its slowest run. */
  const handler_slots_max = Math.max(1, slots_max - Math.ceil(slots_max / 4));
  let state: "new" | "started" | "draining" = "new";
  let claiming: Promise<unknown> = Promise.resolve();
  let view = { last_owner: "", queues: 1 };
  const served_log = createServedLog();

  const subscribers = (id: string) =>
    [...handlers.values()].filter(({ handler }) => handler.on.id === id);

  /** How many of those that run take a slot. */
  const working = (): number =>
    [...active.values()].reduce(
      (sum, { handler }) => (handler.limits.io_bound === true ? sum : sum + 1),
      0,
    );

  function rooms(): { readonly slots: number; readonly rooms: table.Room[] } {
    const running = new Map<string, number>();
    const slots = slots_max - working();
    for (const { job } of active.values())
      running.set(handlerOf(job), (running.get(handlerOf(job)) ?? 0) + 1);
    const all = [...handlers].map(
      ([
        key,
        {
          plugin,
          handler: {
            on,
            limits: { concurrency = 1, io_bound = false },
          },
        },
      ]) => {
        const free =
          (io_bound ? concurrency : Math.min(concurrency, handler_slots_max)) -
          (running.get(key) ?? 0);
        return { plugin, name: on.id, io_bound, free, owner_max: ownerMax({ io_bound, free }) };
      },
    );
    return { slots, rooms: all.filter((room) => room.free > 0 && (room.io_bound || slots > 0)) };
  }

  /** Claims what there is room for and begins to run it. Returns how many. One claim at a time. */
  function claim(): Promise<number> {
    const result = claiming.then(async () => {
      const room = rooms();
      if (room.rooms.length === 0 || state === "draining") return 0;
      const now_ms = clock.now_ms();
      const picked = await choose(room.rooms, room.slots, now_ms);
      const lease = { token: newUuid(), until_ms: now_ms + lease_ms };
      const jobs =
        picked.ids.length === 0
          ? []
          : await store.inTransaction((tx) => table.claimJobs(tx, picked.ids, lease, now_ms));
      jobs.forEach(begin);
      return jobs.length;
    });
    claiming = result.catch(() => undefined);
    return result;
  }

  /**
   * With many queues only some are looked at, beginning after the owner served last; with few, all
   * of them.
   */
  async function choose(
    free: readonly table.Room[],
    slots: number,
    now_ms: number,
  ): Promise<Picked> {
    const many = view.queues > queues_few;
    const most = slots + (free.some(({ io_bound }) => io_bound) ? claims_max : 0);
    const all_max = many ? most * candidates_per_slot : candidates_max;
    const look = (after_owner: string) =>
      table.candidates(store.db, free, now_ms, {
        after_owner,
        each_max: Math.min(claims_max, Math.ceil(most / view.queues)),
        all_max,
      });
    const ahead = await look(many ? view.last_owner : "");
    const jobs = many && ahead.length < all_max ? [...ahead, ...(await look(""))] : ahead;
    const picked = pick(
      [...new Map(jobs.map((job) => [job.id, job])).values()],
      free,
      slots,
      served_log,
    );
    view = { last_owner: picked.last_owner || view.last_owner, queues: Math.max(1, picked.queues) };
    return picked;
  }

  function begin(job: table.Claimed): void {
    const { handler } = handlers.get(handlerOf(job))!;
    const one: Run = { job, handler, controller: new AbortController() };
    const ended = run({ store, clock, log, grace_ms }, one).finally(() => {
      active.delete(job.id);
      loop.wake();
    });
    active.set(job.id, { ...one, ended });
    if (state === "draining")
      one.controller.abort(new Stopped("shutdown", "the server is stopping"));
  }

  const loop = createLoop();

  /** Wakes up for work that was written, for jobs that become due, and at least every second. */
  function createLoop() {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = false;
    let going = false;
    let looked_at_ms = 0;
    let renewed_at_ms = 0;
    let pruned_at_ms = clock.now_ms();
    let seen_at_ms = clock.now_ms();
    let failing = false;
    let under_way: Promise<void> = Promise.resolve();
    let pruning: Promise<void> = Promise.resolve();

    const wake = () => {
      if (state !== "started" || asked) return;
      asked = true;
      if (!going)
        setImmediate(() => {
          if (state === "started") under_way = go();
        });
    };
    async function go(): Promise<void> {
      going = true;
      let pause_ms = poll_ms;
      try {
        do {
          asked = false;
          clearTimeout(timer);
          await tend();
          // A look at the table costs as much as a small job: while jobs work, the next look
          // gathers what has come and ended meanwhile.
          if (working() > 0)
            await Bun.sleep(Math.max(0, looked_at_ms + look_gap_ms - performance.now()));
          if (state !== "started") return;
          looked_at_ms = performance.now();
          if ((await claim()) > 0) asked = true;
          failing = false;
          if (asked) continue;
          const next = await table.nextRunAt(store.db, clock.now_ms());
          pause_ms =
            next === undefined ? poll_ms : Math.min(poll_ms, Math.max(1, next - clock.now_ms()));
        } while (asked && state === "started");
      } catch (error) {
        // Once, not at every poll of a night.
        if (!failing) log.error("jobs can't be claimed; trying until they can", errorFields(error));
        failing = true;
      } finally {
        going = asked = false;
        if (state === "started") timer = setTimeout(wake, pause_ms);
      }
    }
    /**
     * Lengthens our leases, takes over those that have run out, and deletes what is old, each when
     * it is time.
     */
    async function tend(): Promise<void> {
      const now_ms = clock.now_ms();
      // The clock was set back: what was due would wait for the time to come round again.
      if (now_ms < seen_at_ms) await table.bringForward(store.db, seen_at_ms - now_ms);
      seen_at_ms = now_ms;
      if (Math.abs(now_ms - renewed_at_ms) >= heartbeat_ms) {
        renewed_at_ms = now_ms;
        await renew();
        await table.freeJobs(store.db, now_ms);
      }
      if (Math.abs(now_ms - pruned_at_ms) >= prune_every_ms) {
        pruned_at_ms = now_ms;
        pruning = prune().catch((error: unknown) =>
          log.error("finished jobs could not be deleted", errorFields(error)),
        );
      }
    }
    /** Nothing of it touches the database any more when it returns. */
    async function stop(): Promise<void> {
      clearTimeout(timer);
      await under_way;
      await pruning;
    }
    return { wake, stop };
  }

  async function renew(): Promise<void> {
    const before = [...active.values()];
    const held = await table.renewLeases(
      store.db,
      [...new Set(before.map(({ job }) => job.lease_token))],
      clock.now_ms() + lease_ms,
    );
    for (const { job, controller } of before) {
      if (!held.has(job.id) && active.has(job.id))
        controller.abort(new Stopped("lost", "the lease of this job is over"));
    }
  }

  async function prune(): Promise<void> {
    for (const [ended, keep_ms] of Object.entries(kept_ms) as [keyof typeof kept_ms, number][]) {
      while (
        state === "started" &&
        (await table.pruneJobs(store.db, ended, clock.now_ms() - keep_ms, prune_each)) ===
          prune_each
      )
        await Bun.sleep(prune_pause_ms);
    }
  }

  function newJob(
    plugin: string,
    handler: JobHandler,
    payload: unknown,
    options: EnqueueOptions,
  ): table.NewJob {
    const { limits, on } = handler;
    const now_ms = clock.now_ms();
    const queue = options.queue || handlerOf({ plugin, name: on.id });
    return {
      id: newId("job"),
      plugin,
      name: on.id,
      payload: JSON.stringify(payload),
      owner: options.owner || limits.ownerOf?.(payload) || queue,
      queue,
      queue_concurrency: options.queue_concurrency ?? limits.concurrency ?? 1,
      priority: Math.trunc(options.priority ?? 0),
      run_at: Math.trunc(options.run_at_ms ?? now_ms),
      attempts_max: limits.attempts_max,
      key: options.key ?? null,
      subject: options.subject ?? null,
      created_at: now_ms,
    };
  }

  return {
    register(plugin, handler) {
      const key = handlerOf({ plugin, name: handler.on.id });
      const rival = handler.on.kind === "job" ? subscribers(handler.on.id)[0] : handlers.get(key);
      if (rival)
        throw new Error(
          `plugin ${plugin}: ${handler.on.kind} ${handler.on.id} is handled by plugin ${rival.plugin} already`,
        );
      handlers.set(key, { plugin, handler });
    },

    async enqueue(db, on, payload, options = {}) {
      requireFit(on, payload);
      const [found] = subscribers(on.id);
      if (!found) throw new Error(`no plugin handles the job ${on.id}`);
      await table.insertJob(db, newJob(found.plugin, found.handler, payload, options));
      store.afterCommit(loop.wake);
    },

    async emit(db, on, payload) {
      requireFit(on, payload);
      const interested = subscribers(on.id);
      for (const { plugin, handler } of interested)
        await table.insertJob(db, newJob(plugin, handler, payload, {}));
      if (interested.length > 0) store.afterCommit(loop.wake);
    },

    async cancelJobs(db, subjects) {
      const ids = await table.cancelJobs(db, subjects, clock.now_ms());
      store.afterCommit(() => {
        for (const id of ids)
          active.get(id)?.controller.abort(new Stopped("cancelled", "the job was cancelled"));
      });
    },

    async start() {
      const again = await table.freeJobs(store.db, "all");
      if (again > 0) log.info("jobs of the last run continue", { jobs: again });
      state = "started";
      loop.wake();
    },

    async drain(timeout_ms) {
      state = "draining";
      await loop.stop();
      await claiming;
      const left = [...active.values()];
      for (const { controller } of left)
        controller.abort(new Stopped("shutdown", "the server is stopping"));
      await within(Promise.all(left.map(({ ended }) => ended)), timeout_ms);
      for (const { job } of active.values()) {
        log.warn("a job did not stop in time; it runs again at the next start", {
          job: job.id,
          name: job.name,
        });
        await table.returnJob(store.db, job, clock.now_ms());
      }
    },

    status: () => table.countJobs(store.db),
    overview: createOverview({
      store,
      clock,
      handlerFor: (job) => handlers.get(handlerOf(job))?.handler,
      wake: loop.wake,
    }),

    async runDue() {
      await table.freeJobs(store.db, clock.now_ms());
      for (let ran = 0; ;) {
        const now = await claim();
        ran += now;
        if (active.size > 0) await Promise.race([...active.values()].map(({ ended }) => ended));
        else if (now === 0) return ran;
      }
    },
  };
}

/** Waits for `work`, but not longer than this. */
async function within(work: Promise<unknown>, timeout_ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeout_ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}

function requireFit(on: JobRef | EventRef, payload: unknown): void {
  const problem = Value.Errors(on.payload, payload).First();
  if (problem)
    throw new Error(
      `${on.kind} ${on.id}: the payload does not fit its schema: ${problem.path || "/"} ${problem.message}`,
    );
}
