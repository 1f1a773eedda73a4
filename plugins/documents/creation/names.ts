/** Names of documents: validation, comparison, search, and derivation from a text. */
import type { LongText } from "../../../core/lib/text-pieces";
import {
  badRequest,
  checkedName,
  name_length_max,
  trimmed,
  TrimmedName,
  named,
  t,
} from "../../../core/sdk";

/** The key by which names are equal: the canonical composition, case-sensitive. */
export const nameKey = (name: string): string => name.normalize("NFC");

/** The form in which names are searched: case-insensitive. */
export const nameFolded = (name: string): string => name.normalize("NFC").toLowerCase();

const control = /\p{Cc}/u;
/** Names can't contain control characters. */
export const hasControl = (text: string): boolean => control.test(text);

/** Separates the two forms of a name with numbers; sorts below every character of a name. */
const mark = "\u0001";
/**
 * The form by which names are sorted and searched: folded, with numbers in numeric order, `Report
 * 2` before `report 10`. With numbers, the folded name itself follows after a mark.
 */
export function nameOrder(name: string): string {
  const folded = nameFolded(name);
  const ordered = folded.replaceAll(/\d+/g, countedNumber);
  return ordered === folded ? folded : `${ordered}${mark}${folded}`;
}
/** Prefixes the number of its digits: one digit, or three after a nine. */
function countedNumber(digits: string): string {
  const value = digits.replace(/^0+/, "");
  const { length } = value;
  return (length < 9 ? String(length) : `9${String(length).padStart(3, "0")}`) + value;
}
/** The LIKE pattern, escaped with `!`, for the `nameOrder` of names that contain this. */
export function namePattern(part: string): string {
  const folded = nameFolded(part);
  const escaped = folded.replaceAll(/[!%_]/g, "!$&");
  return /\d/.test(folded) ? `%${mark}%${escaped}%` : `%${escaped}%`;
}
/** The same characters as a class, for `TrimmedName`. */
const control_class = "\\u0000-\\u001F\\u007F-\\u009F";

/** A field that is checked by `documentName`. */
export const NameText = (description: string) =>
  TrimmedName(description, { component: "DocumentName", without: control_class });
export const NewName = named(
  "DocumentChange",
  t.Object({
    name: NameText("Trimmed, not blank, no control characters, at most 255 characters."),
  }),
);

/**
 * A name given by a client: trimmed, not blank, no control characters, at most 255 characters.
 * @throws HttpError 400 that names `pointer`.
 */
export function documentName(value: string, pointer: string): string {
  const name = checkedName(value, pointer);
  if (control.test(name))
    throw badRequest(
      "The name must not contain control characters such as line breaks or tabs.",
      pointer,
    );
  return name;
}

const untitled = "Untitled";
const not_blank = /[^\s\u200B\u2060\uFEFF]/u;

/**
 * The name of a text that was sent without one: its first non-blank line, cut to 255 characters.
 */
export function nameOfText(content: string): string {
  const start = not_blank.exec(content)?.index ?? content.length;
  // A code point has at most two units: the name can't be longer than this.
  const head = content.slice(start, start + 2 * name_length_max);
  const line = head.split(/[\n\r\u2028\u2029\v\f\u0085]/, 1)[0]!.replaceAll(/\p{Cc}/gu, " ");
  return trimmed([...trimmed(line)].slice(0, name_length_max).join("")) || untitled;
}
/** The same for a text in parts: its name is in the first non-blank one. */
export async function nameOfLongText({ parts }: LongText): Promise<string> {
  let head = "";
  for await (const part of parts) {
    head += part;
    const start = head.search(not_blank);
    if (start < 0) head = "";
    else if (head.length - start > 2 * name_length_max) break;
  }
  return nameOfText(head);
}

/**
 * The name of ingested content, made from the name in its source: without control characters, cut
 * to 255 characters. Never refused.
 */
export function cleanedName(raw: string): string {
  const name = trimmed(
    raw
      .slice(0, 4 * name_length_max)
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, " ")
      .replaceAll(/\s+/g, " "),
  );
  return trimmed([...name].slice(0, name_length_max).join("")) || untitled;
}
