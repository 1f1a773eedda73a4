/** Which of the jobs that are due run next. Pure. */
import type { Candidate, Room } from "./table";

export const handlerOf = (job: { readonly plugin: string; readonly name: string }): string => `${job.plugin} ${job.name}`;

export interface Picked {
  readonly ids: readonly string[];
  /** The lane served last; the next turn begins after it. */
  readonly last_lane: string;
  /** How many lanes had something to run. */
  readonly lanes: number;
}

/** Lanes take turns, beginning after `after_lane`; within a lane the highest priority comes first, then the earliest. No cap is exceeded. */
export function pick(jobs: readonly Candidate[], rooms: readonly Room[], slots: number, after_lane: string): Picked {
  const free = new Map(rooms.map((room) => [handlerOf(room), room.free]));
  const lanes = [...Map.groupBy(jobs, (job) => job.lane)].sort(([a], [b]) => compare(a, b));
  const first = lanes.findIndex(([lane]) => lane > after_lane);
  const turns = (first < 0 ? lanes : [...lanes.slice(first), ...lanes.slice(0, first)])
    .map(([lane, queue]) => ({ lane, running: queue[0]!.lane_running, queue: queue.toSorted(inLane) }));

  const ids: string[] = [];
  let last_lane = after_lane;
  for (let served = true; served && ids.length < slots;) {
    served = false;
    for (const turn of turns) {
      if (ids.length === slots) break;
      const at = turn.queue.findIndex((job) => (free.get(handlerOf(job)) ?? 0) > 0 && turn.running < job.lane_max);
      if (at < 0) continue;
      const [job] = turn.queue.splice(at, 1) as [Candidate];
      free.set(handlerOf(job), free.get(handlerOf(job))! - 1);
      turn.running += 1;
      ids.push(job.id);
      last_lane = turn.lane;
      served = true;
    }
  }
  return { ids, last_lane, lanes: lanes.length };
}

const compare = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0;
const inLane = (a: Candidate, b: Candidate): number => b.priority - a.priority || a.run_at - b.run_at || compare(a.id, b.id);
