/**
 * Checks a model's answer while it is written, sentence by sentence. Of an unfinished sentence only
 * the text that is certain to stay is shown; its citation, or the mark that nothing supports it,
 * comes when it is complete.
 */
import { codeIn } from "../../core/lib/code-ranges";
import type { Citation } from "../search/contract";
import { endsInFence, isWithinCode, shielded, unshielded } from "./code-shield";
import type { TextAnalysis } from "./evidence";
import { private_characters } from "./markdown";
import { certainLength, settledLength, withoutMarkers, type Marker } from "./markers";
import { isOpen } from "./quotations";
import { SentenceChecker, type CheckedSources } from "./sentence-checker";
import { ReasoningFilter } from "./reasoning-filter";
import { completeRowsLength } from "./table-rows";

/** The sources, and where the text goes. */
export interface CheckerOptions extends CheckedSources {
  /** The model begins inside a thought: nothing is shown before its end. */
  readonly thinks_first: boolean;
  /** Receives the text piece by piece. */
  readonly emit: (text: string) => void;
}
/** The answer with its citations. */
export interface CheckedAnswer {
  readonly answer: string;
  readonly citations: readonly Citation[];
  /** Every sentence is supported by a source. */
  readonly grounded: boolean;
  /** It has a sentence that states something and is supported. */
  readonly is_usable: boolean;
  /** The model says that the sources don't answer the question. */
  readonly refused: boolean;
  readonly thinks_first: boolean;
}

