/**
 * The PDF engine, PDFium in WebAssembly: a document gives pages, a page gives lines with their
 * place. Loaded on first use, in the child.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import wasm_path from "@embedpdf/pdfium/pdfium.wasm" with { type: "file" };
import { EngineFailure } from "../child/engine-failure";
import { openForm, readNotes, type Form } from "./annotations";
import { coverOfPictures, drawPage, type Drawing } from "./page-image";
import { readTextLayer, type TextLayer } from "./text-layer";

/** Why a document can't be opened. */
export type OpenProblem = "encrypted" | "corrupt";
export interface Page extends TextLayer {
  /** Something is drawn on it, be it text, a picture or a line. */
  readonly has_content: boolean;
  /** Which part of it pictures cover, 0 to 1. */
  readonly pictures: number;
  /** What its fields and notes say beyond what is drawn. */
  readonly notes: readonly string[];
}
export interface PdfDocument {
  readonly page_count: number;
  /** A page by its index; null when it is damaged. @throws EngineFailure */
  readonly page: (index: number) => Page | null;
  /** How a page looks; null when there is nothing to be seen on it. @throws EngineFailure */
  readonly draw: (index: number) => Drawing | null;
  readonly close: () => void;
}

/**
 * The functions of the engine that are used here, called directly: the package's wrappers check
 * every argument of every call.
 */
export interface Engine {
  malloc(bytes: number): number;
  free(pointer: number): void;
  FPDF_LoadCustomDocument(access: number, password: number): number;
  FPDF_GetLastError(): number;
  FPDF_CloseDocument(document: number): void;
  FPDF_GetPageCount(document: number): number;
  FPDF_LoadPage(document: number, index: number): number;
  FPDF_ClosePage(page: number): void;
  FPDF_GetPageWidthF(page: number): number;
  FPDF_GetPageHeightF(page: number): number;
  FPDF_GetFormType(document: number): number;
  FPDFPage_CountObjects(page: number): number;
  FPDFPage_GetObject(page: number, index: number): number;
  FPDFPageObj_GetType(object: number): number;
  FPDFPageObj_GetBounds(
    object: number,
    left: number,
    bottom: number,
    right: number,
    top: number,
  ): number;
  FPDFFormObj_CountObjects(object: number): number;
  FPDFFormObj_GetObject(object: number, index: number): number;
  FPDFPage_Flatten(page: number, usage: number): number;
  FPDFPage_GetAnnotCount(page: number): number;
  FPDFPage_GetAnnot(page: number, index: number): number;
  FPDFPage_CloseAnnot(annotation: number): void;
  FPDFAnnot_GetSubtype(annotation: number): number;
  FPDFAnnot_GetFlags(annotation: number): number;
  FPDFAnnot_GetStringValue(annotation: number, key: number, buffer: number, bytes: number): number;
  FPDFAnnot_GetFormFieldType(form: number, annotation: number): number;
  FPDFAnnot_GetFormFieldFlags(form: number, annotation: number): number;
  FPDFAnnot_GetFormFieldValue(
    form: number,
    annotation: number,
    buffer: number,
    bytes: number,
  ): number;
  PDFiumExt_OpenFormFillInfo(): number;
  PDFiumExt_CloseFormFillInfo(info: number): void;
  PDFiumExt_InitFormFillEnvironment(document: number, info: number): number;
  PDFiumExt_ExitFormFillEnvironment(form: number): void;
  FPDFBitmap_CreateEx(
    width: number,
    height: number,
    format: number,
    buffer: number,
    stride: number,
  ): number;
  FPDFBitmap_FillRect(
    bitmap: number,
    left: number,
    top: number,
    width: number,
    height: number,
    color: number,
  ): void;
  FPDFBitmap_GetBuffer(bitmap: number): number;
  FPDFBitmap_GetStride(bitmap: number): number;
  FPDFBitmap_Destroy(bitmap: number): void;
  FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    rotate: number,
    flags: number,
  ): void;
  FPDFText_LoadPage(page: number): number;
  FPDFText_ClosePage(text: number): void;
  FPDFText_CountChars(text: number): number;
  FPDFText_GetText(text: number, start: number, count: number, buffer: number): number;
  FPDFText_GetCharIndexFromTextIndex(text: number, index: number): number;
  FPDFText_HasUnicodeMapError(text: number, index: number): number;
  FPDFText_GetFontSize(text: number, index: number): number;
  FPDFText_GetMatrix(text: number, index: number, matrix: number): number;
  FPDFText_GetCharBox(
    text: number,
    index: number,
    left: number,
    right: number,
    bottom: number,
    top: number,
  ): number;
}
/** What every reader of a page needs. */
export interface Reach {
  readonly engine: Engine;
  /** Read it anew after every call: the memory moves when it grows. */
  readonly memory: () => ArrayBuffer;
  /** Room for what functions hand back through pointers: six floats or four doubles. */
  readonly scratch: number;
}
interface Loaded extends Omit<Reach, "scratch"> {
  readonly addFunction: (body: (...words: number[]) => number, signature: string) => number;
  readonly removeFunction: (pointer: number) => void;
}

