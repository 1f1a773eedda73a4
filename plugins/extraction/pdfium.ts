/** The PDF engine, PDFium in WebAssembly: a document gives pages, a page gives lines with their place. Loaded on first use, in the child. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import wasm_path from "@embedpdf/pdfium/pdfium.wasm" with { type: "file" };
import type { Line } from "./paragraphs";

/** Why a document can't be opened. */
export type OpenProblem = "encrypted" | "corrupt";
export interface Page {
  readonly lines: readonly Line[];
  /** Something is drawn on it, be it text, a picture or a line. */
  readonly has_content: boolean;
  /** Most of its characters are none: its fonts do not say which letters their shapes are. */
  readonly garbled: boolean;
}
export interface PdfDocument {
  readonly page_count: number;
  /** A page by its index; null when it is damaged. @throws EngineFailure */
  readonly page: (index: number) => Page | null;
  readonly close: () => void;
}
/** The engine gave up on a document and was thrown away; the next document loads a new one. */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
  constructor(readonly engine_bytes: number, cause: unknown) { super(cause instanceof Error ? cause.message : String(cause), { cause }); }
}

/** The functions of the engine that are used here, called directly: the package's wrappers check every argument of every call. */
interface Engine {
  malloc(bytes: number): number;
  free(pointer: number): void;
  FPDF_LoadCustomDocument(access: number, password: number): number;
  FPDF_GetLastError(): number;
  FPDF_CloseDocument(document: number): void;
  FPDF_GetPageCount(document: number): number;
  FPDF_LoadPage(document: number, index: number): number;
  FPDF_ClosePage(page: number): void;
  FPDFPage_CountObjects(page: number): number;
  FPDFText_LoadPage(page: number): number;
  FPDFText_ClosePage(text: number): void;
  FPDFText_CountChars(text: number): number;
  FPDFText_GetText(text: number, start: number, count: number, buffer: number): number;
  FPDFText_GetCharIndexFromTextIndex(text: number, index: number): number;
  FPDFText_GetFontSize(text: number, index: number): number;
  FPDFText_GetMatrix(text: number, index: number, matrix: number): number;
  FPDFText_GetCharBox(text: number, index: number, left: number, right: number, bottom: number, top: number): number;
}
interface Loaded {
  readonly engine: Engine;
  /** Read it anew after every call: the memory moves when it grows. */
  readonly memory: () => ArrayBuffer;
  readonly addFunction: (body: (...words: number[]) => number, signature: string) => number;
  readonly removeFunction: (pointer: number) => void;
}

let loaded: Promise<Loaded> | undefined;

/** Loads the engine once. */
async function load(): Promise<Loaded> {
  const { init } = await import("@embedpdf/pdfium");
  const wrapped = await init({ wasmBinary: await Bun.file(wasm_path).arrayBuffer() });
  wrapped.PDFiumExt_Init();
  const pdfium = wrapped.pdfium as typeof wrapped.pdfium & { readonly HEAPU8: Uint8Array<ArrayBuffer> };
  return {
    engine: pdfium.wasmExports as unknown as Engine,
    memory: () => pdfium.HEAPU8.buffer,
    addFunction: pdfium.addFunction as Loaded["addFunction"],
    removeFunction: pdfium.removeFunction,
  };
}

