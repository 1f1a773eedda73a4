/**
 * Runs in the child: reads Word 97 to 2003 (.doc), and the plain text of Word 6 and 95: the body,
 * then notes, text boxes, comments and headers.
 */
import { countLeading } from "../../../core/lib/binary-search";
import { ExtractionFailure } from "../contract";
import type { Block, Page } from "../child/blocks";
import type { CompoundFile } from "./compound-file";
import { openWord, type Piece, type StoryName, type WordFile } from "./doc-file";
import type { ParagraphRun, Run } from "./doc-properties";
import { NestedTableBuilder } from "../child/nested-table-builder";

/** After the body, in this order. Macros are left out. */
const stories_after_body: readonly StoryName[] = [
  "footnotes",
  "endnotes",
  "boxes",
  "comments",
  "headers",
  "header_boxes",
];

/** @throws ExtractionFailure */
export function readDoc(compound: CompoundFile, characters_max: number): Page[] {
  const word = openWord(compound);
  const characters = word.pieces.reduce((sum, piece) => sum + piece.end - piece.start, 0);
  if (characters > characters_max)
    throw new ExtractionFailure(
      "too_large",
      `The text of this document is longer than ${characters_max} characters.`,
    );
  const seen = new Set<string>();
  const after_body = stories_after_body.flatMap((name) =>
    readStory(word, name).filter(({ text }) => {
      const repeated = name.startsWith("header") && seen.has(text);
      if (name.startsWith("header")) seen.add(text);
      return !repeated;
    }),
  );
  return [{ page: null, blocks: [...readStory(word, "body"), ...after_body] }];
}

function readStory(word: WordFile, name: StoryName): Block[] {
  const { start, end } = word.stories[name];
  const runs = word.pieces
    .filter((piece) => piece.start < end && piece.end > start)
    .map((piece) => readPiece(word, clip(piece, start, end)));
  const reader = new StoryReader(word, hasWholeFields(runs));
  for (const run of runs) reader.read(run);
  return reader.blocks();
}

/** The part of a piece between these character positions. */
const clip = (piece: Piece, start: number, end: number): Piece => {
  const from = Math.max(start, piece.start);
  return {
    ...piece,
    start: from,
    end: Math.min(end, piece.end),
    at: piece.at + (from - piece.start) * (piece.wide ? 2 : 1),
  };
};

interface TextRun {
  readonly text: string;
  readonly at: number;
  readonly character_bytes: 1 | 2;
}
function readPiece({ main, encoding, hidden }: WordFile, { start, end, at, wide }: Piece): TextRun {
  const bytes = main.slice(at, at + (end - start) * (wide ? 2 : 1));
  const text = new TextDecoder(wide ? "utf-16le" : (encoding as Bun.Encoding), {
    ignoreBOM: true,
  }).decode(bytes);
  return { text: blankHidden(text, hidden, at, wide ? 2 : 1), at, character_bytes: wide ? 2 : 1 };
}
/**
 * Replaces hidden characters by zeros, so that the others keep their position. Field marks stay:
 * they come in threes.
 */
function blankHidden(
  text: string,
  hidden: readonly Run[],
  at: number,
  character_bytes: number,
): string {
  const pieces: string[] = [];
  let done = 0;
  for (
    let next = firstBehind(hidden, at);
    next < hidden.length && hidden[next]!.start < at + text.length * character_bytes;
    next++
  ) {
    const from = Math.max(done, Math.floor((hidden[next]!.start - at) / character_bytes));
    const to = Math.min(text.length, Math.ceil((hidden[next]!.end - at) / character_bytes));
    if (to <= from) continue;
    pieces.push(text.slice(done, from), text.slice(from, to).replace(/[^\x13-\x15]/g, "\0"));
    done = to;
  }
  return done === 0 ? text : pieces.join("") + text.slice(done);
}
/** The index of the first run that ends after this offset. The runs are sorted. */
const firstBehind = (runs: readonly Run[], at: number): number =>
  countLeading(runs, ({ end }) => end <= at);

/**
 * Whether every field ends. In a damaged text an unterminated field must not hide everything after
 * it.
 */
function hasWholeFields(runs: readonly TextRun[]): boolean {
  let open = 0;
  for (const { text } of runs)
    for (const [mark] of text.matchAll(/[\x13\x15]/g)) open += mark === "\x13" ? 1 : -1;
  return open === 0;
}

const plain: Omit<ParagraphRun, keyof Run> = {
  depth: 0,
  ends: "paragraph",
  level: null,
  list: null,
  list_level: 0,
};
/** Text, or a single control character. */
const text_or_mark = /[^\0-\x1f]+|[\0-\x1f]/g;

class StoryReader {
  private readonly builder = new NestedTableBuilder();
  /** For each open field: whether its result has begun. */
  private readonly fields: boolean[] = [];
  private hidden = 0;
  private cell_ended = false;

  constructor(
    private readonly word: WordFile,
    private readonly has_fields: boolean,
  ) {}

  read({ text, at, character_bytes }: TextRun): void {
    for (const { 0: part, index } of text.matchAll(text_or_mark)) {
      if (part >= " ") this.put(part);
      else this.mark(part, at + index * character_bytes);
    }
  }
  blocks(): Block[] {
    return this.builder.finish();
  }

  private put(text: string): void {
    if (this.hidden > 0) return;
    this.cell_ended = false;
    this.builder.text(text);
  }

  private mark(mark: string, at: number): void {
    switch (mark) {
      case "\x13":
        return this.beginField();
      case "\x14":
        return this.beginResult();
      case "\x15":
        return this.endField();
      case "\t":
        return this.put("\t");
      case "\v":
        return this.put("\n");
      case "\x1e":
        return this.put("\u2011");
      case "\r":
      case "\f":
      case "\x0e":
      case "\x07":
        return this.endParagraph(mark, at);
    }
  }

  private beginField(): void {
    if (!this.has_fields) return;
    this.fields.push(false);
    this.hidden++;
  }
  private beginResult(): void {
    if (this.fields.at(-1) !== false) return;
    this.fields[this.fields.length - 1] = true;
    this.hidden--;
  }
  private endField(): void {
    if (this.fields.pop() === false) this.hidden--;
  }

  private endParagraph(mark: string, at: number): void {
    if (this.hidden > 0) return;
    const { depth, ends, level, list, list_level, row } = this.propertiesAt(at);
    if (list !== null && ends !== "row" && this.builder.has_text)
      this.builder.marker(this.word.lists.next(list, list_level), list_level);
    if (mark === "\x07") {
      // Word 6 has no properties here: an empty cell after the last one ends the row.
      if (ends === "row" || (this.word.paragraphs.length === 0 && this.cell_ended))
        this.builder.endRow(depth, row);
      else this.builder.endCell(depth);
      this.cell_ended = ends !== "row" && !this.cell_ended;
      return;
    }
    this.cell_ended = false;
    if (ends === "cell") this.builder.endCell(depth);
    else if (ends === "row") this.builder.endRow(depth, row);
    else this.builder.endParagraph(depth, level);
  }
  private propertiesAt(at: number): Omit<ParagraphRun, keyof Run> {
    const run = this.word.paragraphs[firstBehind(this.word.paragraphs, at)];
    return run !== undefined && run.start <= at ? run : plain;
  }
}
