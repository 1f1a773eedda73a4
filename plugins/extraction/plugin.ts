/**
 * Extraction: takes a file and returns its text with page numbers. Each format has a folder.
 *
 * `extractor.ts` and everything in `server/` run in the server: they select files and set limits.
 * `reader.ts`, the rest of a format's folder, and everything in `child/` run in a killable child
 * process, because they parse untrusted files.
 *
 * A new format needs a folder with both files, its reader in tasks.ts, and its extractor in the
 * list below. A new Office format needs a reader and an entry in office/formats.ts. Other plugins
 * add formats through the slot `extraction.extractors`.
 */
import { removeLeftovers } from "../../core/lib/temporary-files";
import { definePlugin, Duration, fill, Size, t } from "../../core/sdk";
import type { ExtractionContext } from "./context";
import { Extraction, Extractors } from "./contract";
import { htmlExtractor } from "./html/extractor";
import { imageExtractor } from "./image/extractor";
import { legacyExtractor } from "./legacy/extractor";
import { MailExtractor } from "./mail/extractor";
import { officeExtractor } from "./office/extractor";
import { pdfExtractor } from "./pdf/extractor";
import { rtfExtractor } from "./rtf/extractor";
import { output_prefix } from "./server/child-run";
import { CrashMonitor } from "./server/crash-monitor";
import { ExtractionService } from "./service";
import { tasks } from "./tasks";
import { textExtractor } from "./text/extractor";

/** The longest text of one document, in UTF-16 units. */
const characters_max = 64 * 1024 * 1024;

export default definePlugin({
  name: "extraction",
  version: "1.0.0",
  config: t.Object({
    memory_max: Size({
      default: "600MiB",
      changes: "now",
      description:
        "The memory limit for reading one file. A file that exceeds it fails with " +
        "out_of_memory.",
    }),
    pages_max: t.Integer({
      default: 5_000,
      minimum: 1,
      changes: "now",
      description:
        "The maximum number of pages of a PDF, of slides, sheets or chapters with text, or of " +
        "frames of a TIFF.",
    }),
    ocr_pages_max: t.Integer({
      default: 200,
      minimum: 0,
      changes: "now",
      description:
        "The maximum number of pages of one file that are read with text recognition (OCR).",
    }),
    ocr_page_timeout: Duration({
      default: "20s",
      changes: "now",
      description: "The time limit for text recognition on one page.",
    }),
    timeout: Duration({
      default: "30s",
      changes: "now",
      description: "The time limit for reading one file, or for opening a PDF.",
    }),
    page_timeout: Duration({
      default: "500ms",
      changes: "now",
      description: "The additional time for each further page of a PDF.",
    }),
    timeout_max: Duration({
      default: "10m",
      changes: "now",
      description: "The time limit for reading one PDF as a whole.",
    }),
  }),
  provides: { extraction: Extraction },
  slots: { extractors: Extractors },
  tasks,
  setup: ({ config, isolate, newId, paths, slots }) => {
    const children = new CrashMonitor(isolate);
    const ctx: ExtractionContext = {
      newId,
      paths,
      isolate: (name, input, options) =>
        children.isolate(name, input, { ...options, may_pause: true }),
      limits: () => ({
        memory_max_bytes: config.memory_max,
        characters_max,
        timeout_ms: config.timeout,
        page_timeout_ms: config.page_timeout,
        timeout_max_ms: config.timeout_max,
        pages_max: config.pages_max,
        ocr_pages_max: config.ocr_pages_max,
        ocr_page_timeout_ms: config.ocr_page_timeout,
      }),
    };
    const extraction = new ExtractionService(slots.extractors);
    const extractors = [
      pdfExtractor(ctx),
      imageExtractor(ctx),
      officeExtractor(ctx),
      legacyExtractor(ctx),
      rtfExtractor(ctx),
      htmlExtractor(ctx),
      new MailExtractor(ctx, extraction),
      textExtractor(ctx),
    ];
    return {
      services: { extraction },
      fills: extractors.map((extractor) => fill(Extractors, extractor)),
      health: async () => children.failing() ?? "ok",
      // Texts left behind by a server that was killed while reading files.
      start: () => removeLeftovers(paths.temporary, output_prefix),
    };
  },
});
