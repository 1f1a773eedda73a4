/** The text of a mail message, to which the texts of its attachments are added. */
import type { Extracted, HeadingSpan, Warning } from "../contract";
import { headings_max } from "../result-limits";

/** The growing text, within the limit for one document. */
export class MessageText {
  private readonly pieces: string[] = [];
  private length = 0;
  private readonly headings: HeadingSpan[] = [];
  private readonly warnings: Warning[] = [];

  /** `characters_left` is for the message with its attachments, in UTF-16 units. */
  constructor(
    text: string,
    headings: readonly HeadingSpan[],
    public characters_left: number,
  ) {
    this.add(text, headings, 0);
  }

  /** Adds the text of an attachment, under its name; or a warning if it is too long. */
  attach(name: string, { text, headings = [], warnings }: Extracted): void {
    if (name.length + text.length > this.characters_left)
      return this.warn(
        "attachment_left_out",
        `The attachment “${name}” was left out, because the message would be too long with ` +
          "it.",
      );
    const mark = "## ";
    this.add(mark + name, [{ start: mark.length, end: mark.length + name.length, level: 2 }], 0);
    this.add(text, headings, 2);
    for (const { code, message } of warnings)
      this.warn(code, `In the attachment “${name}”: ${message}`);
  }

  /** Adds a warning about the whole message. */
  warn(code: string, message: string): void {
    this.warnings.push({ code, message, page: null });
  }

  /** The message as extracted so far. */
  result(): Extracted {
    return {
      text: this.pieces.join(""),
      media_type: "message/rfc822",
      pages: [],
      page_count: null,
      headings: this.headings,
      warnings: this.warnings,
    };
  }

  private add(text: string, headings: readonly HeadingSpan[], levels_deeper: number): void {
    const separator = this.length === 0 || text === "" ? "" : "\n\n";
    const from = this.length + separator.length;
    this.pieces.push(separator, text);
    this.length = from + text.length;
    this.characters_left -= separator.length + text.length;
    for (const { start, end, level } of headings.slice(0, headings_max - this.headings.length))
      this.headings.push({ start: from + start, end: from + end, level: level + levels_deeper });
  }
}
