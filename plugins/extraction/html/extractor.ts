/** Web pages, in any encoding. */
import type { ExtractionContext } from "../context";
import type { Extractor, ExtractionSource } from "../contract";
import { readInChild } from "../server/child-run";
import { announcedEncoding, decode, mayBeText } from "../text/encoding";
import { damagedTextWarnings } from "../text/extractor";
import { isMarkdown } from "../text/formats";

/** Bytes inspected to detect a page. */
const sample_bytes = 8_192;
/** A page may begin with white space, comments and an XML declaration. */
const before = /^\ufeff?(?:\s|<!--(?:(?!-->)[\s\S])*-->|<\?xml[^>]*>)*/.source;
const page = new RegExp(`${before}<(?:!doctype\\s+html|html|head|body|title|meta)[\\s>]`, "i");
const fragment = new RegExp(
  `${before}<(?:!doctype|[a-z][a-z0-9]*)[\\s/>]|</(?:p|div|a|td|li|h[1-6])>|<br\\s*/?>`,
  "i",
);

/**
 * Detected by the first bytes. A fragment of a page counts only if its name or declared type agree.
 */
function isHtml(
  head: Uint8Array,
  { name, declared_type }: Pick<ExtractionSource, "name" | "declared_type">,
): boolean {
  if (!mayBeText(head)) return false;
  const sample = head.subarray(0, sample_bytes);
  const [start] = decode(
    () => [sample],
    announcedEncoding(sample) ?? { label: "latin1", skip: 0, exact: true },
  );
  const text = start!.text.replace(/^ï»¿/, "");
  if (isMarkdown({ name, declared_type })) return false;
  if (page.test(text)) return true;
  return (
    (/\.(?:html?|xhtml|xht|shtml)$/i.test(name) ||
      /^(?:text\/html|application\/xhtml\+xml)\b/i.test(declared_type ?? "")) &&
    fragment.test(text)
  );
}

export const htmlExtractor = (ctx: ExtractionContext): Extractor => ({
  rank: 40,
  recognises: (head, _tail, source) => isHtml(head, source),
  extract: async (source, options) => {
    const { text, headings, broken } = await readInChild(
      ctx,
      source,
      options,
      (input, run_options) => ctx.isolate("html", input, run_options),
    );
    return {
      text,
      headings,
      media_type: "text/html",
      pages: [],
      page_count: null,
      warnings: damagedTextWarnings(broken),
    };
  },
});
