/** Runs in the child: reads a text of any encoding. */
import { closeSync, openSync, readSync } from "node:fs";
import { openOutput, type Output, type ReaderInput } from "../child/output";
import { ExtractionFailure } from "../contract";
import { delimiterOf, LongTable } from "./csv";
import { decodeInto } from "./encoding";
import { guessEncoding } from "./encoding-guess";
import {
  formatText,
  isMarkdown,
  isTable,
  tableType,
  type FormattedText,
  type Hints,
} from "./formats";

/** The text to read. */
export interface TextInput extends ReaderInput {
  readonly hints: Hints;
}
/** What the child returns besides the text. */
export interface TextOutput extends Omit<FormattedText, "text"> {
  /** The number of positions that could not be decoded. */
  readonly broken: number;
}

/** A longer text is written in chunks, UTF-16 units. */
const formatted_chars_max = 16 * 1024 * 1024;
/** The same for a table: a million short rows take fifty times their length of memory. */
const formatted_table_chars_max = 4 * 1024 * 1024;

/** @throws ExtractionFailure */
export async function readText({
  path,
  hints,
  output,
  characters_max,
}: TextInput): Promise<TextOutput> {
  using file = openOutput(output);
  const formatted_max = mayBeTable(hints) ? formatted_table_chars_max : formatted_chars_max;
  const pending: string[] = [];
  let characters = 0;
  let long: LongWriter | null = null;
  const { broken } = await decodeInto(
    (text) => {
      characters += text.length;
      if (long !== null) return long.add(text);
      pending.push(text);
      if (characters <= formatted_max) return;
      long = new LongWriter(file, pending[0]!, hints, characters_max);
      for (const piece of pending.splice(0)) long.add(piece);
    },
    () => readChunks(path),
    guessEncoding,
    characters_max,
  );
  if (long !== null) return { media_type: (long as LongWriter).end(), broken };
  const { text, ...formatted } = formatText(pending.join(""), hints);
  file.write(text);
  return { ...formatted, broken };
}

const mayBeTable = (hints: Hints): boolean => isTable(hints) && !isMarkdown(hints);

/** Writes a text in chunks: unchanged, or as one pipe table. */
class LongWriter {
  private readonly table: LongTable | null;
  private readonly media_type: string;
  private characters = 0;

  /** The beginning of the text, by which its format is detected. */
  constructor(
    private readonly file: Output,
    beginning: string,
    hints: Hints,
    private readonly characters_max: number,
  ) {
    const delimiter = mayBeTable(hints) ? delimiterOf(beginning) : null;
    this.table = delimiter === null ? null : new LongTable(delimiter);
    this.media_type =
      delimiter === null
        ? isMarkdown(hints)
          ? "text/markdown"
          : "text/plain"
        : tableType(delimiter);
  }
  add(text: string): void {
    for (const part of this.table?.add(text) ?? [text]) this.write(part);
  }
  /** The media type of the text. */
  end(): string {
    for (const part of this.table?.end() ?? []) this.write(part);
    return this.media_type;
  }
  private write(text: string): void {
    this.characters += text.length;
    if (this.characters > this.characters_max)
      throw new ExtractionFailure(
        "too_large",
        `The text is longer than ${this.characters_max} characters.`,
      );
    this.file.write(text);
  }
}

const chunk_bytes = 1024 * 1024;

/** The bytes of a file, in chunks. */
export function* readChunks(path: string): Generator<Uint8Array> {
  const file = openSync(path, "r");
  try {
    for (;;) {
      const chunk = new Uint8Array(chunk_bytes);
      const read = readSync(file, chunk);
      if (read === 0) return;
      yield chunk.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}
