/**
 * Checks that many fields share: names that may not be blank, texts with a longest length. Lengths
 * are in Unicode code points.
 */
import { Type } from "@sinclair/typebox";
import { badRequest } from "../base/errors";
import { url_length_max } from "../outbound/target";
import {
  internal_name_pattern,
  not_public_pattern,
  public_uri_pattern,
  uri_pattern,
} from "../outbound/url-patterns";
import { documented, named } from "./schemas";

export const name_length_max = 255;
export const description_length_max = 4_000;

/**
 * Number of Unicode code points: what people and `maxLength` of JSON Schema count, unlike `length`.
 * A lone surrogate counts as one.
 */
export function codePoints(text: string): number {
  let surrogate_pairs = 0;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      surrogate_pairs += 1;
      i += 1;
    }
  }
  return text.length - surrogate_pairs;
}

/**
 * Without the spaces at both ends. A space is every character with the Unicode property White_Space
 * and the four that only occupy no width: U+180E, U+200B, U+2060, U+FEFF. (`String.trim` misses
 * U+0085 and three of those.)
 */
export function trimmed(text: string): string {
  // By hand: a regular expression anchored at the end takes quadratic time on a long run of inner
  // spaces.
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charAt(start))) start += 1;
  while (end > start && isSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
const isSpace = (character: string): boolean =>
  /^[\p{White_Space}\u180E\u200B\u2060\uFEFF]$/u.test(character);

/** Nothing but spaces, as `trimmed` knows them. */
export const isBlank = (text: string): boolean => trimmed(text) === "";

/** What `trimmed` takes away, as a class of a regular expression of JSON Schema. */
const spaces =
  "\\u0009-\\u000D\\u0020\\u0085\\u00A0\\u1680\\u180E\\u2000-\\u200B\\u2028\\u2029\\u202F\\u205F" +
  "\\u2060\\u3000\\uFEFF";

/**
 * A field that `checkedName` or `requiredText` checks: the document shows its limits. `without`:
 * characters that may stand nowhere in it, as a class.
 */
export const RequiredText = (
  description: string,
  length_max: number = name_length_max,
  without = "\\u0000",
) =>
  documented(Type.String({ description }), {
    minLength: 1,
    maxLength: length_max,
    pattern: requiredPattern(without),
  });
/** What is not blank: as a regular expression of JSON Schema. */
export const requiredPattern = (without = "\\u0000"): string =>
  `^[^${without}]*[^${without}${spaces}][^${without}]*$`;

/**
 * A field of a request that `checkedName` checks: what is counted is the name without the spaces
 * around it. `blank`: an empty one, too.
 */
export const TrimmedName = (
  description: string,
  { component = "Name", without = "\\u0000", blank = false } = {},
) => {
  const edge = `[^${without}${spaces}]`;
  const name = `${edge}(?:[^${without}]{0,${name_length_max - 2}}${edge})?[${spaces}]*`;
  const schema = named(component, Type.String({ description }));
  return documented(schema, {
    ...(!blank && { minLength: 1 }),
    pattern: `^[${spaces}]*${blank ? `(?:${name})?` : name}$`,
  });
};
/** A field that `checkedText` or `optionalText` checks. */
export const LimitedText = (length_max: number, description?: string) =>
  documented(Type.String(description === undefined ? {} : { description }), {
    maxLength: length_max,
  });

/**
 * A field that `requireUrl` checks: absolute, without spaces, a user name or a fragment, with a
 * host that is a name of several parts or an address. Whether the host is public, only the server
 * can tell.
 */
export const WebUrl = (description: string) =>
  documented(Type.String({ description }), {
    format: "uri",
    maxLength: url_length_max,
    pattern: `^${uri_pattern}$`,
  });
/**
 * A field that `requireTarget` checks, and whose address must be public where the host is one.
 * `any_address`: the operator allows some that are not. Of the name of a host only a look-up can
 * tell.
 */
export const PublicUrl = (description: string, { any_address = false } = {}) =>
  documented(Type.String({ description }), {
    format: "uri",
    maxLength: url_length_max,
    pattern: `^${any_address ? uri_pattern : public_uri_pattern}$`,
    not: { pattern: any_address ? internal_name_pattern : not_public_pattern },
  });

/**
 * A name as it is stored: trimmed, not blank, at most 255 code points.
 * @throws HttpError 400 that names `pointer`, a JSON pointer such as `/name`.
 */
export function checkedName(value: string, pointer: string): string {
  const name = trimmed(value);
  if (name === "") throw blank(pointer);
  return checkedText(name, pointer, name_length_max);
}

/**
 * A text that may not be missing in effect: not blank, at most `length_max` code points, kept
 * exactly as it was sent.
 * @throws HttpError 400 that names `pointer`.
 */
export function requiredText(value: string, pointer: string, length_max: number): string {
  if (isBlank(value)) throw blank(pointer);
  return checkedText(value, pointer, length_max);
}

/**
 * A text of at most `length_max` code points, which may be empty, kept exactly as it was sent.
 * @throws HttpError 400 that names `pointer`.
 */
export function checkedText(value: string, pointer: string, length_max: number): string {
  // Between one and two UTF-16 units make a code point: only a length in between needs counting.
  if (value.length <= length_max) return value;
  const length = codePoints(value);
  if (length > length_max)
    throw badRequest(
      `${fieldName(pointer)} may have at most ${count(length_max)} characters; ` +
        `this one has ${count(length)}.`,
      pointer,
    );
  return value;
}

/**
 * The same for a field that may be absent: `null` and absent both read as null. @throws HttpError
 * 400 that names `pointer`.
 */
export const optionalText = (
  value: string | null | undefined,
  pointer: string,
  length_max: number,
): string | null =>
  value === undefined || value === null ? null : checkedText(value, pointer, length_max);

const blank = (pointer: string) => badRequest(`${fieldName(pointer)} must not be blank.`, pointer);
const fieldName = (pointer: string): string => `The field ${pointer.slice(1).replaceAll("/", ".")}`;
const count = (n: number): string => n.toLocaleString("en-US");
