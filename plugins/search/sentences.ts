/** Text to sentences, in any language. Offsets are UTF-16 indices, end exclusive. */
import { codeBlocks, type CodeBlock } from "../../core/lib/code-blocks";
import { isDelimiterRow, pipeCells } from "../../core/lib/pipe-rows";
import { quote_points_max, type Span } from "./contract";
import { entryBreaks } from "./line-lists";

const sentence_chars_max = 300;
/** A shorter line is not wrapped; an ideograph is as wide as two letters. */
const short_line_width = 45;
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const clause_chars = 80;
/** How far around a line other lines of its list are looked for; UTF-16 units. */
const list_chars = 240;
const ideographic_stop = /[。！？｡]/;
const full_stop = /[.!?…؟۔।։።။។]/;
/** A stop after which the next sentence may follow without a space. */
const spaceless_stop = /[؟۔।։።။។]/;
/** Marks of emphasis, too: `**May I?** Yes.` */
const closing = /[)\]"'”’»」』）】›*_]/;
const titles =
  "[Mm]rs?|[Mm]s|[Dd]ra?|[Pp]rof|[Ss]t|[Ss]ra?|[Jj]r|[Gg]en|[Cc]ol|[Ll]t|[Ss]gt|[Rr]ev|[Hh]on|" +
  "[Ss]ig|[Dd]ott|[Dd]hr|[Mm]evr|Doç|Av|Sn|κα|κκ|Δρ|Καθ|P?GS|Th?S|BS|डॉ|प्रो|श्री|проф|акад|им";
const shortened =
  "[Nn]o|[Nn]r|[Vv]ers?|[Vv]ol|[Ff]ig|[Ss]ec|[Ee]q|[Ee]ds?|[Cc]f|[Vv]s|[Aa]pprox|[Cc]a|[Ii]nc|" +
  "[Ll]td|[Cc]o|[Cc]orp|[Aa]ve|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec|et al|al|etc|pp?|bzw|usw|" +
  "vgl|Abs|Art|Kap|Str|núm|págs?|TP|Tp|bkz|örn|vd|βλ|αρ|τηλ|σελ|रु|ул|стр|см|тыс";
