/**
 * The blocks of a page of the documentation, what the comments before them say of how they are
 * tried, and whether what was printed is what the page shows.
 */

export interface Block {
  /** `sh`, `json`, `ts`, … as it stands after the fence. */
  readonly language: string;
  readonly text: string;
  /** Of its fence, from 1. */
  readonly line: number;
  /**
   * What comments before it say, `<!-- word: value -->`, which readers don't see:
   *
   * - `until: words`: it goes on and on, and the next block begins once it has said this.
   * - `file: name`: it is the file of this name, in the directory where the reader is.
   * - `append: name`: it comes at the end of that file.
   * - `after: words in name`: it comes into that file, after the first line with the words.
   * - `needs: words`: it is left out where one of these programs is not installed, or one of these
   *   stages (page-stage.ts) can't be had.
   * - `online: command`: it needs a network; it is left out where it fails and this fails, too.
   * - `agent: tool`: it configures an agent, which starts its server so and calls this tool.
   * - `restarted: the server`: the server of the page has been started again before it.
   * - `picture: directories`: the files that it names are there, or in one of these.
   */
  readonly marks: ReadonlyMap<string, string>;
}

const known_marks = [
  ...["until", "file", "append", "after", "needs", "online", "agent"],
  ...["picture", "restarted"],
];

/** Every fenced block, in order. @throws Error on a comment before one that nobody understands. */
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
      throw new Error(`line ${index + 1} is neither a block nor a word about one: ${line}`);
    else if (line !== "") marks = new Map();
  }
  return blocks;
}

/**
 * A text with words that the reader fills in, such as `dsk_…`, filled with what was printed before.
 * What stands in a comment of the shell stays. @throws Error when nothing printed fits.
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

/** The last one printed that fits; if none does, one that begins as the word, with its end. */
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
  throw new Error(`nothing that was printed fits ${word}`);
}

/** As a pattern, `…` being anything. */
const wildcard = (text: string, anything = "[^]*?"): string =>
  text
    .split("…")
    .map((part) => RegExp.escape(part))
    .join(anything);

/** Whether the lines that a page shows were printed in this order; `…` is anything. */
export function linesAreIn(shown: string, printed: string): boolean {
  const lines = shown
    .trim()
    .split("\n")
    .map((line) => wildcard(line.trim(), "[^\\n]*?"));
  return new RegExp(lines.map((line) => `^[ \\t]*${line}[ \\t]*$`).join("[^]*?"), "m").test(
    printed,
  );
}

/** The JSON values in a text, whatever stands between them. */
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

/** Behind the bracket that closes the one at `start`. */
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

/** Times, sizes and the like differ each time. */
const varying = /(_ms|_bytes|_s|score|^size|^total|^count|progress|dossier_version)$/;

/**
 * Where what came is not what the page shows; null when it is. `…` in a text is anything. Fields
 * that a page leaves out may come: the OpenAPI document has them all.
 */
export function difference(shown: unknown, came: unknown, at = ""): string | null {
  if (typeof shown === "string")
    return typeof came === "string" && new RegExp(`^${wildcard(shown)}$`).test(came)
      ? null
      : `${at}: shown ${JSON.stringify(shown)}, came ${JSON.stringify(came)}`;
  if (typeof shown === "number" && typeof came === "number" && varying.test(at.split("/").at(-1)!))
    return null;
  if (typeof shown !== "object" || shown === null || typeof came !== "object" || came === null)
    return Object.is(shown, came)
      ? null
      : `${at}: shown ${JSON.stringify(shown)}, came ${JSON.stringify(came)}`;
  const wanted = shown as Record<string, unknown>;
  const given = came as Record<string, unknown>;
  for (const [key, value] of Object.entries(wanted)) {
    if (key === "…" || (Array.isArray(shown) && value === "…")) continue;
    if (!(key in given)) return `${at}/${key} is shown, and did not come`;
    const found = difference(value, given[key], `${at}/${key}`);
    if (found !== null) return found;
  }
  const may_have_more = !Array.isArray(shown) || shown.at(-1) === "…";
  return may_have_more || shown.length === (came as unknown[]).length
    ? null
    : `${at} has ${shown.length} elements, and ${(came as unknown[]).length} came`;
}
