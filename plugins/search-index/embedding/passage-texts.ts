/**
 * Which texts are embedded for a passage: itself, and the parts of a list, because the vector of a
 * list of many things is similar to a question about one of them only by chance. Pure.
 */
import { separator } from "../chunks/heading-path";
import type { EmbeddedChunk } from "../chunks/stored-chunks";

/** A shorter passage, or one of fewer entries, is about one thing. UTF-16 units. */
const list_chars_min = 500;
const entries_min = 3;
/** Short entries share a part of at most this length. */
const part_chars_max = 330;
/** Further entries are in the last part. */
const parts_max = 12;

/** What begins an entry: a mark or number (`• x`, `2. x`), an option (`--quiet`), a table cell. */
const mark = String.raw`(?:[-*•●○■□–—‣▶▪◦]|\d{1,3}[.)])\s`;
const option = String.raw`(?:[‘'"“(<]|\[no-\])?--?(?:\[[\p{L}|-]+\])?\p{L}`;
const entry_line = new RegExp(String.raw`^[ \t]*(?:${mark}|${option}|\|)`, "gmu");

/** Empty for a passage that gets no vector. */
export function textsToEmbed(
  title: string | null,
  { heading, text: stored, is_listing }: EmbeddedChunk,
): readonly string[] {
  if (is_listing) return [];
  const text = stored.trimEnd();
  const parts = partsOf(text);
  // The document and the chapter say little about an entry, and would be most of its text.
  const heading_of_parts = heading?.split(separator).at(-1);
  return [
    joined([title, heading, text]),
    ...(parts.length > 1 ? parts.map((part) => joined([heading_of_parts, part])) : []),
  ];
}
const joined = (texts: readonly (string | null | undefined)[]): string =>
  texts.filter((text) => text !== null && text !== undefined && text !== "").join("\n");

/** The parts of a list, each of whole entries; none of any other text. */
function partsOf(text: string): string[] {
  if (text.length < list_chars_min) return [];
  const entries = Array.from(text.matchAll(entry_line), ({ index }) => index);
  if (entries.length < entries_min) return [];
  const parts: string[] = [];
  let start = 0;
  for (const [at, entry] of entries.entries()) {
    const end = entries[at + 1] ?? text.length;
    if (entry > start && end - start > part_chars_max && parts.length + 1 < parts_max) {
      parts.push(text.slice(start, entry).trim());
      start = entry;
    }
  }
  return [...parts, text.slice(start).trim()].filter((part) => part !== "");
}
