/**
 * How deep JSON nests, found out before it is parsed: parsing what is deep takes far more memory.
 */
import { badRequest } from "../base/errors";

export const depth_max = 64;

const quote = 0x22;
const backslash = 0x5c;

/** @throws HttpError 400 when objects and arrays nest deeper than `depth_max`. */
export function requireShallow(json: Uint8Array): void {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === quote) at = endOfString(json, at);
    // `[` and `{`, `]` and `}` differ in one bit.
    else if ((byte | 0x20) === 0x7b) {
      depth += 1;
      if (depth > depth_max)
        throw badRequest(
          `The body nests deeper than ${depth_max} levels, the most that is accepted.`,
          undefined,
          "malformed_json",
        );
    } else if ((byte | 0x20) === 0x7d) depth -= 1;
  }
}

/** The place of the quote that ends the string, or the end of the text. */
function endOfString(json: Uint8Array, from: number): number {
  for (let at = json.indexOf(quote, from + 1); at !== -1; at = json.indexOf(quote, at + 1)) {
    let escapes = 0;
    while (json[at - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}