/** A full stop after one does not end a sentence: `J.`, `e.g.`, a title, a shortened word. */
const abbreviation = new RegExp(
  `(?:^|[\\s("'[“‘])(?:\\p{L}|\\p{L}\\.\\p{L}|${titles}|${shortened})\\.$`,
  "u",
);
/** A German ordinal, by the word before it or after it: `im 19. Jahrhundert`, `5. Mai`. */
const after_ordinal = /^\s+(?:Jahrhundert|Jan|Feb|März|April|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)/;
const ordinal = /(?:^|\s)\d{1,2}\.$/;
const led_ordinal = /(?:^|\s)(?:im|vom|zum|beim|dem|den|der|das|des|die|und)\s\d{1,2}\.$/i;
const list_marker = /^(?:[-*•●○■□–—#|>‣▶▪◦]|\d{1,3}[.)])\s/;
const hyphens = "[-–−]{1,2}";
const path = "[~˜]?/[\\w.~-]\\S+";
/**
 * A line that begins with an option or a command, or is a path: `-o FILE`, `--[no-]color`, `‘-q’`,
 * `\hbox`, `/etc/hosts`. Some manuals are typeset with a minus or a dash in place of a hyphen.
 */
const option_line = new RegExp(
  "^[ \\t]*(?:[‘'\"“(<]|\\[no-\\])?" +
    `(?:(?:${hyphens}(?:\\[[\\p{L}|-]+\\])?|\\\\)\\p{L}|${path}[ \\t]*(?:\\r?\\n|$))`,
  "u",
);
/** Not one: the end of a wrapped sentence, in which it is named: `\\includegraphics. This …` */
const ends_sentence = /^[ \t]*[‘'"“(<]?(?:[-–−]{1,2}|\\)[\p{L}\p{N}_-]+[’'"”)>]?[.,;!?]\s/u;
/** `Τι είναι; Ναι.`: the letter before the mark, the mark, and a capital after it. */
const greek_question = /^\p{Script=Greek}[;\u037e]\s\p{Lu}/u;
/**
 * The label of an explanation: an option or a command, at most with its arguments, a path, or the
 * name of a setting: `LOG_LEVEL`.
 */
const label = new RegExp(
  "^(?:[‣▶▪◦•●○■□*]\\s*)?[‘'\"“`]?" +
    `(?:(?:${hyphens}|\\\\)[\\p{L}[][^\\s.!?。！？]*(?:[ \\t][^\\s.!?]+){0,2}\\.?|${path}` +
    "|\\p{L}[\\p{L}\\p{N}.]*_[\\p{L}\\p{N}_.]*)$",
  "u",
);
/** A heading or the head of a table, in capitals. */
const in_capitals = /^[^\p{Ll}\p{Lo}.]*\p{Lu}{2}[^\p{Ll}\p{Lo}.]*$/u;
const label_chars_max = 60;
/** What a command is called, above its explanation: `circle radius [fill pattern]`. */
const command_line = /^[\p{Ll}@$_!][^\n]*[^\s.!?。！？:;,]$/u;
const command_chars_max = 100;
/** A list of commands has at least this many. */
const commands_min = 2;
const explanation = /^\p{Lu}[^]*[.!?:;)]$/u;
/** By how much a sentence may be longer with what its colon introduces. */
const announced_chars_max = 100;

/**
 * The sentences of `text`, trimmed, in order. A line break ends one where the text is made of
 * lines, not where it is only wrapped; a block of code is one.
 */
export function sentencesOf(text: string): Span[] {
  const spans: Span[] = [];
  const blocks = codeBlocks(text);
  const entry_breaks = entryBreaks(text);
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (blocks[0]?.start === at) {
      push(text, start, at, spans);
      for (const line of codeParts(text, blocks[0])) push(text, line.start, line.end, spans);
      start = blocks.shift()!.end;
      at = start;
      continue;
    }
    const row_end = text[at] === "|" ? endOfRow(text, at) : 0;
    if (row_end > 0) push(text, start, at, spans);
    if (row_end > 0) start = at;
    const end = row_end || (entry_breaks.has(at) ? at + 1 : endAt(text, start, at));
    if (end === 0) continue;
    push(text, start, end, spans);
    start = end;
    at = end - 1;
  }
  push(text, start, text.length, spans);
  return withExplained(text, spans).flatMap((span) =>
    text[span.start] !== "|" && span.end - span.start > sentence_chars_max
      ? clauses(text, span)
      : [span],
  );
}

/** A block of code is one sentence with its fences; one too long for a quote is cut at lines. */
function codeParts(text: string, { start, end }: CodeBlock): Span[] {
  if (end - start <= quote_points_max) return [{ start, end }];
  const parts: Span[] = [];
  for (let from = start; from < end;) {
    const next = from + sentence_chars_max;
    const cut = next >= end ? end : text.lastIndexOf("\n", next);
    const to = cut > from ? cut : Math.min(end, Math.max(next, endOfLine(text, next)));
    parts.push({ start: from, end: to });
    from = to;
  }
  return parts;
}

/** Joins a sentence that ends in a colon, or a label, with what it introduces if that is short. */
function withExplained(text: string, spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  const commands = commandLines(text, spans);
  const labels = spans.filter(({ start, end }) => label.test(text.slice(start, end)));
  const belongs = (last: Span, span: Span): boolean => {
    const before = text.slice(last.start, last.end);
    const following = text.slice(span.start, span.end);
    if (text[span.start] === "|" || !fits(last, span)) return false;
    // The only one is introduced by the colon; of several, each introduces its own explanation.
    if (colon.test(before) && labels[0] === span) return labels.length === 1;
    return (
      (commands.has(last) || announces(before)) &&
      !option_line.test(following) &&
      !announces(following) &&
      !in_capitals.test(following)
    );
  };
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && belongs(last, span))
      joined[joined.length - 1] = { start: last.start, end: span.end };
    else joined.push(span);
  }
  return joined;
}
const fits = (announcing: Span, { start, end }: Span): boolean =>
  end - announcing.start <=
  sentence_chars_max + (end - start <= announced_chars_max ? announced_chars_max : 0);

/** The sentences that are nothing but a command, in a list of commands with their explanations. */
function commandLines(text: string, spans: readonly Span[]): ReadonlySet<Span> {
  const commands = spans.filter(({ start, end }, at) => {
    const next = spans[at + 1];
    return (
      next !== undefined &&
      end - start <= command_chars_max &&
      command_line.test(text.slice(start, end)) &&
      explanation.test(text.slice(next.start, next.end)) &&
      (start === 0 || text[start - 1] === "\n")
    );
  });
  return new Set(commands.length >= commands_min ? commands : []);
}
const colon = /[:：]$/;
const announces = (sentence: string): boolean =>
  colon.test(sentence) || (sentence.length <= label_chars_max && label.test(sentence));

/** Thai, Lao, Khmer and Burmese mark no end of a sentence: long stretches are split at spaces. */
function clauses(text: string, span: Span): Span[] {
  if (
    !/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{8}/u.test(
      text.slice(span.start, span.end),
    )
  )
    return [span];
  const parts: Span[] = [];
  let start = span.start;
  for (const space of text.slice(span.start, span.end).matchAll(/\s+/g)) {
    const end = span.start + space.index;
    if (end - start < clause_chars) continue;
    push(text, start, end, parts);
    start = end;
  }
  push(text, start, span.end, parts);
  return parts;
}

