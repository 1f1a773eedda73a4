/**
 * Finds problems in the result of a plugin's `setup`: missing parts, values that do not fit their
 * slots, invalid jobs and schedules. The types catch these too, but a dropped-in file may not have
 * been type-checked: built-in plugins are not checked here.
 */
import { Value } from "@sinclair/typebox/value";
import type { Fill, SlotRef } from "../base/refs";
import type { Route } from "../http/route";
import type { JobHandler, Schedule } from "../jobs/contract";
import { cronProblem } from "../jobs/cron";
import type { Plugin } from "./contract";
import { nearestHint } from "../base/nearest-word";

/** Its types are checked where the plugin is defined. */
export type SetUpResult = Record<string, any>;

/** What earlier plugins have claimed. */
export interface ClaimedNames {
  /** The slot with this id, if a plugin or the host reads it. */
  readonly slotOf: (id: string) => SlotRef<any> | undefined;
  readonly slot_ids: readonly string[];
  /** The plugin that fills a slot of arity `one`, or has filled a value with this key. */
  readonly fillerOf: (slot: SlotRef<any>, value?: unknown) => string | undefined;
  /**
   * The prefix of every path as clients see it, `/dossier`: no path of the server may begin with
   * it.
   */
  readonly base_path: string;
  /** The plugin that handles this job. */
  readonly handlerOf: (job: JobHandler["on"]) => string | undefined;
}

/** @throws Error with everything that is wrong. */
export function checkedResult(
  plugin: Plugin,
  returned: unknown,
  claimed: ClaimedNames,
): SetUpResult {
  if (typeof returned !== "object" || returned === null)
    throw new Error("its setup returned nothing");
  const result = returned as SetUpResult;
  const problems = [
    ...keyProblems(plugin, result),
    ...promiseProblems(plugin, result),
    ...listProblems(result),
    ...hookProblems(result),
  ];
  if (problems.length === 0)
    problems.push(
      ...((result.fills ?? []) as Fill[]).flatMap((fill, i, all) =>
        fillProblems(fill, all.slice(0, i), claimed),
      ),
      ...((result.jobs ?? []) as JobHandler[]).flatMap((job, i, all) =>
        jobProblems(plugin, job, all.slice(0, i), claimed),
      ),
      ...scheduleProblems(result.schedules),
      ...rootProblems(plugin, result, claimed),
    );
  if (problems.length > 0) throw new Error(problems.join("; "));
  return result;
}

/** The parts promised by `PluginInstance`. */
const promised_kinds = ["services", "routes", "commands"] as const;
const list_kinds = ["fills", "jobs"];
const hook_kinds = ["start", "stop", "health"];
const known_keys = [...promised_kinds, ...list_kinds, "schedules", ...hook_kinds];

/** Keys that nothing reads: misspelt, or missing from the manifest. */
function keyProblems(plugin: Plugin, result: SetUpResult): string[] {
  const unknown = Object.keys(result).flatMap((key) =>
    known_keys.includes(key)
      ? []
      : [
          `its setup returned the unknown field ${key}${nearestHint(key, known_keys)} ` +
            `(known fields: ${known_keys.join(", ")})`,
        ],
  );
  const unpromised = promised_kinds.flatMap((kind) => {
    const promised = Object.keys(kind === "services" ? plugin.provides : plugin[kind]);
    return Object.keys(result[kind] ?? {})
      .filter((key) => !promised.includes(key))
      .map(
        (key) =>
          `its setup returned ${kind}.${key}, which is not in its manifest` +
          nearestHint(key, promised),
      );
  });
  return [...unknown, ...unpromised];
}

function promiseProblems(plugin: Plugin, result: SetUpResult): string[] {
  return promised_kinds.flatMap((kind) =>
    Object.keys(kind === "services" ? plugin.provides : plugin[kind]).flatMap((key) => {
      const field: unknown = result[kind]?.[key];
      if (field === undefined)
        return `its manifest has ${kind}.${key}, but its setup did not return it`;
      return kind !== "services" && typeof field !== "function"
        ? `its ${kind}.${key} must be a function`
        : [];
    }),
  );
}

const listProblems = (result: SetUpResult): string[] =>
  list_kinds
    .filter((key) => result[key] !== undefined && !Array.isArray(result[key]))
    .map((key) => `its ${key} must be a list`);

const hookProblems = (result: SetUpResult): string[] =>
  hook_kinds
    .filter((key) => result[key] !== undefined && typeof result[key] !== "function")
    .map((key) => `its ${key} must be a function`);

