/**
 * Detects the encoding of a text, and decodes it chunk by chunk, so that a large file takes little
 * memory. Runs in the server for small files, otherwise in the child.
 */
import { ExtractionFailure } from "../contract";

/** The encoding of a text. */
export interface Encoding {
  /** A name of `TextDecoder`, or `utf-32le` or `utf-32be`, which it does not know. */
  readonly label: string;
  /** Length of the byte order mark. */
  readonly skip: number;
  /** The bytes are known to be valid. */
  readonly exact: boolean;
}
/** The bytes of a file, from the beginning on each call. */
export type Chunks = () => Iterable<Uint8Array>;
/** Finds the encoding of bytes that are not UTF-8; null if they are not text. */
export type Guess = (bytes: Uint8Array) => Promise<string | null>;

const byte_order_marks: readonly { readonly label: string; readonly bytes: readonly number[] }[] = [
  { label: "utf-32le", bytes: [0xff, 0xfe, 0, 0] },
  { label: "utf-32be", bytes: [0, 0, 0xfe, 0xff] },
  { label: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { label: "utf-16le", bytes: [0xff, 0xfe] },
  { label: "utf-16be", bytes: [0xfe, 0xff] },
];

/** The escape sequence by which ISO-2022-JP, the encoding of old Japanese mail, leaves ASCII. */
const japanese_escape = "\x1b$B";

/**
 * The encoding that the first bytes reveal: by a byte order mark, an escape to Japanese, or the
 * zero bytes of UTF-16.
 */
export function announcedEncoding(head: Uint8Array): Encoding | null {
  const mark = byte_order_marks.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte));
  if (mark) return { label: mark.label, skip: mark.bytes.length, exact: false };
  if (Buffer.from(head.buffer, head.byteOffset, head.length).includes(japanese_escape))
    return { label: "iso-2022-jp", skip: 0, exact: false };
  if (!head.includes(0)) return null;
  let even = 0;
  let odd = 0;
  for (let at = head.indexOf(0); at >= 0; at = head.indexOf(0, at + 1)) {
    if (at % 2 === 0) even++;
    else odd++;
  }
  const enough = head.length / 100;
  if (odd > enough && odd > 20 * even) return { label: "utf-16le", skip: 0, exact: false };
  if (even > enough && even > 20 * odd) return { label: "utf-16be", skip: 0, exact: false };
  return null;
}

/** Whether these first bytes may be text. */
export function mayBeText(head: Uint8Array): boolean {
  const announced = announcedEncoding(head);
  if (!announced) return !hasManyControls(head);
  if (!announced.label.startsWith("utf-16")) return true;
  return !hasManyControls(
    Uint16Array.from(textDecoder(announced.label).decode(head), (character) =>
      character.charCodeAt(0),
    ),
  );
}
/** Whether there are more control characters than any text has. */
export function hasManyControls(codes: ArrayLike<number>): boolean {
  let controls = 0;
  for (let at = 0; at < codes.length; at++)
    if (codes[at]! < 32 && !isUsualControl(codes[at]!)) controls++;
  return controls > codes.length / 50;
}
/** Backspace to carriage return, the end-of-file mark of DOS, escape. */
const isUsualControl = (code: number): boolean =>
  (code >= 8 && code <= 13) || code === 26 || code === 27;
const textDecoder = (label: string): TextDecoder =>
  new TextDecoder(label as Bun.Encoding, { ignoreBOM: true });

/**
 * The encoding of a file; null if it is not text. `guess` is called only if the first bytes do not
 * reveal it and it is not UTF-8.
 */
async function detectEncoding(chunks: Chunks, guess: Guess): Promise<Encoding | null> {
  const strict = new TextDecoder("utf-8", { fatal: true });
  const utf8: Encoding = { label: "utf-8", skip: 0, exact: true };
  let first = true;
  let seen = false;
  for (const chunk of chunks()) {
    const announced = first ? announcedEncoding(chunk) : null;
    if (announced) return announced;
    first = false;
    try {
      seen ||= /[^\0-\x7f]/.test(strict.decode(chunk, { stream: true }));
    } catch {
      if (seen || isMostlyUtf8(chunk)) return { ...utf8, exact: false };
      const label = await guess(fromFirstLetter(chunk));
      return label === null ? null : { label, skip: 0, exact: false };
    }
  }
  try {
    strict.decode();
  } catch {
    return { ...utf8, exact: false };
  }
  return utf8;
}

