/**
 * Checks plugins against each other and orders them, before any of their code runs. Pure; names
 * every problem.
 */
import { fullPath } from "../http/router";
import type { Route } from "../http/route";
import type { ServiceRef } from "../base/refs";
import type { Command } from "./command";
import type { Plugin } from "./contract";
import { nearestHint } from "../base/nearest-word";
import { manifestProblems } from "./manifest";

/** A plugin that can't run, and why in words that follow its name. */
export interface Refusal {
  readonly plugin: Plugin;
  readonly reason: string;
}
/** The plugins in the order in which they are set up. */
export interface Ordered {
  /** Each after everything it needs, and after what the plugins that it replaces need. */
  readonly sorted: readonly Plugin[];
  readonly refused: readonly Refusal[];
  /** Those that are not set up: disabled or replaced. */
  readonly off: readonly Off[];
}
/** A plugin that is not set up though nothing is wrong with it. */
export interface Off extends Refusal {
  /** The plugin that replaces it. */
  readonly replaced_by?: Plugin;
}
/** What restricts which plugins may run. */
export interface OrderOptions {
  /** Names of plugins. */
  readonly disabled?: readonly string[];
  /** The host's own claims: `the route GET /health`. */
  readonly reserved?: readonly string[];
  /** Plugins without problems of their own or with each other: no start checks them again. */
  readonly sound?: readonly Plugin[];
}

/**
 * Earlier plugins win a conflict: list the built-in ones first. A plugin that needs a refused one
 * is refused too; what a refused one would have replaced is set up.
 */
export function order(plugins: readonly Plugin[], options: OrderOptions = {}): Ordered {
  const refused: Refusal[] = [];
  let candidates: Plugin[] = [];
  for (const plugin of plugins) {
    const [reason] = options.sound?.includes(plugin) ? [] : manifestProblems(plugin);
    if (reason === undefined) candidates.push(plugin);
    else refused.push({ plugin, reason });
  }
  for (;;) {
    const result = attempt(candidates, options);
    if ("sorted" in result) return { ...result, refused };
    refused.push(...result.refused);
    candidates = candidates.filter(
      (plugin) => !result.refused.some((refusal) => refusal.plugin === plugin),
    );
  }
}

/** The reason of a plugin that is disabled by the settings. */
export const disabled_reason = "it is named in plugins.disabled";

/** The names of plugins that need a service of `plugin`. */
export const namesNeeding = (plugin: Plugin, plugins: readonly Plugin[]): string[] => {
  const provided = idsOf(plugin.provides);
  return plugins
    .filter(
      (candidate) =>
        candidate !== plugin && idsOf(candidate.needs).some((id) => provided.includes(id)),
    )
    .map(({ name }) => name);
};

/**
 * For plugins that are known to fit together: each after everything it needs. @throws Error with
 * the first conflict
 */
export function sortedByNeeds(plugins: readonly Plugin[]): readonly Plugin[] {
  const result = sort(plugins, new Map(), []);
  if ("refused" in result) throw new Error(result.refused[0]!.reason);
  return result.sorted;
}

const command_words = "the command ";

type Round = Pick<Ordered, "sorted" | "off"> | Pick<Ordered, "refused">;

function attempt(
  candidates: readonly Plugin[],
  { disabled = [], reserved = [], sound = [] }: OrderOptions,
): Round {
  const off: Off[] = candidates
    .filter(({ name }) => disabled.includes(name))
    .map((plugin) => ({ plugin, reason: disabled_reason }));
  const enabled = candidates.filter((plugin) => !off.some((refusal) => refusal.plugin === plugin));
  const replaced = replacements(enabled, candidates);
  if ("refused" in replaced) return replaced;
  for (const [plugin, replaced_by] of replaced.replacements)
    off.push({ plugin, replaced_by, reason: `${replaced_by.name} replaces it` });
  const running = enabled.filter((plugin) => !replaced.replacements.has(plugin));
  const refused = [
    ...incomplete(running, replaced.replacements),
    ...(candidates.every((plugin) => sound.includes(plugin))
      ? []
      : clashes(candidates, { off, replacements: replaced.replacements, reserved })),
  ];
  if (refused.length > 0) return { refused };
  const sorted = sort(running, replaced.replacements, off);
  return "refused" in sorted ? sorted : { ...sorted, off };
}

