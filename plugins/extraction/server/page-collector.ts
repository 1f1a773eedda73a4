/** Collects what child processes report about the pages of a file, and the text they wrote. */
import { TaskFailure } from "../../../core/sdk";
import type { PageLayout } from "../child/page-layout";
import {
  page_separator,
  type PageConcern,
  type PageMessage,
  type PageWithoutText,
} from "../child/page-output";
import type { ExtractionLimits } from "../context";
import { ExtractionFailure, type Extracted, type ExtractionOptions } from "../contract";
import { PageCuts } from "./page-cuts";
import { pageHeadings, type LaidOutPage } from "./page-headings";
import { emptyFailure, pageWarnings } from "./page-warnings";
import { repeatedLines, runningLines } from "./running-lines";
import { handOver, type WrittenFile } from "./written-text";

/** What a file that is read page by page is called. */
export interface PagedFile {
  /** The noun used in messages. */
  readonly noun: "PDF" | "image";
  readonly media_type: string;
}

/** The state of a file whose pages are read by one or more child processes. */
export class PageCollector {
  private page_count = 0;
  private last = 0;
  /** The page in text recognition. */
  private recognising: number | null = null;
  private recognised = 0;
  /** How much of the running child's output belongs to finished pages. */
  private bytes = 0;
  private units = 0;
  /** The output of previous children. */
  private readonly written: WrittenFile[] = [];
  /** Its length in UTF-16 units, including a separator after each. */
  private units_before = 0;
  private readonly pages: LaidOutPage[] = [];
  private readonly doubtful: number[] = [];
  private readonly concerns: Record<PageConcern, number[]> = {
    table_incomplete: [],
    partly_legible: [],
    turned: [],
    askew: [],
  };
  private readonly too_slow: number[] = [];
  private readonly without: Record<PageWithoutText, number[]> = {
    blank: [],
    illegible: [],
    unrecognised: [],
    garbled: [],
    oversized: [],
    damaged: [],
  };
  private unusable_languages: readonly string[] = [];

  constructor(private readonly file: PagedFile) {}

  /** Takes a message of the child. */
  receive(message: PageMessage): void {
    if (message.step === "opened") this.page_count = message.page_count;
    if (message.step === "languages") this.unusable_languages = message.unusable;
    if (message.step === "recognising")
      [this.recognising, this.recognised] = [message.page, this.recognised + 1];
    if (message.step !== "page") return;
    [this.last, this.recognising] = [message.page, null];
    if (message.kind !== "text") {
      this.without[message.kind].push(message.page);
      return;
    }
    this.bytes = message.bytes;
    this.units = message.end;
    const { page, label, layout = no_layout } = message;
    const before = this.units_before;
    this.pages.push({
      page,
      ...(label === undefined ? {} : { label }),
      ...moveLayout(layout, before + message.start),
      start: before + message.start,
      end: before + message.end,
    });
    if (message.doubtful) this.doubtful.push(message.page);
    for (const concern of message.concerns ?? []) this.concerns[concern].push(message.page);
  }

  /** Counts the finished pages of a child that has ended. `result` reads its output. */
  collect(output: string): void {
    if (this.bytes === 0) return;
    this.written.push({ path: output, bytes: this.bytes });
    this.units_before += this.units + page_separator.length;
    this.bytes = 0;
  }

  /** What the next child has to read, and the rest of the limits. */
  remaining({ ocr_pages_max, characters_max }: ExtractionLimits): {
    first_page: number;
    ocr_pages_max: number;
    characters_max: number;
  } {
    return {
      first_page: this.last + 1,
      ocr_pages_max: ocr_pages_max - this.recognised,
      characters_max: characters_max - this.units_before,
    };
  }

  /** A page goes through text recognition at the moment. */
  isRecognising(): boolean {
    return this.recognising !== null;
  }
  /** Every page was read, with text or without. */
  isComplete(): boolean {
    return this.last >= this.page_count;
  }
  /** A page with text was read. */
  hasText(): boolean {
    return this.pages.length > 0;
  }
  /** Pages whose recognition was too slow. */
  slow(): readonly number[] {
    return this.too_slow;
  }
  /** Skips the page in text recognition. */
  skipSlowPage(): void {
    this.last = this.recognising!;
    this.recognising = null;
    this.too_slow.push(this.last);
  }
  /** Progress from 0 to 1. */
  progress(): number {
    return this.last / this.page_count;
  }

  /**
   * Whether the pages read so far are kept although reading ended like this. An error that is not
   * caused by the file, such as a full disk, is worth another attempt instead.
   */
  survives(failure: unknown): boolean {
    const caused_by_file =
      failure instanceof ExtractionFailure
        ? failure.code !== "too_large"
        : failure instanceof TaskFailure && failure.reason === "crashed";
    return this.hasText() && caused_by_file;
  }

  /** `failure` is what ended reading early. @throws ExtractionFailure when no page has text */
  async result(failure: unknown, takeLong?: ExtractionOptions["takeLong"]): Promise<Extracted> {
    const { page_count, last, too_slow, doubtful, unusable_languages } = this;
    const report = {
      ...this.without,
      ...this.concerns,
      page_count,
      last,
      too_slow,
      doubtful,
      unusable_languages,
    };
    if (!this.hasText()) throw emptyFailure(this.file.noun, report);
    return {
      ...(await this.readable(takeLong)),
      media_type: this.file.media_type,
      page_count,
      warnings: pageWarnings(report, failure),
    };
  }

  /** The text without running headers and footers, with its pages and headings. */
  private async readable(
    takeLong: ExtractionOptions["takeLong"],
  ): Promise<Pick<Extracted, "text" | "pages" | "headings">> {
    const running = await runningLines(this.pages);
    const all = new PageCuts(running);
    const headings = pageHeadings(this.pages).filter((heading) => !all.holds(heading));
    const titles = this.pages.flatMap(({ display, listed }) => [...display, ...listed]);
    const cuts = new PageCuts(
      await repeatedLines(
        running,
        titles.filter((title) => !all.holds(title)),
      ),
    );
    const moved = ({ start, end }: Place): Place => ({
      start: cuts.moved(start),
      end: cuts.moved(end),
    });
    const text = await handOver(this.written, {
      takeLong,
      separator: page_separator,
      shorten: (parts) => cuts.shortened(parts),
    });
    const pages = this.pages.map((page) => ({
      page: page.page,
      ...(page.label === undefined ? {} : { label: page.label }),
      ...moved(page),
    }));
    const spans = headings.map((heading) => ({ ...moved(heading), level: heading.level }));
    return {
      text,
      pages: pages.filter(({ start, end }) => start < end),
      ...(spans.length === 0 ? {} : { headings: spans }),
    };
  }
}

interface Place {
  readonly start: number;
  readonly end: number;
}
/** For a page that went through text recognition. */
const no_layout: PageLayout = {
  edges: [],
  display: [],
  listed: [],
  body_size: 0,
  body_characters: 0,
};
function moveLayout(layout: PageLayout, by: number): PageLayout {
  const move = <Line extends Place>(lines: readonly Line[]): Line[] =>
    lines.map((line) => ({ ...line, start: line.start + by, end: line.end + by }));
  const { edges, display, listed } = layout;
  return { ...layout, edges: move(edges), display: move(display), listed: move(listed) };
}
