/** The path of headings above a position of a document, from the highest to its own. */

/** A heading of a text; `level` 1 is the highest. */
export interface Heading {
  readonly text: string;
  readonly level: number;
}
interface Entered extends Heading {
  /** Its position. */
  readonly at: number;
}

/** Between the headings of a path. */
export const separator = " › ";
/** A longer path loses its highest headings, as long as a lower one remains; UTF-16 units. */
const path_chars_max = 200;

/** Follows the headings in document order. */
export class HeadingPath {
  private entered: readonly Entered[] = [];
  /** `Paper size › Landscape`; null above the first heading. */
  text: string | null = null;

  /** The text from `at` on is below this heading. */
  enter({ text, level }: Heading, at: number): void {
    const above = this.entered.filter((heading) => heading.level < level && heading.text !== text);
    this.entered = [...above, { text, level, at }];
    const texts = this.entered.map((heading) => heading.text);
    while (texts.length > 1 && texts.join(separator).length > path_chars_max) texts.shift();
    this.text = texts.join(separator);
  }

  /** The headings of the path that are before this position. */
  above(at: number): string {
    return this.entered
      .filter((heading) => heading.at < at)
      .map((heading) => heading.text)
      .join("\n");
  }
}