/** Each replaced plugin, and the one that replaces it. */
type Replaced = ReadonlyMap<Plugin, Plugin>;

function replacements(
  enabled: readonly Plugin[],
  candidates: readonly Plugin[],
): { replacements: Replaced } | { refused: Refusal[] } {
  const replacements = new Map<Plugin, Plugin>();
  const refused: Refusal[] = [];
  for (const plugin of enabled) {
    for (const name of plugin.replaces) {
      const target = candidates.find((plugin) => plugin.name === name);
      const first_replacement = target && replacements.get(target);
      const reason = !target
        ? `it replaces ${name}, which is not a plugin${nearestHint(name, namesOf(candidates))}`
        : first_replacement
          ? `it replaces ${name}, as ${first_replacement.name} already does`
          : undefined;
      if (reason === undefined) {
        if (enabled.includes(target!)) replacements.set(target!, plugin);
      } else refused.push({ plugin, reason });
    }
  }
  return refused.length > 0 ? { refused: refused.slice(0, 1) } : { replacements };
}

/** Those that replace another one without providing what others need of it. */
function incomplete(running: readonly Plugin[], replacements: Replaced): Refusal[] {
  return [...replacements].flatMap(([target, plugin]) => {
    const provided = idsOf(plugin.provides);
    for (const id of idsOf(target.provides)) {
      const needing = running.filter((plugin) => idsOf(plugin.needs).includes(id));
      if (needing.length > 0 && !provided.includes(id))
        return {
          plugin,
          reason:
            `it replaces ${target.name} and does not provide the service ${id}, which ` +
            `${inWords(namesOf(needing))} ${needing.length === 1 ? "needs" : "need"}`,
        };
    }
    return [];
  });
}

/** Who has claimed what; null is Dossier itself. */
type Owners = Map<string, Plugin | null>;

/**
 * Whether the plugin may claim it: nobody has, or the plugin that it replaces, or that replaces it.
 * A replaced plugin returns when its replacement can't run: nobody else may take its claims.
 */
function isFree(claim: string, plugin: Plugin, owners: Owners, replacements: Replaced): boolean {
  const owner = owners.get(claim);
  if (owner === undefined) return true;
  if (owner === null) return false;
  const replaces = (one: Plugin, other: Plugin): boolean =>
    replacements.get(other) === one && !lastingClaims(other).includes(claim);
  return replaces(plugin, owner) || replaces(owner, plugin);
}

/** Those that claim what belongs to another. */
function clashes(
  candidates: readonly Plugin[],
  {
    off,
    replacements,
    reserved,
  }: { off: readonly Refusal[]; replacements: Replaced; reserved: readonly string[] },
): Refusal[] {
  const owners: Owners = new Map(reserved.map((claim) => [claim, null]));
  const groups = new Map(reserved.flatMap(groupOf));
  const refused: Refusal[] = [];
  for (const plugin of candidates) {
    const is_off = off.some((refusal) => refusal.plugin === plugin);
    const seen = new Set<string>();
    const claims = [
      ...lastingClaims(plugin),
      ...(is_off && !replacements.has(plugin) ? [] : runningClaims(plugin)),
    ];
    const isFirst = (claim: string): boolean => seen.size < seen.add(claim).size;
    const clash =
      claims.find((claim) => !isFree(claim, plugin, owners, replacements) || !isFirst(claim)) ??
      claims.find((claim) => groups.has(claim));
    if (clash === undefined) {
      for (const claim of claims) owners.set(claim, plugin);
      for (const [group, claim] of claims.flatMap(groupOf))
        if (!groups.has(group)) groups.set(group, claim);
    } else {
      const owner = owners.get(owners.has(clash) ? clash : groups.get(clash)!);
      const owner_name = owner === null ? "Dossier itself" : `the plugin ${owner?.name}`;
      const reason =
        owner === undefined ? `it declares ${clash} twice` : `${clash} belongs to ${owner_name}`;
      refused.push({ plugin, reason });
    }
  }
  return refused;
}

