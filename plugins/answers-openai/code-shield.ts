/**
 * Keeps the code in a model's text from being read as prose: while the text is checked, the
 * characters of code are replaced by private ones, so that no marker, link, tag, quotation or end
 * of a sentence is found in it. The length stays.
 */
import type { CodeRange } from "../../core/lib/code-ranges";

/** Blocks of 256 characters that may mean something in a text, in the order of their shields. */
const blocks = [0x00, 0x01, 0x02, 0x03, 0x04, 0x20, 0x30, 0xff];
const shield_first = 0xf000;
const shield_last = shield_first + blocks.length * 0x100 - 1;
const shield = /[\uf000-\uf7ff]/g;
const shields = new Map(blocks.map((block, at) => [block, shield_first + at * 0x100]));

/** The last fence of a block: its line break and indentation are shielded. */
const closing_fence = String.raw`(?<=\uf00a[\uf009\uf020]*)(?:${"`"}{3,}|~{3,})`;
const fence_end = new RegExp(String.raw`${closing_fence}\s*$`);
/** Whether the text, with its code shielded, ends in a block of code. */
export const endsInFence = (text: string): boolean => fence_end.test(text);
const fence_with_marker = new RegExp(String.raw`(${closing_fence})[ \t]*(?=\[(?:\d+|\?)\])`, "g");
/** The same with a marker behind a fence, which would not close its block, on the next line. */
export const withMarkersBelowFences = (text: string): string =>
  text.replace(fence_with_marker, "$1\n");

/** The text with its code shielded, except for the fences and backticks around it. */
export function shielded(text: string, ranges: readonly CodeRange[]): string {
  let safe = "";
  let from = 0;
  for (const { code_start, code_end } of ranges) {
    safe += text.slice(from, code_start);
    for (let at = code_start; at < code_end; at++) safe += shieldOf(text.charCodeAt(at));
    from = Math.max(code_start, code_end);
  }
  return safe + text.slice(from);
}
function shieldOf(code: number): string {
  const first = shields.get(code >> 8);
  return String.fromCharCode(first === undefined ? code : first + (code & 0xff));
}

/** The text with its code as it was. */
export const unshielded = (text: string): string =>
  text.replace(shield, (char) => {
    const offset = char.charCodeAt(0) - shield_first;
    return String.fromCharCode((blocks[offset >> 8]! << 8) | (offset & 0xff));
  });

/** The code alone; what is not shielded is a line break. */
export const codeOf = (text: string): string =>
  unshielded(text.replace(/[^\uf000-\uf7ff]+/g, "\n"));

/** Whether the character before this index is shielded: the index is within code. */
export function isWithinCode(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return code >= shield_first && code <= shield_last;
}
