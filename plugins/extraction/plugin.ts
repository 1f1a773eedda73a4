/**
 * Extraction: files in, text with page numbers out. Formats beyond those here come through the slot
 * `extraction.extractors`.
 */
import { join } from "node:path";
import { removeLeftovers } from "../../core/lib/temporary-files";
import { definePlugin, Duration, fill, Size, t, TaskFailure, type Isolate } from "../../core/sdk";
import { Extraction, Extractors } from "./contract";
import { htmlExtractor } from "./html/extractor";
import { imageExtractor } from "./image/extractor";
import { legacyExtractor, rtfExtractor } from "./legacy/extractor";
import { mailExtractor } from "./mail/extractor";
import { officeExtractor } from "./office/extractor";
import { pdfExtractor } from "./pdf/extractor";
import { output_prefix } from "./server/deadline";
import { createExtraction } from "./service";
import { tasks } from "./tasks";
import { textExtractor } from "./text/extractor";

/** The longest text of one document, UTF-16 units. */
const characters_max = 64 * 1024 * 1024;
/**
 * Inside the data directory: `<language>.traineddata` files lie here, for text recognition beyond
 * English.
 */
const languages_directory = "tessdata";

export default definePlugin({
  name: "extraction",
  version: "1.0.0",
  config: t.Object({
    memory_max: Size({
      default: "600MiB",
      description: "What reading one file may take; above it the file fails with out_of_memory.",
    }),
    pages_max: t.Integer({
      default: 5_000,
      minimum: 1,
      description: "Pages of one PDF, or frames of one TIFF.",
    }),
    ocr_pages_max: t.Integer({
      default: 200,
      minimum: 0,
      description: "Pages of one file whose text is recognised from their picture (OCR).",
    }),
    ocr_page_timeout: Duration({ default: "20s", description: "For each such page." }),
    timeout: Duration({
      default: "30s",
      description: "For reading one file, and for opening a PDF.",
    }),
    page_timeout: Duration({
      default: "500ms",
      description: "On top of it for each other page of a PDF.",
    }),
    timeout_max: Duration({
      default: "10m",
      description: "The longest that reading one PDF may take in all.",
    }),
  }),
  provides: { extraction: Extraction },
  slots: { extractors: Extractors },
  tasks,
  setup: ({ config, isolate, newId, paths, slots }) => {
    const children = watchOver(isolate);
    const parts = { isolate: children.isolate, newId, temporary: paths.temporary };
    const limits = {
      memory_max_bytes: config.memory_max,
      timeout_ms: config.timeout,
      characters_max,
    };
    const page_limits = {
      ...limits,
      pages_max: config.pages_max,
      ocr_pages_max: config.ocr_pages_max,
      ocr_page_timeout_ms: config.ocr_page_timeout,
      page_timeout_ms: config.page_timeout,
      timeout_max_ms: config.timeout_max,
    };
    const pages = {
      ...parts,
      limits: page_limits,
      languages: join(paths.data, languages_directory),
    };
    const extraction = createExtraction(slots.extractors);
    return {
      services: { extraction },
      fills: [
        fill(Extractors, pdfExtractor(pages)),
        fill(Extractors, imageExtractor(pages)),
        fill(Extractors, officeExtractor({ ...parts, limits })),
        fill(Extractors, legacyExtractor({ ...parts, limits })),
        fill(Extractors, rtfExtractor({ ...parts, limits })),
        fill(Extractors, htmlExtractor({ ...parts, limits })),
        fill(Extractors, mailExtractor({ ...parts, limits: page_limits, extraction })),
        fill(Extractors, textExtractor({ ...parts, limits })),
      ],
      health: async () => children.failing() ?? "ok",
      start: () => removeLeftovers(paths.temporary, output_prefix),
    };
  },
});

/**
 * So many runs in a row that ended with their process, or could not start one, are the fault of no
 * file.
 */
const crashes_max = 3;

/** Counts runs that crash one after another. */
function watchOver(isolate: Isolate<typeof tasks>): {
  readonly isolate: Isolate<typeof tasks>;
  readonly failing: () => { failing: string } | null;
} {
  let crashes = 0;
  let last = "";
  const note = (error: unknown): void => {
    const crashed = !(error instanceof TaskFailure) || error.reason === "crashed";
    crashes = crashed ? crashes + 1 : 0;
    last = error instanceof Error ? error.message : String(error);
  };
  return {
    isolate: async (name, input, options) => {
      try {
        const output = await isolate(name, input, options);
        crashes = 0;
        return output;
      } catch (error) {
        note(error);
        throw error;
      }
    },
    failing: () =>
      crashes < crashes_max
        ? null
        : {
            failing: `Files can't be read: the last ${crashes} processes ended unexpectedly. ${last}`,
          },
  };
}
