/** Tables with vertical rules: cells are the areas that rules enclose. */
import { countLeading } from "../../../../core/lib/binary-search";
import { DisjointSets } from "../disjoint-sets";
import { columnsOf, edgesOf } from "./columns";
import {
  centre,
  distinct,
  height,
  median,
  middle,
  piecesOf,
  rowsOfWords,
  type Rule,
  type Table,
  type TextRow,
  type Word,
} from "./geometry";
import { logicalRows, separateRows, type CellLine, type Cells } from "./logical-rows";
import { makeTable } from "./table-builder";
import { rule_tolerance, type RuleGroup } from "./rules";

const columns_max = 120;
const rows_max = 1_500;
const cells_max = 20_000;
/** Two rules closer than this form a double rule, if nothing is between them. */
const row_height_min = 7;
/** Text with a gap of this many font sizes is not the text of one merged cell. */
const apart_min = 0.9;

/** The table enclosed by these rules; null if there is none. `words` are those inside. */
export function gridTable(group: RuleGroup, words: readonly Word[]): Table | null {
  const size = median(words.map((word) => word.size));
  const tolerance = Math.max(rule_tolerance, 0.35 * size);
  const ruled = withEnds(
    distinct(
      group.down.map(({ at }) => at),
      tolerance,
    ),
    group.left,
    group.right,
  );
  const ys = withEnds(
    distinct(
      group.across.map(({ at }) => at),
      tolerance,
    ),
    group.bottom,
    group.top,
  );
  if (ruled.length < 3 || ys.length < 2 || ruled.length > columns_max || ys.length > rows_max)
    return null;
  if ((ruled.length - 1) * (ys.length - 1) > cells_max) return null;
  const xs = withTextColumns(ruled, words);
  const grid = new Grid(group, xs, new Set(ruled), ys.toReversed(), words);
  return makeTable(grid.rows(), xs, group);
}

/** The positions of rules, including both ends where no rule is. */
function withEnds(places: readonly number[], first: number, last: number): number[] {
  const inner = places.filter(
    (at) => at > first + 2 * rule_tolerance && at < last - 2 * rule_tolerance,
  );
  return [first, ...inner, last];
}

/** Text between two vertical rules may be in several columns. */
function withTextColumns(ruled: readonly number[], words: readonly Word[]): number[] {
  const between = ruled.slice(1).flatMap((right, at) => {
    const left = ruled[at]!;
    const inside = words.filter((word) => middle(word) > left && middle(word) < right);
    const rows = rowsOfWords(inside);
    const parted = rows.filter((row) => piecesOf(row, apart_min).length > 1);
    if (parted.length < 3 || parted.length < 0.6 * rows.length) return [];
    const columns = columnsOf(parted, apart_min);
    return columns.length < 2 ? [] : edgesOf(columns, { left, right }).slice(1, -1);
  });
  return [...ruled, ...between].sort((a, b) => a - b);
}

class Grid {
  private readonly columns: number;
  private readonly bands: number;
  /** For each elementary cell, the first cell of its merged area. */
  private readonly area: number[];
  private readonly words_of: Word[][];

  /** `ys` from top to bottom. */
  constructor(
    private readonly group: RuleGroup,
    private readonly xs: readonly number[],
    private readonly ruled: ReadonlySet<number>,
    private readonly ys: readonly number[],
    words: readonly Word[],
  ) {
    this.columns = xs.length - 1;
    this.bands = ys.length - 1;
    this.words_of = Array.from({ length: this.columns * this.bands }, () => []);
    const xs_up = xs.slice(1, -1);
    const ys_down = ys.slice(1, -1);
    for (const word of words) {
      const column = countLeading(xs_up, (at) => at <= middle(word));
      const band = countLeading(ys_down, (at) => at >= centre(word));
      this.words_of[band * this.columns + column]!.push(word);
    }
    this.area = this.areas();
  }

  /** Merges cells without a rule between them. */
  private areas(): number[] {
    const areas = new DisjointSets(this.words_of.length);
    // The first cell of an area represents it.
    const join = (one: number, other: number): void => {
      const a = areas.rootOf(one);
      const b = areas.rootOf(other);
      areas.merge(Math.max(a, b), Math.min(a, b));
    };
    const across = this.coverage(this.group.across, this.ys, this.xs);
    const down = this.coverage(this.group.down, this.xs, this.ys);
    for (let band = 0; band < this.bands; band++) {
      const cell = band * this.columns;
      for (const column of this.mergedColumns(band, (edge) => down[edge]!.has(band)))
        join(cell + column, cell + column + 1);
    }
    for (let band = 0; band < this.bands; band++)
      for (let column = 0; column < this.columns; column++) {
        const cell = band * this.columns + column;
        if (band + 1 < this.bands && !across[band + 1]!.has(column))
          join(cell, cell + this.columns);
      }
    return this.words_of.map((_words, cell) => areas.rootOf(cell));
  }

