/** Reads a plain text file of any encoding: the small ones where they are, the rest in a child. */
import { closeSync, openSync, readSync } from "node:fs";
import { ExtractionFailure } from "../contract";
import { decode, encodingOf, type Chunks, type Guess } from "./encoding";
import { openOutput } from "../child/output";
import type { Where } from "../server/child-run";
import { isMarkdown, shape, type Hints, type Shaped } from "./formats";

export interface TextInput extends Where {
  readonly path: string;
  readonly hints: Hints;
}
/** `broken` is how many places could not be decoded. */
export interface TextOutput extends Omit<Shaped, "text"> {
  readonly broken: number;
}

const chunk_bytes = 1024 * 1024;
/** A longer text is passed on as it is, piece by piece, UTF-16 units. */
const whole_chars_max = 16 * 1024 * 1024;

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
      if (characters > whole_chars_max) for (const piece of held.splice(0)) file.write(piece);
    },
    () => chunksOf(path),
    guessEncoding,
    characters_max,
  );
  if (characters > whole_chars_max)
    return { media_type: isMarkdown(hints) ? "text/markdown" : "text/plain", broken };
  const { text, ...shaped } = shape(held.join(""), hints);
  file.write(text);
  return { ...shaped, broken };
}

/**
 * Hands the text over piece by piece. @throws ExtractionFailure when it is no text, blank or too
 * long
 */
export async function decodeInto(
  put: (text: string) => void,
  chunks: Chunks,
  guess: Guess,
  characters_max: number,
): Promise<{ readonly broken: number }> {
  const encoding = await encodingOf(chunks, guess);
  if (encoding === null) throw notText();
  let [characters, broken, blank] = [0, 0, true];
  for (const piece of decode(chunks, encoding)) {
    characters += piece.text.length;
    broken += piece.broken;
    blank &&= !/\S/.test(piece.text);
    if (characters > characters_max)
      throw new ExtractionFailure(
        "too_large",
        `The text is longer than ${characters_max} characters.`,
      );
    put(piece.text);
  }
  if (broken > Math.max(broken_fine, characters / 10)) throw notText();
  if (blank) throw new ExtractionFailure("empty", "The file has no text: it is blank.");
  return { broken };
}
/** So many broken places prove nothing, however short the text is. */
const broken_fine = 3;
const notText = (): ExtractionFailure =>
  new ExtractionFailure("unsupported_type", "This is not a text file, and its type is not known.");

export function* chunksOf(path: string): Generator<Uint8Array> {
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

/** The names of the detector and the names of `TextDecoder`, of every encoding that both know. */
const labels: Readonly<Record<string, string>> = {
  ascii: "windows-1252",
  big5hkscs: "big5",
  cp1250: "windows-1250",
  cp1251: "windows-1251",
  cp1252: "windows-1252",
  cp1253: "windows-1253",
  cp1254: "windows-1254",
  cp1255: "windows-1255",
  cp1256: "windows-1256",
  cp1257: "windows-1257",
  cp1258: "windows-1258",
  cp866: "ibm866",
  cp874: "windows-874",
  cp932: "shift_jis",
  cp949: "euc-kr",
  euc_jis_2004: "euc-jp",
  euc_kr: "euc-kr",
  gb18030: "gb18030",
  iso2022_jp_2: "iso-2022-jp",
  "iso8859-1": "windows-1252",
  "iso8859-10": "iso-8859-10",
  "iso8859-13": "iso-8859-13",
  "iso8859-14": "iso-8859-14",
  "iso8859-15": "iso-8859-15",
  "iso8859-16": "iso-8859-16",
  "iso8859-2": "iso-8859-2",
  "iso8859-3": "iso-8859-3",
  "iso8859-4": "iso-8859-4",
  "iso8859-5": "iso-8859-5",
  "iso8859-6": "iso-8859-6",
  "iso8859-7": "iso-8859-7",
  "iso8859-8": "iso-8859-8-i",
  "iso8859-9": "windows-1254",
  "koi8-r": "koi8-r",
  "koi8-u": "koi8-u",
  "mac-cyrillic": "x-mac-cyrillic",
  "mac-roman": "macintosh",
  shift_jis_2004: "shift_jis",
  "tis-620": "windows-874",
  "utf-16-be": "utf-16be",
  "utf-16-le": "utf-16le",
  "utf-8": "utf-8",
};

/**
 * By the frequency of letters, as a language has it. The detector's tables take 100 ms and 10 MB to
 * load: child only.
 */
export async function guessEncoding(bytes: Uint8Array): Promise<string | null> {
  const { chardet } = await import("jschardet");
  const { encoding } = chardet.detect(bytes, {
    includeEncodings: Object.keys(labels),
    compatNames: false,
  });
  return encoding === null ? null : (labels[encoding] ?? null);
}
