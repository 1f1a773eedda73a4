/**
 * Parses JSON within limits that are checked before parsing: deep or numerous values take far more
 * memory than their text.
 */
import { badRequest, fieldName } from "../base/errors";

/** How deep the arrays and objects of a body may nest. */
export const depth_max = 64;
/** Values in one body: enough for lists of a few thousand records. */
export const values_max = 20_000;

/** ASCII code of `"`. */
export const quote = 0x22;
/** ASCII code of `\`. */
export const backslash = 0x5c;
const comma = 0x2c;

/**
 * Parses a body. @throws HttpError 400 when it is not JSON in UTF-8, too deep or has too many
 * values.
 */
export function parseJson(bytes: Uint8Array, limit = values_max): unknown {
  requireBounded(bytes, limit);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("The body is not valid UTF-8.", undefined, "malformed_json");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? truncated(error.message) : "it is nested too deeply";
    throw badRequest(`The body is not valid JSON: ${reason}.`, undefined, "malformed_json");
  }
  // Only an escape can contain what the database can't store: U+0000 and lone surrogates.
  if (text.includes("\\u")) refuseIllFormed(value);
  return value;
}

/** The runtime's message repeats the text that could not be parsed, however long it is. */
const truncated = (sentence: string): string =>
  sentence.length <= 120 ? sentence : `${sentence.slice(0, 120).toWellFormed()}…`;

/** @throws HttpError 400 when it nests deeper than `depth_max` or has more values than `limit`. */
export function requireBounded(json: Uint8Array, limit = values_max): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === quote) at = endOfString(json, at);
    else if (byte === comma) values += 1;
    // `[` and `{`, like `]` and `}`, differ in one bit.
    else if ((byte | 0x20) === 0x7b) {
      depth += 1;
      if ((json[at + 1]! | 0x20) !== 0x7d) values += 1;
      if (depth > depth_max)
        throw badRequest(
          `The body is nested more deeply than the limit of ${depth_max} levels.`,
          undefined,
          "malformed_json",
        );
    } else if ((byte | 0x20) === 0x7d) depth -= 1;
    if (values > limit)
      throw badRequest(
        `The body has more than the limit of ${limit} values.`,
        undefined,
        "too_many_values",
      );
  }
}

/** The position of the quote that ends the string, or the end of the text. */
export function endOfString(json: Uint8Array, from: number): number {
  const next_quote = json.indexOf(quote, from + 1);
  if (next_quote === -1) return json.length;
  if (json[next_quote - 1] !== backslash) return next_quote;
  // Byte by byte, because there may be millions of escapes.
  let at = from + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

/** An object or array whose values are being visited; `keys` are set for an object. */
interface Visited {
  readonly value: object;
  readonly keys: readonly string[] | undefined;
  /** The number of its values visited so far. */
  count: number;
}

/** Iterative, because a body may nest deeper than the call stack. */
function refuseIllFormed(body: unknown): void {
  const path: Visited[] = [];
  const pointer = (): string =>
    path
      .map(({ keys, count }) => `/${truncated(keys ? keys[count - 1]! : `${count - 1}`)}`)
      .join("");
  const visit = (value: unknown): void => {
    if (typeof value === "string") refuseText(value, pointer);
    else if (typeof value === "object" && value !== null)
      path.push({ value, keys: Array.isArray(value) ? undefined : Object.keys(value), count: 0 });
  };
  visit(body);
  for (let innermost = path.at(-1); innermost; innermost = path.at(-1)) {
    const { value, keys } = innermost;
    if (innermost.count === (keys ?? (value as unknown[])).length) {
      path.pop();
      continue;
    }
    const index = innermost.count++;
    visit((value as Record<string | number, unknown>)[keys ? keys[index]! : index]);
  }
}

function refuseText(text: string, pointer: () => string): void {
  const problem = text.includes("\u0000")
    ? "contains the character U+0000, which is not allowed"
    : text.isWellFormed()
      ? undefined
      : "contains an unpaired surrogate, which is not a valid character";
  if (problem !== undefined) throw badRequest(`${fieldName(pointer())} ${problem}.`, pointer());
}
