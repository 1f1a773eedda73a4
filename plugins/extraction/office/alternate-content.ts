/**
 * Runs in the child: content that a file contains twice, in a new form and in one for old programs
 * (`mc:AlternateContent`). The second form is read only if the first has no text.
 */
import type { BlockBuilder } from "../child/block-builder";

export class AlternateContent {
  /** For each open element, the length of the text when it began. */
  private readonly lengths: number[] = [];
  constructor(private readonly builder: BlockBuilder) {}

  /** For the element itself and its choices. */
  open(name: string): void | "skip" {
    if (name === "mc:AlternateContent") this.lengths.push(this.builder.length);
    else if (this.builder.length > (this.lengths.at(-1) ?? Infinity)) return "skip";
  }
  close(name: string): void {
    if (name === "mc:AlternateContent") this.lengths.pop();
  }
}
