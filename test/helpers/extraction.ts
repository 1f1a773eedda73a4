/** The extraction service with real child processes, without a server. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "../../core/base/log";
import { newId } from "../../core/base/ids";
import { ChildPool } from "../../core/isolate/pool";
import type { Isolate } from "../../core/isolate/contract";
import type { ExtractionContext, ExtractionLimits } from "../../plugins/extraction/context";
import {
  ExtractionFailure,
  type Extracted,
  type Extraction,
  type ExtractionOptions,
  type ExtractionSource,
  type Extractor,
} from "../../plugins/extraction/contract";
import { htmlExtractor } from "../../plugins/extraction/html/extractor";
import { imageExtractor } from "../../plugins/extraction/image/extractor";
import { officeExtractor } from "../../plugins/extraction/office/extractor";
import { pdfExtractor } from "../../plugins/extraction/pdf/extractor";
import { legacyExtractor } from "../../plugins/extraction/legacy/extractor";
import { MailExtractor } from "../../plugins/extraction/mail/extractor";
import { rtfExtractor } from "../../plugins/extraction/rtf/extractor";
import { ExtractionService } from "../../plugins/extraction/service";
import type { tasks } from "../../plugins/extraction/tasks";
import { textExtractor } from "../../plugins/extraction/text/extractor";
import { child_command } from "./plugins-child";

/** The service, until it is stopped. */
export interface TestExtraction {
  /** Extracts these bytes as a file of this name. */
  read(
    bytes: Uint8Array | string,
    options?: Partial<ExtractionSource> & {
      readonly signal?: AbortSignal;
      readonly onProgress?: (progress: number) => void;
      readonly takeLong?: ExtractionOptions["takeLong"];
    },
  ): Promise<Extracted>;
  /** The failure of extracting these bytes. */
  fail(bytes: Uint8Array | string, options?: Partial<ExtractionSource>): Promise<ExtractionFailure>;
  /** The files in the directory for temporary files. */
  leftovers(): string[];
  /** The directory for languages of text recognition. */
  readonly languages: string;
  stop(): Promise<void>;
}
const limits: ExtractionLimits = {
  memory_max_bytes: 600 * 1024 ** 2,
  pages_max: 5_000,
  ocr_pages_max: 200,
  ocr_page_timeout_ms: 20_000,
  characters_max: 64 * 1024 ** 2,
  timeout_ms: 30_000,
  page_timeout_ms: 500,
  timeout_max_ms: 600_000,
};

/** `all`: every format. `observer`: a command that runs the children and observes them. */
export function testExtraction(
  options: {
    readonly limits?: Partial<ExtractionLimits>;
    readonly extractors?: readonly Extractor[];
    readonly all?: boolean;
    readonly observer?: readonly string[];
  } = {},
): TestExtraction {
  const temporary = mkdtempSync(join(tmpdir(), "dossier-extraction-"));
  const files = mkdtempSync(join(tmpdir(), "dossier-extraction-"));
  const children: ChildPool = new ChildPool({
    command: [...(options.observer ?? []), ...child_command],
    log: jsonLog("error"),
  });
  const isolate = ((task: string, input: unknown, within: never) =>
    children.run("extraction", task, input, within)) as Isolate<typeof tasks>;
  const data = mkdtempSync(join(tmpdir(), "dossier-extraction-"));
  const languages = join(data, "tessdata");
  mkdirSync(languages);
  const ctx: ExtractionContext = {
    isolate,
    newId,
    paths: { data, database: "", temporary },
    limits: () => ({ ...limits, ...options.limits }),
  };
  const extraction: Extraction = new ExtractionService(() => extractors);
  const extractors = [
    textExtractor(ctx),
    htmlExtractor(ctx),
    pdfExtractor(ctx),
    imageExtractor(ctx),
    officeExtractor(ctx),
    ...(options.extractors ?? []),
    ...(options.all
      ? [legacyExtractor(ctx), rtfExtractor(ctx), new MailExtractor(ctx, extraction)]
      : []),
  ];
  const read: TestExtraction["read"] = (
    bytes,
    { signal = new AbortController().signal, onProgress = () => {}, takeLong, ...source } = {},
  ) => {
    const path = join(files, newId("file"));
    writeFileSync(path, bytes);
    const size_bytes = Buffer.byteLength(bytes);
    return extraction.extract(
      { path, size_bytes, name: "file.txt", declared_type: null, ...source },
      { signal, onProgress, takeLong },
    );
  };
  return {
    read,
    async fail(bytes, source) {
      try {
        await read(bytes, source);
      } catch (error) {
        if (error instanceof ExtractionFailure) return error;
        throw error;
      }
      throw new Error("The file was read.");
    },
    leftovers: () => readdirSync(temporary),
    languages,
    async stop() {
      await children.stop();
      for (const directory of [temporary, files, data])
        rmSync(directory, { recursive: true, force: true });
    },
  };
}
