/**
 * The contract of extraction for other plugins: takes a file, returns its text with page numbers.
 */
import type { LongText } from "../../core/lib/text-pieces";
import { Nullable, service, shaped, slot, t } from "../../core/sdk";

/**
 * A page, slide or sheet of the text. Offsets are UTF-16 indices into `Extracted.text`, end
 * exclusive.
 */
export interface PageSpan {
  readonly page: number;
  /**
   * The document's own name for the page, if it says more than the number: `iv`, `Sheet Budget`,
   * `Slide 4 · Risks`. At most `page_label_max` characters are kept.
   */
  readonly label?: string;
  readonly start: number;
  readonly end: number;
}
/** The page that holds the character, or the last one before it. */
export const pageAt = (pages: readonly PageSpan[], at: number): PageSpan | undefined =>
  pages.findLast((span) => span.start <= at);

/** The start of something in a document with pages. */
export interface PagePlace {
  readonly page: number | null;
  /** `PageSpan.label`, if there is one. */
  readonly page_label: string | null;
}
/** The longest label of a page, in UTF-16 units. */
export const page_label_max = 120;
/** The label in API form. */
export const PageLabel = Nullable(
  t.String(),
  "What the document itself calls `page`, where that says more than its number: `iv` of a PDF, " +
    "`Slide 4 · Risks`, `Sheet Budget`; null otherwise.",
);
/**
 * A heading of the text; `level` 1 is the top level. Offsets are UTF-16 indices into
 * `Extracted.text`, end exclusive.
 */
export interface HeadingSpan {
  readonly start: number;
  readonly end: number;
  readonly level: number;
}
/**
 * When a part of the text is spoken in a recording, in seconds. Offsets are UTF-16 indices into the
 * text, end exclusive.
 */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
  readonly time_start: number;
  readonly time_end: number;
}
/** A list, or the JSON of one: captions may have a hundred thousand. */
export type TimeSpans = readonly TimeSpan[] | string;
/**
 * Something that is missing from the text or uncertain in it. `page` is null for the whole file.
 */
export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly page: number | null;
}

/** The text of a file with what is known about its structure. */
export interface Extracted {
  /** Well-formed, without U+0000, line breaks as `\n`. */
  readonly text: string;
  /** Detected by content, never by the name alone. */
  readonly media_type: string;
  /** In order, without overlap; empty for a format without pages. */
  readonly pages: readonly PageSpan[];
  readonly page_count: number | null;
  /** In order, without overlap; absent for a format without headings. */
  readonly headings?: readonly HeadingSpan[];
  /** In order, without overlap; only for recordings. */
  readonly times?: TimeSpans;
  readonly warnings: readonly Warning[];
}

/** Why a file has no text, in the API's `error.code`. */
export const extraction_codes = [
  "unsupported_type",
  "too_large",
  "encrypted",
  "corrupt",
  "empty",
  "timeout",
  "out_of_memory",
  "extract_failed",
  "cancelled",
] as const;
export type ExtractionCode = (typeof extraction_codes)[number];
/** Why a file has no text, as a sentence for the user. */
export class ExtractionFailure extends Error {
  override readonly name = "ExtractionFailure";
  constructor(
    readonly code: ExtractionCode,
    message: string,
  ) {
    super(message);
  }
}

/** A file, and what its uploader said about it. */
export interface ExtractionSource {
  /** The file on disk. */
  readonly path: string;
  readonly size_bytes: number;
  /** The original file name: only a hint. */
  readonly name: string;
  /** The media type that the uploader declared, or null: only a hint. */
  readonly declared_type: string | null;
}
/** How an extraction reports, and how it is stopped. */
export interface ExtractionOptions {
  readonly signal: AbortSignal;
  /** Progress from 0 to 1, as pages are read. */
  readonly onProgress: (progress: number) => void;
  /**
   * Receives a long text in parts, so that it is never in memory as a whole: `Extracted.text` is
   * empty then. Called once at most. Without it, every text is returned as a whole.
   */
  readonly takeLong?: ((text: LongText) => Promise<void>) | undefined;
}
/** Reads files of every format that an extractor knows. */
export interface Extraction {
  /**
   * @throws ExtractionFailure when the file has no readable text. After any other error, another
   * attempt may succeed.
   */
  extract(source: ExtractionSource, options: ExtractionOptions): Promise<Extracted>;
}
export const Extraction = service<Extraction>("extraction");

/** Reads one kind of file. Other plugins add formats by filling this slot. */
export interface Extractor {
  /**
   * Whether it reads files that begin with these bytes and end with those of `tail`; both are at
   * most 64 KiB. Called in the order of `rank`, highest first: the first to return true reads the
   * file.
   */
  readonly recognises: (head: Uint8Array, tail: Uint8Array, source: ExtractionSource) => boolean;
  readonly rank: number;
  readonly extract: (source: ExtractionSource, options: ExtractionOptions) => Promise<Extracted>;
}
/** The formats that can be read. The highest-ranked one that recognises a file reads it. */
export const Extractors = slot<Extractor>("extraction.extractors", {
  check: shaped<Extractor>({
    recognises: "function",
    rank: "number",
    extract: "function",
  }),
  otherwise: { recognises: () => false },
});
