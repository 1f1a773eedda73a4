/**
 * Runs in the child: writes the text page by page, and reports each page to the server, so that a
 * kill loses only the page being read.
 */
import { ExtractionFailure } from "../contract";
import { openOutput, type Output } from "./output";
import type { PageLayout } from "./page-layout";

/** What a reader of pages needs to know besides the file. */
export interface PagesInput {
  /**
   * Path of the output file, which must not exist yet: the reader writes the text there as UTF-8.
   */
  readonly output: string;
  /** Starts at 1. The pages before it were read by another child. */
  readonly first_page: number;
  readonly pages_max: number;
  /** The most pages that go through text recognition. */
  readonly ocr_pages_max: number;
  /** A directory with languages for text recognition. It may be missing. */
  readonly languages: string;
  /** The longest text, in UTF-16 units. */
  readonly characters_max: number;
}

/** What a reader reports while it works. */
export type PageMessage =
  | { readonly step: "started" }
  | { readonly step: "opened"; readonly page_count: number }
  /** Text recognition of this page is about to start, which takes long. */
  | { readonly step: "recognising"; readonly page: number }
  /** Unusable files for text recognition, by name. */
  | { readonly step: "languages"; readonly unusable: readonly string[] }
  /**
   * The page is in the output, which has `bytes` bytes now. `start` and `end` are UTF-16 indices,
   * end exclusive. `doubtful`: text recognition was uncertain.
   */
  | {
      readonly step: "page";
      readonly page: number;
      /** The document's own label of the page. */
      readonly label?: string;
      readonly kind: "text";
      readonly doubtful: boolean;
      readonly start: number;
      readonly end: number;
      readonly bytes: number;
      readonly concerns?: readonly PageConcern[];
      readonly layout?: PageLayout;
    }
  | { readonly step: "page"; readonly page: number; readonly kind: PageWithoutText };

/** Why a page has no text. */
export type PageWithoutText =
  | "blank"
  /** An image without a single credible word. */
  | "illegible"
  /** An image after the first `ocr_pages_max`. */
  | "unrecognised"
  /** Its fonts have no mapping to characters. */
  | "garbled"
  /** More pixels than the limit. */
  | "oversized"
  | "damaged";
/** Notes for the user on a page that went through text recognition. */
export type PageConcern =
  /** Letters in a table could not be read. */
  | "table_incomplete"
  /** Letters elsewhere could not be read, such as those of pictures. */
  | "partly_legible"
  /** The page was rotated by 90 or 180 degrees. */
  | "turned"
  /** Skewed by more than a scanner or a steady hand causes. */
  | "askew";
/** The text of one page. */
export interface PageText {
  readonly text: string;
  /** Text recognition was uncertain. */
  readonly doubtful: boolean;
  readonly concerns?: readonly PageConcern[];
  /** Properties of a page without text recognition. */
  readonly layout?: PageLayout;
}

/** Between the texts of two pages. */
export const page_separator = "\n\n";

/** Writes pages and reports them. */
export class PageOutput implements Disposable {
  private readonly file: Output;
  private characters = 0;
  private bytes = 0;

  /** `path` is a file that does not exist yet; `characters_max` counts UTF-16 units. */
  constructor(
    path: string,
    private readonly characters_max: number,
    private readonly send: (message: PageMessage) => void,
  ) {
    this.file = openOutput(path);
  }

  /** @throws ExtractionFailure `too_large` when the text gets too long */
  add(page: number, read: PageText | PageWithoutText, label = ""): void {
    if (typeof read === "string") return this.send({ step: "page", page, kind: read });
    const { text, doubtful, layout, concerns = [] } = read;
    const separator = this.characters === 0 ? "" : page_separator;
    const start = this.characters + separator.length;
    const end = start + text.length;
    if (end > this.characters_max)
      throw new ExtractionFailure(
        "too_large",
        `The text is longer than ${this.characters_max} characters.`,
      );
    this.characters = end;
    this.bytes += this.file.write(separator + text);
    const { bytes } = this;
    const more = {
      ...(layout === undefined ? {} : { layout }),
      ...(label === "" || label === String(page) ? {} : { label }),
      ...(concerns.length === 0 ? {} : { concerns }),
    };
    this.send({ step: "page", page, kind: "text", doubtful, start, end, bytes, ...more });
  }

  [Symbol.dispose](): void {
    this.file[Symbol.dispose]();
  }
}
