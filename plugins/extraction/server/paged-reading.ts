/**
 * The parent's part of reading a file with pages: hears what the child says, keeps time, and makes
 * the result of it.
 */
import { TaskFailure } from "../../../core/sdk";
import {
  ExtractionFailure,
  type Extracted,
  type ExtractionWatch,
  type PageSpan,
  type Warning,
} from "../contract";
import {
  between_pages,
  type PageMessage,
  type PagesInput,
  type PageWithoutText,
} from "../child/page-output";
import { createDeadline, explain, withOutput, type ReadingParts } from "./deadline";

export interface PageLimits {
  readonly memory_max_bytes: number;
  readonly pages_max: number;
  /** Pages whose text is recognised from their picture; and the time for each. */
  readonly ocr_pages_max: number;
  readonly ocr_page_timeout_ms: number;
  /** UTF-16 units. */
  readonly characters_max: number;
  /**
   * For opening a file; and for each page on top, without those that are recognised. In all at most
   * `timeout_max_ms`.
   */
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
export interface PagedFile {
  readonly what: "PDF" | "image";
  readonly media_type: string;
}

export interface RunOptions {
  readonly timeout_ms: number;
  readonly memory_max_bytes: number;
  readonly signal: AbortSignal;
  readonly onMessage: (message: PageMessage) => void;
}
/** Runs a child that reads the pages from `first_page` on. */
type Run = (input: PagesInput, options: RunOptions) => Promise<unknown>;

/** So many pages may be too slow to be recognised before the rest is given up. */
const slow_pages_max = 3;
/**
 * While no page has given text, those behind one that was too slow get this much: a file of nothing
 * but such pages ends soon.
 */
const hopeless_page_ms = 4_000;

/**
 * Keeps the pages that a child read before it was stopped; behind a page that was too slow a new
 * one goes on. @throws ExtractionFailure
 */
export async function readPages(
  parts: PageReadingParts,
  file: PagedFile,
  watch: ExtractionWatch,
  run: Run,
): Promise<Extracted> {
  const read = new PagesRead(file);
  const begun_ms = performance.now();
  for (;;) {
    const left_ms = parts.limits.timeout_max_ms - (performance.now() - begun_ms);
    const end = await withOutput(parts, (output) =>
      runOnce(parts, read, watch, left_ms, output, run),
    );
    const hopeless = !read.hasText() && read.slow().length > 0;
    const slow = end.overran && read.slow().length < slow_pages_max ? read.leaveOut() : false;
    if (slow && !hopeless && !read.isComplete()) continue;
    if (end.failure !== undefined && !slow && !read.survives(end.failure)) throw end.failure;
    return read.result(slow ? undefined : end.failure);
  }
}

interface End {
  readonly failure: unknown;
  /** A page was being recognised for longer than is allowed. */
  readonly overran: boolean;
}

async function runOnce(
  { limits, languages }: PageReadingParts,
  read: PagesRead,
  watch: ExtractionWatch,
  left_ms: number,
  output: string,
  run: Run,
): Promise<End> {
  const deadline = createDeadline(watch);
  const onMessage = (message: PageMessage): void => {
    if (message.step === "started") deadline.set(limits.timeout_ms);
    if (message.step === "opened")
      deadline.set(
        Math.min(left_ms, limits.timeout_ms + message.page_count * limits.page_timeout_ms),
      );
    if (message.step === "recognising")
      deadline.hold(
        read.hasText() || read.slow().length === 0
          ? limits.ocr_page_timeout_ms
          : Math.min(hopeless_page_ms, limits.ocr_page_timeout_ms),
      );
    read.hear(message);
    if (message.step !== "page") return;
    deadline.resume();
    watch.onProgress(read.progress());
  };
  const input: PagesInput = {
    ...read.remaining(limits),
    output,
    languages,
    pages_max: limits.pages_max,
  };
  try {
    await run(input, {
      timeout_ms: Math.max(1, left_ms),
      memory_max_bytes: limits.memory_max_bytes,
      signal: deadline.signal,
      onMessage,
    });
    return { failure: undefined, overran: false };
  } catch (error) {
    watch.signal.throwIfAborted();
    return {
      failure: explain(error, deadline),
      overran: deadline.missed_ms() !== null && read.isRecognising(),
    };
  } finally {
    deadline.clear();
    await read.collect(output);
  }
}

/** What children said about pages, and the text that they left. */
class PagesRead {
  private page_count = 0;
  private last = 0;
  /** The page whose text is being recognised. */
  private recognising: number | null = null;
  private recognised = 0;
  /** Of the output of the child that runs; and what those before it left. */
  private bytes = 0;
  private readonly texts: string[] = [];
  private readonly spans: PageSpan[] = [];
  private readonly doubtful: number[] = [];
  private readonly too_slow: number[] = [];
  private readonly without: Record<PageWithoutText, number[]> = {
    blank: [],
    illegible: [],
    unrecognised: [],
    garbled: [],
    oversized: [],
    damaged: [],
  };
  private unusable: readonly string[] = [];

