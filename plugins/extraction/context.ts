/** What every extractor of this plugin is given. */
import type { Context, Isolate } from "../../core/sdk";
import type { tasks } from "./tasks";

export interface ExtractionContext extends Pick<Context, "newId" | "paths"> {
  readonly isolate: Isolate<typeof tasks>;
  /** As they are now: one reading keeps to those of its beginning. */
  readonly limits: () => ExtractionLimits;
}

export interface ExtractionLimits {
  /** Of the child process that reads a file. */
  readonly memory_max_bytes: number;
  /** The longest text of one document, UTF-16 units. */
  readonly characters_max: number;
  /** For reading a file, and for opening one that is read page by page. */
  readonly timeout_ms: number;
  /** On top of it for each page, other than those that are recognised. */
  readonly page_timeout_ms: number;
  /** For everything together. */
  readonly timeout_max_ms: number;
  /** Pages of a PDF, or frames of an image. */
  readonly pages_max: number;
  /** Pages of one file whose text is recognised from their picture, and the time for each. */
  readonly ocr_pages_max: number;
  readonly ocr_page_timeout_ms: number;
}
