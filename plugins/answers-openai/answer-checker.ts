/**
 * Checks a model's answer while it is written, sentence by sentence, so that only checked text is
 * ever shown.
 */
import type { Citation } from "../search/contract";
import type { TextAnalysis } from "./evidence";
import { settledLength, withoutMarkers } from "./markers";
import { isOpen } from "./quotations";
import { placeholders, SentenceChecker, type CheckedSources } from "./sentence-checker";

export interface CheckerOptions extends CheckedSources {
  /** Gets the checked text piece by piece, from the first valid citation on. */
  readonly emit: (text: string) => void;
}
export interface CheckedAnswer {
  readonly answer: string;
  readonly citations: readonly Citation[];
  /** Every sentence is supported by a source. */
  readonly grounded: boolean;
  /** The model says that the sources don't answer the question. */
  readonly refused: boolean;
}

/** Sentences are looked for again after this much new text, or this share of what is pending. */
const check_chars_min = 48;
const check_share_min = 0.25;
/** A sentence is complete when this much of the next one is there. */
const next_chars_min = 16;
/** A quotation that runs on longer than this may be split. */
const open_chars_max = 1_000;

export class AnswerChecker {
  private readonly sentences: SentenceChecker;
  private readonly thoughts = new ThoughtFilter();
  /** Text that waits for the end of its sentence, and how much of it was looked at. */
  private pending = "";
  private looked_at = 0;
  /** The checked text, and how much of it was emitted. */
  private answer = "";
  private emitted = 0;

  constructor(private readonly options: CheckerOptions) {
    this.sentences = new SentenceChecker(options);
  }

  add(text: string): void {
    this.pending += this.thoughts.remove(text).replace(placeholders, "");
    const fresh = this.pending.length - this.looked_at;
    if (fresh >= Math.max(check_chars_min, this.pending.length * check_share_min))
      this.check(false);
  }

  /** `cut`: the model was stopped, so its last sentence is left out when it is not complete. */
  end(cut: boolean): CheckedAnswer {
    const { analysis } = this.options;
    if (cut) this.pending = this.pending.slice(0, completeLength(this.pending, analysis));
    this.check(true);
    return {
      answer: this.answer.trim(),
      citations: this.sentences.citations(),
      grounded: this.sentences.grounded,
      refused: this.sentences.refused,
    };
  }

  /** Checks every pending sentence that is complete, or all there is. */
  private check(all: boolean): void {
    const { pending } = this;
    this.looked_at = pending.length;
    const { text, markers } = withoutMarkers(
      all ? pending : pending.slice(0, settledLength(pending)),
    );
    let from = 0;
    let raw_length = 0;
    let used = 0;
    const ends = boundaries(text, this.options.analysis);
    for (const to of all ? [...ends, text.length] : ends) {
      if (!all && text.length - to < next_chars_min) break;
      const own = markers.slice(used).filter((marker) => marker.at <= to);
      this.answer += this.sentences.check(
        text.slice(from, to),
        own.map((marker) => ({ ...marker, at: marker.at - from })),
      );
      used += own.length;
      raw_length += to - from + own.reduce((sum, marker) => sum + marker.raw, 0);
      from = to;
    }
    this.pending = all ? "" : pending.slice(raw_length);
    this.looked_at -= raw_length;
    this.emitNew();
  }

  private emitNew(): void {
    const start = this.answer.search(/\S/);
    if (this.sentences.citations().length === 0 || start < 0) return;
    const end = this.answer.trimEnd().length;
    const from = Math.max(this.emitted, start);
    if (end > from) this.options.emit(this.answer.slice(from, end));
    this.emitted = Math.max(from, end);
  }
}

/** Where a sentence ends and the next one begins, within the text. Quotations are not split. */
function boundaries(text: string, { sentences }: TextAnalysis): number[] {
  const found: number[] = [];
  let from = 0;
  for (const { start } of sentences(text).slice(1)) {
    const part = text.slice(from, start);
    if (isOpen(part) && part.length < open_chars_max && !/\n\s*\n/.test(part)) continue;
    found.push(start);
    from = start;
  }
  return found;
}

/** How much of a text that was cut is complete sentences; all of it when it has only one. */
function completeLength(pending: string, { sentences }: TextAnalysis): number {
  const raw = pending.slice(0, settledLength(pending));
  const last = sentences(raw).at(-1);
  return last === undefined || last.start === 0 || /[.!?…。！？।؟۔][\s\])】"”»」』]*$/.test(raw)
    ? raw.length
    : last.start;
}

/** Removes what a reasoning model writes first, between `<think>` and `</think>`. */
class ThoughtFilter {
  /** The beginning of the text until a thought there has ended, or there is none; then null. */
  private head: string | null = "";

  remove(text: string): string {
    if (this.head === null) return text;
    this.head += text;
    const begun = this.head.trimStart();
    if (begun.length < "<think>".length && "<think>".startsWith(begun)) return "";
    const end = begun.startsWith("<think>") ? begun.indexOf("</think>") : 0;
    if (end < 0) return "";
    this.head = null;
    return end === 0 ? begun : begun.slice(end + "</think>".length);
  }
}