  constructor(private readonly file: PagedFile) {}

  hear(message: PageMessage): void {
    if (message.step === "opened") this.page_count = message.page_count;
    if (message.step === "languages") this.unusable = message.unusable;
    if (message.step === "recognising")
      [this.recognising, this.recognised] = [message.page, this.recognised + 1];
    if (message.step !== "page") return;
    [this.last, this.recognising] = [message.page, null];
    if (message.kind !== "text") return void this.without[message.kind].push(message.page);
    this.bytes = message.bytes;
    const before = this.textBefore();
    this.spans.push({
      page: message.page,
      start: before + message.start,
      end: before + message.end,
    });
    if (message.doubtful) this.doubtful.push(message.page);
  }
  /**
   * Takes what a child has left; what it wrote of a page that it did not finish is not part of it.
   */
  async collect(output: string): Promise<void> {
    if (this.bytes > 0)
      this.texts.push(
        new TextDecoder().decode((await Bun.file(output).bytes()).subarray(0, this.bytes)),
      );
    this.bytes = 0;
  }
  private textBefore(): number {
    return this.texts.reduce((sum, text) => sum + text.length + between_pages.length, 0);
  }
  /** What is left to be read, and of what is allowed. */
  remaining({ ocr_pages_max, characters_max }: PageLimits): {
    first_page: number;
    ocr_pages_max: number;
    characters_max: number;
  } {
    return {
      first_page: this.last + 1,
      ocr_pages_max: ocr_pages_max - this.recognised,
      characters_max: characters_max - this.textBefore(),
    };
  }
  isRecognising(): boolean {
    return this.recognising !== null;
  }
  isComplete(): boolean {
    return this.last >= this.page_count;
  }
  hasText(): boolean {
    return this.spans.length > 0;
  }
  slow(): readonly number[] {
    return this.too_slow;
  }
  /** Goes on behind the page that was being recognised. */
  leaveOut(): true {
    this.last = this.recognising!;
    this.recognising = null;
    this.too_slow.push(this.last);
    return true;
  }
  /** 0 to 1. */
  progress(): number {
    return this.last / this.page_count;
  }
  /**
   * Whether the pages that were read are kept although reading ended like this. A full disk, say,
   * is worth another attempt instead.
   */
  survives(failure: unknown): boolean {
    const because_of_the_file =
      failure instanceof ExtractionFailure
        ? failure.code !== "too_large"
        : failure instanceof TaskFailure && failure.reason === "crashed";
    return this.hasText() && because_of_the_file;
  }
  /** @throws ExtractionFailure when no page has text */
  result(failure: unknown): Extracted {
    if (!this.hasText()) throw this.nothing();
    return {
      text: this.texts.join(between_pages),
      media_type: this.file.media_type,
      pages: this.spans,
      page_count: this.page_count,
      warnings: this.warnings(failure),
    };
  }

