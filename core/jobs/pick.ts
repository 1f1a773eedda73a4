/** Which of the jobs that are due run next. Pure, but for the memory of whose turn it was. */
import type { Candidate, Room } from "./table";

export const handlerOf = (job: { readonly plugin: string; readonly name: string }): string =>
  `${job.plugin} ${job.name}`;

export interface Picked {
  readonly ids: readonly string[];
  /** The owner served last; a look that can't see everyone begins after them. */
  readonly last_owner: string;
  /** How many queues had something to run. */
  readonly queues: number;
}

/**
 * A handler that is io-bound gives one owner at most this share of the runs that are left, and
 * always one: so there is one left for whoever comes next.
 */
const owner_share = 8;
export const ownerMax = ({ io_bound, free }: Pick<Room, "io_bound" | "free">): number =>
  io_bound ? Math.max(1, Math.floor(free / owner_share)) : Number.MAX_SAFE_INTEGER;

/** When an owner or a queue was served last, for the latest ten thousand of each. */
export interface ServedLog {
  since(key: string): number;
  note(key: string): void;
}
const remembered_max = 10_000;
export function createServedLog(): ServedLog {
  const last = new Map<string, number>();
  let now = 0;
  return {
    since: (key) => last.get(key) ?? 0,
    note(key) {
      last.delete(key);
      last.set(key, ++now);
      if (last.size > remembered_max) last.delete(last.keys().next().value!);
    },
  };
}
/** Keys of `ServedLog`. */
export const ownerKey = (owner: string): string => `owner ${owner}`;
export const queueKey = (queue: string): string => `queue ${queue}`;

interface Waiting {
  readonly queue: string;
  readonly owner: string;
  readonly jobs: Candidate[];
  at: number;
}

/**
 * Whose owner has the fewest runs goes first, then whose turn is longest ago, by owner and by queue;
 * within a queue the highest priority, then the earliest.
 * No cap is exceeded. Remembers in `served_log` who was served.
 */
export function pick(
  candidates: readonly Candidate[],
  rooms: readonly Room[],
  slots: number,
  served_log: ServedLog,
): Picked {
  const free = new Map(rooms.map((room) => [handlerOf(room), { ...room }]));
  const owners = new Map(candidates.map(({ owner, owner_running }) => [owner, owner_running]));
  const queues = new Map(candidates.map(({ queue, queue_running }) => [queue, queue_running]));
  const waiting: Waiting[] = [
    ...Map.groupBy(candidates, ({ owner, queue }) => `${owner}\n${queue}`).values(),
  ].map((jobs) => ({
    queue: jobs[0]!.queue,
    owner: jobs[0]!.owner,
    jobs: jobs.toSorted(inQueue),
    at: -1,
  }));
  let left = slots;
  const fits = (job: Candidate): boolean => {
    const room = free.get(handlerOf(job));
    return (
      room !== undefined &&
      room.free > 0 &&
      (room.io_bound || left > 0) &&
      queues.get(job.queue)! < job.queue_concurrency &&
      owners.get(job.owner)! < ownerMax(room)
    );
  };
  const before = (a: Waiting, b: Waiting): number =>
    owners.get(a.owner)! - owners.get(b.owner)! ||
    served_log.since(ownerKey(a.owner)) - served_log.since(ownerKey(b.owner)) ||
    served_log.since(queueKey(a.queue)) - served_log.since(queueKey(b.queue)) ||
    compare(a.owner, b.owner) ||
    compare(a.queue, b.queue);

  const ids: string[] = [];
  let last_owner = "";
  for (;;) {
    let next: Waiting | undefined;
    for (const one of waiting) {
      one.at = one.jobs.findIndex(fits);
      if (one.at >= 0 && (next === undefined || before(one, next) < 0)) next = one;
    }
    if (next === undefined) return { ids, last_owner, queues: waiting.length };
    const [job] = next.jobs.splice(next.at, 1) as [Candidate];
    const room = free.get(handlerOf(job))!;
    free.set(handlerOf(job), { ...room, free: room.free - 1 });
    if (!room.io_bound) left -= 1;
    owners.set(job.owner, owners.get(job.owner)! + 1);
    queues.set(job.queue, queues.get(job.queue)! + 1);
    served_log.note(ownerKey(job.owner));
    served_log.note(queueKey(job.queue));
    ids.push(job.id);
    last_owner = job.owner;
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const inQueue = (a: Candidate, b: Candidate): number =>
  b.priority - a.priority || a.run_at - b.run_at || compare(a.id, b.id);