/** From the first non-ASCII byte on: those before it say nothing about the encoding. */
const fromFirstLetter = (bytes: Uint8Array): Uint8Array =>
  bytes.subarray(Math.max(0, bytes.findIndex((byte) => byte > 127) - context_bytes));
const context_bytes = 200;

/** UTF-8 with a few errors, as in a file that was truncated or mixed. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const beyond_ascii = new TextDecoder().decode(bytes).match(/[^\0-\x7f]/gu) ?? [];
  const broken = beyond_ascii.filter((character) => character === "\ufffd").length;
  return beyond_ascii.length - broken > 10 * broken;
}

/** A decoded part of a text. */
export interface Piece {
  /** Well-formed, without U+0000; lines end with `\n`. */
  readonly text: string;
  /** The number of positions that could not be decoded, and are U+FFFD. */
  readonly broken: number;
}
/** The text of a file, in chunks. */
export function* decode(chunks: Chunks, { label, skip, exact }: Encoding): Generator<Piece> {
  const decoder = label.startsWith("utf-32")
    ? utf32Decoder(label === "utf-32le")
    : textDecoder(label);
  let skip_left = skip;
  let pending = "";
  const pieceOf = (raw: string, last: boolean): Piece => {
    const all = pending + raw;
    // The line feed of a carriage return may come with the next chunk.
    pending = !last && all.endsWith("\r") ? "\r" : "";
    const text = all
      .slice(0, all.length - pending.length)
      .replace(/\r\n?/g, "\n")
      .replaceAll("\0", "");
    return {
      text,
      broken: exact || !text.includes("\ufffd") ? 0 : text.split("\ufffd").length - 1,
    };
  };
  for (const chunk of chunks()) {
    const bytes = chunk.subarray(Math.min(skip_left, chunk.length));
    skip_left -= chunk.length - bytes.length;
    yield pieceOf(decoder.decode(bytes, { stream: true }), false);
  }
  yield pieceOf(decoder.decode(), true);
}

/**
 * Decodes a whole file, and passes its text to `put` in chunks.
 * @throws ExtractionFailure when it is not text, blank or too long
 */
export async function decodeInto(
  put: (text: string) => void,
  chunks: Chunks,
  guess: Guess,
  characters_max: number,
): Promise<{ readonly broken: number }> {
  const encoding = await detectEncoding(chunks, guess);
  if (encoding === null) throw notText();
  let characters = 0;
  let broken = 0;
  let blank = true;
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
  if (broken > Math.max(broken_tolerated, characters / 10)) throw notText();
  if (blank) throw new ExtractionFailure("empty", "The file has no text: it is blank.");
  return { broken };
}
/** This many errors don't rule out a text, however short it is. */
const broken_tolerated = 3;
const notText = (): ExtractionFailure =>
  new ExtractionFailure("unsupported_type", "This is not a text file, and its type is not known.");

/** UTF-32, which `TextDecoder` does not know. */
function utf32Decoder(little_endian: boolean): {
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string;
} {
  let left = new Uint8Array(0);
  return {
    decode(bytes) {
      if (bytes === undefined) return left.length === 0 ? "" : "\ufffd";
      const all = new Uint8Array(left.length + bytes.length);
      all.set(left);
      all.set(bytes, left.length);
      left = all.slice(all.length - (all.length % 4));
      const view = new DataView(all.buffer);
      const characters: string[] = [];
      for (let at = 0; at + 4 <= all.length; at += 4) {
        const code = view.getUint32(at, little_endian);
        characters.push(
          code > 0x10ffff || (code >= 0xd800 && code < 0xe000)
            ? "\ufffd"
            : String.fromCodePoint(code),
        );
      }
      return characters.join("");
    },
  };
}
