/**
 * Jupyter notebooks: their notes, their code with its language, and its text output, with the
 * headings of the notes. Images and interactive outputs are left out, with a warning on the
 * document. A complete plugin in one file. To use it, add it with `dossier plugin add` and restart
 * Dossier.
 *
 * A notebook of Jupyter, VS Code or Colab is detected by its content, whatever its name is. It is
 * read in a separate process that can be killed, so that a malicious file can't harm the server.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { definePlugin, fill, Size, t, task, TaskFailure, type Context } from "dossier";
import {
  ExtractionFailure,
  Extractors,
  type Extracted,
  type ExtractionCode,
  type HeadingSpan,
  type Warning,
} from "dossier/contracts";

const config = t.Object({
  output_max: t.Integer({
    default: 20_000,
    minimum: 0,
    changes: "now",
    description: "How many characters are kept of the outputs of one cell.",
  }),
  memory_max: Size({
    default: "600MiB",
    changes: "now",
    description: "The memory limit for reading one notebook. A document that exceeds it fails.",
  }),
});
const timeout_ms = 30_000;
const media_type = "application/x-ipynb+json";

// --- Is it a notebook? ---------------------------------------------------------------------------

/** The top-level keys, as far as the text goes. */
function outerKeys(json: string): Set<string> {
  const keys = new Set<string>();
  for (let at = 0, depth = 0; at < json.length; at++) {
    const character = json[at]!;
    if ("{[".includes(character)) depth++;
    else if ("}]".includes(character)) depth--;
    else if (character === '"') {
      const start = ++at;
      while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
      if (depth === 1) keys.add(json.slice(start, at));
    }
  }
  return keys;
}

/**
 * `{"cells": […], …, "nbformat": 4, "nbformat_minor": 5}` is how Jupyter writes; others begin with
 * the format. Both are accepted only at the top level of the file.
 */
function isNotebook(head: Uint8Array, tail: Uint8Array): boolean {
  const begin = textOf(head);
  if (!/^\s*\{/.test(begin)) return false;
  const end = textOf(tail);
  const last = end.slice(Math.max(0, end.lastIndexOf('"nbformat"')));
  const ends_so = /^"nbformat"\s*:\s*\d+\s*(?:,\s*"\w+"\s*:\s*\d+\s*)*\}\s*$/.test(last);
  if (!ends_so && !begin.includes('"nbformat"')) return false;
  const keys = outerKeys(begin);
  return (
    (ends_so || keys.has("nbformat")) &&
    // The keys before may be so long that the cells are beyond the sample.
    (keys.has("cells") || keys.has("worksheets") || (head !== tail && keys.has("metadata")))
  );
}
/** Without a byte order mark. */
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

// --- The content of a notebook -------------------------------------------------------------------
// Everything in the file is untrusted and checked before use.

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] | null => (Array.isArray(value) ? value : null);

/** A text, or its lines; truncated when it is very long. Null for anything else. */
function linesOf(value: unknown, length_max = text_length_max): string | null {
  if (typeof value === "string") return value.slice(0, length_max);
  const lines = listOf(value);
  if (lines === null || !lines.every((line) => typeof line === "string")) return null;
  const read_lines: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length >= length_max) break;
    read_lines.push(line);
    length += line.length;
  }
  return read_lines.join("").slice(0, length_max);
}

/** Per document, in UTF-16 units. */
const text_length_max = 16 * 1024 * 1024;
/** How much of one output is read: most of a progress bar is overwritten anyway. */
const raw_length_max = 1024 * 1024;

const headings_max = 50_000;

/** What was left out, for the warnings of the document. */
interface LeftOut {
  pictures: number;
  outputs: number;
  cells: number;
  shortened: number;
  is_cut: boolean;
}

interface Read {
  readonly headings: readonly HeadingSpan[];
  readonly left_out: LeftOut;
}

/** Runs in a separate process. Writes the text to `output`. */
const read = task(
  async (input: {
    readonly path: string;
    readonly output: string;
    readonly output_max: number;
  }): Promise<Read> => {
    const notebook = fieldsOf(parse(await Bun.file(input.path).text()));
    const cells = listOf(notebook.cells) ?? cellsOfSheets(notebook.worksheets);
    if (cells === null)
      throw new ExtractionFailure("corrupt", "This notebook has no list of cells.");
    const text = new NotebookText(languageOf(notebook), input.output_max);
    for (const cell of cells) if (!text.add(fieldsOf(cell))) break;
    await Bun.write(input.output, text.pieces.join(""));
    return { headings: text.headings, left_out: text.left_out };
  },
);

function parse(json: string): unknown {
  try {
    return JSON.parse(json.replace(/^\ufeff/, ""));
  } catch {
    throw new ExtractionFailure(
      "corrupt",
      "This notebook can't be read, because it is not JSON. The file may be incomplete, or " +
        "contain the markers of a merge conflict.",
    );
  }
}

/** Format 3. */
const cellsOfSheets = (sheets: unknown): readonly unknown[] | null =>
  listOf(sheets)?.flatMap((sheet) => listOf(fieldsOf(sheet).cells) ?? []) ?? null;

