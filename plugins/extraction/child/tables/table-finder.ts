/** Finds the tables of a page from its words, rules and shaded areas. */
import {
  centre,
  middle,
  rowsOfWords,
  type Box,
  type Drawing,
  type Table,
  type Word,
} from "./geometry";
import { alignedTables } from "./aligned-tables";
import { gridTable, isInside } from "./ruled-grid";
import { isMisreadText } from "./misread-text";
import { bandTables } from "./ruled-bands";
import { merged, stacksOf, touchingGroups } from "./rules";
import { bandsOf, type ShadedBand } from "./shading";

/** A page with more words is skipped. */
const words_max = 20_000;

/** The tables of a page, none inside another. */
export function findTables(words: readonly Word[], drawing: Drawing): Table[] {
  if (words.length > words_max) return [];
  const across = merged(drawing.across);
  const down = merged(drawing.down);
  const bands = bandsOf(drawing.fills);
  const tables: Table[] = [];
  let left = [...words];
  const keep = (table: Table | null): boolean => {
    if (table === null || isMisreadText(table.rows)) return false;
    const taken = new Set(table.words);
    tables.push(table);
    left = left.filter((word) => !taken.has(word));
    return true;
  };
  const open = new Set(across);
  const groups = touchingGroups(across, down)
    .map((group) => withBands(group, bands))
    .sort((a, b) => areaOf(a) - areaOf(b));
  for (const group of groups) {
    const inside = left.filter((word) => isInside(word, group));
    if (inside.length > 0 && keep(gridTable(group, inside)))
      for (const rule of group.across) open.delete(rule);
  }
  const outside = bands.filter((band) => !tables.some((table) => isWithin(band, table)));
  const edges = outside.flatMap(({ left: from, right: to, top, bottom }) => [
    { at: top, from, to },
    { at: bottom, from, to },
  ]);
  for (const stack of stacksOf(merged([...open, ...edges])))
    for (const table of bandTables(stack, left)) keep(table);
  for (const table of alignedTables(rowsOfWords(left), [...open])) keep(table);
  return tables;
}

const areaOf = ({ left, right, bottom, top }: Box): number => (right - left) * (top - bottom);
const isWithin = (inner: Box, outer: Box): boolean =>
  middle(inner) > outer.left &&
  middle(inner) < outer.right &&
  centre({ base: (inner.bottom + inner.top) / 2, size: 0 }) > outer.bottom &&
  (inner.bottom + inner.top) / 2 < outer.top;

/** Treats the edges of shaded rows as rules. */
function withBands<Group extends ReturnType<typeof touchingGroups>[number]>(
  group: Group,
  bands: readonly ShadedBand[],
): Group {
  const edges = bands
    .filter(
      (band) => isWithin(band, group) && band.right - band.left > 0.9 * (group.right - group.left),
    )
    .flatMap(({ left: from, right: to, top, bottom }) => [
      { at: top, from, to },
      { at: bottom, from, to },
    ])
    .filter(({ at }) => at > group.bottom && at < group.top);
  return edges.length === 0 ? group : { ...group, across: [...group.across, ...edges] };
}
