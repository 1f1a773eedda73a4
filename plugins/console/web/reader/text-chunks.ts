/**
 * Splits a long text into chunks that can be rendered independently; a chunk that begins inside a
 * table or a code block knows its header.
 */
import type { Range } from "./text-ranges";

/** A part of the text that can be rendered alone. */
export interface Chunk extends Range {
  /**
   * What the chunk continues: the header of a table, or the fence of a code block, with its line
   * break.
   */
  readonly head: string;
}

/** A chunk ends at the next blank line after this many units, or anywhere after this many more. */
const units_min = 4_000;
const units_max = 16_000;

const fence = /^ {0,3}(`{3,}|~{3,})/;
/** The line below a table's header. */
export const table_rule = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
/** Whether a line can be a row of a table. */
export const isRow = (line: string): boolean => line.includes("|");

/** The line at `from` including its break, and where the next one begins. */
export function lineAt(
  text: string,
  from: number,
): { readonly line: string; readonly next: number } {
  const end = text.indexOf("\n", from);
  const next = end < 0 ? text.length : end + 1;
  return { line: text.slice(from, end < 0 ? text.length : end), next };
}

/** `cuts`: indices at which a chunk must begin, ascending. */
export function chunksOf(text: string, cuts: readonly number[] = []): Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  let head = "";
  let open_head = "";
  let previous_line = "";
  let is_previous_row = false;
  let cut = 0;
  const close = (to: number, next_head: string) => {
    if (to > from) chunks.push({ from, to, head });
    from = to;
    head = next_head;
  };
  for (let at = 0; at < text.length;) {
    const { line, next } = lineAt(text, at);
    while (cut < cuts.length && cuts[cut]! <= at) {
      if (cuts[cut] === at) {
        close(at, "");
        open_head = "";
      }
      cut++;
    }
    const fenced = fence.exec(line)?.[1];
    const in_code = open_head !== "" && !isRow(open_head);
    if (in_code) {
      if (fenced && line.trim().startsWith(open_head.trim().slice(0, 3)) && fenced === line.trim())
        open_head = "";
    } else if (fenced) open_head = `${line}\n`;
    else if (is_previous_row && isRow(line) && table_rule.test(line))
      open_head = `${previous_line}\n${line}\n`;
    else if (open_head !== "" && !isRow(line)) open_head = "";
    const units = next - from;
    if (cut < cuts.length && cuts[cut]! < next) {
      for (; cut < cuts.length && cuts[cut]! < next; cut++) close(cuts[cut]!, "");
      open_head = "";
    } else if (units > units_max) close(next, open_head);
    else if (units > units_min && open_head === "" && line.trim() === "") close(next, "");
    previous_line = line;
    is_previous_row = isRow(line);
    at = next;
  }
  close(text.length, "");
  return chunks;
}

/** The parts of a chunk that are tables, with their headers, and those between them. */
export function tablesIn(
  text: string,
  { from, to, head }: Chunk,
): readonly (Range & { readonly table: boolean })[] {
  const parts: (Range & { table: boolean })[] = [];
  let start = from;
  let in_table = head !== "" && isRow(head);
  let row_start: number | null = null;
  const close = (end: number, table: boolean) => {
    if (end > start) parts.push({ from: start, to: end, table });
    start = end;
  };
  for (let at = from; at < to;) {
    const { line, next } = lineAt(text, at);
    if (in_table && !isRow(line)) {
      close(at, true);
      in_table = false;
    } else if (!in_table && row_start !== null && isRow(line) && table_rule.test(line)) {
      close(row_start, false);
      in_table = true;
    }
    row_start = isRow(line) ? at : null;
    at = next;
  }
  close(to, in_table);
  return parts;
}
