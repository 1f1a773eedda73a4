/** The dependencies and limits shared by the extractors of this plugin. */
import type { Context, Isolate } from "../../core/sdk";
import type { tasks } from "./tasks";

/** What the extractors need besides `Context`. */
export interface ExtractionContext extends Pick<Context, "newId" | "paths"> {
  readonly isolate: Isolate<typeof tasks>;
  /** The current values; one extraction uses those of its start. */
  readonly limits: () => ExtractionLimits;
}

/** The limits of one extraction. Times are in ms. */
export interface ExtractionLimits {
  /** Memory limit of the child process that reads a file. */
  readonly memory_max_bytes: number;
  /** The longest text of one document, in UTF-16 units. */
  readonly characters_max: number;
  /** Time for reading a file, and for opening one that is read page by page. */
  readonly timeout_ms: number;
  /** Additional time per page without text recognition. */
  readonly page_timeout_ms: number;
  /** Time for the whole file. */
  readonly timeout_max_ms: number;
  /** Pages of a document, or frames of an image. */
  readonly pages_max: number;
  /** Pages per file that go through text recognition, and the time for each. */
  readonly ocr_pages_max: number;
  readonly ocr_page_timeout_ms: number;
}
