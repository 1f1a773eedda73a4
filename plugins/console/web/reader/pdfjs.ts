/**
 * pdf.js and its worker. Everything it loads comes from this server, under one directory that
 * carries its version.
 */
import {
  AnnotationMode,
  getDocument,
  PDFWorker,
  RenderingCancelledException,
  TextLayer,
  VerbosityLevel,
  version,
  type PDFDocumentProxy,
  type PDFPageProxy,
} from "pdfjs-dist/legacy/build/pdf.mjs";

import { console_base } from "../api/base";

export { AnnotationMode, RenderingCancelledException, TextLayer };
export type { PDFDocumentProxy, PDFPageProxy };
/** The text items of a page. */
export type TextContent = Awaited<ReturnType<PDFPageProxy["getTextContent"]>>;

/** Where the build puts the worker, the image decoders, the fonts and the character maps. */
const base = `${console_base}/assets/pdfjs-${version}/`;
const image_pixels_max = 64 * 1_024 * 1_024;
const worker_path = `${base}pdf.worker.min.mjs`;

interface Policy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy;
}

let policy: Policy | undefined;
/**
 * Browsers without Trusted Types accept the path as a string. The page's only policy allows a URL
 * to start the worker and nothing else.
 */
function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("dossier", {
    createScriptURL(url) {
      if (url !== worker_path) throw new TypeError("This script may not be started.");
      return url;
    },
  });
  return policy ? policy.createScriptURL(worker_path) : worker_path;
}

/** A PDF being opened. `close` ends its worker, whatever that is doing. */
export interface OpenPdf {
  readonly document: Promise<PDFDocumentProxy>;
  readonly close: () => void;
}

/**
 * Opens the PDF at `url` with a worker of its own, so that closing it ends whatever a malicious
 * file keeps the worker busy with.
 */
export function openPdf(url: string): OpenPdf {
  const port = new Worker(workerUrl(), { type: "module" });
  // The type says null only; the documentation allows a worker.
  const worker = new PDFWorker({ port: port as unknown as null, verbosity: VerbosityLevel.ERRORS });
  const task = getDocument({
    url,
    worker,
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
    enableXfa: false,
    cMapUrl: `${base}cmaps/`,
    standardFontDataUrl: `${base}standard_fonts/`,
    wasmUrl: `${base}decoders/`,
    // Its decoders also exist as plain scripts, so the page's policy need not allow WebAssembly.
    useWasm: false,
    // Refuses images with absurd pixel counts.
    maxImageSize: image_pixels_max,
    canvasMaxAreaInBytes: image_pixels_max * 4,
  });
  return {
    document: task.promise,
    close() {
      void task
        .destroy()
        .catch(() => {})
        .finally(() => {
          worker.destroy();
          port.terminate();
        });
    },
  };
}

/** Reads the text of a page item by item: not every browser can iterate over a stream. */
export async function textOf(page: PDFPageProxy): Promise<TextContent> {
  const reader = page.streamTextContent({ disableNormalization: true }).getReader();
  const content: TextContent = { items: [], styles: Object.create(null), lang: null };
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const { items, styles, lang } = read.value as TextContent;
    content.items.push(...items);
    Object.assign(content.styles, styles);
    content.lang ??= lang;
  }
  return content;
}

/** Whether the file failed to open because it needs a password. */
export const wantsPassword = (error: unknown): boolean =>
  error instanceof Error && error.name === "PasswordException";
