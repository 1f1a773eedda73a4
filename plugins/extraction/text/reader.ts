/** Runs in the child: reads a text of any encoding. */
import { closeSync, openSync, readSync } from "node:fs";
import { openOutput, type ReaderInput } from "../child/output";
import { decodeInto } from "./encoding";
import { guessEncoding } from "./encoding-guess";
import { formatText, isMarkdown, type FormattedText, type Hints } from "./formats";

export interface TextInput extends ReaderInput {
  readonly hints: Hints;
}
export interface TextOutput extends Omit<FormattedText, "text"> {
  /** How many places could not be decoded. */
  readonly broken: number;
}

/** A longer text is written as it is, piece by piece, UTF-16 units. */
const formatted_chars_max = 16 * 1024 * 1024;

/** @throws ExtractionFailure */
export async function readText({
  path,
  hints,
  output,
  characters_max,
}: TextInput): Promise<TextOutput> {
  using file = openOutput(output);
  const held: string[] = [];
  let characters = 0;
  const { broken } = await decodeInto(
    (text) => {
      characters += text.length;
      held.push(text);
      if (characters > formatted_chars_max) for (const piece of held.splice(0)) file.write(piece);
    },
    () => readChunks(path),
    guessEncoding,
    characters_max,
  );
  if (characters > formatted_chars_max)
    return { media_type: isMarkdown(hints) ? "text/markdown" : "text/plain", broken };
  const { text, ...formatted } = formatText(held.join(""), hints);
  file.write(text);
  return { ...formatted, broken };
}

const chunk_bytes = 1024 * 1024;

/** The bytes of a file, chunk by chunk. */
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
