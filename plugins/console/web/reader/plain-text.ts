/** A passage on one line, without Markdown markup. */
import { isRow, table_rule } from "./text-chunks";

/** Separates lines that don't form a sentence: cells, headings, items. */
const separator = " · ";

/** `| Buoy | 11.5 |` becomes `Buoy, 11.5`, and `## Fees` `Fees`. */
export function plainText(markdown: string): string {
  let text = "";
  /** A text that ends a sentence needs no separator. */
  let is_previous_separate = false;
  for (const line of markdown.split(/\r\n|[\n\r]/)) {
    const { content, is_separate } = lineOf(line);
    if (content === "") continue;
    const joined = text === "" ? "" : is_previous_separate || is_separate ? separator : " ";
    text += joined + content;
    is_previous_separate = is_separate;
  }
  return text;
}

function lineOf(line: string): { readonly content: string; readonly is_separate: boolean } {
  const trimmed = line.trim();
  const is_rule = (isRow(trimmed) && table_rule.test(trimmed)) || /^(`{3,}|~{3,})/.test(trimmed);
  if (is_rule) return { content: "", is_separate: false };
  if (/^\|.*\|$/.test(trimmed)) return { content: rowText(trimmed), is_separate: true };
  const mark = /^(?:#{1,6}\s+|(?:>\s?)+|[-*+]\s+(?=\S))/.exec(trimmed)?.[0] ?? "";
  return {
    content: withoutMarkup(trimmed.slice(mark.length)),
    is_separate: mark !== "" && !mark.startsWith(">"),
  };
}

/** The non-empty cells of a row. */
const rowText = (line: string): string =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => withoutMarkup(cell.replaceAll("\\|", "|")).trim())
    .filter((cell) => cell !== "")
    .join(", ");

/** Without emphasis, code marks and link targets. */
const withoutMarkup = (text: string): string =>
  text
    .replace(/<br\s*\/?>/gi, " ")
    .replace(/!?\[([^\]]*)\]\((?:[^()\s]|\([^()\s]*\))+\)/g, "$1")
    .replace(/(?<![\p{L}\p{N}*_])(\*{1,3}|_{1,3})(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}*_])/gu, "$2")
    .replace(/`([^`]+)`/g, "$1")
    .replace(/\s+/g, " ");
