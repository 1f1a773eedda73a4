/** How the text of a document is shown by default, judged by its type and content. */
import type { Document } from "../api/types";
import type { Rendering } from "./rendered-text";

const written_in_markdown =
  /markdown|html|rtf|epub|officedocument|opendocument|msword|ms-(powerpoint|excel)|csv|tab-sep/;
/** Data formats that people read verbatim. */
const data_format = /json|xml|yaml|x-log|javascript|x-sh|calendar|vcard/;
/** A plain text counts as Markdown if it has headings or a table. */
const heading = /^#{1,6} \S/gm;
const table = /^\|?.*\|.*\n\s*\|?\s*:?-+:?\s*\|[\s:|-]*$/m;
/** UTF-16 units of the text that are inspected. */
const inspected_units = 60_000;

/** Judged by the media type, and for plain text by its beginning. */
export function renderingOf(
  { media_type, source }: Pick<Document, "media_type" | "source">,
  text: string,
): Rendering {
  const kind = media_type.split(";", 1)[0]!.trim().toLowerCase();
  if (written_in_markdown.test(kind)) return "markdown";
  if (data_format.test(kind) || source.kind === "transcription") return "as_written";
  const beginning = text.slice(0, inspected_units);
  if (kind === "text/plain" && (beginning.match(heading)?.length ?? 0) > 1) return "markdown";
  return table.test(beginning) || kind === "application/pdf" ? "tables" : "as_written";
}
