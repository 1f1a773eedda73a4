/** Joins the lines of a page into paragraphs where lines ended only because of the page's width. */

/** The line length of a page: this share of its lines is shorter. */
const usual_share = 0.8;
/** Shorter lines are verses, addresses and narrow columns. */
const usual_min = 45;
/** A line that is this much shorter than the others ends a paragraph. */
const full_share = 0.8;

/** Replaces line breaks caused by the page's width by spaces; the length stays the same. */
export function reflowed(text: string): string {
  const lines = text.split("\n");
  const lengths = lines
    .map((line) => line.length)
    .filter((length) => length > 0)
    .sort((a, b) => a - b);
  const typical_length = lengths[Math.floor(lengths.length * usual_share)] ?? 0;
  if (typical_length < usual_min) return text;
  return lines
    .map((line, index) => {
      const next = lines[index + 1];
      if (next === undefined) return line;
      const continues =
        line.length >= full_share * typical_length && /^\S/.test(next) && !begins_block.test(next);
      return `${line}${continues ? " " : "\n"}`;
    })
    .join("");
}

/** A list item, a numbered entry, a table cell, a quoted line. */
const begins_block = /^(?:[-*+•–—‣▪◦|>]|\(?(?:\d{1,3}|[a-z])[.)]\s)/i;
