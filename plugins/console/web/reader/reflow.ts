/**
 * The lines of a page as lines of the screen: a paragraph runs on where its lines ended only
 * because the page did.
 */

/** The lines of a page are as long as this one: so many are shorter. */
const usual_share = 0.8;
/** Shorter lines are those of verses, addresses and narrow columns. */
const usual_min = 45;
/** A line that ends so much before the others ends by itself. */
const full_share = 0.8;

/** With spaces in place of breaks that the width of the page made: as long as before. */
export function reflowed(text: string): string {
  const lines = text.split("\n");
  const lengths = lines
    .map((line) => line.length)
    .filter((length) => length > 0)
    .sort((a, b) => a - b);
  const usual = lengths[Math.floor(lengths.length * usual_share)] ?? 0;
  if (usual < usual_min) return text;
  return lines
    .map((line, at) => {
      const next = lines[at + 1];
      if (next === undefined) return line;
      const goes_on = line.length >= full_share * usual && /^\S/.test(next) && !begins.test(next);
      return `${line}${goes_on ? " " : "\n"}`;
    })
    .join("");
}

/** An item of a list, an entry with its number, a cell, a quoted line. */
const begins = /^(?:[-*+•–—‣▪◦|>]|\(?(?:\d{1,3}|[a-z])[.)]\s)/i;
