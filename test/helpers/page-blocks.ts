/**
 * The fenced blocks of a page of the documentation, the comments that control how they are tested,
 * and the comparison of actual output with the output that a page shows.
 */

export interface Block {
  /** The word after the fence: `sh`, `json`, `ts`, … */
  readonly language: string;
  readonly text: string;
  /** The line number of its fence, starting at 1. */
  readonly line: number;
  /**
   * The comments before it, `<!-- word: value -->`, which readers of the page don't see:
   *
   * - `until: words`: the command keeps running; the next block starts once it has printed these
   *   words.
   * - `file: name`: the block is written to this file, relative to the shell's directory.
   * - `append: name`: the block is appended to this file.
   * - `after: words in name`: the block is inserted into this file, after the first line that
   *   contains the words.
   * - `needs: words`: the block is skipped unless these programs are installed and these stages
   *   (page-stage.ts) are available.
   * - `online: command`: the block needs a network. If it fails, and this command fails too, it is
   *   skipped.
   * - `agent: tool`: the block is the configuration of an MCP client, which starts the server with
   *   it and calls this tool.
   * - `restarted: the server`: the server of the page is restarted before the block.
   * - `picture: directories`: every file named in the block must exist, at the root of the project
   *   or in one of these directories.
   */
  readonly marks: ReadonlyMap<string, string>;
}

const known_marks = [
  ...["until", "file", "append", "after", "needs", "online", "agent"],
  ...["picture", "restarted"],
];

/** Every fenced block, in order. @throws Error on an unknown comment. */
export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let marks = new Map<string, string>();
  let open: { language: string; line: number; lines: string[] } | null = null;
  for (const [index, line] of markdown.split("\n").entries()) {
    if (open) {
      if (line !== "```") {
        open.lines.push(line);
        continue;
      }
      blocks.push({ ...open, text: `${open.lines.join("\n")}\n`, marks });
      open = null;
      marks = new Map();
      continue;
    }
    const fence = /^```(\w*)$/.exec(line);
    const mark = /^<!-- ([a-z ]+): (.+) -->$/.exec(line);
    if (fence) open = { language: fence[1]!, line: index + 1, lines: [] };
    else if (mark && known_marks.includes(mark[1]!)) marks.set(mark[1]!, mark[2]!);
    else if (/^\s*(```|<!--)/.test(line))
      throw new Error(`line ${index + 1} is neither a block nor a known comment: ${line}`);
    else if (line !== "") marks = new Map();
  }
  return blocks;
}

/**
 * Replaces placeholders such as `dsk_…` by matching words of earlier output, except in comments of
 * the shell. @throws Error when nothing matches.
 */
export function filled(script: string, printed: readonly string[]): string {
  return script
    .split("\n")
    .map((line) => {
      const [, code, comment] = /^(.*?)((?:^|\s)#.*)?$/.exec(line)!;
      const all = code!.replaceAll(/[^\s"'`=]*…[^\s"'`]*/g, (word) => fillingOf(word, printed));
      return all + (comment ?? "");
    })
    .join("\n");
}

/** The latest word that matches; otherwise the latest one with the same beginning, plus the end. */
function fillingOf(word: string, printed: readonly string[]): string {
  const [start = "", end = ""] = word.split("…");
  const whole = new RegExp(`${wildcard(word, String.raw`[^\s"',)]+?`)}(?=[\\s"',)]|$)`);
  const begun = new RegExp(String.raw`${RegExp.escape(start)}\w+`);
  for (const text of printed.toReversed()) {
    const found = whole.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  for (const text of start === "" ? [] : printed.toReversed()) {
    const found = begun.exec(text)?.[0];
    if (found !== undefined) return found + end;
  }
  throw new Error(`no earlier output matches ${word}`);
}

/** As a pattern in which `…` matches anything. */
const wildcard = (text: string, anything = "[^]*?"): string =>
  text
    .split("…")
    .map((part) => RegExp.escape(part))
    .join(anything);

/** Whether the lines that a page shows were printed, in this order; `…` matches anything. */
export function linesAreIn(shown: string, printed: string): boolean {
  const lines = shown
    .trim()
    .split("\n")
    .map((line) => wildcard(line.trim(), "[^\\n]*?"));
  return new RegExp(lines.map((line) => `^[ \\t]*${line}[ \\t]*$`).join("[^]*?"), "m").test(
    printed,
  );
}

/** The JSON values in a text, ignoring what is between them. */
export function valuesIn(text: string): unknown[] {
  const values: unknown[] = [];
  for (let at = text.search(/[{[]/); at >= 0;) {
    const end = endOfValue(text, at);
    try {
      values.push(JSON.parse(text.slice(at, end)));
      at = end;
    } catch {
      at++;
    }
    const next = text.slice(at).search(/[{[]/);
    at = next < 0 ? -1 : at + next;
  }
  return values;
}

/** The index after the bracket that closes the one at `start`. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let in_string = false;
  for (let at = start; at < text.length; at++) {
    const letter = text[at]!;
    if (in_string) {
      if (letter === "\\") at++;
      else if (letter === '"') in_string = false;
    } else if (letter === '"') in_string = true;
    else if ("{[".includes(letter)) depth++;
    else if ("}]".includes(letter) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Numbers that differ from run to run, such as times and sizes. */
const varying = /(_ms|_bytes|_s|score|^size|^total|^count|progress|dossier_version)$/;

/**
 * Where an actual value differs from the one that the page shows; null when it does not. `…` in a
 * text matches anything, and further fields are allowed: the OpenAPI document has them all.
 */
export function difference(shown: unknown, actual: unknown, path = ""): string | null {
  const differs = (): string =>
    `${path}: shown ${JSON.stringify(shown)}, actually ${JSON.stringify(actual)}`;
  if (typeof shown === "string")
    return typeof actual === "string" && new RegExp(`^${wildcard(shown)}$`).test(actual)
      ? null
      : differs();
  const field = path.split("/").at(-1)!;
  if (typeof shown === "number" && typeof actual === "number" && varying.test(field)) return null;
  if (typeof shown !== "object" || shown === null || typeof actual !== "object" || actual === null)
    return Object.is(shown, actual) ? null : differs();
  const actual_fields = actual as Record<string, unknown>;
  for (const [key, value] of Object.entries(shown)) {
    if (key === "…" || (Array.isArray(shown) && value === "…")) continue;
    if (!(key in actual_fields)) return `${path}/${key} is shown, but missing`;
    const inner = difference(value, actual_fields[key], `${path}/${key}`);
    if (inner !== null) return inner;
  }
  const may_have_more = !Array.isArray(shown) || shown.at(-1) === "…";
  const actual_length = (actual as unknown[]).length;
  return may_have_more || shown.length === actual_length
    ? null
    : `${path} has ${actual_length} elements instead of ${shown.length}`;
}
