/**
 * Rows: reading files in the child process of the executable, beside the equivalent system command.
 * If a command is not installed, its row says so.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { encodeLine, type Reply } from "../../core/isolate/protocol";
import { decodeLines } from "../../core/lib/json-lines";
import { task_command } from "../../core/isolate/command";
import { executable } from "../build";
import { cleanEnvironment } from "../lib/launch";
import { longPdf, tableDocx } from "./files";
import { median, type Row } from "./measure";

const rounds = 5;
const pdf_pages = 1_000;
const scanned_pages = 3;
const handbook = resolve(import.meta.dir, "../../examples/handbook/handbook.pdf");
const docx_characters = 290_000;

export async function extractionRows(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "dossier-bench-"));
  try {
    return [await pdfRow(directory), await ocrRow(directory), await docxRow(directory)];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function pdfRow(directory: string): Promise<Row> {
  const name = "PDF text / pdftotext, CPU";
  if (!Bun.which("pdftotext")) return missing(name, "pdftotext (poppler-utils)");
  const path = join(directory, "long.pdf");
  writeFileSync(path, longPdf(pdf_pages));
  const pairs: { dossier_ms: number; rival_ms: number }[] = [];
  for (let round = 0; round < rounds; round++)
    pairs.push({
      dossier_ms: (await runTask("pdf", [pagesInput(path, directory)])).cpu_ms,
      rival_ms: await cpuOfCommand(["pdftotext", path, join(directory, "other.txt")]),
    });
  return ratioRow(name, pairs, 3, `${pdf_pages} pages, the start of the process included`);
}

async function ocrRow(directory: string): Promise<Row> {
  const name = "OCR / tesseract, CPU";
  const missing_command = ["tesseract", "pdftoppm"].find((command) => !Bun.which(command));
  if (missing_command)
    return missing(
      name,
      missing_command === "tesseract" ? "tesseract (tesseract-ocr)" : "pdftoppm (poppler-utils)",
    );
  Bun.spawnSync([
    "pdftoppm",
    "-r",
    "200",
    "-gray",
    "-png",
    "-l",
    String(scanned_pages),
    handbook,
    join(directory, "scan"),
  ]);
  const images = [...new Bun.Glob("scan*.png").scanSync({ cwd: directory, absolute: true })].sort();
  const pairs: { dossier_ms: number; rival_ms: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const dossier_ms = (
      await runTask(
        "image",
        images.map((image) => ({ ...pagesInput(image, directory), type: "image/png" })),
      )
    ).cpu_ms;
    let rival_ms = 0;
    for (const image of images)
      rival_ms += await cpuOfCommand(["tesseract", image, join(directory, "other"), "-l", "eng"], {
        OMP_THREAD_LIMIT: "1",
      });
    pairs.push({ dossier_ms, rival_ms });
  }
  return ratioRow(name, pairs, 3.5, `${images.length} pages at 200 dpi, all starts included`);
}

async function docxRow(directory: string): Promise<Row> {
  const name = "DOCX tables / unzip -p";
  if (!Bun.which("unzip")) return missing(name, "unzip");
  const path = join(directory, "table.docx");
  writeFileSync(path, tableDocx(docx_characters));
  const pairs: { dossier_ms: number; rival_ms: number }[] = [];
  // The server keeps a child warm, so the files before the last one are the warm-up.
  for (let round = 0; round < rounds; round++) {
    const inputs = Array.from({ length: 4 }, (_, i) => ({
      path,
      output: join(directory, `docx-${round}-${i}`),
      characters_max: 2 ** 26,
    }));
    const dossier_ms = (await runTask("office", inputs)).wall_ms.at(-1)!;
    const started = performance.now();
    Bun.spawnSync(["unzip", "-p", path, "word/document.xml"], { stdout: "ignore" });
    pairs.push({ dossier_ms, rival_ms: performance.now() - started });
  }
  return ratioRow(
    name,
    pairs,
    4,
    `${docx_characters} characters in cells, wall time in a warm child`,
  );
}

let outputs = 0;
const pagesInput = (path: string, directory: string) => ({
  path,
  output: join(directory, `output-${outputs++}`),
  first_page: 1,
  pages_max: 5_000,
  ocr_pages_max: 200,
  languages: join(directory, "languages"),
  characters_max: 2 ** 26,
});

/** Runs a task of the extraction plugin for each input in one child, as the server does. */
async function runTask(
  task: "pdf" | "image" | "office",
  inputs: readonly object[],
): Promise<{ readonly cpu_ms: number; readonly wall_ms: readonly number[] }> {
  const child = Bun.spawn([executable, task_command], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    env: {},
  });
  const replies = decodeLines<Reply>(child.stdout)[Symbol.asyncIterator]();
  const wall_ms: number[] = [];
  for (const input of inputs) {
    const started = performance.now();
    child.stdin.write(encodeLine({ plugin: "extraction", task, input }));
    await child.stdin.flush();
    for (;;) {
      const { value, done } = await replies.next();
      if (done || "error" in value)
        throw new Error(`the task ${task} failed: ${JSON.stringify(value)}`);
      if ("result" in value) break;
    }
    wall_ms.push(performance.now() - started);
  }
  await child.stdin.end();
  await child.exited;
  return { cpu_ms: cpuMs(child.resourceUsage()), wall_ms };
}

async function cpuOfCommand(command: string[], env: Record<string, string> = {}): Promise<number> {
  const child = Bun.spawn(command, {
    stdout: "ignore",
    stderr: "ignore",
    env: { ...cleanEnvironment(), ...env },
  });
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`);
  return cpuMs(child.resourceUsage());
}
const cpuMs = (usage: Bun.ResourceUsage | undefined): number =>
  Number(usage?.cpuTime.total ?? 0) / 1_000;

function ratioRow(
  name: string,
  pairs: readonly { readonly dossier_ms: number; readonly rival_ms: number }[],
  most: number,
  description: string,
): Row {
  const ms = (side: "dossier_ms" | "rival_ms") =>
    `${median(pairs.map((pair) => pair[side])).toFixed(0)} ms`;
  return {
    name,
    unit: "x",
    target: { most },
    value: median(pairs.map(({ dossier_ms, rival_ms }) => dossier_ms / rival_ms)),
    measured: [
      `${ms("dossier_ms")} beside ${ms("rival_ms")}`,
      description,
      `${pairs.length} rounds`,
    ].join("; "),
  };
}
const missing = (name: string, command: string): Row => ({
  name,
  unit: "x",
  target: null,
  value: Number.NaN,
  measured: `not measured: ${command} is not on this machine`,
});