/**
 * `dossier report` can't be added where `dossier report list` has made `report` a group: the
 * claim of the group, and the one that made it.
 */
function groupOf(claim: string): [group: string, claim: string][] {
  const end = claim.startsWith(command_words) ? claim.indexOf(" ", command_words.length) : -1;
  return end < 0 ? [] : [[claim.slice(0, end), claim]];
}

/** Claims that a plugin keeps while it is off: its name, its settings, its data. */
const lastingClaims = ({ name, section, tables }: Plugin): string[] => [
  `the name ${name}`,
  sectionClaim(section),
  ...tables.map((table) => `the table ${table}`),
];

/** Claims that only a running plugin has. */
function runningClaims({ provides, routes, commands, tools }: Plugin): string[] {
  const declared = Object.values(routes as Record<string, Route>);
  return [
    ...idsOf(provides).map((id) => `the service ${id}`),
    ...declared.map(routeClaim),
    ...declared.map(operationClaim),
    ...Object.values({ ...(commands as Record<string, Command>), ...tools }).map(commandClaim),
  ];
}

/**
 * The claim of a route. Routes whose paths differ only in the names of parameters have the same.
 */
export const routeClaim = (route: Route<any, any>): string =>
  `the route ${route.method} ${fullPath(route).replace(/:[^/]+/g, ":…")}`;
/** The claim of an operation id. */
export const operationClaim = ({ operation }: Pick<Route, "operation">): string =>
  `the operation id ${operation}`;
/** The claim of a section of the settings. */
export const sectionClaim = (section: string): string => `the settings section ${section}`;
/** The claim of a command. */
export const commandClaim = ({ name }: Pick<Command, "name">): string => `${command_words}${name}`;

function sort(
  plugins: readonly Plugin[],
  replacements: Replaced,
  off: readonly Refusal[],
): Pick<Ordered, "sorted"> | Pick<Ordered, "refused"> {
  const provider = new Map<string, Plugin>();
  for (const plugin of plugins) for (const id of idsOf(plugin.provides)) provider.set(id, plugin);
  const sorted: Plugin[] = [];
  const refused: Refusal[] = [];
  const visit = (plugin: Plugin, path: readonly Plugin[]): void => {
    if (sorted.includes(plugin) || refused.length > 0) return;
    if (path.includes(plugin)) {
      const circle = [...path.slice(path.indexOf(plugin)), plugin];
      // Without replacements, the built-in plugins have no circular needs.
      const culprit = circle.find(({ replaces }) => replaces.length > 0) ?? plugin;
      const names = namesOf(circle).join(" → ");
      refused.push({ plugin: culprit, reason: `plugins need each other in a circle: ${names}` });
      return;
    }
    const missing = idsOf(plugin.needs).find((id) => !provider.has(id));
    if (missing !== undefined) {
      refused.push({ plugin, reason: missingService(missing, [...provider.keys()], off) });
      return;
    }
    const replaced = [...replacements]
      .filter(([, replacement]) => replacement === plugin)
      .map(([target]) => target);
    // When it can't be set up, the one it replaces is, and has needs of its own.
    for (const id of [plugin, ...replaced].flatMap(({ needs }) => idsOf(needs))) {
      const needed = provider.get(id);
      if (needed !== undefined && needed !== plugin) visit(needed, [...path, plugin]);
      if (refused.length > 0) return;
    }
    sorted.push(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return refused.length > 0 ? { refused } : { sorted };
}

function missingService(id: string, known_ids: readonly string[], off: readonly Refusal[]): string {
  const provider = off.find(({ plugin }) => idsOf(plugin.provides).includes(id));
  return provider
    ? `it needs the service ${id} of the plugin ${provider.plugin.name}: ${provider.reason}`
    : `it needs the service ${id}, which no loaded plugin provides${nearestHint(id, known_ids)}`;
}

const idsOf = (refs: Plugin["needs"]): string[] =>
  Object.values(refs as Record<string, ServiceRef<unknown>>).map(({ id }) => id);
const namesOf = (plugins: readonly Plugin[]): string[] => plugins.map(({ name }) => name);
/** `a`, `a and b`, `a, b and c`. */
export const inWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
