/**
 * Takes out of a model's Markdown what would load or lead somewhere: a document may have told it to
 * write that.
 */

// Bounded, so that brackets without end cost no time; what is longer is broken up below.
const image = /!\[([^\]\n]{0,300})\](?:\([^)\n]*\)?|\[[^\]\n]{0,300}\])?/g;
const link = /\[([^\]\n]{0,300})\]\([^)\n]*\)?/g;
const automatic = /<(?:https?|ftp|file|data|javascript|mailto):[^>\s]*>?/gi;
const definition = /^[ \t]*\[[^\]\n]+\]:[ \t]*\S+.*$/gm;
const tag =
  /<\/?(?:a|img|image|svg|script|style|iframe|object|embed|form|input|button|video|audio|source|sources|link|meta|base|body|html|instructions|question)\b[^>]*>?/gi;

/** The same text with the words of its links and without their targets. */
export const harmless = (text: string): string =>
  text
    .replace(image, "$1")
    .replace(link, "$1")
    .replace(definition, "")
    .replace(automatic, "")
    .replace(tag, "")
    // What is left over of a link that another sentence ends.
    .replace(/!(?=\[)/g, "")
    .replace(/\](?=\()/g, "] ");