let loaded: Promise<Loaded> | undefined;

/** Loads the engine once. */
async function load(): Promise<Loaded> {
  const { init } = await import("@embedpdf/pdfium");
  const wrapped = await init({
    wasmBinary: await Bun.file(wasm_path).arrayBuffer(),
    noFSInit: true,
  } as Parameters<typeof init>[0]);
  wrapped.PDFiumExt_Init();
  const pdfium = wrapped.pdfium as typeof wrapped.pdfium & {
    readonly HEAPU8: Uint8Array<ArrayBuffer>;
  };
  return {
    engine: pdfium.wasmExports as unknown as Engine,
    memory: () => pdfium.HEAPU8.buffer,
    addFunction: pdfium.addFunction as Loaded["addFunction"],
    removeFunction: pdfium.removeFunction,
  };
}

/**
 * Opens a file and reads from it as pages need it, so that a large file takes little memory.
 * @throws EngineFailure
 */
export async function openPdf(path: string): Promise<PdfDocument | OpenProblem> {
  const { engine, memory, addFunction, removeFunction } = await (loaded ??= load());
  const file = openSync(path, "r");
  let failed = false;
  /** After an abort nothing in the engine can be trusted. */
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      failed = true;
      loaded = undefined;
      throw new EngineFailure(memory().byteLength, cause);
    }
  };
  const readBlock = addFunction((_parameter, position, buffer, size) => {
    try {
      return readSync(file, new Uint8Array(memory(), buffer, size), 0, size, position >>> 0) ===
        size
        ? 1
        : 0;
    } catch {
      return 0;
    }
  }, "iiiii");
  const access = engine.malloc(access_bytes);
  const scratch = engine.malloc(scratch_bytes);
  new Uint32Array(memory(), access, 3).set([fstatSync(file).size, readBlock, 0]);
  const reach: Reach = { engine, memory, scratch };
  let document = 0;
  let form: Form | null = null;
  const close = (): void => {
    closeSync(file);
    if (failed) return;
    form?.close();
    if (document !== 0) engine.FPDF_CloseDocument(document);
    engine.free(scratch);
    engine.free(access);
    removeFunction(readBlock);
  };
  try {
    document = guarded(() => engine.FPDF_LoadCustomDocument(access, 0));
    if (document !== 0) {
      form = guarded(() => openForm(engine, document));
      const page_count = guarded(() => engine.FPDF_GetPageCount(document));
      return {
        page_count,
        page: (index) => guarded(() => readPage(reach, document, form, index)),
        draw: (index) => guarded(() => drawPage(reach, document, index)),
        close,
      };
    }
  } catch (error) {
    close();
    throw error;
  }
  const code = engine.FPDF_GetLastError();
  close();
  return code === error_password || code === error_security ? "encrypted" : "corrupt";
}
/** `FPDF_FILEACCESS`: length, function, parameter. */
const access_bytes = 12;
const scratch_bytes = 32;
const error_password = 4;
const error_security = 5;

/**
 * Pages of less text than this may be scanned all the same: a stamp or a page number is no text
 * layer.
 */
export const little_text_characters = 200;

function readPage(reach: Reach, document: number, form: Form | null, index: number): Page | null {
  const { engine } = reach;
  const page = engine.FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const { notes, drawn } = readNotes(reach, form, page);
  // Text that fields and notes show becomes text of the page, where it stands.
  const shown =
    drawn && engine.FPDFPage_Flatten(page, flatten_for_display) === flatten_done
      ? reopen(engine, document, index, page)
      : page;
  if (shown === 0) return null;
  const layer = readTextLayer(reach, shown);
  const has_content = layer.lines.length > 0 || engine.FPDFPage_CountObjects(shown) > 0;
  const pictures =
    has_content &&
    layer.lines.reduce((sum, { text }) => sum + text.length, 0) < little_text_characters
      ? coverOfPictures(reach, shown)
      : 0;
  engine.FPDF_ClosePage(shown);
  return { ...layer, has_content, pictures, notes };
}
const flatten_for_display = 0;
const flatten_done = 1;

function reopen(engine: Engine, document: number, index: number, page: number): number {
  engine.FPDF_ClosePage(page);
  return engine.FPDF_LoadPage(document, index);
}
