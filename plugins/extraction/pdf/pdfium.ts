/**
 * Runs in the child: the PDF engine, PDFium in WebAssembly. Loaded on first use, and kept for later
 * files.
 */
import { readPacked } from "../../../core/lib/packed-file";
import wasm_path from "@embedpdf/pdfium/pdfium.wasm" with { type: "file" };

/**
 * The functions of PDFium in use. They are called directly: the package's wrappers check every
 * argument of every call.
 */
export interface Pdfium {
  malloc(bytes: number): number;
  free(pointer: number): void;
  FPDF_LoadCustomDocument(access: number, password: number): number;
  FPDF_GetLastError(): number;
  FPDF_CloseDocument(document: number): void;
  FPDF_GetPageCount(document: number): number;
  FPDF_GetPageLabel(document: number, index: number, buffer: number, bytes: number): number;
  FPDF_LoadPage(document: number, index: number): number;
  FPDFBookmark_GetFirstChild(document: number, bookmark: number): number;
  FPDFBookmark_GetNextSibling(document: number, bookmark: number): number;
  FPDFBookmark_GetTitle(bookmark: number, buffer: number, bytes: number): number;
  FPDFBookmark_GetDest(document: number, bookmark: number): number;
  FPDFBookmark_GetAction(bookmark: number): number;
  FPDFAction_GetDest(document: number, action: number): number;
  FPDFDest_GetDestPageIndex(document: number, destination: number): number;
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
  FPDFPageObj_GetMatrix(object: number, matrix: number): number;
  FPDFPageObj_GetStrokeWidth(object: number, width: number): number;
  FPDFPageObj_GetFillColor(
    object: number,
    red: number,
    green: number,
    blue: number,
    alpha: number,
  ): number;
  FPDFPageObj_GetStrokeColor(
    object: number,
    red: number,
    green: number,
    blue: number,
    alpha: number,
  ): number;
  FPDFPath_GetDrawMode(path: number, fill_mode: number, stroke: number): number;
  FPDFPath_CountSegments(path: number): number;
  FPDFPath_GetPathSegment(path: number, index: number): number;
  FPDFPathSegment_GetPoint(segment: number, x: number, y: number): number;
  FPDFPathSegment_GetType(segment: number): number;
  FPDFPathSegment_GetClose(segment: number): number;
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
  FPDFText_GetFontWeight(text: number, index: number): number;
  FPDFText_GetCharOrigin(text: number, index: number, x: number, y: number): number;
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

/** The engine with its memory. */
export interface PdfiumAccess {
  readonly engine: Pdfium;
  /** Must be fetched again after every call, because it moves when it grows. */
  readonly memory: () => ArrayBuffer;
  /** The numbers at these addresses. */
  readonly float32: (address: number) => number;
  readonly float64: (address: number) => number;
  /** Address of 32 bytes for results that functions return through pointers. */
  readonly scratch: number;
}

/** The engine and access to its memory. */
export interface LoadedPdfium extends Omit<PdfiumAccess, "scratch"> {
  /** Makes a function callable from the engine. Returns its address. */
  readonly addFunction: (body: (...words: number[]) => number, signature: string) => number;
  readonly removeFunction: (address: number) => void;
}

let loaded: Promise<LoadedPdfium> | undefined;

/** Loads the engine once. */
export const loadPdfium = (): Promise<LoadedPdfium> => (loaded ??= load());
/** After an abort the engine's state can't be trusted: the next file loads a new one. */
export function discardPdfium(): void {
  loaded = undefined;
}

async function load(): Promise<LoadedPdfium> {
  const { init } = await import("@embedpdf/pdfium");
  const wrapped = await init({
    wasmBinary: await readPacked(wasm_path),
    noFSInit: true,
  } as Parameters<typeof init>[0]);
  wrapped.PDFiumExt_Init();
  const module = wrapped.pdfium as typeof wrapped.pdfium & {
    readonly HEAPU8: Uint8Array<ArrayBuffer>;
    readonly HEAPF32: Float32Array<ArrayBuffer>;
    readonly HEAPF64: Float64Array<ArrayBuffer>;
  };
  return {
    engine: module.wasmExports as unknown as Pdfium,
    memory: () => module.HEAPU8.buffer,
    float32: (address) => module.HEAPF32[address >>> 2]!,
    float64: (address) => module.HEAPF64[address >>> 3]!,
    addFunction: module.addFunction as LoadedPdfium["addFunction"],
    removeFunction: module.removeFunction,
  };
}
