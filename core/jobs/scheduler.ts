/** Chooses which due jobs run next: fair to owners and queues, within every capacity. */
import type { ServedLog } from "../lib/served-log";
import type { Candidate, Capacity } from "./candidates";

/** Identifies a handler: its plugin and the id of its job or event. */
export const handlerKey = (job: { readonly plugin: string; readonly name: string }): string =>
  `${job.plugin} ${job.name}`;

/** The jobs to claim. */
export interface Selection {
  readonly ids: readonly string[];
  /** The owner served last; a limited search continues after them. */
  readonly last_owner: string;
  /** The number of queues that had something to run. */
  readonly queues: number;
}

/**
 * Where handlers leave room, one owner gets at most this fraction of the remaining runs, but always
 * one, so that one is left for the next owner.
 */
const owner_divisor = 4;
const io_bound_owner_divisor = 8;
/** How many runs of a handler one owner may have, if it has capacity for `free` more. */
export const ownerMax = ({
  io_bound,
  leaves_room,
  free,
}: Pick<Capacity, "io_bound" | "leaves_room" | "free">): number =>
  io_bound || leaves_room
    ? Math.max(1, Math.floor(free / (io_bound ? io_bound_owner_divisor : owner_divisor)))
    : Number.MAX_SAFE_INTEGER;

/** Keys of `ServedLog`. */
export const ownerKey = (owner: string): string => `owner ${owner}`;
/** See `ownerKey`. */
export const queueKey = (queue: string): string => `queue ${queue}`;

/** The jobs of one owner in one queue. */
interface Share {
  readonly queue: string;
  readonly owner: string;
  readonly jobs: Candidate[];
  /** The index of the first one that may run now; -1 when none may. */
  next: number;
}

/**
 * The job whose owner has the fewest runs comes first, then the one whose owner, and then whose
 * queue, was served longest ago; within a queue the highest priority, then the earliest. No limit
 * is exceeded. Records in `served` who was served. `slots_of`: slots taken by each owner's runs.
 * All jobs of an owner share them, whatever their kind. Jobs that take no slot are counted by
 * handler, so that a user's webhook deliveries don't wait for the indexing of their documents.
 */
export function selectJobs(
  candidates: readonly Candidate[],
  capacities: readonly Capacity[],
  slots: number,
  served: ServedLog,
  slots_of: ReadonlyMap<string, number>,
): Selection {
  const free = new Map(capacities.map((capacity) => [handlerKey(capacity), { ...capacity }]));
  const owner_slots = new Map(slots_of);
  const running = new Map(candidates.map((job) => [runsKey(job), job.owner_running]));
  const runsOf = (job: Candidate): number =>
    (free.get(handlerKey(job))?.io_bound
      ? running.get(runsKey(job))
      : owner_slots.get(job.owner)) ?? 0;
  const queues = new Map(candidates.map(({ queue, queue_running }) => [queue, queue_running]));
  const shares = sharesOf(candidates);
  let slots_left = slots;
  const mayRun = (job: Candidate): boolean => {
    const capacity = free.get(handlerKey(job));
    return (
      capacity !== undefined &&
      capacity.free > 0 &&
      (capacity.io_bound || slots_left > 0) &&
      queues.get(job.queue)! < job.queue_concurrency &&
      running.get(runsKey(job))! < ownerMax(capacity)
    );
  };
  const order = (a: Share, b: Share): number =>
    runsOf(a.jobs[a.next]!) - runsOf(b.jobs[b.next]!) ||
    served.lastServed(ownerKey(a.owner)) - served.lastServed(ownerKey(b.owner)) ||
    served.lastServed(queueKey(a.queue)) - served.lastServed(queueKey(b.queue)) ||
    compare(a.owner, b.owner) ||
    compare(a.queue, b.queue);

  const ids: string[] = [];
  let last_owner = "";
  for (;;) {
    const share = firstShare(shares, mayRun, order);
    if (share === undefined) return { ids, last_owner, queues: shares.length };
    const [job] = share.jobs.splice(share.next, 1) as [Candidate];
    const capacity = free.get(handlerKey(job))!;
    free.set(handlerKey(job), { ...capacity, free: capacity.free - 1 });
    if (!capacity.io_bound) {
      slots_left -= 1;
      owner_slots.set(job.owner, (owner_slots.get(job.owner) ?? 0) + 1);
    }
    running.set(runsKey(job), running.get(runsKey(job))! + 1);
    queues.set(job.queue, queues.get(job.queue)! + 1);
    served.note(ownerKey(job.owner));
    served.note(queueKey(job.queue));
    ids.push(job.id);
    last_owner = job.owner;
  }
}

const runsKey = (job: Candidate): string => `${handlerKey(job)}\n${job.owner}`;

const sharesOf = (candidates: readonly Candidate[]): Share[] =>
  [...Map.groupBy(candidates, ({ owner, queue }) => `${owner}\n${queue}`).values()].map((jobs) => ({
    queue: jobs[0]!.queue,
    owner: jobs[0]!.owner,
    jobs: jobs.toSorted(inQueue),
    next: -1,
  }));

function firstShare(
  shares: readonly Share[],
  mayRun: (job: Candidate) => boolean,
  order: (a: Share, b: Share) => number,
): Share | undefined {
  let first: Share | undefined;
  for (const share of shares) {
    share.next = share.jobs.findIndex(mayRun);
    if (share.next >= 0 && (first === undefined || order(share, first) < 0)) first = share;
  }
  return first;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const inQueue = (a: Candidate, b: Candidate): number =>
  b.priority - a.priority || a.run_at - b.run_at || compare(a.id, b.id);
