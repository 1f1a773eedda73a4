/**
 * Parses JSON that contains one long text: the text is taken out as bytes and only the rest is
 * parsed. As a string it would be in memory several times.
 */
import { newId } from "../base/ids";
import { backslash, endOfString, parseJson, quote, requireBounded } from "./json";

/** A parsed object without its long text. */
export interface WithLongField {
  /** With an empty text in that field. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The text in UTF-8. */
  readonly long_text: Uint8Array;
}

/** A text of fewer bytes is not long. */
const long_bytes_min = 2 ** 20;

/**
 * Parses an object whose field of this name is a long text. Null for anything else, including
 * invalid JSON: `parseJson` of the same bytes reports the error. @throws HttpError 400 when it is
 * too deep or has too many values.
 */
export function parseAround(json: Uint8Array, field: string): WithLongField | null {
  requireBounded(json);
  const [start, end] = longString(json) ?? [0, 0];
  if (end === 0) return null;
  const long_text = unescaped(json, start, end);
  if (long_text === null || !isUtf8(long_text)) return null;
  // A marker that occurs nowhere else replaces the text: the field where it appears had the text.
  const marker = newId("txt");
  const shortened = Buffer.concat([
    json.subarray(0, start),
    Buffer.from(marker),
    json.subarray(end),
  ]);
  let value: unknown;
  try {
    value = parseJson(shortened);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const body = value as Record<string, unknown>;
  return Object.hasOwn(body, field) && body[field] === marker
    ? { value: { ...body, [field]: "" }, long_text }
    : null;
}

/** Start and end of the first long string, without its quotes. */
function longString(json: Uint8Array): [start: number, end: number] | null {
  for (let at = json.indexOf(quote); at >= 0; at = json.indexOf(quote, at + 1)) {
    const start = at + 1;
    at = endOfString(json, at);
    if (at - start >= long_bytes_min) return at < json.length ? [start, at] : null;
  }
  return null;
}

/** `\n` and the like; `\u` is handled separately. */
const escapes: Readonly<Record<number, number>> = {
  0x22: 0x22,
  0x2f: 0x2f,
  0x5c: 0x5c,
  0x62: 8,
  0x66: 12,
  0x6e: 10,
  0x72: 13,
  0x74: 9,
};
const u = 0x75;

/**
 * The bytes encoded by a string; null for an invalid string, or one with characters that a text
 * can't contain.
 */
function unescaped(json: Uint8Array, start: number, end: number): Uint8Array | null {
  const text = new Uint8Array(end - start);
  let length = 0;
  for (let at = start; at < end;) {
    const byte = json[at++]!;
    if (byte < 0x20) return null;
    if (byte !== backslash) {
      text[length++] = byte;
      continue;
    }
    const escaped = json[at++]!;
    if (escaped !== u) {
      const character = escapes[escaped];
      if (character === undefined) return null;
      text[length++] = character;
      continue;
    }
    let code = unitAt(json, at);
    at += 4;
    if (code >= 0xd800 && code < 0xdc00) {
      const low = json[at] === backslash && json[at + 1] === u ? unitAt(json, at + 2) : 0;
      if (low < 0xdc00 || low > 0xdfff) return null;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      at += 6;
    }
    if (!(code > 0) || (code >= 0xd800 && code < 0xe000)) return null;
    length = writeUtf8(text, length, code);
  }
  return text.subarray(0, length);
}

/** The unit encoded by four hexadecimal digits; `NaN` when they are invalid. */
function unitAt(json: Uint8Array, at: number): number {
  let unit = 0;
  for (let i = at; i < at + 4; i++) {
    const byte = json[i]!;
    const digit = byte - 0x30;
    const letter = (byte | 0x20) - 0x61;
    if (digit >= 0 && digit < 10) unit = unit * 16 + digit;
    else if (letter >= 0 && letter < 6) unit = unit * 16 + 10 + letter;
    else return Number.NaN;
  }
  return unit;
}

function writeUtf8(into: Uint8Array, at: number, code: number): number {
  if (code < 0x80) into[at++] = code;
  else if (code < 0x800) {
    into[at++] = 0xc0 | (code >> 6);
    into[at++] = 0x80 | (code & 0x3f);
  } else {
    if (code < 0x10000) into[at++] = 0xe0 | (code >> 12);
    else {
      into[at++] = 0xf0 | (code >> 18);
      into[at++] = 0x80 | ((code >> 12) & 0x3f);
    }
    into[at++] = 0x80 | ((code >> 6) & 0x3f);
    into[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}

const checked_bytes = 256 * 1024;
function isUtf8(bytes: Uint8Array): boolean {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  try {
    for (let at = 0; at < bytes.length; at += checked_bytes)
      utf8.decode(bytes.subarray(at, at + checked_bytes), { stream: true });
    utf8.decode();
    return true;
  } catch {
    return false;
  }
}
