/** Which of the jobs that are due run next. Pure, but for the memory of whose turn it was. */
import type { Candidate, Room } from "./table";

export const handlerOf = (job: { readonly plugin: string; readonly name: string }): string =>
  `${job.plugin} ${job.name}`;

export interface Picked {
  readonly ids: readonly string[];
  /** The owner served last; a look that can't see everyone begins after them. */
  readonly last_owner: string;
  /** How many lanes had something to run. */
  readonly lanes: number;
}

/**
 * A handler that waits for others gives one owner at most this share of the runs that are left, and
 * always one: so there is one left for whoever comes next.
 */
const owner_share = 8;
export const ownerMax = ({ waits, free }: Pick<Room, "waits" | "free">): number =>
  waits ? Math.max(1, Math.floor(free / owner_share)) : Number.MAX_SAFE_INTEGER;

/** When an owner or a lane was served last, for the latest ten thousand of each. */
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
export const laneKey = (lane: string): string => `lane ${lane}`;

interface Waiting {
  readonly lane: string;
  readonly owner: string;
  readonly jobs: Candidate[];
  at: number;
}

/**
 * Whose owner has the fewest runs goes first, then whose turn is longest ago, by owner and by lane;
 * within a lane the highest priority, then the earliest.
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
  const lanes = new Map(candidates.map(({ lane, lane_running }) => [lane, lane_running]));
  const waiting: Waiting[] = [
    ...Map.groupBy(candidates, ({ owner, lane }) => `${owner}\n${lane}`).values(),
  ].map((jobs) => ({
    lane: jobs[0]!.lane,
    owner: jobs[0]!.owner,
    jobs: jobs.toSorted(inLane),
    at: -1,
  }));
  let left = slots;
  const fits = (job: Candidate): boolean => {
    const room = free.get(handlerOf(job));
    return (
      room !== undefined &&
      room.free > 0 &&
      (room.waits || left > 0) &&
      lanes.get(job.lane)! < job.lane_max &&
      owners.get(job.owner)! < ownerMax(room)
    );
  };
  const before = (a: Waiting, b: Waiting): number =>
    owners.get(a.owner)! - owners.get(b.owner)! ||
    served_log.since(ownerKey(a.owner)) - served_log.since(ownerKey(b.owner)) ||
    served_log.since(laneKey(a.lane)) - served_log.since(laneKey(b.lane)) ||
    compare(a.owner, b.owner) ||
    compare(a.lane, b.lane);

  const ids: string[] = [];
  let last_owner = "";
  for (;;) {
    let next: Waiting | undefined;
    for (const one of waiting) {
      one.at = one.jobs.findIndex(fits);
      if (one.at >= 0 && (next === undefined || before(one, next) < 0)) next = one;
    }
    if (next === undefined) return { ids, last_owner, lanes: waiting.length };
    const [job] = next.jobs.splice(next.at, 1) as [Candidate];
    const room = free.get(handlerOf(job))!;
    free.set(handlerOf(job), { ...room, free: room.free - 1 });
    if (!room.waits) left -= 1;
    owners.set(job.owner, owners.get(job.owner)! + 1);
    lanes.set(job.lane, lanes.get(job.lane)! + 1);
    served_log.note(ownerKey(job.owner));
    served_log.note(laneKey(job.lane));
    ids.push(job.id);
    last_owner = job.owner;
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const inLane = (a: Candidate, b: Candidate): number =>
  b.priority - a.priority || a.run_at - b.run_at || compare(a.id, b.id);
