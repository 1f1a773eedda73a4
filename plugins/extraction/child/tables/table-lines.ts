/** Inserts tables into the lines of text, in reading order. */
import type { Line } from "../paragraphs";
import { pipeTable } from "../pipe-table";
import { median, type Table } from "./geometry";

/**
 * A table takes the position of its first word; of two side by side the left one comes first.
 * `scale` converts units of the lines to units of the tables.
 */
export function tableLines(tables: readonly Table[], scale = 1): { order: number; line: Line }[] {
  const sorted = tables
    .map((table) => ({ table, order: Math.min(...table.words.map((word) => word.order)) }))
    .sort((a, b) => a.order - b.order);
  const orders = sorted.map(({ order }) => order);
  for (let at = 1; at < sorted.length; at++)
    for (let to = at; to > 0; to--) {
      const before = sorted[to - 1]!.table;
      const after = sorted[to]!.table;
      const shared = Math.min(before.top, after.top) - Math.max(before.bottom, after.bottom);
      const least = Math.min(before.top - before.bottom, after.top - after.bottom);
      if (shared < 0.5 * least || after.left >= before.left) break;
      [sorted[to - 1], sorted[to]] = [sorted[to]!, sorted[to - 1]!];
    }
  return sorted.map(({ table }, at) => ({ order: orders[at]!, line: lineOf(table, scale) }));
}

const lineOf = (table: Table, scale: number): Line => ({
  text: pipeTable(table.rows).join("\n"),
  table,
  hyphenated: false,
  left: table.left / scale,
  right: table.right / scale,
  base: table.top / scale,
  size: median(table.words.map(({ size }) => size)) / scale,
  weight: 0,
});
