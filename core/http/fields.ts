/**
 * Checks shared by many fields: names that must not be blank, texts with a maximum length. Lengths
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

/** Of a name, code points. */
export const name_length_max = 255;
/** Of a description, code points. */
export const description_length_max = 4_000;

/**
 * Number of Unicode code points, as in `maxLength` of JSON Schema, unlike `length`. A lone
 * surrogate counts as one.
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
 * Without white space at both ends: characters with the Unicode property White_Space, and the four
 * of zero width U+180E, U+200B, U+2060 and U+FEFF. (`String.trim` misses U+0085 and three of
 * those.)
 */
export function trimmed(text: string): string {
  // A loop, because a regular expression anchored at the end is quadratic on a long run of inner
  // spaces.
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charAt(start))) start += 1;
  while (end > start && isSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
const isSpace = (character: string): boolean =>
  /^[\p{White_Space}\u180E\u200B\u2060\uFEFF]$/u.test(character);

/** Only white space, as `trimmed` defines it. */
export const isBlank = (text: string): boolean => trimmed(text) === "";

/** What `trimmed` removes, as a character class for JSON Schema. */
const spaces =
  "\\u0009-\\u000D\\u0020\\u0085\\u00A0\\u1680\\u180E\\u2000-\\u200B\\u2028\\u2029\\u202F\\u205F" +
  "\\u2060\\u3000\\uFEFF";

/** A regular expression for JSON Schema that matches what is not blank. */
export const required_pattern = `^[^\\u0000]*[^\\u0000${spaces}][^\\u0000]*$`;

/**
 * A field that is checked by `checkedName` or `requiredText`, with its limits in the API document.
 */
export const RequiredText = (description: string, length_max: number = name_length_max) =>
  documented(Type.String({ description }), {
    minLength: 1,
    maxLength: length_max,
    pattern: required_pattern,
  });

/**
 * A field of a request that is checked by `checkedName`: the limits apply to the name without
 * surrounding spaces. `blank`: an empty one is allowed, too.
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
/** A field that is checked by `checkedText` or `optionalText`. */
export const LimitedText = (length_max: number, description?: string) =>
  documented(Type.String(description === undefined ? {} : { description }), {
    maxLength: length_max,
  });

/**
 * A field that is checked by `requireUrl`: absolute, without spaces, user name or fragment, and
 * with a host that is an address or a name of several parts. Only the server can tell whether the
 * host is public.
 */
export const WebUrl = (description: string) =>
  documented(Type.String({ description }), {
    format: "uri",
    maxLength: url_length_max,
    pattern: `^${uri_pattern}$`,
  });
/**
 * A field that is checked by `requireTarget`; a literal address in it must be public.
 * `any_address`: the operator allows some that are not. The name of a host needs a look-up.
 */
export const PublicUrl = (description: string, { any_address = false } = {}) =>
  documented(Type.String({ description }), {
    format: "uri",
    maxLength: url_length_max,
    pattern: `^${any_address ? uri_pattern : public_uri_pattern}$`,
    not: { pattern: any_address ? internal_name_pattern : not_public_pattern },
  });

/**
 * A name as it is stored: trimmed, not blank, at most 255 code points. @throws HttpError 400 that
 * names `pointer`, a JSON pointer such as `/name`.
 */
export function checkedName(value: string, pointer: string): string {
  const name = trimmed(value);
  if (name === "") throw blank(pointer);
  return checkedText(name, pointer, name_length_max);
}

/**
 * A required text: not blank, at most `length_max` code points, kept exactly as sent. @throws
 * HttpError 400 that names `pointer`.
 */
export function requiredText(value: string, pointer: string, length_max: number): string {
  if (isBlank(value)) throw blank(pointer);
  return checkedText(value, pointer, length_max);
}

/**
 * A text of at most `length_max` code points, possibly empty, kept exactly as sent. @throws
 * HttpError 400 that names `pointer`.
 */
export function checkedText(value: string, pointer: string, length_max: number): string {
  // A code point takes one or two UTF-16 units: only lengths in between need counting.
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
 * The same for an optional field: `null` and absent both become null. @throws HttpError 400 that
 * names `pointer`.
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