function languageOf({ metadata }: Fields): string {
  const { kernelspec, language_info } = fieldsOf(metadata);
  return wordOf(fieldsOf(language_info).name) ?? wordOf(fieldsOf(kernelspec).language) ?? "";
}
/** The name of a language: one word. */
const wordOf = (value: unknown): string | null =>
  typeof value === "string" && /^[\w+#.-]{1,40}$/.test(value) ? value.toLowerCase() : null;

const marksOf = (level: unknown): string =>
  "#".repeat(typeof level === "number" ? Math.min(6, Math.max(1, Math.trunc(level))) : 1);

/** Collects the text of a notebook cell by cell. */
class NotebookText {
  readonly pieces: string[] = [];
  readonly headings: HeadingSpan[] = [];
  readonly left_out: LeftOut = { pictures: 0, outputs: 0, cells: 0, shortened: 0, is_cut: false };
  private length = 0;

  constructor(
    private readonly language: string,
    private readonly output_max: number,
  ) {}

  /** False when the limit is reached. */
  add(cell: Fields): boolean {
    const source = linesOf(cell.source ?? cell.input);
    const type = cell.cell_type;
    if (source === null || typeof type !== "string") this.left_out.cells++;
    // Format 3 has headings as cells.
    else if (type === "heading") this.addNote(`${marksOf(cell.level)} ${source.trim()}`);
    else if (type === "code") this.addCode(cell, source);
    else this.addNote(source);
    return !this.left_out.is_cut;
  }

  private addNote(source: string): void {
    const note = source
      .replace(/\r\n?/g, "\n")
      .replace(/!\[([^\]\n]*)\]\((?:data|attachment):[^)\s]*[^)\n]*\)/gi, (_all, name: string) => {
        this.left_out.pictures++;
        return name;
      })
      .trim();
    const from = this.write(note);
    for (const { start, end, level } of headingsOf(note))
      if (from + end <= this.length && this.headings.length < headings_max)
        this.headings.push({ start: from + start, end: from + end, level });
  }

  private addCode(cell: Fields, source: string): void {
    const code = source.replace(/\r\n?/g, "\n").replace(/^\n+|\s+$/g, "");
    const { vscode } = fieldsOf(cell.metadata);
    const magic = /^%%(bash|sh|sql|html|javascript|js|latex|markdown|perl|ruby|R|svg)\b/.exec(code);
    const language =
      magic?.[1]!.toLowerCase() ??
      wordOf(fieldsOf(vscode).languageId) ??
      wordOf(cell.language) ??
      this.language;
    const marks = Math.max(3, ...(code.match(/`{3,}/g) ?? []).map((run) => run.length + 1));
    const fence = "`".repeat(Math.min(marks, 1_000));
    if (code !== "") this.write(`${fence}${language}\n${code}\n${fence}`);
    if (cell.outputs === undefined) return;
    const outputs = listOf(cell.outputs);
    if (outputs === null) this.left_out.outputs++;
    const printed = this.outputsOf(outputs ?? []);
    if (printed !== "") this.write(`Output:\n${printed}`);
  }

  /** All output of the cell. */
  private outputsOf(outputs: readonly unknown[]): string {
    const printed: string[] = [];
    let length = 0;
    for (const output of outputs) {
      // A program may print a line a million times, each as a separate output.
      const text = length > this.output_max ? null : this.outputOf(fieldsOf(output));
      if (text === null) continue;
      printed.push(text);
      length += text.length;
    }
    const all = printed.join("").trim();
    if (all.length <= this.output_max) return all;
    this.left_out.shortened++;
    return all.slice(0, this.output_max).trimEnd();
  }

  /** Null if it contains no text. */
  private outputOf(output: Fields): string | null {
    const { output_type, data, text, ename, evalue } = output;
    if (output_type === "stream") return this.orLeftOut(linesOf(text, raw_length_max));
    if (output_type === "error" || output_type === "pyerr") {
      const error = [ename, evalue].filter((part) => typeof part === "string").join(": ");
      return this.orLeftOut(error === "" ? null : `${error.slice(0, raw_length_max)}\n`);
    }
    // Format 3 has beside the type what format 4 has under `data`.
    const shown = data === undefined ? output : fieldsOf(data);
    if (Object.keys(shown).some((type) => /^(?:image\/|png$|jpeg$|svg$)/.test(type))) {
      this.left_out.pictures++;
      return null;
    }
    const best = ["text/markdown", "text/plain", "text/latex", "text", "latex"].find(
      (type) => linesOf(shown[type], 1) !== null,
    );
    return this.orLeftOut(best === undefined ? null : `${linesOf(shown[best], raw_length_max)}\n`);
  }

  private orLeftOut(text: string | null): string | null {
    if (text === null) this.left_out.outputs++;
    return text === null ? null : printedText(text);
  }

  /** The start of the text. */
  private write(text: string): number {
    const separator = this.length === 0 || text === "" ? "" : "\n\n";
    const from = this.length + separator.length;
    const room = text_length_max - from;
    if (text.length > room) this.left_out.is_cut = true;
    const piece = separator + text.slice(0, Math.max(0, room));
    this.pieces.push(piece);
    this.length += piece.length;
    return from;
  }
}

/** As a terminal would finally show it: without colours and overwritten text. */
const printedText = (text: string): string =>
  text
    .replace(/\u001b\[[0-9;?]*[@-~]/g, "")
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1).replace(/\r+$/, ""))
    .join("\n");

/** `## Use` and underlined headings, except inside code blocks. */
function headingsOf(note: string): HeadingSpan[] {
  const headings: HeadingSpan[] = [];
  let fence = "";
  let start = 0;
  let before = "";
  for (const line of note.split("\n")) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1] ?? "";
    if (mark !== "" && (fence === "" || fence === mark)) fence = fence === "" ? mark : "";
    const [all, lead, title] = /^( {0,3}#{1,6}[ \t]+)(\S.*)$/.exec(line) ?? [];
    const rule = /^ {0,3}(=|-)\1+[ \t]*$/.exec(line)?.[1];
    if (fence === "" && mark === "" && all !== undefined) {
      const bare = title!.replace(/[ \t]+#+[ \t]*$/, "").trimEnd();
      const from = start + lead!.length;
      headings.push({ start: from, end: from + bare.length, level: lead!.trim().length });
    } else if (fence === "" && rule !== undefined && /^ {0,3}[^\s#>|*+-]/.test(before)) {
      const from = start - 1 - before.trimStart().length;
      headings.push({ start: from, end: from + before.trim().length, level: rule === "=" ? 1 : 2 });
    }
    before = all === undefined && rule === undefined && mark === "" && fence === "" ? line : "";
    start += line.length + 1;
  }
  return headings;
}

// --- Warnings and errors -------------------------------------------------------------------------
function warningsOf(left_out: LeftOut, output_max: number): Warning[] {
  const { pictures, outputs, cells, shortened, is_cut } = left_out;
  const were = (number: number, noun: string): string =>
    number === 1 ? `One ${noun} was` : `${number.toLocaleString("en-US")} ${noun}s were`;
  const most = output_max.toLocaleString("en-US");
  const losses: [number: number, code: string, noun: string, became: string][] = [
    [pictures, "pictures_left_out", "picture", "left out: pictures in notebooks are not read."],
    [outputs, "outputs_left_out", "output", "left out: only text is read."],
    [cells, "cells_left_out", "cell", "left out: notebooks can't have such cells."],
    [
      shortened,
      "outputs_shortened",
      "cell",
      `shortened to ${most} characters of output; the administrator can raise ` +
        "jupyter.output_max.",
    ],
  ];
  const warnings = losses
    .filter(([number]) => number > 0)
    .map(([number, code, noun, became]) => ({ code, message: `${were(number, noun)} ${became}` }));
  const cut = {
    code: "text_cut",
    message: "The notebook is too long; its end is left out.",
  };
  return [...warnings, ...(is_cut ? [cut] : [])].map((warning) => ({ ...warning, page: null }));
}

/** A sentence for the user; temporary errors are rethrown, so that another attempt is made. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof TaskFailure)) return error;
  const failures: Partial<Record<TaskFailure["reason"], [ExtractionCode, string]>> = {
    timeout: ["timeout", "Reading the notebook took too long and was stopped."],
    memory: [
      "out_of_memory",
      "Reading the notebook needed too much memory and was stopped. Clear its outputs and upload " +
        "it again.",
    ],
    crashed: ["corrupt", "This notebook can't be read: it is nested too deeply, or damaged."],
  };
  if (error.reason === "threw" && error.code === "corrupt")
    return new ExtractionFailure("corrupt", error.message);
  const [code, message] = failures[error.reason] ?? [];
  return code === undefined ? error : new ExtractionFailure(code, message!);
}

const tasks = { read };
type JupyterContext = Context<typeof config, {}, {}, typeof tasks>;

async function extract(
  { config: { output_max, memory_max }, isolate, newId, paths }: JupyterContext,
  path: string,
  signal: AbortSignal,
): Promise<Extracted> {
  const output = join(paths.temporary, newId("ipynb"));
  try {
    const { headings, left_out } = await isolate(
      "read",
      { path, output, output_max },
      { timeout_ms, memory_max_bytes: memory_max, signal },
    );
    const text = await Bun.file(output).text();
    const warnings = warningsOf(left_out, output_max);
    return { text, media_type, pages: [], page_count: null, headings, warnings };
  } catch (error) {
    signal.throwIfAborted();
    throw toFailure(error);
  } finally {
    await rm(output, { force: true });
  }
}

export default definePlugin({
  name: "jupyter",
  version: "1.0.0",
  config,
  tasks,
  setup: (ctx) => ({
    fills: [
      fill(Extractors, {
        // Before plain text, which would read it as JSON.
        rank: 20,
        recognises: isNotebook,
        extract: ({ path }, { signal }) => extract(ctx, path, signal),
      }),
    ],
  }),
});