  /** For each position, the steps of the other axis that a rule covers there. */
  private coverage(
    rules: readonly Rule[],
    places: readonly number[],
    steps: readonly number[],
  ): Set<number>[] {
    const tolerance = Math.max(
      2 * rule_tolerance,
      0.35 * median(this.words_of.flat().map(({ size }) => size)),
    );
    return places.map((place) => {
      const covered = new Set<number>();
      for (const { at, from, to } of rules)
        if (Math.abs(at - place) <= tolerance)
          for (let step = 0; step + 1 < steps.length; step++) {
            const mid = (steps[step]! + steps[step + 1]!) / 2;
            if (mid >= from - 1 && mid <= to + 1) covered.add(step);
          }
      return covered;
    });
  }

  /** Columns of a band that are merged with the next: neither a rule nor a gap separates them. */
  private mergedColumns(band: number, isRuled: (edge: number) => boolean): number[] {
    const merged: number[] = [];
    for (let from = 0; from < this.columns;) {
      let to = from;
      while (to + 1 < this.columns && !isRuled(to + 1)) to++;
      const cell = band * this.columns;
      const pieces = rowsOfWords(this.words_of.slice(cell + from, cell + to + 1).flat()).flatMap(
        (row) => piecesOf(row, apart_min),
      );
      for (let column = from; column < to; column++)
        if (this.isMerged(pieces, this.xs[column + 1]!)) merged.push(column);
      from = to + 1;
    }
    return merged;
  }

  /** Whether text crosses this edge, or is on one side only. */
  private isMerged(pieces: readonly (readonly Word[])[], edge: number): boolean {
    const ends = pieces.map((piece) => ({ left: piece[0]!.left, right: piece.at(-1)!.right }));
    if (ends.some(({ left, right }) => left < edge && right > edge)) return true;
    if (!this.ruled.has(edge)) return false;
    const crosses_none = ends.every(({ left, right }) =>
      this.xs.every((edge) => right <= edge || left >= edge),
    );
    return !(crosses_none && ends.length > 1);
  }

  /** The words of each cell; those of merged cells are all in the first one. */
  rows(): Cells[] {
    const words_of_cell = this.words_of.map((): Word[] => []);
    const spans = new Map<number, number>();
    this.area.forEach((first, cell) => {
      words_of_cell[first]!.push(...this.words_of[cell]!);
      const bands = Math.floor(cell / this.columns) - Math.floor(first / this.columns) + 1;
      spans.set(first, Math.max(spans.get(first) ?? 1, bands));
    });
    return Array.from({ length: this.bands }, (_, band) => band).flatMap((band) => {
      const first = band * this.columns;
      const cells = words_of_cell.slice(first, first + this.columns);
      const tall = this.ys[band]! - this.ys[band + 1]!;
      if (tall < row_height_min && cells.every(({ length }) => length === 0)) return [];
      // Text beside several rows goes to the first of them.
      const beside = cells.map((cell, column) =>
        (spans.get(this.area[first + column]!) ?? 1) > 1 ? cell : [],
      );
      const is_beside = beside.some(({ length }) => length > 0);
      const lines = this.linesOf(
        cells.map((cell, column) => (beside[column] === cell ? [] : cell)),
      );
      const rows = this.rowsOf(lines, band, is_beside);
      if (rows === null) return [cells];
      return rows.map((row, at) =>
        at === 0 ? row.map((cell, column) => [...cell, ...beside[column]!]) : row,
      );
    });
  }

  /** Splits these lines between two rules into rows; null if they are one. */
  private rowsOf(lines: readonly CellLine[], band: number, is_beside: boolean): Cells[] | null {
    if (lines.length < 2) return null;
    const separate = separateRows(lines);
    if (separate !== null) return separate;
    const is_body = this.bands <= 2 && (band > 0 || this.bands === 1);
    return is_body && !is_beside ? logicalRows(lines, this.xs.slice(1)) : null;
  }

  private linesOf(cells: Cells): CellLine[] {
    const column_of = new Map(cells.flatMap((cell, at) => cell.map((word) => [word, at] as const)));
    return rowsOfWords(cells.flat()).map((row: TextRow) => {
      const parts: Word[][] = cells.map(() => []);
      for (const word of row.words) parts[column_of.get(word)!]!.push(word);
      return { row, cells: parts };
    });
  }
}

/** Whether a box lies within the rules. */
export const isInside = (word: Word, box: RuleGroup): boolean =>
  middle(word) > box.left &&
  middle(word) < box.right &&
  centre(word) > box.bottom &&
  centre(word) < box.top &&
  height(word) < 3 * height(box);
