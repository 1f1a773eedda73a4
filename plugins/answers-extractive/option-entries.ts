/** Entries in lists of options or commands, which tell what a sentence is about. Pure. */
import type { Span } from "../search/contract";

/**
 * The beginning of an entry, perhaps with a mark: `--quiet`, `● -n FILE`, `\\hbox`, `‘-q’`, or a
 * name or path on a line of its own: `LOG_LEVEL`.
 */
const entry_start = new RegExp(
  "^(?:[‣▶▪◦•●○■□*]\\s*)?[‘'\"“`(<]?" +
    "(?:(?:[-–−]{1,2}(?:\\[[^\\]\\n]*\\])?|\\\\)\\p{L}\\S*" +
    "|(?:[~˜]?/[\\w.~-]\\S+|\\p{L}[\\p{L}\\p{N}.]*_[\\p{L}\\p{N}_.]*)(?=[ \\t]*(?:\\r?\\n|$)))",
  "u",
);
const list_marker = /^(?:[-*•●○■□–—‣▶▪◦]|\d{1,3}[.)])\s/;
const blank_line = /\n[ \t]*\r?\n/;
/** The end of a sentence, not of a heading. */
const ended = /[.!?…:;]["'”’»)\]]*$/u;

/** `start` is a UTF-16 index into the text; `label` is the option, with the marks around it. */
export interface OptionEntry {
  readonly start: number;
  readonly label: string;
}

/**
 * For each sentence of a text, the entry that it belongs to, if any. An explanation may have
 * several paragraphs when a blank line separates the first one from the option, too.
 */
export function optionEntries(
  text: string,
  sentences: readonly Span[],
): readonly (OptionEntry | undefined)[] {
  let entry: OptionEntry | undefined;
  let is_apart = false;
  let last_end = 0;
  return sentences.map(({ start, end }) => {
    const sentence = text.slice(start, end);
    const label = entry_start.exec(sentence)?.[0];
    const is_next = blank_line.test(text.slice(last_end, start));
    if (label !== undefined) {
      entry = { start, label };
      is_apart = blank_line.test(sentence);
    } else if (list_marker.test(sentence) || (is_next && !(is_apart && ended.test(sentence))))
      entry = undefined;
    last_end = end;
    return entry;
  });
}
