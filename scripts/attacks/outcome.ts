/** What a case has shown, beside the bars, as lines of a table. */
import type { Answers } from "./attack";
import type { Noticed } from "./neighbour";

/** A line of the server's log about its event loop. */
export interface Stall {
  readonly stall_ms: number;
  /** Of these, its thread computed; otherwise it waited for the machine or the disk. */
  readonly loop_cpu_ms: number;
  readonly in_work: readonly string[];
}

/** One case that has run; without measurements when it could not. */
export interface Outcome {
  readonly name: string;
  readonly error?: string;
  readonly alone?: Noticed;
  readonly beside?: Noticed;
  readonly answers?: Answers;
  /** The most memory of the server while it ran. */
  readonly rss_mib?: number;
  readonly stalls?: readonly Stall[];
  /** How late the timers of an idle process were at most. */
  readonly own_delay_ms?: number;
}

const bars = {
  p99_ms: 100,
  search_ratio: 5,
  note_ms: 1_000,
  /** 400 million bytes. */
  rss_mib: 400e6 / 2 ** 20,
  stall_ms: 100,
};
/** Searches that take less than this alone are not compared by their ratio. */
const alone_ms_min = 2;
/** An idle process whose timers are later has measured the machine, not the server. */
const late_ms_max = 50;

/** Whether others used the machine meanwhile. */
export const isDisturbed = ({ own_delay_ms = 0 }: Outcome): boolean => own_delay_ms > late_ms_max;

/** On a disturbed machine, stalls in which the server did not compute are not its own. */
const ownStalls = (outcome: Outcome): Stall[] =>
  (outcome.stalls ?? []).filter(
    ({ stall_ms, loop_cpu_ms }) => !isDisturbed(outcome) || loop_cpu_ms >= stall_ms / 2,
  );

const searchRatio = ({ alone, beside }: Outcome): number =>
  beside!.search_p50 / Math.max(alone_ms_min, alone!.search_p50);

/** The bars that it missed, by name. */
export function misses(outcome: Outcome): string[] {
  const { error, beside, rss_mib } = outcome;
  if (error !== undefined || !beside) return ["it could not run"];
  const is_missed: Readonly<Record<string, boolean>> = {
    health: beside.health_p99 > bars.p99_ms,
    list: beside.list_p99 > bars.p99_ms,
    search: searchRatio(outcome) > bars.search_ratio,
    note: beside.note > bars.note_ms,
    memory: rss_mib! > bars.rss_mib,
    stall: ownStalls(outcome).some(({ stall_ms }) => stall_ms >= bars.stall_ms),
    failures: beside.failures > 0,
  };
  return Object.keys(is_missed).filter((name) => is_missed[name]);
}

const columns: readonly (readonly [title: string, width: number])[] = [
  ["case", 26],
  ["health p50/p99", 14],
  ["list p99", 8],
  ["search/alone", 16],
  ["note", 6],
  ["MiB", 5],
  ["stall", 10],
  ["late", 5],
  ["answers", 24],
];
const line = (cells: readonly string[]): string =>
  cells.map((cell, at) => cell.padEnd(columns[at]?.[1] ?? 0)).join("  ");

/** Milliseconds and mebibytes; `late` is how late the timers of an idle process were. */
export function table(outcomes: readonly Outcome[], { with_head = true } = {}): string {
  const head = with_head ? [line([...columns.map(([title]) => title), ""])] : [];
  return [...head, ...outcomes.flatMap(linesOf)].join("\n");
}

const digits = (ms: number): string => ms.toFixed(ms < 10 ? 1 : 0);

function linesOf(outcome: Outcome): string[] {
  const { name, error, alone, beside, answers, rss_mib, stalls } = outcome;
  if (error !== undefined || !alone || !beside) return [`${name}: ${error}`];
  const missed = misses(outcome);
  const longest = stalls!.toSorted((a, b) => b.stall_ms - a.stall_ms)[0];
  const cells = [
    name,
    `${digits(beside.health_p50)}/${digits(beside.health_p99)}`,
    digits(beside.list_p99),
    `${digits(beside.search_p50)}/${digits(alone.search_p50)} ${searchRatio(outcome).toFixed(1)}x`,
    digits(beside.note),
    rss_mib!.toFixed(0),
    longest ? `${stalls!.length}: ${longest.stall_ms}` : "",
    digits(outcome.own_delay_ms!),
    answers!.statuses,
    missed.length === 0 ? "met" : `MISSED ${missed.join(", ")}`,
  ];
  return [
    line(cells).trimEnd(),
    ...(beside.failure === null
      ? []
      : [`  ${beside.failures} requests of the other user failed: ${beside.failure}`]),
    ...(longest ? [described(longest)] : []),
  ];
}

const described = ({ stall_ms, loop_cpu_ms, in_work }: Stall): string =>
  `  ${stall_ms} ms (${loop_cpu_ms} computing): ${in_work.join("; ")}`;
