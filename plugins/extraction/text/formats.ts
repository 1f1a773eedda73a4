/**
 * Text that is more than lines: what kind it is, and how it reads best. Tables get tabs between
 * their cells, Markdown its headings, JSON its letters.
 */
import type { Extracted, ExtractionSource } from "../contract";
import { delimiterOf, tabulate } from "./csv";
import { markdownHeadings } from "./markdown";

export type Shaped = Pick<Extracted, "text" | "media_type" | "headings">;
export type Hints = Pick<ExtractionSource, "name" | "declared_type">;

/** Larger texts are not parsed to see whether they are JSON, UTF-16 units. */
const json_chars_max = 8 * 1024 * 1024;
/** So many lines tell. */
const lines_seen = 1_000;

export const isMarkdown = ({ name, declared_type }: Hints): boolean =>
  /\.(?:md|markdown|mkd)$/i.test(name) || /^\s*text\/markdown\s*(?:;|$)/i.test(declared_type ?? "");

export function shape(text: string, { name, declared_type }: Hints): Shaped {
  const declared = declared_type?.split(";")[0]!.trim().toLowerCase() ?? "";
  const named = (endings: RegExp, ...types: readonly string[]): boolean =>
    endings.test(name) || types.includes(declared);
  if (isMarkdown({ name, declared_type }))
    return { text, media_type: "text/markdown", headings: markdownHeadings(text) };
  if (named(/\.(?:csv|tsv|tab)$/i, "text/csv", "text/tab-separated-values")) {
    const delimiter = delimiterOf(text);
    if (delimiter !== null)
      return {
        text: tabulate(text, delimiter),
        media_type: delimiter === "\t" ? "text/tab-separated-values" : "text/csv",
      };
  }
  const json = jsonType(text);
  if (json !== null) return { text: readableJson(text), media_type: json };
  if (/^\s*<\?xml\s/.test(text))
    return {
      text,
      media_type:
        /^[^<]*<\?xml[^>]*>(?:\s|<!--(?:(?!-->)[\s\S])*-->|<!DOCTYPE[^>]*>)*<svg[\s>]/i.test(
          text.slice(0, 4_096),
        )
          ? "image/svg+xml"
          : "application/xml",
    };
  if (
    named(/\.ya?ml$/i, "application/yaml", "text/yaml", "application/x-yaml") &&
    /^(?:%YAML|---|\s*(?:- )?[\w"'./-]+\s*:(?:\s|$)|\s*- )/m.test(text.slice(0, 4_096))
  )
    return { text, media_type: "application/yaml" };
  return { text, media_type: "text/plain" };
}

/**
 * `application/json` for one value, `application/x-ndjson` for a value in each line; null for
 * everything else, and for numbers and words alone.
 */
function jsonType(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  if (text.length <= json_chars_max && isJson(text)) return "application/json";
  const lines = text.split("\n", lines_seen).filter((line) => line.trim() !== "");
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
/** Letters that are written as `\u041a` read as themselves; it means the same. */
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
