/** Runs in the child: splits RTF into groups, control words and text, in one pass. */

/** Receives the tokens in order. */
export interface RtfHandler {
  open(): void;
  close(): void;
  /** A control word with its number, or a control symbol. */
  word(name: string, number: number, has_number: boolean): void;
  /** Text, not decoded. */
  text(bytes: Uint8Array): void;
}

const brace_open = 0x7b;
const brace_close = 0x7d;
const backslash = 0x5c;
const line_feed = 10;
const carriage_return = 13;
const quote = 0x27;
const minus = 0x2d;
const blank = 0x20;
const isLetter = (byte: number): boolean => (byte | 32) >= 97 && (byte | 32) <= 122;
const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57;
/** A longer control word is truncated. */
const word_letters_max = 32;

/** Passes every token to the handler. Damaged input is never an error. */
export function readTokens(bytes: Uint8Array, handler: RtfHandler): void {
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at]!;
    if (byte === brace_open) {
      handler.open();
      at++;
    } else if (byte === brace_close) {
      handler.close();
      at++;
    } else if (byte === backslash) at = readControl(bytes, at + 1, handler);
    else if (byte === line_feed || byte === carriage_return || byte === 0) at++;
    else {
      const start = at;
      while (at < bytes.length && isText(bytes[at]!)) at++;
      handler.text(bytes.subarray(start, at));
    }
  }
}
/** A run of characters that don't end a text. */
const isText = (byte: number): boolean =>
  byte !== brace_open &&
  byte !== brace_close &&
  byte !== backslash &&
  byte !== line_feed &&
  byte !== carriage_return &&
  byte !== 0;

/** Reads what follows a backslash. Returns where it ends. */
function readControl(bytes: Uint8Array, start: number, handler: RtfHandler): number {
  const first = bytes[start];
  if (first === undefined) return start;
  if (isLetter(first)) return readWord(bytes, start, handler);
  if (first === quote) {
    const code = Number.parseInt(
      String.fromCharCode(bytes[start + 1] ?? 0, bytes[start + 2] ?? 0),
      16,
    );
    if (!Number.isNaN(code)) handler.text(Uint8Array.of(code));
    return start + 3;
  }
  if (first === backslash || first === brace_open || first === brace_close)
    handler.text(bytes.subarray(start, start + 1));
  else
    handler.word(
      first === line_feed || first === carriage_return ? "par" : String.fromCharCode(first),
      0,
      false,
    );
  return start + 1;
}

function readWord(bytes: Uint8Array, start: number, handler: RtfHandler): number {
  let at = start;
  while (at < bytes.length && isLetter(bytes[at]!) && at - start < word_letters_max) at++;
  const name = String.fromCharCode(...bytes.subarray(start, at));
  const digits = bytes[at] === minus ? at + 1 : at;
  let end = digits;
  let number = 0;
  for (; end < bytes.length && isDigit(bytes[end]!) && end - digits < 10; end++)
    number = number * 10 + bytes[end]! - 48;
  const has_number = end > digits;
  if (has_number) at = end;
  if (bytes[at] === blank) at++;
  if (name === "bin") return at + number;
  handler.word(name, has_number && digits > start + name.length ? -number : number, has_number);
  return at;
}
