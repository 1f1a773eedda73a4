/**
 * Maps rendered Markdown back to its source: the text of each token, in rendering order, is located
 * in the source text.
 */
import type { Range } from "./text-ranges";

/** The source index of each displayed UTF-16 unit; null if unknown. */
export type Sources = readonly number[] | null;

/** Markup before the text of a block. */
const before_text = /^(?:\s*(?:#{1,6}\s+|(?:[*+-]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?|>\s?))/;
/** What rendering drops within a text: backslashes, indentation, and quote markers. */
const dropped = /[\\\s>]/;

/** A match further away is another occurrence of the same words. */
const distance_max = 2_000;

/** A position in the source, which moves forward with what is rendered. */
export class SourceCursor {
  private at: number;
  /** The ends of the open tokens. */
  private readonly ends: (number | null)[] = [];

  /** `within`: the part of the source that is rendered. */
  constructor(
    private readonly source: string,
    private readonly within: Range,
  ) {
    this.at = within.from;
  }

  /** Moves to the beginning of this token's source. */
  begin({ raw, type }: { readonly raw: string; readonly type: string }): void {
    const written = raw.trim();
    const start_index = written === "" ? -1 : this.find(written);
    this.ends.push(start_index < 0 ? null : start_index + written.length);
    const first_line = written.split("\n", 1)[0]!;
    const start = start_index < 0 && first_line !== "" ? this.find(first_line) : start_index;
    if (start < 0) return;
    this.at = start;
    if (type === "heading" || type === "list_item" || type === "blockquote")
      this.at += before_text.exec(first_line)?.[0].length ?? 0;
  }

  /** Moves to the end of the token that was begun last. */
  end(): void {
    const end = this.ends.pop() ?? null;
    if (end !== null) this.at = Math.max(this.at, end);
  }

  /** Locates the next displayed text. */
  take(text: string): Sources {
    if (text === "") return [];
    const found = this.find(text);
    if (found < 0) return this.align(text);
    this.at = found + text.length;
    return Array.from({ length: text.length }, (_, index) => found + index);
  }

  private find(text: string): number {
    const found = this.source.indexOf(text, this.at);
    return found >= 0 && found - this.at <= distance_max && found + text.length <= this.within.to
      ? found
      : -1;
  }

  /** Unit by unit, where something was dropped in between. */
  private align(text: string): Sources {
    const { source } = this;
    const first = /\S/.exec(text);
    if (!first) return null;
    for (
      let start = source.indexOf(first[0], this.at);
      start >= 0 && start < this.within.to && start - this.at <= distance_max;
      start = source.indexOf(first[0], start + 1)
    ) {
      const places = this.alignAt(text, first.index, start);
      if (places === null) continue;
      this.at = places.at(-1)! + 1;
      return places;
    }
    return null;
  }

  private alignAt(text: string, first: number, start: number): number[] | null {
    const places: number[] = Array.from({ length: first }, () => start);
    let at = start;
    for (let text_index = first; text_index < text.length; text_index++) {
      const unit = text[text_index]!;
      while (at < this.within.to && this.source[at] !== unit && dropped.test(this.source[at]!))
        at++;
      if (at >= this.within.to || this.source[at] !== unit) {
        if (!/\s/.test(unit)) return null;
        places.push(Math.min(at, this.within.to - 1));
        continue;
      }
      places.push(at++);
    }
    return places;
  }
}
