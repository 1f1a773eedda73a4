/**
 * From bytes to text: which encoding they have, and what they say in it. Works chunk by chunk, so
 * the size of a file does not matter.
 */

export interface Encoding {
  /** As `TextDecoder` knows it; `utf-32le` and `utf-32be` are known here alone. */
  readonly label: string;
  /** How many bytes of a byte order mark come first. */
  readonly skip: number;
  /** Every byte is known to fit. */
  readonly exact: boolean;
}
/** The bytes of a file, from the beginning each time it is called. */
export type Chunks = () => Iterable<Uint8Array>;
/** Names the encoding of bytes that are not UTF-8; null when they are no text. */
export type Guess = (bytes: Uint8Array) => Promise<string | null>;

const marks: readonly { readonly label: string; readonly bytes: readonly number[] }[] = [
  { label: "utf-32le", bytes: [0xff, 0xfe, 0, 0] },
  { label: "utf-32be", bytes: [0, 0, 0xfe, 0xff] },
  { label: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { label: "utf-16le", bytes: [0xff, 0xfe] },
  { label: "utf-16be", bytes: [0xfe, 0xff] },
];

/** ISO-2022-JP, as in old mail, is ASCII but for such shifts to Japanese and back. */
const japanese_shift = "\x1b$B";

/**
 * What the first bytes say by themselves: a byte order mark, a shift to Japanese, or the zero bytes
 * of UTF-16.
 */
export function announcedEncoding(head: Uint8Array): Encoding | null {
  const mark = marks.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte));
  if (mark) return { label: mark.label, skip: mark.bytes.length, exact: false };
  if (Buffer.from(head.buffer, head.byteOffset, head.length).includes(japanese_shift))
    return { label: "iso-2022-jp", skip: 0, exact: false };
  if (!head.includes(0)) return null;
  let [even, odd] = [0, 0];
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
  if (!announced) return !isFullOfControls(head);
  if (!announced.label.startsWith("utf-16")) return true;
  return !isFullOfControls(
    Uint16Array.from(textDecoder(announced.label).decode(head), (character) =>
      character.charCodeAt(0),
    ),
  );
}
/** Whether there are more control characters than in any text. */
export function isFullOfControls(codes: ArrayLike<number>): boolean {
  let controls = 0;
  for (let at = 0; at < codes.length; at++) if (codes[at]! < 32 && !isUsual(codes[at]!)) controls++;
  return controls > codes.length / 50;
}
/** Backspace to carriage return, the end mark of DOS, escape. */
const isUsual = (code: number): boolean => (code >= 8 && code <= 13) || code === 26 || code === 27;
const textDecoder = (label: string): TextDecoder =>
  new TextDecoder(label as Bun.Encoding, { ignoreBOM: true });

/**
 * The encoding of a file; null when it is no text. `guess` is asked only about what is neither
 * announced nor UTF-8.
 */
export async function encodingOf(chunks: Chunks, guess: Guess): Promise<Encoding | null> {
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
      const label = await guess(telling(chunk));
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

/** Where the letters beyond ASCII begin: what comes before says nothing about the encoding. */
const telling = (bytes: Uint8Array): Uint8Array =>
  bytes.subarray(Math.max(0, bytes.findIndex((byte) => byte > 127) - context_bytes));
const context_bytes = 200;

/**
 * Text in UTF-8 with a few broken places, as in a file that was cut or mixed: far more of it fits
 * than not.
 */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const beyond_ascii = new TextDecoder().decode(bytes).match(/[^\0-\x7f]/gu) ?? [];
  const broken = beyond_ascii.filter((character) => character === "\ufffd").length;
  return beyond_ascii.length - broken > 10 * broken;
}

export interface Piece {
  /** Well-formed, without U+0000; lines end with `\n`. */
  readonly text: string;
  /** How many places stand as U+FFFD because their bytes mean nothing. */
  readonly broken: number;
}
/** The text of a file, piece by piece. */
export function* decode(chunks: Chunks, { label, skip, exact }: Encoding): Generator<Piece> {
  const decoder = label.startsWith("utf-32")
    ? utf32Decoder(label === "utf-32le")
    : textDecoder(label);
  let rest = skip;
  let held = "";
  const pieceOf = (raw: string, last: boolean): Piece => {
    const all = held + raw;
    held = !last && all.endsWith("\r") ? "\r" : ""; // The line feed may come with the next chunk.
    const text = all
      .slice(0, all.length - held.length)
      .replace(/\r\n?/g, "\n")
      .replaceAll("\0", "");
    return {
      text,
      broken: exact || !text.includes("\ufffd") ? 0 : text.split("\ufffd").length - 1,
    };
  };
  for (const chunk of chunks()) {
    const bytes = chunk.subarray(Math.min(rest, chunk.length));
    rest -= chunk.length - bytes.length;
    yield pieceOf(decoder.decode(bytes, { stream: true }), false);
  }
  yield pieceOf(decoder.decode(), true);
}

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