  private nothing(): ExtractionFailure {
    const { illegible, garbled, oversized, damaged } = this.without;
    const { what } = this.file;
    if (this.too_slow.length > 0)
      return new ExtractionFailure(
        "timeout",
        `Recognising the text of this ${what} took too long and was stopped.`,
      );
    if (garbled.length > 0)
      return new ExtractionFailure(
        "empty",
        `The text of this ${what} can't be read: its fonts do not say which letters they show, and its pictures show no legible text.`,
      );
    if (illegible.length > 0)
      return new ExtractionFailure(
        "empty",
        `No legible text was found in this ${what}: what text recognition made of its pictures was too uncertain to keep.`,
      );
    if (oversized.length > 0)
      return new ExtractionFailure(
        "too_large",
        `The pages of this ${what} have too many pixels to be read.`,
      );
    if (damaged.length > 0)
      return new ExtractionFailure(
        "corrupt",
        what === "PDF"
          ? "This PDF is damaged: none of its pages can be read."
          : "This image is damaged and can't be read.",
      );
    return new ExtractionFailure(
      "empty",
      `This ${what} has no text: ${this.page_count === 1 ? "nothing was found on it" : "nothing was found on any of its pages"}.`,
    );
  }
  private warnings(failure: unknown): Warning[] {
    const { illegible, unrecognised, garbled, oversized, damaged } = this.without;
    const warnings = doubts(this.doubtful);
    const warn = (code: string, pages: readonly number[], one: string, several: string): void => {
      if (pages.length > 0)
        warnings.push({
          code,
          message: `${pagesInWords(pages)} ${pages.length === 1 ? one : several}`,
          page: pages.length === 1 ? pages[0]! : null,
        });
    };
    warn(
      "page_unreadable",
      illegible,
      "shows no legible text: what text recognition made of it was too uncertain to keep.",
      "show no legible text: what text recognition made of them was too uncertain to keep.",
    );
    warn(
      "page_without_text",
      unrecognised,
      "has no text but a picture, and was not read: the file has too many such pages.",
      "have no text but pictures, and were not read: the file has too many such pages.",
    );
    warn(
      "page_unreadable",
      garbled,
      "can't be read: the fonts do not say which letters they show.",
      "can't be read: the fonts do not say which letters they show.",
    );
    warn(
      "page_timed_out",
      this.too_slow,
      "took too long to recognise and was left out.",
      "took too long to recognise and were left out.",
    );
    warn(
      "page_too_large",
      oversized,
      "has too many pixels and was left out.",
      "have too many pixels and were left out.",
    );
    warn("page_damaged", damaged, "is damaged and left out.", "are damaged and left out.");
    for (const name of this.unusable)
      warnings.push({
        code: "language_unusable",
        message: `The file ${name}.traineddata can't be used for text recognition.`,
        page: null,
      });
    if (failure !== undefined) {
      const why =
        failure instanceof ExtractionFailure ? failure.message : "The reader stopped unexpectedly.";
      warnings.push({
        code: "partly_read",
        message: `Only the first ${this.last} of ${this.page_count} pages were read. ${why}`,
        page: this.last,
      });
    }
    return warnings;
  }
}

/**
 * A warning for each page that text recognition was not sure of; those beyond the first so many
 * share one.
 */
function doubts(pages: readonly number[]): Warning[] {
  const warnings = pages.slice(0, pages_named_max).map((page): Warning => ({
    code: "low_confidence",
    message: `Page ${page} was hard to recognise: its text may have mistakes.`,
    page,
  }));
  const further = pages.length - pages_named_max;
  return further <= 0
    ? warnings
    : [
        ...warnings,
        { code: "low_confidence", message: `So were ${further} further pages.`, page: null },
      ];
}

const pages_named_max = 20;
/** `Page 3`, `Pages 1, 2 and 5`. */
function pagesInWords(pages: readonly number[]): string {
  if (pages.length === 1) return `Page ${pages[0]}`;
  if (pages.length > pages_named_max)
    return `${pages.length} pages, the first of them ${pages[0]},`;
  return `Pages ${pages.slice(0, -1).join(", ")} and ${pages.at(-1)}`;
}
