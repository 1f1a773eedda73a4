/** Rules of a page: joins fragments, and groups rules that belong together. */
import { DisjointSets } from "../disjoint-sets";
import { distinct, type Box, type Drawing, type Rule } from "./geometry";

/** Two rules closer than this form a double rule, or were drawn twice. */
export const rule_tolerance = 3;
/** Dashes of one rule are no further apart. */
const dash_gap_max = 4;
const length_min = 7;
/** A page with more rules is a drawing. */
const rules_max = 4_000;

/** Joins fragments on one line; empty if there are too many. */
export function merged(rules: readonly Rule[]): Rule[] {
  const lines: Rule[][] = [];
  for (const rule of rules.toSorted((a, b) => a.at - b.at)) {
    const line = lines.at(-1);
    if (line !== undefined && rule.at - line[0]!.at <= rule_tolerance) line.push(rule);
    else lines.push([rule]);
  }
  const joined = lines.flatMap((line) => {
    const positions: { at: number; from: number; to: number }[] = [];
    for (const { at, from, to } of line.toSorted((a, b) => a.from - b.from)) {
      const last = positions.at(-1);
      if (last !== undefined && from - last.to <= dash_gap_max) last.to = Math.max(last.to, to);
      else positions.push({ at, from, to });
    }
    return positions.filter(({ from, to }) => to - from >= length_min);
  });
  return joined.length > rules_max ? [] : joined;
}

/** Rules that touch each other, with the shaded areas between them. */
export interface RuleGroup extends Box {
  readonly across: readonly Rule[];
  readonly down: readonly Rule[];
}

/** Groups of horizontal and vertical rules that touch; isolated rules are in no group. */
export function touchingGroups(across: readonly Rule[], down: readonly Rule[]): RuleGroup[] {
  const touching = new DisjointSets(across.length + down.length);
  across.forEach((row, i) => {
    down.forEach((column, j) => {
      if (
        column.at >= row.from - rule_tolerance &&
        column.at <= row.to + rule_tolerance &&
        row.at >= column.from - rule_tolerance &&
        row.at <= column.to + rule_tolerance
      )
        touching.merge(i, across.length + j);
    });
  });
  const groups = new Map<number, { across: Rule[]; down: Rule[] }>();
  const groupOf = (at: number): { across: Rule[]; down: Rule[] } => {
    const key = touching.rootOf(at);
    if (!groups.has(key)) groups.set(key, { across: [], down: [] });
    return groups.get(key)!;
  };
  across.forEach((rule, i) => groupOf(i).across.push(rule));
  down.forEach((rule, j) => groupOf(across.length + j).down.push(rule));
  return [...groups.values()]
    .filter((group) => group.across.length > 0 && group.down.length > 0)
    .map((group) => ({ ...group, ...extentOf(group) }));
}

function extentOf({ across, down }: Pick<Drawing, "across" | "down">): Box {
  const xs = [...across.flatMap(({ from, to }) => [from, to]), ...down.map(({ at }) => at)];
  const ys = [...down.flatMap(({ from, to }) => [from, to]), ...across.map(({ at }) => at)];
  return {
    left: Math.min(...xs),
    right: Math.max(...xs),
    bottom: Math.min(...ys),
    top: Math.max(...ys),
  };
}

/** Horizontal rules with the same left and right end, from top to bottom. */
export interface Stack extends Box {
  /** Heights of its rules. */
  readonly at: readonly number[];
  /** Shorter rules between its ends, which underline headers that span columns. */
  readonly partial: readonly Rule[];
}
const end_tolerance = 6;

/** Groups horizontal rules with the same ends, as those of a table without vertical rules. */
export function stacksOf(across: readonly Rule[]): Stack[] {
  const stacks: Rule[][] = [];
  for (const rule of across.toSorted((a, b) => b.to - b.from - (a.to - a.from))) {
    const same = stacks.find(
      ([first]) =>
        Math.abs(first!.from - rule.from) <= end_tolerance &&
        Math.abs(first!.to - rule.to) <= end_tolerance,
    );
    if (same === undefined) stacks.push([rule]);
    else same.push(rule);
  }
  return stacks.map((rules) => {
    const [{ from, to }] = rules as [Rule];
    const at = distinct(
      rules.map((rule) => rule.at),
      rule_tolerance,
    ).reverse();
    return {
      at,
      left: from,
      right: to,
      top: at[0]!,
      bottom: at.at(-1)!,
      partial: across.filter(
        (rule) =>
          rule.to - rule.from < 0.95 * (to - from) &&
          rule.from >= from - end_tolerance &&
          rule.to <= to + end_tolerance &&
          rule.at <= at[0]! + rule_tolerance &&
          rule.at >= at.at(-1)! - rule_tolerance,
      ),
    };
  });
}