function fillProblems(
  fill: Fill | undefined,
  earlier: readonly Fill[],
  claimed: ClaimedNames,
): string[] {
  const ref = fill?.slot as SlotRef<any> | undefined;
  if (ref?.kind !== "slot" || typeof ref.id !== "string")
    return ["one of its fills has no slot: check the name that is imported"];
  const { id } = ref;
  const slot = claimed.slotOf(id);
  if (slot === undefined)
    return [`it fills the slot ${id}, which no plugin reads${nearestHint(id, claimed.slot_ids)}`];
  const { value, varies = false } = fill!;
  if (value === undefined || value === null) return [`it fills ${id} with ${String(value)}`];
  if (varies && typeof value !== "function")
    return [`its value for ${id} varies, so it must be a function`];
  if (slot.arity === "one") {
    const filler = claimed.fillerOf(slot);
    if (filler !== undefined)
      return [
        `it fills ${id}, which takes one value and is filled by the plugin ${filler}: to take ` +
          `its place, declare replaces: ["${filler}"]`,
      ];
    if (earlier.some((earlier_fill) => earlier_fill.slot.id === id))
      return [`it fills ${id} twice`];
  }
  if (varies) return [];
  const problem = slot.check?.(value);
  if (problem) return [`its value for ${id} is invalid: ${problem}`];
  const key = slot.key?.(value);
  if (key === undefined) return [];
  if (
    earlier.some(
      (earlier_fill) => earlier_fill.slot.id === id && slot.key!(earlier_fill.value) === key,
    )
  )
    return [`it fills ${id} with ${key} twice`];
  const owner = claimed.fillerOf(slot, value);
  return owner === undefined
    ? []
    : [`it fills ${id} with ${key}, as the plugin ${owner} already does`];
}

/** A proxy may or may not strip the base path: paths that begin with it would be ambiguous. */
function rootProblems(plugin: Plugin, result: SetUpResult, { base_path }: ClaimedNames): string[] {
  const first = base_path.split("/")[1];
  if (!first) return [];
  const routes = Object.values(plugin.routes as Plugin["routes"]) as Route[];
  const fills = (result.fills ?? []) as Fill[];
  const roots = [
    ...routes.flatMap(({ root, path }) => (root ? [path] : [])),
    ...fills.map(({ value }) => (value as { readonly root?: unknown }).root),
  ];
  return roots
    .filter((path) => typeof path === "string" && path.split("/")[1] === first)
    .map((path) => `its path ${String(path)} begins with /${first}, as server.public_url does`);
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0;

function jobProblems(
  plugin: Plugin,
  job: JobHandler | undefined,
  earlier: readonly JobHandler[],
  claimed: ClaimedNames,
): string[] {
  const { on, run, limits } = job ?? {};
  if (on === undefined || !["job", "event"].includes(on.kind) || typeof on.id !== "string")
    return ["one of its jobs has no job or event: check the name that is imported"];
  const label = `the ${on.kind} ${on.id}`;
  if (typeof run !== "function") return [`its handler of ${label} must be a function`];
  const problems: string[] = [];
  if (!isCount(limits?.attempts_max))
    problems.push(`its handler of ${label} needs limits.attempts_max, a number of 1 or more`);
  if (!(typeof limits?.timeout_ms === "number" && limits.timeout_ms > 0))
    problems.push(`its handler of ${label} needs limits.timeout_ms, a number of milliseconds`);
  if (limits?.concurrency !== undefined && !isCount(limits.concurrency))
    problems.push(`limits.concurrency of ${label} must be a number of 1 or more`);
  const handler_plugin = claimed.handlerOf(on);
  if (earlier.some((earlier_job) => earlier_job.on?.id === on.id))
    problems.push(`it handles ${label} twice`);
  else if (on.kind === "job" && handler_plugin !== undefined)
    problems.push(`it handles ${label}, as the plugin ${handler_plugin} already does`);
  return problems;
}

/** @throws what a function of schedules throws. */
export function schedulesOf(schedules: unknown): readonly Schedule[] {
  const schedule_list: unknown = typeof schedules === "function" ? schedules() : schedules;
  return (schedule_list ?? []) as readonly Schedule[];
}

/** The problems of schedules; of a function, those of its current result. */
export function scheduleProblems(declared: unknown): string[] {
  const schedules = schedulesOf(declared);
  if (!Array.isArray(schedules))
    return ["its schedules must be a list, or a function that makes one"];
  return (schedules as (Schedule | undefined)[]).flatMap((schedule) => {
    const { cron, on, payload } = schedule ?? {};
    if (on?.kind !== "job") return ["one of its schedules has no job"];
    const problem = cronProblem(cron);
    if (problem !== undefined)
      return [`its schedule ${JSON.stringify(cron)} of the job ${on.id} can't be read: ${problem}`];
    const payload_error = Value.Errors(on.payload, payload).First();
    if (!payload_error) return [];
    const { path, message } = payload_error;
    return [
      `the payload of its schedule of the job ${on.id} does not fit: ${path || "/"} ${message}`,
    ];
  });
}
