/**
 * Detects the format of a text (Markdown, CSV, JSON, XML, YAML), and makes it readable: tables
 * become pipe tables, escaped characters of JSON are decoded. Runs in the server for small files,
 * otherwise in the child.
 */
import type { Extracted, ExtractionSource } from "../contract";
import { delimiterOf, tabulate } from "./csv";
import { markdownHeadings } from "./markdown";

/** A readable text with its media type and its headings. */
export type FormattedText = Pick<Extracted, "text" | "media_type" | "headings">;
/** What the uploader declared about the file. */
export type Hints = Pick<ExtractionSource, "name" | "declared_type">;

/** Larger texts are not parsed as JSON to detect it, in UTF-16 units. */
const json_chars_max = 8 * 1024 * 1024;
/** Lines inspected to detect one value per line. */
const lines_sampled = 1_000;

/** Judged by the name and the declared type. */
export const isMarkdown = ({ name, declared_type }: Hints): boolean =>
  /\.(?:md|markdown|mkd)$/i.test(name) || /^\s*text\/markdown\s*(?:;|$)/i.test(declared_type ?? "");

/** The text as it is indexed and shown, with its media type and, for Markdown, its headings. */
export function formatText(text: string, hints: Hints): FormattedText {
  if (isMarkdown(hints))
    return { text, media_type: "text/markdown", headings: markdownHeadings(text) };
  const delimiter = isTable(hints) ? delimiterOf(text) : null;
  if (delimiter !== null)
    return {
      text: tabulate(text, delimiter),
      media_type: tableType(delimiter),
    };
  const json = jsonType(text);
  if (json !== null) return { text: readableJson(text), media_type: json };
  if (/^\s*<\?xml\s/.test(text)) return { text, media_type: xmlType(text) };
  if (isYaml(text, hints)) return { text, media_type: "application/yaml" };
  return { text, media_type: "text/plain" };
}

const declaredType = ({ declared_type }: Hints): string =>
  declared_type?.split(";")[0]!.trim().toLowerCase() ?? "";
/** The media type of a table with this delimiter. */
export const tableType = (delimiter: string): string =>
  delimiter === "\t" ? "text/tab-separated-values" : "text/csv";
/** Judged by the name and the declared type. */
export const isTable = (hints: Hints): boolean =>
  /\.(?:csv|tsv|tab)$/i.test(hints.name) ||
  ["text/csv", "text/tab-separated-values"].includes(declaredType(hints));
const isYaml = (text: string, hints: Hints): boolean =>
  (/\.ya?ml$/i.test(hints.name) ||
    ["application/yaml", "text/yaml", "application/x-yaml"].includes(declaredType(hints))) &&
  /^(?:%YAML|---|[ \t]*(?:- )?[\w"'./-]+[ \t]*:(?:\s|$)|[ \t]*- )/m.test(text.slice(0, 4_096));

const svg = /^[^<]*<\?xml[^>]*>(?:\s|<!--(?:(?!-->)[\s\S])*-->|<!DOCTYPE[^>]*>)*<svg[\s>]/i;
const xmlType = (text: string): string =>
  svg.test(text.slice(0, 4_096)) ? "image/svg+xml" : "application/xml";

/**
 * `application/json` for one value, `application/x-ndjson` for one value per line; null for
 * everything else. Only objects and arrays count.
 */
function jsonType(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  if (text.length <= json_chars_max && isJson(text)) return "application/json";
  const lines = text.split("\n", lines_sampled).filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every((line) => /^\s*[[{]/.test(line) && isJson(line))
    ? "application/x-ndjson"
    : null;
}
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
/** Decodes escapes such as `\u041a`, except where that would change the JSON's meaning. */
const readableJson = (text: string): string =>
  text
    .replace(/\\(?:u([0-9a-fA-F]{4})|[\s\S])/g, (written, code: string | undefined) => {
      const character = code === undefined ? 0 : Number.parseInt(code, 16);
      return character < 0x20 ||
        character === 0x22 ||
        character === 0x5c ||
        (character >= 0x7f && character < 0xa0)
        ? written
        : String.fromCharCode(character);
    })
    .toWellFormed();
