/** The parent's part of reading a file with pages: hears what the child says, keeps time, and makes the result of it. */
import { TaskFailure } from "../../core/sdk";
import { ExtractionFailure, type Extracted, type ExtractionWatch, type PageSpan, type Warning } from "./contract";
import type { PageMessage, PageWithoutText } from "./page-output";
import { createDeadline, explain, withOutput, type ReadingParts } from "./reading";

export interface PageLimits {
  readonly memory_max_bytes: number;
  readonly pages_max: number;
  /** Pages whose text is recognised from their picture; and the time for each. */
  readonly ocr_pages_max: number;
  readonly ocr_page_timeout_ms: number;
  /** UTF-16 units. */
  readonly characters_max: number;
  /** For opening a file; and for each page on top, without those that are recognised. In all at most `timeout_max_ms`. */
  readonly timeout_ms: number;
  readonly page_timeout_ms: number;
  readonly timeout_max_ms: number;
}
export interface PageReadingParts extends ReadingParts {
  readonly limits: PageLimits;
  /** A directory with languages for recognising text. */
  readonly languages: string;
}
/** How to speak of the file. */
export interface PagedFile { readonly what: "PDF" | "image"; readonly media_type: string }

type Run = (output: string, options: { readonly timeout_ms: number; readonly memory_max_bytes: number; readonly signal: AbortSignal; readonly onMessage: (message: PageMessage) => void }) => Promise<unknown>;

/** Runs a child that reads pages, and keeps those that it read before it was stopped. @throws ExtractionFailure */
export const readPages = (parts: PageReadingParts, file: PagedFile, watch: ExtractionWatch, run: Run): Promise<Extracted> => withOutput(parts, async (output) => {
  const { limits } = parts;
  const read = new PagesRead(file);
  const deadline = createDeadline(watch);
  const onMessage = (message: PageMessage): void => {
    if (message.step === "started") deadline.set(limits.timeout_ms);
    if (message.step === "opened") deadline.set(Math.min(limits.timeout_max_ms, limits.timeout_ms + message.page_count * limits.page_timeout_ms));
    if (message.step === "recognising") deadline.hold(limits.ocr_page_timeout_ms);
    read.hear(message);
    if (message.step !== "page") return;
    deadline.resume();
    watch.onProgress(read.progress());
  };
  let failure: unknown;
  try {
    await run(output, { timeout_ms: limits.timeout_max_ms, memory_max_bytes: limits.memory_max_bytes, signal: deadline.signal, onMessage });
  } catch (error) {
    watch.signal.throwIfAborted();
    failure = explain(error, deadline);
    if (!read.survives(failure)) throw failure;
  } finally {
    deadline.clear();
  }
  return read.result(output, failure);
});

/** What a child said about pages. */
class PagesRead {
  private page_count = 0;
  private last = 0;
  private bytes = 0;
  private readonly spans: PageSpan[] = [];
  private readonly doubtful: number[] = [];
  private readonly without: Record<PageWithoutText, number[]> = { blank: [], illegible: [], unrecognised: [], garbled: [], oversized: [], damaged: [] };
  private unusable: readonly string[] = [];

  constructor(private readonly file: PagedFile) {}

  hear(message: PageMessage): void {
    if (message.step === "opened") this.page_count = message.page_count;
    if (message.step === "languages") this.unusable = message.unusable;
    if (message.step !== "page") return;
    this.last = message.page;
    if (message.kind !== "text") return void this.without[message.kind].push(message.page);
    this.bytes = message.bytes;
    this.spans.push({ page: message.page, start: message.start, end: message.end });
    if (message.doubtful) this.doubtful.push(message.page);
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
    return { text, media_type: this.file.media_type, pages: this.spans, page_count: this.page_count, warnings: this.warnings(failure) };
  }

  private nothing(): ExtractionFailure {
    const { illegible, garbled, oversized, damaged } = this.without;
    const { what } = this.file;
    if (garbled.length > 0) return new ExtractionFailure("empty", `The text of this ${what} can't be read: its fonts do not say which letters they show, and its pictures show no legible text.`);
    if (illegible.length > 0) return new ExtractionFailure("empty", `No legible text was found in this ${what}: what text recognition made of its pictures was too uncertain to keep.`);
    if (oversized.length > 0) return new ExtractionFailure("too_large", `The pages of this ${what} have too many pixels to be read.`);
    if (damaged.length > 0) return new ExtractionFailure("corrupt", what === "PDF" ? "This PDF is damaged: none of its pages can be read." : "This image is damaged and can't be read.");
    return new ExtractionFailure("empty", `This ${what} has no text: ${this.page_count === 1 ? "nothing was found on it" : "nothing was found on any of its pages"}.`);
  }
  private warnings(failure: unknown): Warning[] {
    const { illegible, unrecognised, garbled, oversized, damaged } = this.without;
    const warnings = doubts(this.doubtful);
    const warn = (code: string, pages: readonly number[], one: string, several: string): void => {
      if (pages.length > 0) warnings.push({ code, message: `${pagesInWords(pages)} ${pages.length === 1 ? one : several}`, page: pages.length === 1 ? pages[0]! : null });
    };
    warn("page_unreadable", illegible, "shows no legible text: what text recognition made of it was too uncertain to keep.", "show no legible text: what text recognition made of them was too uncertain to keep.");
    warn("page_without_text", unrecognised, "has no text but a picture, and was not read: the file has too many such pages.", "have no text but pictures, and were not read: the file has too many such pages.");
    warn("page_unreadable", garbled, "can't be read: the fonts do not say which letters they show.", "can't be read: the fonts do not say which letters they show.");
    warn("page_too_large", oversized, "has too many pixels and was left out.", "have too many pixels and were left out.");
    warn("page_damaged", damaged, "is damaged and left out.", "are damaged and left out.");
    for (const name of this.unusable) warnings.push({ code: "language_unusable", message: `The file ${name}.traineddata can't be used for text recognition.`, page: null });
    if (failure !== undefined) {
      const why = failure instanceof ExtractionFailure ? failure.message : "The reader stopped unexpectedly.";
      warnings.push({ code: "partly_read", message: `Only the first ${this.last} of ${this.page_count} pages were read. ${why}`, page: this.last });
    }
    return warnings;
  }
}

/** A warning for each page that text recognition was not sure of; those beyond the first so many share one. */
function doubts(pages: readonly number[]): Warning[] {
  const warnings = pages.slice(0, pages_named_max).map((page): Warning => ({ code: "low_confidence", message: `Page ${page} was hard to recognise: its text may have mistakes.`, page }));
  const further = pages.length - pages_named_max;
  return further <= 0 ? warnings : [...warnings, { code: "low_confidence", message: `So were ${further} further pages.`, page: null }];
}

const pages_named_max = 20;
/** `Page 3`, `Pages 1, 2 and 5`. */
function pagesInWords(pages: readonly number[]): string {
  if (pages.length === 1) return `Page ${pages[0]}`;
  if (pages.length > pages_named_max) return `${pages.length} pages, the first of them ${pages[0]},`;
  return `Pages ${pages.slice(0, -1).join(", ")} and ${pages.at(-1)}`;
}
