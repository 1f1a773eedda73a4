/** Rows of pipe tables as answers: the requested cells, with their heads. Pure. */
import { isDelimiterRow, pipeCells } from "../../core/lib/pipe-rows";
import type { Span } from "../search/contract";

/** Between the headings of a path, as in the index, and between the cells of a head. */
const path_separator = " › ";
const cell_separator = " | ";
/** The number of cells by which an answer names a row. */
const labels_max = 2;

/** A row of a table with its heads, one per cell; none when they are unknown. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly heads: readonly string[];
  /** The last line of text before the table in its passage. */
  readonly caption: string;
}

/** The rows among these sentences of a passage, by index. */
export function tableRows(
  text: string,
  sentences: readonly Span[],
  heading: string | null,
): ReadonlyMap<number, TableRow> {
  const rows = new Map<number, TableRow>();
  const above = heading?.split(path_separator).at(-1)?.split(cell_separator) ?? [];
  let heads: readonly string[] = above;
  let caption = "";
  for (const [at, { start, end }] of sentences.entries()) {
    const [line, below] = text.slice(start, end).split("\n");
    const cells = pipeCells(line!);
    if (cells === null) {
      heads = above;
      caption = text.slice(start, end);
    } else if (below !== undefined && isDelimiterRow(below)) {
      heads = cells;
      const next = sentences[at + 1];
      const next_cells = next ? pipeCells(text.slice(next.start, next.end)) : null;
      if (next_cells !== null && !areHeads(cells, next_cells))
        rows.set(at, { cells, heads: [], caption });
    } else if (!isDelimiterRow(line!)) {
      const has_heads = heads.length === cells.length && areHeads(heads, cells);
      rows.set(at, { cells, heads: has_heads ? heads : [], caption });
    }
  }
  return rows;
}

/** A number, an option or a command. */
const entry = /^(?:\p{N}+$|(?:--?|\\)\p{L})/u;
/** A sentence of some words; a head has a few words, and perhaps an abbreviation. */
const statement = /^(?=(?:\S+\s+){3})[^]*(?:\p{Ll}{3}|\p{Lo})[.!?。]$/u;
/** Whether a row above is a head: many tables have none, and their first row is marked as one. */
const areHeads = (above: readonly string[], below: readonly string[]): boolean =>
  !(entry.test(above[0] ?? "") && entry.test(below[0] ?? "")) &&
  !above.some((cell) => statement.test(cell));

/** Whether it is the head of a table with its delimiter line. */
export function isTableHead(sentence: string): boolean {
  const [first, second] = sentence.split("\n");
  return isDelimiterRow(second ?? first!);
}

const figure = /^\p{Nd}/u;

/** A row as the sentence of an answer. */
export interface RowSentence {
  readonly text: string;
  /** The question names both a column and the row. */
  readonly is_exact: boolean;
}

/**
 * The text of a row: `Q3, South: 95` when the question names a column, otherwise all cells with
 * their heads. `weightOf` returns the share of the question in a text, `weightOfHead` in a head.
 */
export function sentenceOfRow(
  { cells, heads }: TableRow,
  weightOf: (text: string) => number,
  weightOfHead = weightOf,
): RowSentence {
  const head_weights = heads.map((head) => weightOfHead(head));
  const cell_weights = cells.map(weightOf);
  const best_head_weight = Math.max(0, ...head_weights.filter((_weight, at) => at > 0));
  // The cells that name the row are not those requested by a head.
  const with_first = cells.flatMap((_cell, at) =>
    best_head_weight > 0 && head_weights[at] === best_head_weight && cell_weights[at] === 0
      ? [at]
      : [],
  );
  // "Which region has the most …?": the first cell is the name of the row.
  const columns = with_first.length > 1 ? with_first.filter((at) => at > 0) : with_first;
  const named = cells.flatMap((cell, at) =>
    cell !== "" && cell_weights[at]! > 0 && !columns.includes(at) ? [at] : [],
  );
  const best_cell_weight = Math.max(0, ...named.map((at) => cell_weights[at]!));
  const labels = named
    .filter((at) => at === 0 || cell_weights[at] === best_cell_weight)
    .slice(0, labels_max);
  const first = cells.findIndex((cell) => cell !== "");
  const label = (labels.length > 0 ? labels : [first]).filter((at) => !columns.includes(at));
  const name = label.map((at) => cells[at]).join(", ");
  if (columns.length > 0 && name !== "")
    return {
      text: columns.map((at) => `${heads[at]}, ${name}: ${cells[at] || "–"}`).join("; "),
      is_exact: labels.length > 0 && columns.some((at) => cells[at] !== ""),
    };
  return { text: wholeRow(cells, heads, label, first), is_exact: false };
}

/** All cells with their heads, behind what the row is about: the first one rather than a number. */
function wholeRow(
  cells: readonly string[],
  heads: readonly string[],
  label: readonly number[],
  first: number,
): string {
  const named = label.every((at) => figure.test(cells[at]!)) ? [first] : label;
  const others = cells.flatMap((cell, at) => {
    if (cell === "" || named.includes(at)) return [];
    return heads[at] ? `${heads[at]} ${cell}` : cell;
  });
  const name = named.flatMap((at) => cells[at] ?? []).join(", ");
  return others.length === 0 ? name : `${name}: ${others.join(", ")}`;
}
