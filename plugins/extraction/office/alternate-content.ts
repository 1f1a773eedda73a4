/**
 * The same content in two ways, the new one and one for old programs (`mc:AlternateContent`): reads
 * the new one, and the other only when that gave no text.
 */
import type { Flow } from "../child/block-builder";

export class Choices {
  /** How long the text was when each one began. */
  private readonly begun: number[] = [];
  constructor(private readonly flow: () => Flow) {}

  /** Whether to pass over this element, which is part of such content. */
  open(name: string): void | "skip" {
    if (name === "mc:AlternateContent") this.begun.push(this.flow().length);
    else if (this.flow().length > (this.begun.at(-1) ?? Infinity)) return "skip";
  }
  close(name: string): void {
    if (name === "mc:AlternateContent") this.begun.pop();
  }
}
