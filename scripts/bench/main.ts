/**
 * `npm run bench`: Dossier beside plain rivals, on this machine, in one run. Ratios can be compared
 * between machines, other values only on one. Words on the command line select rows; `million` and
 * `rivals` run only when named.
 */
import { join, resolve } from "node:path";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { deletionRows } from "./deletion";
import { bodyRows } from "./bodies";
import { backupRows } from "./backup";
import { documentRows } from "./documents";
import { embedRows } from "./embed";
import { embeddingRows } from "./embedding";
import { extractionRows } from "./extraction";
import { fairIngestRows, fairSearchRows } from "./fairness";
import { folderArchiveRows } from "./folder-archives";
import { foldersRow } from "./folders";
import { importRows } from "./imports";
import { removeLargeAccount } from "./large-account";
import { largeScopeRows } from "./large-scope";
import { largeTextRows } from "./large-text";
import { listRows } from "./lists";
import { met, type Row } from "./measure";
import { memoryRows } from "./memory";
import { millionRows } from "./million";
import { scaleRows } from "./scale";
import { searchRows } from "./search";
import { takeStalls } from "./server";
import { startRows } from "./start";
import { uploadRow } from "./upload";
import { vectorRows } from "./vectors";
import { webhookRows } from "./webhooks";

function fail(reason: string): never {
  console.error(reason);
  process.exit(2);
}

const {
  values: { data },
  positionals: words,
} = parseArgs({ options: { data: { type: "string" } }, allowPositionals: true });
const default_parts: Readonly<Record<string, () => Promise<Row[]>>> = {
  folders: foldersRow,
  start: startRows,
  documents: documentRows,
  search: searchRows,
  "fair-search": fairSearchRows,
  "fair-ingest": fairIngestRows,
  "large-text": largeTextRows,
  "search-50k": largeScopeRows,
  lists: listRows,
  delete: deletionRows,
  bodies: bodyRows,
  memory: memoryRows,
  upload: uploadRow,
  extraction: extractionRows,
  vectors: vectorRows,
  embed: embedRows,
  embedding: embeddingRows,
  webhooks: webhookRows,
  imports: importRows,
  backup: backupRows,
  archives: folderArchiveRows,
};
/** Run only when named: they take minutes, or need data that is not part of the project. */
const optional_parts: typeof default_parts = {
  million: millionRows,
  scale: scaleRows,
  rivals: async () => {
    const directory = resolve(data ?? fail("rivals needs --data <directory of sets>."));
    // The rivals are development dependencies that other rows don't need.
    return (await import("./rivals")).rivalRows(directory);
  },
};
const parts = { ...default_parts, ...optional_parts };

const digits: Readonly<Record<string, number>> = { x: 2, ms: 2, "nDCG@10": 3 };
const targetOf = ({ target }: Row): string =>
  target === null ? "" : "least" in target ? `at least ${target.least}` : `at most ${target.most}`;

function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${row.value.toFixed(digits[row.unit] ?? 0)} ${row.unit}`,
    targetOf(row),
    { true: "met", false: "MISSED", null: "" }[String(met(row)) as "true" | "false" | "null"],
    row.measured,
  ]);
  const all = [["what", "value", "target", "", "measured"], ...cells];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((line) => line[column]!.length)));
  return all
    .map((line) =>
      line
        .map((cell, column) => (column === 4 ? cell : cell.padEnd(widths[column]!)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const unknown = words.find((word) => parts[word] === undefined);
if (unknown !== undefined)
  fail(`There is no row ${unknown}; there are ${Object.keys(parts).join(", ")}.`);
const rows: Row[] = [];
for (const [name, measure] of Object.entries(words.length > 0 ? parts : default_parts)) {
  if (words.length > 0 && !words.includes(name)) continue;
  console.error(`measuring ${name} …`);
  const measured = await measure();
  const stalls = takeStalls();
  rows.push(...measured.map((row) => ({ ...row, measured: `${row.measured}; ${stalls}` })));
}
await removeLargeAccount();
const out = join(resolve(import.meta.dir, "../.."), "dist", "bench.json");
const machine = {
  cores: cpus().length,
  processor: cpus()[0]?.model ?? "unknown",
  platform: `${process.platform}-${process.arch}`,
  bun: Bun.version,
};
const report = {
  measured_at: new Date().toISOString(),
  machine,
  rows: rows.map((row) => ({ ...row, met: met(row) })),
};
await Bun.write(out, `${JSON.stringify(report, null, 2)}\n`);
console.log(`${table(rows)}\n\nAs JSON: ${out}`);
process.exit(rows.some((row) => met(row) === false) ? 1 : 0);
