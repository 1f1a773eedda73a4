/**
 * Runs in the child: opens PDF files. A document has pages, and a page has positioned lines of
 * text, and an image.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { EngineFailure } from "../child/engine-failure";
import type { OutlineEntry } from "../child/listed-headings";
import type { Scan } from "../ocr/bitmap";
import { openForm, readAnnotations, type Form } from "./annotations";
import { readOutline } from "./outline";
import { readPageLabel } from "./page-label";
import { pictureCoverage, renderPage } from "./page-image";
import { discardPdfium, loadPdfium, type LoadedPdfium, type PdfiumAccess } from "./pdfium";
import { readTextLayer, type TextLayer } from "./text-layer";

/** What is on a page. */
export interface PdfPage extends TextLayer {
  /** Text, images or lines are drawn on it. */
  readonly has_content: boolean;
  /** The share of it that images cover, 0 to 1. */
  readonly picture_coverage: number;
  /** Values of form fields, and notes. */
  readonly annotations: readonly string[];
}

/**
 * Opens a file. It is read piece by piece as pages need it, so that a large file takes little
 * memory. If it can't be opened, returns the reason. @throws EngineFailure
 */
export async function openPdf(path: string): Promise<PdfDocument | "encrypted" | "corrupt"> {
  const pdfium = await loadPdfium();
  const document = new PdfDocument(path, pdfium);
  const problem = document.open();
  if (problem === null) return document;
  document.close();
  return problem;
}

/** `FPDF_FILEACCESS`: length, function, parameter. */
const file_access_bytes = 12;
const scratch_bytes = 32;
const error_password = 4;
const error_security = 5;

/** An open document. Its memory is the engine's: `close` releases it. */
export class PdfDocument {
  page_count = 0;
  private readonly file: number;
  private readonly file_access: number;
  private readonly read_block: number;
  private readonly access: PdfiumAccess;
  private handle = 0;
  private form: Form | null = null;
  private failed = false;

  constructor(
    path: string,
    private readonly pdfium: LoadedPdfium,
  ) {
    const { engine, memory, float32, float64 } = pdfium;
    this.file = openSync(path, "r");
    this.read_block = pdfium.addFunction(
      (_parameter, position, buffer, size) => this.readBlock(position >>> 0, buffer, size),
      "iiiii",
    );
    this.file_access = engine.malloc(file_access_bytes);
    this.access = { engine, memory, float32, float64, scratch: engine.malloc(scratch_bytes) };
    const { size } = fstatSync(this.file);
    new Uint32Array(memory(), this.file_access, 3).set([size, this.read_block, 0]);
  }

  /** Null on success. Closes the document when the engine fails. @throws EngineFailure */
  open(): "encrypted" | "corrupt" | null {
    const { engine } = this.pdfium;
    try {
      this.handle = this.guarded(() => engine.FPDF_LoadCustomDocument(this.file_access, 0));
      if (this.handle === 0) {
        const error = engine.FPDF_GetLastError();
        return error === error_password || error === error_security ? "encrypted" : "corrupt";
      }
      this.form = this.guarded(() => openForm(engine, this.handle));
      this.page_count = this.guarded(() => engine.FPDF_GetPageCount(this.handle));
      return null;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** A page by its index; null if it is damaged. @throws EngineFailure */
  page(index: number): PdfPage | null {
    return this.guarded(() => readPage(this.access, this.handle, this.form, index));
  }

  /** The document's label of a page, such as `iv`; empty if it has none. */
  pageLabel(index: number): string {
    return this.guarded(() => readPageLabel(this.access, this.handle, index));
  }

  /** Its outline; empty if it has none. @throws EngineFailure */
  outline(): OutlineEntry[] {
    return this.guarded(() => readOutline(this.access, this.handle));
  }

  /** The rendered page; null if nothing is visible on it. @throws EngineFailure */
  render(index: number): Scan | null {
    return this.guarded(() => renderPage(this.access, this.handle, index));
  }

  /** Releases everything, unless the engine has failed and is not used again. */
  close(): void {
    const { engine, removeFunction } = this.pdfium;
    closeSync(this.file);
    if (this.failed) return;
    this.form?.close();
    if (this.handle !== 0) engine.FPDF_CloseDocument(this.handle);
    engine.free(this.access.scratch);
    engine.free(this.file_access);
    removeFunction(this.read_block);
  }

  private guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      this.failed = true;
      discardPdfium();
      throw new EngineFailure(this.pdfium.memory().byteLength, cause);
    }
  }

  /** Called by the engine to read bytes of the file. Returns 1 on success. */
  private readBlock(position: number, buffer: number, size: number): 0 | 1 {
    try {
      const into = new Uint8Array(this.pdfium.memory(), buffer, size);
      return readSync(this.file, into, 0, size, position) === size ? 1 : 0;
    } catch {
      return 0;
    }
  }
}

/** A page with less text than this may be scanned: a stamp or a page number is not a text layer. */
export const little_text_characters = 200;

function readPage(
  access: PdfiumAccess,
  document: number,
  form: Form | null,
  index: number,
): PdfPage | null {
  const { engine } = access;
  const page = engine.FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const { annotations, drawn } = readAnnotations(access, form, page);
  // Flattening makes the text that annotations show part of the page's text, in its position.
  const shown =
    drawn && engine.FPDFPage_Flatten(page, flatten_for_display) === flatten_done
      ? reopen(access, document, index, page)
      : page;
  if (shown === 0) return null;
  const layer = readTextLayer(access, shown);
  const has_content = layer.lines.length > 0 || engine.FPDFPage_CountObjects(shown) > 0;
  const characters = layer.lines.reduce((sum, { text }) => sum + text.length, 0);
  const picture_coverage =
    has_content && characters < little_text_characters ? pictureCoverage(access, shown) : 0;
  engine.FPDF_ClosePage(shown);
  return { ...layer, has_content, picture_coverage, annotations };
}
const flatten_for_display = 0;
const flatten_done = 1;

function reopen({ engine }: PdfiumAccess, document: number, index: number, page: number): number {
  engine.FPDF_ClosePage(page);
  return engine.FPDF_LoadPage(document, index);
}
