/** Checks and orders plugins before any of their code runs. Pure; names every problem. */
import { nearest } from "../base/config";
import { fullPath } from "../http/router";
import type { Route } from "../http/route";
import { CONTRACT, type Plugin } from "./define";
import type { Command } from "./command";
import type { ServiceRef } from "../base/refs";

export interface Refusal {
  readonly plugin: Plugin;
  readonly reason: string;
}
export interface Ordered {
  /** Each after everything it needs. */
  readonly sorted: readonly Plugin[];
  readonly refused: readonly Refusal[];
}

/**
 * Earlier plugins win a clash: give the built-in ones first. A plugin that needs a refused one is
 * refused too.
 */
export function order(plugins: readonly Plugin[]): Ordered {
  const refused: Refusal[] = [];
  const claims = new Map<string, string>();
  let standing: Plugin[] = [];
  for (const plugin of plugins) {
    const reason = ownProblem(plugin) ?? clash(plugin, claims);
    if (reason === undefined) standing.push(plugin);
    else refused.push({ plugin, reason });
  }
  for (;;) {
    const round = sort(standing);
    if ("sorted" in round) return { sorted: round.sorted, refused };
    refused.push(...round.refused);
    standing = standing.filter(
      (plugin) => !round.refused.some((refusal) => refusal.plugin === plugin),
    );
  }
}

function ownProblem(plugin: Plugin): string | undefined {
  if (plugin.contract !== CONTRACT)
    return `it speaks contract ${plugin.contract}; this host speaks ${CONTRACT}`;
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(plugin.name))
    return (
      `its name ${JSON.stringify(plugin.name)} is not lower case letters, digits and single ` +
      "dashes"
    );
  const stem = plugin.name.replaceAll("-", "_");
  const foreign = plugin.tables.find((table) => table !== stem && !table.startsWith(`${stem}_`));
  if (foreign !== undefined) return `its table ${foreign} is not called ${stem} or ${stem}_…`;
  const ids = plugin.migrations.map((migration) => migration.id);
  if (ids.some((id, i) => i > 0 && ids[i - 1]! >= id))
    return `its migrations are not in the order of their ids: ${ids.join(", ")}`;
  return undefined;
}

/** What the plugin claims for itself alone: name, section, services, routes, tables, commands. */
function clash(plugin: Plugin, claims: Map<string, string>): string | undefined {
  const mine = [
    `the name ${plugin.name}`,
    `the settings section ${plugin.section}`,
    ...Object.values(plugin.provides as Record<string, ServiceRef<unknown>>).map(
      (ref) => `the service ${ref.id}`,
    ),
    ...Object.values(plugin.routes as Record<string, Route>).map(
      (route) => `the route ${route.method} ${fullPath(route).replace(/:[^/]+/g, ":…")}`,
    ),
    ...plugin.tables.map((table) => `the table ${table}`),
    ...Object.values({
      ...(plugin.commands as Record<string, Command>),
      ...plugin.tools,
    }).map((command) => `the command ${command.name}`),
  ];
  const taken = mine.find((claim, i) => claims.has(claim) || mine.indexOf(claim) !== i);
  if (taken !== undefined)
    return `${taken} belongs to the plugin ${claims.get(taken) ?? `${plugin.name} twice`} already`;
  for (const claim of mine) claims.set(claim, plugin.name);
  return undefined;
}

function sort(plugins: readonly Plugin[]): { sorted: Plugin[] } | { refused: Refusal[] } {
  const provider = new Map<string, Plugin>();
  for (const plugin of plugins)
    for (const ref of Object.values(plugin.provides as Record<string, ServiceRef<unknown>>))
      provider.set(ref.id, plugin);
  const sorted: Plugin[] = [];
  const refused: Refusal[] = [];
  const visit = (plugin: Plugin, path: readonly Plugin[]): void => {
    if (sorted.includes(plugin) || refused.some((refusal) => refusal.plugin === plugin)) return;
    if (path.includes(plugin)) {
      const circle = [...path.slice(path.indexOf(plugin)), plugin]
        .map((one) => one.name)
        .join(" → ");
      refused.push({ plugin, reason: `plugins need each other in a circle: ${circle}` });
      return;
    }
    for (const ref of Object.values(plugin.needs as Record<string, ServiceRef<unknown>>)) {
      const needed = provider.get(ref.id);
      if (!needed) {
        const near = nearest(ref.id, [...provider.keys()]);
        const hint = near === undefined ? "" : `; the nearest is ${near}`;
        refused.push({
          plugin,
          reason: `it needs the service ${ref.id}, which no loaded plugin provides${hint}`,
        });
        return;
      }
      visit(needed, [...path, plugin]);
      if (refused.length > 0) return;
    }
    sorted.push(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return refused.length > 0 ? { refused } : { sorted };
}
