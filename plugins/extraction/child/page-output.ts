/**
 * Runs in the child: writes the text of page after page, and tells the server about each, so that a
 * kill loses only the page that was being read.
 */
import { ExtractionFailure } from "../contract";
import { openOutput, type Output } from "./output";
import type { PageLayout } from "./page-layout";

export interface PagesInput {
  /** Path of a file that does not exist yet: the reader writes the text there, as UTF-8. */
  readonly output: string;
  /** From 1. The pages before it were read by another child. */
  readonly first_page: number;
  readonly pages_max: number;
  /** Pages whose text is recognised from their picture. */
  readonly ocr_pages_max: number;
  /** A directory of languages for text recognition. It may be missing. */
  readonly languages: string;
  /** The longest text, UTF-16 units. */
  readonly characters_max: number;
}

export type PageMessage =
  | { readonly step: "started" }
  | { readonly step: "opened"; readonly page_count: number }
  /** The text of this page is about to be recognised from its picture, which takes long. */
  | { readonly step: "recognising"; readonly page: number }
  /** Files for text recognition that can't be used, by name. */
  | { readonly step: "languages"; readonly unusable: readonly string[] }
  /**
   * The page is in the output, which has `bytes` bytes now. `start` and `end` are UTF-16 indices,
   * end exclusive. `doubtful`: text recognition was not sure.
   */
  | {
      readonly step: "page";
      readonly page: number;
      /** What the document calls it. */
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

export type PageWithoutText =
  | "blank"
  /** A picture without a word that can be trusted. */
  | "illegible"
  /** A picture that comes after `ocr_pages_max` others. */
  | "unrecognised"
  /** Its fonts do not say which letters they show. */
  | "garbled"
  /** More pixels than are read. */
  | "oversized"
  | "damaged";
/** What users are told of a page whose text was recognised. */
export type PageConcern =
  /** Letters in a table could not be read. */
  | "table_incomplete"
  /** Letters elsewhere could not be read, such as those of pictures. */
  | "partly_legible"
  /** It lay on its side or upside down. */
  | "turned"
  /** By more than a scanner or a steady hand makes it. */
  | "askew";
export interface PageText {
  readonly text: string;
  /** Text recognition was not sure. */
  readonly doubtful: boolean;
  readonly concerns?: readonly PageConcern[];
  /** Known of a page whose text is not recognised. */
  readonly layout?: PageLayout;
}

/** Between the texts of two pages. */
export const page_separator = "\n\n";

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
