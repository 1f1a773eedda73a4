/** `npm run bench`: Dossier beside plain rivals, on this machine, in one run. Ratios can be compared between machines; the rest only on one. Words choose rows: folders start documents upload vectors. */
import { join, resolve } from "node:path";
import { cpus } from "node:os";
import { documentRows } from "./documents";
import { foldersRow } from "./folders";
import { met, type Row } from "./measure";
import { startRows } from "./start";
import { uploadRow } from "./upload";
import { vectorRows } from "./vectors";

const parts: Readonly<Record<string, () => Promise<Row[]>>> = { folders: foldersRow, start: startRows, documents: documentRows, upload: uploadRow, vectors: vectorRows };

const targetOf = ({ target }: Row): string => target === null ? "" : "least" in target ? `at least ${target.least}` : `at most ${target.most}`;

function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [row.name, `${row.value.toFixed(row.unit === "x" ? 2 : 0)} ${row.unit}`, targetOf(row), { true: "met", false: "MISSED", null: "" }[String(met(row)) as "true" | "false" | "null"], row.measured]);
  const all = [["what", "value", "target", "", "measured"], ...cells];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((line) => line[column]!.length)));
  return all.map((line) => line.map((cell, column) => column === 4 ? cell : cell.padEnd(widths[column]!)).join("  ").trimEnd()).join("\n");
}

const words = process.argv.slice(2);
const unknown = words.find((word) => parts[word] === undefined);
if (unknown !== undefined) {
  console.error(`There is no row ${unknown}; there are ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}
const rows: Row[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (words.length > 0 && !words.includes(name)) continue;
  console.error(`measuring ${name} …`);
  rows.push(...await measure());
}
const out = join(resolve(import.meta.dir, "../.."), "dist", "bench.json");
const machine = { cores: cpus().length, processor: cpus()[0]?.model ?? "unknown", platform: `${process.platform}-${process.arch}`, bun: Bun.version };
await Bun.write(out, `${JSON.stringify({ measured_at: new Date().toISOString(), machine, rows: rows.map((row) => ({ ...row, met: met(row) })) }, null, 2)}\n`);
console.log(`${table(rows)}\n\nAs JSON: ${out}`);
process.exit(rows.some((row) => met(row) === false) ? 1 : 0);
