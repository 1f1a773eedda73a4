/**
 * Words that a model puts in quotation marks are a claim that they stand somewhere so: where they
 * don't, the marks go.
 */

const pairs: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["“", "”"],
  ["„", "“"],
  ["„", "”"],
  ["«", "»"],
  ["»", "«"],
  ["「", "」"],
  ["『", "』"],
];
const inside = String.raw`([^"“”„«»「」『』]*)`;
const quotation = new RegExp(
  pairs.map(([open, close]) => `${open}${inside}${close}`).join("|"),
  "g",
);
const any_mark = /["“”„«»「」『』]/g;

/**
 * Text as it is compared: one case, one kind of mark, no breaks, none of the bracketed numbers that
 * are kept from the model.
 */
export const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s*\[\d{1,3}\]/g, "")
    .replace(/[‘’‚`´]/g, "'")
    .replace(/["“”„«»「」『』*_]/g, "")
    .replace(/[‐‑–—]/g, "-")
    .replace(/\s+/g, " ")
    .trim();

/** Whether these words stand in one of the texts, apart from what `…` leaves out and a mark at their end. `texts` are folded. */
export function standsIn(words: string, texts: readonly string[]): boolean {
  const parts = folded(words)
    .split(/\[?(?:\.{3,})\]?/)
    .map((part) =>
      part
        .trim()
        .replace(/^[.,;:!?]+|[.,;:!?。、！？]+$/g, "")
        .trim(),
    )
    .filter((part) => part !== "");
  return texts.some((text) => parts.every((part) => text.includes(part)));
}

/** The text without the marks of quotations that `holds` refuses and without unpaired ones. `broken` tells whether one was refused. */
export function honest(
  text: string,
  holds: (words: string) => boolean,
): { readonly text: string; readonly broken: boolean } {
  let broken = false;
  let kept = "",
    end = 0;
  const unpaired = (part: string): string => part.replace(any_mark, "");
  for (const match of text.matchAll(quotation)) {
    const words = match.slice(1).find((group) => group !== undefined) ?? "",
      good = holds(words);
    broken ||= !good;
    kept += unpaired(text.slice(end, match.index)) + (good ? match[0] : words);
    end = match.index + match[0].length;
  }
  return { text: kept + unpaired(text.slice(end)), broken };
}

/** Whether a quotation is still open at the end. */
export const isOpen = (text: string): boolean => text.replace(quotation, "").search(any_mark) >= 0;
