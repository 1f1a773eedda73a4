/** Entries in lists of options or commands, which tell what a sentence is about. Pure. */
import type { Span } from "../search/contract";

/** The beginning of an entry, perhaps with a mark: `--quiet`, `● -n FILE`, `\\hbox`, `‘-q’`. */
const entry_start = /^(?:[‣▶▪◦•●○■□*]\s*)?[‘'"“`(<]?(?:--?(?:\[[^\]\n]*\])?|\\)\p{L}\S*/u;
const list_marker = /^(?:[-*•●○■□–—‣▶▪◦]|\d{1,3}[.)])\s/;
const blank_line = /\n[ \t]*\r?\n/;

/** `start` is a UTF-16 index into the text; `label` is the option, with the marks around it. */
export interface OptionEntry {
  readonly start: number;
  readonly label: string;
}

/** For each sentence of a text, the entry that it belongs to, if any. */
export function optionEntries(
  text: string,
  sentences: readonly Span[],
): readonly (OptionEntry | undefined)[] {
  let entry: OptionEntry | undefined;
  let last_end = 0;
  return sentences.map(({ start, end }) => {
    const sentence = text.slice(start, end);
    const label = entry_start.exec(sentence)?.[0];
    if (label !== undefined) entry = { start, label };
    else if (list_marker.test(sentence) || blank_line.test(text.slice(last_end, start)))
      entry = undefined;
    last_end = end;
    return entry;
  });
}