/** Opens a file and reads from it as pages need it, so that a large file takes little memory. @throws EngineFailure */
export async function openPdf(path: string): Promise<PdfDocument | OpenProblem> {
  const { engine, memory, addFunction, removeFunction } = await (loaded ??= load());
  const file = openSync(path, "r");
  let failed = false;
  /** After an abort nothing in the engine can be trusted. */
  const guarded = <T>(work: () => T): T => {
    try { return work(); } catch (cause) {
      failed = true;
      loaded = undefined;
      throw new EngineFailure(memory().byteLength, cause);
    }
  };
  const readBlock = addFunction((_parameter, position, buffer, size) => {
    try { return readSync(file, new Uint8Array(memory(), buffer, size), 0, size, position >>> 0) === size ? 1 : 0; } catch { return 0; }
  }, "iiiii");
  const access = engine.malloc(access_bytes);
  const scratch = engine.malloc(scratch_bytes);
  new Uint32Array(memory(), access, 3).set([fstatSync(file).size, readBlock, 0]);
  let document = 0;
  const close = (): void => {
    closeSync(file);
    if (failed) return;
    if (document !== 0) engine.FPDF_CloseDocument(document);
    engine.free(scratch);
    engine.free(access);
    removeFunction(readBlock);
  };
  try {
    document = guarded(() => engine.FPDF_LoadCustomDocument(access, 0));
    if (document !== 0) return { page_count: guarded(() => engine.FPDF_GetPageCount(document)), page: (index) => guarded(() => readPage(engine, memory, document, index, scratch)), close };
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
/** Room for what functions hand back through pointers: six floats or four doubles. */
const scratch_bytes = 32;
const error_password = 4;
const error_security = 5;

function readPage(engine: Engine, memory: () => ArrayBuffer, document: number, index: number, scratch: number): Page | null {
  const page = engine.FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const text = engine.FPDFText_LoadPage(page);
  const characters = text === 0 ? "" : readCharacters(engine, memory, text);
  const lines = readLines(engine, memory, text, scratch, characters);
  const has_content = lines.length > 0 || engine.FPDFPage_CountObjects(page) > 0;
  if (text !== 0) engine.FPDFText_ClosePage(text);
  engine.FPDF_ClosePage(page);
  return { lines, has_content, garbled: isGarbled(characters) };
}

const decoder = new TextDecoder("utf-16le");
/** PDFium ends a line with CR LF; a hyphen at the end of a line, and the break after it, it replaces by U+FFFE (once by U+0002). */
const line_end = /\r\n|[\ufffe\u0002]/g;

/** What no letter has as its code; a font without a map to Unicode gives such codes. */
const no_letters = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]/g;
const isGarbled = (characters: string): boolean => (characters.match(no_letters)?.length ?? 0) > 0.3 * characters.replace(/\s/g, "").length;

function readCharacters(engine: Engine, memory: () => ArrayBuffer, text: number): string {
  const count = Math.max(0, engine.FPDFText_CountChars(text));
  const buffer = engine.malloc((count + 1) * 2);
  const written = engine.FPDFText_GetText(text, 0, count, buffer);
  const characters = decoder.decode(new Uint8Array(memory(), buffer, Math.max(0, written - 1) * 2));
  engine.free(buffer);
  return characters;
}

function readLines(engine: Engine, memory: () => ArrayBuffer, text: number, scratch: number, characters: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  const add = (end: number, hyphenated: boolean): void => {
    const line = characters.slice(start, end);
    const content = line.trim();
    const shown = readable(content);
    if (shown.trim() === "") return;
    const first = start + line.indexOf(content);
    const half = content.length >> 1;
    const middle = first + half + content.slice(half).search(/\S/); // A space may be PDFium's own, without a place.
    lines.push({ text: shown, hyphenated: hyphenated || content.endsWith("\u00ad"), ...placeOf(engine, memory, text, scratch, { first, middle, last: first + content.length - 1 }) });
  };
  for (const { 0: mark, index } of characters.matchAll(line_end)) {
    add(index, mark.length === 1);
    start = index + mark.length;
  }
  add(characters.length, false);
  return lines;
}

/** Without what nobody sees: control characters and soft hyphens. The bullets of symbol fonts become bullets. */
const readable = (line: string): string => line.replace(no_letters, "").replaceAll("\r", "").replaceAll("\u00ad", "").replace(/[\uf0a7\uf0b7]/g, "•").toWellFormed();

/** Where a line stands that has these characters, turned so that it runs from left to right. */
function placeOf(
  engine: Engine, memory: () => ArrayBuffer, text: number, scratch: number, at: { readonly first: number; readonly middle: number; readonly last: number },
): Pick<Line, "left" | "right" | "base" | "size"> {
  const matrix = new Float32Array(6);
  const sample = (place: number) => {
    const index = engine.FPDFText_GetCharIndexFromTextIndex(text, place);
    engine.FPDFText_GetMatrix(text, index, scratch);
    matrix.set(new Float32Array(memory(), scratch, 6));
    const [a, b, c, d, x, y] = matrix as unknown as [number, number, number, number, number, number];
    const scale = Math.hypot(a, b) || 1;
    const [cos, sin] = [a / scale, b / scale];
    return { index, cos, sin, left: x * cos + y * sin, base: y * cos - x * sin, size: engine.FPDFText_GetFontSize(text, index) * Math.hypot(c, d) };
  };
  const samples = [sample(at.first), sample(at.middle), sample(at.last)] as const;
  // The middle one by size: neither the initial of a chapter nor the number of a footnote.
  const { base, size } = samples.toSorted((one, other) => one.size - other.size)[1]!;
  const { cos, sin, left } = samples[0];
  engine.FPDFText_GetCharBox(text, samples[2].index, scratch, scratch + 8, scratch + 16, scratch + 24);
  const [box_left, box_right, box_bottom, box_top] = new Float64Array(memory(), scratch, 4) as unknown as [number, number, number, number];
  const right = Math.max(box_left * cos, box_right * cos) + Math.max(box_bottom * sin, box_top * sin);
  return { left, right, base, size };
}
