/** Finds quotations in a model's text, and removes the quotation marks of unsupported ones. */

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
 * Text in the form in which it is compared: lower case, one kind of apostrophe and dash, no
 * quotation marks, no line breaks, no bracketed numbers (those of the sources are hidden from the
 * model).
 */
export const normalized = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/ ?\[\d{1,3}\]/g, "")
    .replace(/[‘’‚`´]/g, "'")
    .replace(/["“”„«»「」『』*_]/g, "")
    .replace(/[‐‑–—]/g, "-")
    .replace(/\s+/g, " ")
    .trim();

/**
 * Whether these words occur in one of the normalized texts. Omissions at `…` and final punctuation
 * are ignored.
 */
export function isQuotedFrom(words: string, texts: readonly string[]): boolean {
  const parts = normalized(words)
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

/**
 * The text without the marks of quotations that `holds` rejects, and without unpaired marks.
 * `broken`: a quotation was rejected.
 */
export function withoutFalseQuotations(
  text: string,
  holds: (words: string) => boolean,
): { readonly text: string; readonly broken: boolean } {
  let broken = false;
  let checked = "";
  let end = 0;
  const unpaired = (part: string): string => part.replace(any_mark, "");
  for (const match of text.matchAll(quotation)) {
    const words = match.slice(1).find((group) => group !== undefined) ?? "";
    const good = holds(words);
    broken ||= !good;
    checked += unpaired(text.slice(end, match.index)) + (good ? match[0] : words);
    end = match.index + match[0].length;
  }
  return { text: checked + unpaired(text.slice(end)), broken };
}

/** Whether a quotation is still open at the end. */
export const isOpen = (text: string): boolean => text.replace(quotation, "").search(any_mark) >= 0;

/** Lines that begin with `>` stay a block quotation as long as `holds` finds their sentences. */
export function checkBlockquote(
  text: string,
  was_inside: boolean,
  holds: (words: string) => boolean,
): { readonly text: string; readonly continues: boolean; readonly broken: boolean } {
  const prefix = /^(\s*)((?:>[ \t]*)+)/.exec(text);
  if (!prefix && !was_inside) return { text, continues: false, broken: false };
  const words = prefix ? text.slice(prefix[0].length) : text;
  if (holds(words)) return { text, continues: !/\n/.test(text.trimStart()), broken: false };
  return { text: prefix ? `${prefix[1]}${words}` : `\n\n${words}`, continues: false, broken: true };
}
