/** PDF files with a text layer: read in a child, within limits, with page numbers. */
import { TaskFailure, type Isolate } from "../../core/sdk";
import { ExtractionFailure, type Extracted, type Extractor, type PageSpan, type Warning } from "./contract";
import { createDeadline, explain, withOutput, type ReadingParts } from "./reading";
import type { PageWithoutText, PdfMessage } from "./read-pdf";
import type { tasks } from "./tasks";

export interface PdfLimits {
  readonly memory_max_bytes: number;
  readonly pages_max: number;
  /** UTF-16 units. */
  readonly characters_max: number;
  /** For opening a file; and for each page on top. In all at most `timeout_max_ms`. */
  readonly timeout_ms: number;
  readonly page_timeout_ms: number;
  readonly timeout_max_ms: number;
}
export interface PdfParts extends ReadingParts {
  readonly isolate: Isolate<typeof tasks>;
  readonly limits: PdfLimits;
}

/** The mark stands near the beginning, not always at it. */
const mark = "%PDF-";
const mark_within_bytes = 1024;
export const isPdf = (head: Uint8Array): boolean => Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, mark_within_bytes)).includes(mark);

export const pdfExtractor = (parts: PdfParts): Extractor => ({
  name: "PDF",
  rank: 100,
  recognises: isPdf,
  extract: (source, watch) => withOutput(parts, async (output) => {
    const { isolate, limits } = parts;
    const read = new PagesRead();
    const deadline = createDeadline(watch);
    const onMessage = (message: PdfMessage): void => {
      if (message.step === "started") deadline.set(limits.timeout_ms);
      if (message.step === "opened") deadline.set(Math.min(limits.timeout_max_ms, limits.timeout_ms + message.page_count * limits.page_timeout_ms));
      read.hear(message);
      if (message.step === "page") watch.onProgress(read.progress());
    };
    let failure: unknown;
    try {
      const input = { path: source.path, output, pages_max: limits.pages_max, characters_max: limits.characters_max };
      await isolate("pdf", input, { timeout_ms: limits.timeout_max_ms, memory_max_bytes: limits.memory_max_bytes, signal: deadline.signal, onMessage });
    } catch (error) {
      watch.signal.throwIfAborted();
      failure = explain(error, deadline);
      if (!read.survives(failure)) throw failure;
    } finally {
      deadline.clear();
    }
    return read.result(output, failure);
  }),
});

/** What a child said about pages. */
class PagesRead {
  private page_count = 0;
  private last = 0;
  private bytes = 0;
  private readonly spans: PageSpan[] = [];
  private readonly without: Record<PageWithoutText, number[]> = { blank: [], scanned: [], garbled: [], damaged: [] };

  hear(message: PdfMessage): void {
    if (message.step === "opened") this.page_count = message.page_count;
    if (message.step !== "page") return;
    this.last = message.page;
    if (message.kind !== "text") return void this.without[message.kind].push(message.page);
    this.bytes = message.bytes;
    this.spans.push({ page: message.page, start: message.start, end: message.end });
  }
  /** 0 to 1. */
  progress(): number { return this.last / this.page_count; }
  /** Whether the pages that were read are kept although reading ended like this. A full disk, say, is worth another attempt instead. */
  survives(failure: unknown): boolean {
    const because_of_the_file = failure instanceof ExtractionFailure ? failure.code !== "too_large" : failure instanceof TaskFailure && failure.reason === "crashed";
    return this.spans.length > 0 && because_of_the_file;
  }
  /** @throws ExtractionFailure when no page has text */
  async result(output: string, failure: unknown): Promise<Extracted> {
    if (this.spans.length === 0) throw this.nothing();
    const text = new TextDecoder().decode((await Bun.file(output).bytes()).subarray(0, this.bytes));
    return { text, media_type: "application/pdf", pages: this.spans, page_count: this.page_count, warnings: this.warnings(failure) };
  }

  private nothing(): ExtractionFailure {
    const { scanned, garbled, damaged } = this.without;
    if (scanned.length > 0) return new ExtractionFailure("empty", "No page of this PDF has text: it seems to be scanned, and text recognition (OCR) is not available in this version.");
    if (garbled.length > 0) return new ExtractionFailure("empty", "The text of this PDF can't be read: its fonts do not say which letters they show.");
    if (damaged.length > 0) return new ExtractionFailure("corrupt", "This PDF is damaged: none of its pages can be read.");
    return new ExtractionFailure("empty", "This PDF has no text.");
  }
  private warnings(failure: unknown): Warning[] {
    const { scanned, garbled, damaged } = this.without;
    const warnings: Warning[] = [];
    const warn = (code: string, pages: readonly number[], rest: string): void => {
      if (pages.length > 0) warnings.push({ code, message: `${pagesInWords(pages)} ${rest}`, page: pages.length === 1 ? pages[0]! : null });
    };
    warn("page_without_text", scanned, `${scanned.length === 1 ? "has" : "have"} no text and may be scanned; text recognition (OCR) is not available in this version.`);
    warn("page_unreadable", garbled, `can't be read: the fonts do not say which letters they show.`);
    warn("page_damaged", damaged, `${damaged.length === 1 ? "is" : "are"} damaged and left out.`);
    if (failure !== undefined) {
      const why = failure instanceof ExtractionFailure ? failure.message : "The reader stopped unexpectedly.";
      warnings.push({ code: "partly_read", message: `Only the first ${this.last} of ${this.page_count} pages were read. ${why}`, page: this.last });
    }
    return warnings;
  }
}

const pages_named_max = 20;
/** `Page 3`, `Pages 1, 2 and 5`. */
function pagesInWords(pages: readonly number[]): string {
  if (pages.length === 1) return `Page ${pages[0]}`;
  if (pages.length > pages_named_max) return `${pages.length} pages, the first of them ${pages[0]},`;
  return `Pages ${pages.slice(0, -1).join(", ")} and ${pages.at(-1)}`;
}
