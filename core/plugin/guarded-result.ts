/** The result of a dropped-in plugin's `setup`, with each part guarded: see `Guard`. */
import type { Fill, SlotRef } from "../base/refs";
import type { JobHandler } from "../jobs/contract";
import { isStorageFault } from "../store/storage-errors";
import { HttpError } from "../base/errors";
import { checkedAnswers } from "./answer-check";
import type { Plugin } from "./contract";
import type { Guard } from "./guard";
import { scheduleProblems, schedulesOf, type SetUpResult } from "./setup-result";

/** What guards the parts. */
export interface GuardOptions {
  readonly guard: Guard;
  readonly slotOf: (id: string) => SlotRef<any> | undefined;
}

/** The result with every function wrapped. The fields of the original stay as they are. */
export function guardedResult(
  plugin: Plugin,
  result: SetUpResult,
  { guard, slotOf }: GuardOptions,
): SetUpResult {
  const { name } = plugin;
  const marked = (what: string): (<R>(work: () => R) => R) =>
    guard.code.marked({ plugin: name, what });
  const hook = (key: string): object => {
    const work = result[key] as (() => unknown) | undefined;
    if (!work) return {};
    const run = marked(`its ${key}`);
    return { [key]: async () => run(() => work.call(result)) };
  };
  return {
    ...result,
    ...hook("start"),
    ...hook("stop"),
    ...hook("health"),
    routes: guardedRoutes(plugin, result.routes as Handlers | undefined, guard),
    fills: ((result.fills ?? []) as Fill[]).map((fill) =>
      guardedFill(name, fill, slotOf(fill.slot.id) ?? fill.slot, guard),
    ),
    jobs: ((result.jobs ?? []) as JobHandler[]).map((job) => guardedJob(name, job, guard)),
    schedules: guardedSchedules(name, result.schedules, guard),
  };
}

type Handlers = Readonly<Record<string, (call: never) => unknown>>;

function guardedRoutes(plugin: Plugin, handlers: Handlers = {}, guard: Guard): Handlers {
  const routes = plugin.routes as Plugin["routes"];
  return Object.fromEntries(
    Object.keys(routes).map((key) => {
      const route = routes[key]!;
      const checked = checkedAnswers(route);
      const handler = handlers[key]!;
      const label = { plugin: plugin.name, what: `${route.method} ${route.path}` };
      const work = async (call: unknown): Promise<unknown> =>
        checked(await handler.call(handlers, call as never));
      const isFault = (error: unknown): boolean =>
        !(error instanceof HttpError || isStorageFault(error)) && !isGone(error);
      return [key, guard.function(label, work, { isFault })];
    }),
  );
}
/** The client has disconnected, or the server is stopping. */
const isGone = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

function guardedFill(plugin: string, fill: Fill, slot: SlotRef<any>, guard: Guard): Fill {
  if (!fill.varies) return { ...fill, slot, value: guard.value(plugin, slot, fill.value) };
  const label = { plugin, what: `its ${slot.id}` };
  const read = guard.function(
    label,
    () => {
      const value = (fill.value as () => unknown)();
      const problem = value === null ? null : slot.check?.(value);
      if (problem) throw new Error(`its value for ${slot.id} is invalid: ${problem}`);
      return value;
    },
    { otherwise: () => null, isFault: () => true },
  );
  return { ...fill, slot, value: () => guard.value(plugin, slot, read()) };
}

/** Jobs may fail, which is reported separately; the other functions must not stop others. */
function guardedJob(plugin: string, { on, run, limits }: JobHandler, guard: Guard): JobHandler {
  const what = `${on.kind} ${on.id}`;
  const isFault = (): boolean => true;
  const label = { plugin, what: `${what} (its limits)` };
  const { ownerOf, backoff_ms } = limits;
  const marked = guard.code.marked({ plugin, what });
  return {
    on,
    run: (payload, job_run) => marked(async () => run(payload, job_run)),
    limits: {
      ...limits,
      ...(ownerOf && {
        ownerOf: guard.function(label, ownerOf, { isFault, otherwise: () => plugin }),
      }),
      ...(backoff_ms && {
        backoff_ms: guard.function(label, backoff_ms, { isFault, otherwise: () => retry_ms }),
      }),
    },
  };
}
const retry_ms = 60_000;

/** Schedules that become invalid later are ignored: the previous ones stay. */
function guardedSchedules(plugin: string, schedules: unknown, guard: Guard): unknown {
  if (typeof schedules !== "function") return schedules;
  let last_schedules = schedulesOf(schedules);
  return guard.function(
    { plugin, what: "its schedules" },
    () => {
      const problems = scheduleProblems(schedules);
      if (problems.length > 0) throw new Error(problems.join("; "));
      return (last_schedules = schedulesOf(schedules));
    },
    { isFault: () => true, otherwise: () => last_schedules },
  );
}
