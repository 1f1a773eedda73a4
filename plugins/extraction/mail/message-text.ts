/**
 * The text of a mail message, to which the texts of its attachments are added. It is in a file:
 * together they may be too long to be held in memory.
 */
import { open, type FileHandle } from "node:fs/promises";
import type { Extracted, ExtractionOptions, HeadingSpan, Warning } from "../contract";
import { headings_max } from "../result-limits";
import { handOver } from "../server/written-text";

type TakeLong = ExtractionOptions["takeLong"];

/** The message with an attachment would be longer than a document may be. */
class TooLong extends Error {}

/** The growing text, within the limit for one document. */
export class MessageText implements AsyncDisposable {
  private bytes = 0;
  private length = 0;
  private readonly headings: HeadingSpan[] = [];
  private readonly warnings: Warning[] = [];

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly length_max: number,
  ) {}

  /**
   * `path` is a file that does not exist yet. `length_max` is for the message with its attachments,
   * in UTF-16 units.
   */
  static async create(path: string, length_max: number): Promise<MessageText> {
    return new MessageText(path, await open(path, "ax", 0o600), length_max);
  }

  /** What remains for attachments, in UTF-16 units. */
  get characters_left(): number {
    return this.length_max - this.length;
  }

  /** Adds what `read` returns, or passes on in parts. Returns its result. */
  async add<Read extends Pick<Extracted, "text" | "headings">>(
    read: (takeLong: NonNullable<TakeLong>) => Promise<Read>,
    levels_deeper = 0,
  ): Promise<Read> {
    const from = this.length;
    const result = await read(({ parts }) => this.write(parts));
    await this.write([result.text]);
    for (const { start, end, level } of result.headings ?? [])
      if (this.headings.length < headings_max)
        this.headings.push({ start: from + start, end: from + end, level: level + levels_deeper });
    return result;
  }

  /**
   * Adds an attachment under its name; or a warning if it is too long. @throws what `read` throws
   */
  async attach(
    name: string,
    read: (takeLong: NonNullable<TakeLong>) => Promise<Extracted>,
  ): Promise<void> {
    const { bytes, length } = this;
    const headings = this.headings.length;
    try {
      await this.write([length === 0 ? "" : "\n\n", "## "]);
      const heading = { start: 0, end: name.length, level: 2 };
      await this.add(async () => ({ text: name, headings: [heading] }));
      await this.write(["\n\n"]);
      const { warnings } = await this.add(read, 2);
      for (const { code, message } of warnings)
        this.warn(code, `In the attachment “${name}”: ${message}`);
    } catch (error) {
      await this.file.truncate(bytes);
      [this.bytes, this.length, this.headings.length] = [bytes, length, headings];
      if (!(error instanceof TooLong)) throw error;
      this.warn(
        "attachment_left_out",
        `The attachment “${name}” was left out, because the message would be too long with it.`,
      );
    }
  }

  /** Adds a warning about the whole message. */
  warn(code: string, message: string): void {
    this.warnings.push({ code, message, page: null });
  }

  /** The message as extracted so far. */
  async result(takeLong: TakeLong): Promise<Extracted> {
    return {
      text: await handOver([{ path: this.path, bytes: this.bytes }], { takeLong }),
      media_type: "message/rfc822",
      pages: [],
      page_count: null,
      headings: this.headings,
      warnings: this.warnings,
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.file.close();
  }

  private async write(parts: AsyncIterable<string> | Iterable<string>): Promise<void> {
    for await (const part of parts) {
      this.length += part.length;
      if (this.length > this.length_max) throw new TooLong();
      const bytes = new TextEncoder().encode(part);
      await this.file.appendFile(bytes);
      this.bytes += bytes.length;
    }
  }
}
