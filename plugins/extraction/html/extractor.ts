/** Web pages, in any encoding: read in a child, within limits. */
import type { Isolate } from "../../../core/sdk";
import type { Extractor, ExtractionSource } from "../contract";
import { announcedEncoding, decode, mayBeText } from "../text/encoding";
import { readInChild, type ChildLimits } from "../server/child-run";
import type { ReadingParts } from "../server/deadline";
import { isMarkdown } from "../text/formats";
import type { tasks } from "../tasks";
import { brokenWarnings } from "../text/extractor";

export interface HtmlParts extends ReadingParts {
  readonly isolate: Isolate<typeof tasks>;
  readonly limits: ChildLimits;
}

/** How far into a file its kind shows. */
const sight_bytes = 8_192;
/** A page may begin with white space, comments and an XML declaration. */
const before = /^\ufeff?(?:\s|<!--(?:(?!-->)[\s\S])*-->|<\?xml[^>]*>)*/.source;
const page = new RegExp(`${before}<(?:!doctype\\s+html|html|head|body|title|meta)[\\s>]`, "i");
const part_of_page = new RegExp(
  `${before}<(?:!doctype|[a-z][a-z0-9]*)[\\s/>]|</(?:p|div|a|td|li|h[1-6])>|<br\\s*/?>`,
  "i",
);

/**
 * By its first bytes; a part of a page, which has no such beginning, by its name or declared type
 * too.
 */
export function isHtml(
  head: Uint8Array,
  { name, declared_type }: Pick<ExtractionSource, "name" | "declared_type">,
): boolean {
  if (!mayBeText(head)) return false;
  const sight = head.subarray(0, sight_bytes);
  const [start] = decode(
    () => [sight],
    announcedEncoding(sight) ?? { label: "latin1", skip: 0, exact: true },
  );
  const text = start!.text.replace(/^ï»¿/, "");
  if (isMarkdown({ name, declared_type })) return false;
  if (page.test(text)) return true;
  return (
    (/\.(?:html?|xhtml|xht|shtml)$/i.test(name) ||
      /^(?:text\/html|application\/xhtml\+xml)\b/i.test(declared_type ?? "")) &&
    part_of_page.test(text)
  );
}

export const htmlExtractor = (parts: HtmlParts): Extractor => ({
  name: "HTML",
  rank: 40,
  recognises: (head, _tail, source) => isHtml(head, source),
  extract: async (source, watch) => {
    const { text, headings, broken } = await readInChild(parts, watch, (where, within) =>
      parts.isolate("html", { path: source.path, ...where }, within),
    );
    return {
      text,
      headings,
      media_type: "text/html",
      pages: [],
      page_count: null,
      warnings: brokenWarnings(broken),
    };
  },
});