/** Where the sentence ends when the character at `at` ends it; 0 when it does not. */
function endAt(text: string, start: number, at: number): number {
  const char = text[at]!;
  if (char === "\n") return endsAtBreak(text, start, at) ? at + 1 : 0;
  if (ideographic_stop.test(char) || (char === "．" && !isNumbered(text, at)))
    return pastClosing(text, at + 1);
  if (char === ";" || char === "\u037e")
    return greek_question.test(text.slice(Math.max(0, at - 1), at + 3)) ? at + 1 : 0;
  if (!full_stop.test(char)) return 0;
  const end = pastClosing(text, at + 1);
  if (end < text.length && !/\s/.test(text[end]!)) return spaceless_stop.test(char) ? end : 0;
  const next = /\S/u.exec(text.slice(end, end + 8))?.[0] ?? "";
  if (/\p{Ll}/u.test(next)) return 0;
  if (/^\s*\d{1,3}[.)]$/.test(text.slice(start, Math.min(end, start + 8)))) return 0;
  return char === "." && (isWithin(text, start, at) || isLeader(text, at, end)) ? 0 : end;
}
/** Whether the stops around `at` lead to something in the same line: `Permit ........ $35`. */
const isLeader = (text: string, at: number, end: number): boolean =>
  leader.test(text.slice(Math.max(0, at - leader_chars), end + leader_chars)) &&
  /^[ \t.]*[^\s.]/.test(text.slice(end, end + 4 * leader_chars));
const leader = /\.{5}|(?:\. ){3}\./;
const leader_chars = 8;
/** Whether the full-width stop at `at` belongs to a number: `３．５`, `１．概要`. */
const isNumbered = (text: string, at: number): boolean => /\p{N}/u.test(text[at - 1] ?? "");
/** Whether the full stop at `at` belongs to an abbreviation or an ordinal. */
function isWithin(text: string, start: number, at: number): boolean {
  const before = text.slice(Math.max(start, at - 12), at + 1);
  return (
    abbreviation.test(before) ||
    led_ordinal.test(before) ||
    (ordinal.test(before) && after_ordinal.test(text.slice(at + 1, at + 16)))
  );
}
/** A table in an item of a list is indented. */
const indent_chars_max = 12;
const indented = new RegExp(`(?:^|\\n)[ \\t]{0,${indent_chars_max}}$`);
/** The end of the table row that begins at `at`, with the delimiter line of a head; 0: none. */
function endOfRow(text: string, at: number): number {
  if (!indented.test(text.slice(Math.max(0, at - indent_chars_max - 1), at))) return 0;
  const end = endOfLine(text, at);
  const next_end = endOfLine(text, end + 1);
  if (pipeCells(text.slice(at, end)) === null) return 0;
  return isDelimiterRow(text.slice(end + 1, next_end)) ? next_end : end;
}
const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
};
function pastClosing(text: string, from: number): number {
  let at = from;
  while (at < text.length && (closing.test(text[at]!) || /[.!?…。！？]/.test(text[at]!))) at++;
  return at;
}

/** Whether the line break at `at` ends a sentence. */
function endsAtBreak(text: string, start: number, at: number): boolean {
  const next_line = text.slice(at + 1, at + 1 + label_chars_max);
  const line_start = text.lastIndexOf("\n", at - 1) + 1;
  if (/^[ \t]*(?:\r?\n|$)/.test(next_line) || list_marker.test(next_line)) return true;
  const is_option = option_line.test(next_line) && !ends_sentence.test(next_line);
  if (is_option && isInOptionList(text, at + 1)) return true;
  if (at - line_start < short_line_width && /^[\p{Lu}\p{Lo}\p{N}]/u.test(next_line))
    if (widthOf(text.slice(line_start, at)) < short_line_width) return true;
  return at - start > sentence_chars_max;
}
const widthOf = (line: string): number => line.length + (line.match(ideograph)?.length ?? 0);

/** Whether another line nearby begins with an option, too: lines of prose seldom do. */
function isInOptionList(text: string, line: number): boolean {
  const linesOf = (part: string): string[] => part.split(/\n(?:[ \t\r]*\n)*/);
  const before = linesOf(text.slice(Math.max(0, line - list_chars), line)).slice(-3, -1);
  const after = linesOf(text.slice(line, line + list_chars)).slice(1, 3);
  return [...before, ...after].some((line) => option_line.test(line));
}

function push(text: string, from: number, to: number, spans: Span[]): void {
  let start = from;
  let end = to;
  while (start < end && /\s/.test(text[start]!)) start++;
  while (end > start && /\s/.test(text[end - 1]!)) end--;
  if (start < end) spans.push({ start, end });
}