/** What the model writes when the sources don't answer; text after it is ignored. */
export const no_answer_word = "NO_ANSWER";
const refusal = /[*_`"'([]{0,4}\bNO[_ ]?ANSWER\b|\bno_answer\b/;
/** The same as a line of its own. */
const refusal_line = /^[ \t#>*_`"'([]{0,12}(?:NO[_ ]?ANSWER|no_answer)[ \t.*_`"')\]]{0,12}\r?\n/gm;
/** The longest of them. */
const end_chars_max = 40;
/** Small models continue in the form of the prompt: what follows is not part of the answer. */
const echo = /\n\s{0,8}(?:Question: |<\/?sources?\b)/g;

/** Sentences are searched again after this much new text, or this share of the pending text. */
const check_chars_min = 48;
const check_share_min = 0.25;
/** A sentence is complete when this much of the next one has arrived. */
const next_chars_min = 16;
/** A longer quotation may be split. */
const open_chars_max = 1_000;

/** Takes the text of the model, and emits what was checked. */
export class AnswerChecker {
  private sentences: SentenceChecker;
  private readonly thoughts = new ReasoningFilter();
  /** Text that waits for the end of its sentence, and how much of it was examined. */
  private pending = "";
  private looked_at = 0;
  /** Whether the pending text begins a line. */
  private starts_line = true;
  /** The checked text, and what was emitted: a prefix of it, unless they have diverged. */
  private answer = "";
  private emitted = "";
  private refused = false;
  /** Further text is ignored. */
  private is_over = false;
  /** It has ended a thought that it never began. */
  private thinks_first = false;
  /** The documents or the question use the word of refusal, so that an answer may, too. */
  private readonly knows_refusal: boolean;

  constructor(private readonly options: CheckerOptions) {
    this.sentences = new SentenceChecker(options);
    const { sources, question } = options;
    const texts = sources.flatMap(({ quote, heading, document_name }) => [
      quote,
      heading ?? "",
      document_name,
    ]);
    this.knows_refusal = [question, ...texts].some((text) => refusal.test(text));
  }

  /** Takes further text. */
  add(text: string): void {
    this.takeThoughtless(this.thoughts.remove(text));
    const fresh = this.pending.length - this.looked_at;
    if (fresh >= Math.max(check_chars_min, this.pending.length * check_share_min))
      this.check(false);
    else if (fresh > 0) this.show();
  }

  /** `cut`: the model was stopped, so an incomplete last sentence is left out. */
  end(cut: boolean): CheckedAnswer {
    const { analysis } = this.options;
    this.takeThoughtless(this.thoughts.end());
    this.take("\n");
    if (cut) this.pending = this.pending.slice(0, completeLength(this.settled().text, analysis));
    const { open } = codeIn(this.pending, { starts_line: this.starts_line });
    // Or the marker, and whatever follows the answer, would be code, too.
    if (open) this.pending += `${this.pending.endsWith("\n") ? "" : "\n"}${open.fence}`;
    this.check(true);
    return {
      answer: this.answer.trim(),
      citations: this.sentences.citations(),
      grounded: this.sentences.grounded,
      is_usable: this.sentences.supported > 0,
      refused: this.refused,
      thinks_first: this.thinks_first,
    };
  }

  private takeThoughtless(text: string): void {
    if (this.thoughts.began_inside) {
      // All text so far was a thought.
      this.sentences = new SentenceChecker(this.options);
      this.answer = "";
      this.pending = "";
      this.looked_at = 0;
      this.starts_line = true;
      this.refused = false;
      this.is_over = false;
      this.thinks_first = true;
    }
    this.take(text);
  }

  private take(text: string): void {
    if (this.is_over) return;
    const from = Math.max(0, this.pending.length - end_chars_max);
    this.pending += text.replace(private_characters, "");
    const refused_at = this.findRefusal(from);
    const echo_at = this.findEcho(from);
    if (refused_at < 0 && echo_at < 0) return;
    this.is_over = true;
    this.refused = refused_at >= 0 && (echo_at < 0 || refused_at < echo_at);
    this.pending = this.pending.slice(0, this.refused ? refused_at : echo_at);
    this.looked_at = Math.min(this.looked_at, this.pending.length);
  }

  /** The index of a refusal in the pending text, not before `from`; -1 if there is none. */
  private findRefusal(from: number): number {
    if (!this.knows_refusal) {
      const at = this.pending.slice(from).search(refusal);
      return at < 0 ? -1 : from + at;
    }
    // Preceded by the character before it, which shows whether a line begins there.
    const before = this.starts_line ? "\n" : " ";
    const text = `${before}${this.pending}`.slice(from);
    for (const { index } of text.matchAll(refusal_line))
      if (index > 0 && !this.isInBlock(from + index - 1)) return from + index - 1;
    return -1;
  }

  /** The index of the prompt's form in the pending text, likewise. */
  private findEcho(from: number): number {
    for (const { 0: found, index } of this.pending.slice(from).matchAll(echo))
      if (!this.isInBlock(from + index + found.lastIndexOf("\n") + 1)) return from + index;
    return -1;
  }

  /** Whether the line that begins at this index of the pending text is in a block of code. */
  private isInBlock(index: number): boolean {
    const { starts_line } = this;
    const before = this.pending.slice(0, index);
    return codeIn(before, { is_growing: true, starts_line }).open !== null;
  }

  /** How much of the pending text is final, with its code shielded; and all of it. */
  private settled(): { readonly text: string; readonly all: string } {
    const { pending, starts_line } = this;
    const code = codeIn(pending, { is_growing: true, starts_line });
    const certain = shielded(pending.slice(0, code.settled), code.ranges);
    return {
      text: certain.slice(0, settledLength(certain)),
      all: code.open
        ? shielded(pending, [...code.ranges, code.open])
        : shielded(pending, code.ranges),
    };
  }

  /** Checks every complete pending sentence, or everything. */
  private check(all: boolean): void {
    const { pending, starts_line } = this;
    const { sources, analysis } = this.options;
    const raw = all
      ? shielded(pending, codeIn(pending, { starts_line }).ranges)
      : this.settled().text;
    const { text, markers } = withoutMarkers(raw, sources.length);
    const ends = boundaries(text, analysis);
    let from = 0;
    let used = 0;
    for (const to of all ? [...ends, text.length] : completeEnds(text, ends)) {
      const further = markers.slice(used);
      const next = further.findIndex((marker) => isBehind(marker, to, text));
      const own = next < 0 ? further : further.slice(0, next);
      this.answer += this.sentences.check(
        text.slice(from, to),
        own.map((marker) => ({ ...marker, at: marker.at - from })),
      );
      used += own.length;
      from = to;
    }
    const checked = from + markers.slice(0, used).reduce((sum, marker) => sum + marker.raw, 0);
    this.pending = all ? "" : pending.slice(checked);
    this.starts_line = beginsLine(pending.slice(0, checked), starts_line);
    this.looked_at = pending.length - checked;
    this.show();
  }

  /** Emits what is certain and was not emitted yet. */
  private show(): void {
    if (this.options.thinks_first && !this.thinks_first) return;
    const certain = this.sentences.is_quoting
      ? ""
      : this.pending.slice(0, certainLength(this.settled().all));
    const text = (this.answer + certain).trim();
    if (text.length <= this.emitted.length || !text.startsWith(this.emitted)) return;
    this.options.emit(text.slice(this.emitted.length));
    this.emitted = text;
  }
}

/**
 * Where a sentence ends and the next one begins, within the text. Quotations and headings (`## 2.
 * Filter`) are not split.
 */
function boundaries(text: string, analysis: TextAnalysis): number[] {
  const ends: number[] = [];
  let from = 0;
  for (const start of sentenceStarts(text, analysis).slice(1)) {
    const part = text.slice(from, start);
    const is_heading = part.startsWith("#") && !part.includes("\n");
    if (part.length < open_chars_max && (is_heading || isOpenQuotation(part))) continue;
    ends.push(start);
    from = start;
  }
  return ends;
}

/** The ends of complete sentences in a growing text: those that stay whatever follows. */
function completeEnds(text: string, ends: readonly number[]): readonly number[] {
  const length = Math.min(completeRowsLength(text), text.length - next_chars_min);
  return ends.filter((end) => end <= length);
}

/** Whether a marker belongs to what follows the sentence that ends at `end`. */
const isBehind = ({ at, leads }: Marker, end: number, text: string): boolean =>
  at > end || (at === end && leads && end < text.length);

const isOpenQuotation = (part: string): boolean => isOpen(part) && !/\n\s*\n/.test(part);

/** Where sentences begin in a text with shielded code, none of which is split. */
const sentenceStarts = (text: string, { sentences }: TextAnalysis): number[] =>
  sentences(unshielded(text))
    .map(({ start }) => start)
    .filter((start) => !isWithinCode(text, start));

/** How much of a truncated text consists of complete sentences; all of it when it has only one. */
function completeLength(settled: string, analysis: TextAnalysis): number {
  const last = sentenceStarts(settled, analysis).at(-1) ?? 0;
  return last === 0 || endsInFence(settled) || /[.!?…。！？।؟۔][\s\])】"”»」』]*$/.test(settled)
    ? settled.length
    : last;
}

/** Whether the text after `before` begins a line; `started`: whether `before` does. */
function beginsLine(before: string, started: boolean): boolean {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return line.trim() === "" && (started || before.includes("\n"));
}
