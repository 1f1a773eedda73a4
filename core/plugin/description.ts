/** Describes the parts of a plugin as plain data, for people who decide whether it may run. */
import type { Fill, ServiceRef, SlotRef } from "../base/refs";
import { fullPath } from "../http/router";
import type { Route } from "../http/route";
import type { JobHandler, Schedule } from "../jobs/contract";
import type { Command } from "./command";
import type { Plugin } from "./contract";
import type { PluginDescription } from "./plugin-files";

/** The described fields of the result of `setup`. */
export interface DescribedResult {
  readonly fills?: readonly Fill[];
  readonly jobs?: readonly JobHandler[];
  readonly schedules?: readonly Schedule[] | (() => readonly Schedule[]);
}

/** `result`: null when it was not set up. */
export function describePlugin(plugin: Plugin, result: DescribedResult | null): PluginDescription {
  const { name, version, section, config, events, tables } = plugin;
  return {
    name,
    version,
    section,
    config,
    needs: idsOf(plugin.needs),
    provides: idsOf(plugin.provides),
    reads: idsOf(plugin.slots),
    fills: result && (result.fills ?? []).map(({ slot }) => slot.id),
    routes: Object.values(plugin.routes as Record<string, Route>).map((route) => ({
      method: route.method,
      path: fullPath(route),
      summary: route.summary,
    })),
    jobs: result && (result.jobs ?? []).map(({ on }) => on.id),
    schedules: result && schedulesOf(result).map(({ cron, on }) => ({ cron, job: on.id })),
    events: events.map(({ id }) => id),
    tables,
    commands: Object.values({
      ...(plugin.commands as Record<string, Command>),
      ...plugin.tools,
    }).map((command) => command.name),
  };
}

const idsOf = (refs: Readonly<Record<string, ServiceRef<unknown> | SlotRef<unknown>>>): string[] =>
  Object.values(refs).map(({ id }) => id);
const schedulesOf = ({ schedules = [] }: DescribedResult): readonly Schedule[] =>
  typeof schedules === "function" ? schedules() : schedules;
