/** What other plugins may know about extraction: a file goes in, text with its pages comes out. */
import { service, slot } from "../../core/sdk";

/**
 * A page, slide or sheet of the text. Offsets are UTF-16 indices into `Extracted.text`, end
 * exclusive.
 */
export interface PageSpan {
  readonly page: number;
  readonly start: number;
  readonly end: number;
}
/**
 * A heading of the text; `level` 1 is the highest. Offsets are UTF-16 indices into
 * `Extracted.text`, end exclusive.
 */
export interface HeadingSpan {
  readonly start: number;
  readonly end: number;
  readonly level: number;
}
/**
 * Where in a recording a stretch of the text is spoken, seconds. Offsets are UTF-16 indices into
 * the text, end exclusive.
 */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
  readonly time_start: number;
  readonly time_end: number;
}
export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly page: number | null;
}

export interface Extracted {
  /** Well-formed, without U+0000, line breaks as `\n`. */
  readonly text: string;
  /** By content, never by name alone. */
  readonly media_type: string;
  /** In order, without overlap; empty for a format without pages. */
  readonly pages: readonly PageSpan[];
  readonly page_count: number | null;
  /** In order, without overlap; absent for a format that does not mark them. */
  readonly headings?: readonly HeadingSpan[];
  /** In order, without overlap; absent for what is no recording. */
  readonly times?: readonly TimeSpan[];
  readonly warnings: readonly Warning[];
}

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
/** Why a file gave no text, in a sentence for the person who uploaded it. */
export class ExtractionFailure extends Error {
  override readonly name = "ExtractionFailure";
  constructor(
    readonly code: ExtractionCode,
    message: string,
  ) {
    super(message);
  }
}

export interface ExtractionSource {
  /** Where the bytes lie. */
  readonly path: string;
  readonly size_bytes: number;
  /** The name the file came with: a hint only. */
  readonly name: string;
  /** The media type the uploader declared, or null: a hint only. */
  readonly declared_type: string | null;
}
export interface ExtractionWatch {
  readonly signal: AbortSignal;
  /** 0 to 1, as pages are read. */
  readonly onProgress: (progress: number) => void;
}
export interface Extraction {
  /**
   * @throws ExtractionFailure when the file has no text to give; any other error is worth another
   * attempt.
   */
  extract(source: ExtractionSource, watch: ExtractionWatch): Promise<Extracted>;
}
export const Extraction = service<Extraction>("extraction");

/** Reads one kind of file. Other plugins add formats by filling this slot. */
export interface Extractor {
  readonly name: string;
  /**
   * True when these are the first bytes (at most 64 KiB) of a file it reads. `tail` holds the last
   * bytes (at most 64 KiB). The most specific answer wins by `rank`, higher first.
   */
  readonly recognises: (head: Uint8Array, tail: Uint8Array, source: ExtractionSource) => boolean;
  readonly rank: number;
  readonly extract: (source: ExtractionSource, watch: ExtractionWatch) => Promise<Extracted>;
}
export const Extractors = slot<Extractor>("extraction.extractors");
