/**
 * Makes a model's Markdown harmless: removes whatever loads something, links, or only looks like a
 * marker.
 */

/** Private-use characters, which no answer contains: they stand for others while it is checked. */
export const private_characters = /[\ue000-\uf8ff]/g;
const placeholder_first = 0xe000;
/** Those that replace markers; the others shield code. */
export const placeholders = /[\ue000-\uefff]/g;
/** For the marker with this index. */
export const placeholder = (at: number): string => String.fromCharCode(placeholder_first + at);
/** The index of the marker for a placeholder. */
export const markerIndex = (char: string): number => char.charCodeAt(0) - placeholder_first;
/** Text that looks like a marker without being one. */
const false_marker = /\[[\s\ue000-\uefff]*(?:\d+|\?)[\s\ue000-\uefff]*\]/g;

// Bounded, so that unclosed brackets cost no time; longer ones are broken up below.
const image = /!\[([^\]\n]{0,300})\](?:\([^)\n]*\)?|\[[^\]\n]{0,300}\])?/g;
const link = /\[([^\]\n]{0,300})\]\([^)\n]*\)?/g;
const autolink = /<(?:https?|ftp|file|data|javascript|mailto):[^>\s]*>?/gi;
const link_definition = /^[ \t]*\[[^\]\n]+\]:[ \t]*\S+.*$/gm;
const tag_names =
  "a|img|image|svg|script|style|iframe|object|embed|form|input|button|video|audio|source|sources|" +
  "link|meta|base|body|html|instructions|question";
const tag = new RegExp(`</?(?:${tag_names})\\b[^>]*>?`, "gi");

/**
 * Markdown without links, images, HTML that loads something, and text that only looks like a
 * marker: a document may have told the model to write these. The text of links stays.
 */
export function sanitized(markdown: string): string {
  let text = markdown
    .replace(image, "$1")
    .replace(link, "$1")
    .replace(link_definition, "")
    .replace(autolink, "")
    .replace(tag, "")
    // Left over from a link that another sentence ends.
    .replace(/!(?=\[)/g, "")
    .replace(/\](?=\()/g, "] ");
  while (text.search(false_marker) >= 0) text = text.replace(false_marker, "");
  return text;
}
