/**
 * Runs in the child: renders a page for text recognition, and measures how much of it images cover.
 */
import { hasContrast, type Gray, type Scan } from "../ocr/bitmap";
import type { PdfiumAccess } from "./pdfium";

const points_per_inch = 72;
const dots_per_inch = 200;
const pixels_max = 20_000_000;
/** Tesseract accepts no wider or higher image. */
const side_max = 32_000;

const format_gray = 1;
const white = 0xffffffff;
const flag_annotations = 0x01;
const flag_gray = 0x08;
/** Drawing more annotations than this takes longer than they are worth. */
const annotations_max = 1_000;

/** In grey. Null if nothing is visible, or there is no page. */
export function renderPage(access: PdfiumAccess, document: number, index: number): Scan | null {
  const { engine } = access;
  const page = engine.FPDF_LoadPage(document, index);
  if (page === 0) return null;
  const across = engine.FPDF_GetPageWidthF(page);
  const down = engine.FPDF_GetPageHeightF(page);
  const scale = Math.min(
    dots_per_inch / points_per_inch,
    Math.sqrt(pixels_max / (across * down)),
    side_max / Math.max(across, down),
  );
  const width = Math.max(1, Math.floor(across * scale));
  const height = Math.max(1, Math.floor(down * scale));
  const picture = render(access, page, width, height);
  engine.FPDF_ClosePage(page);
  return hasContrast(picture)
    ? { picture, dots_per_inch: Math.round(scale * points_per_inch) }
    : null;
}

function render(
  { engine, memory }: PdfiumAccess,
  page: number,
  width: number,
  height: number,
): Gray {
  const bitmap = engine.FPDFBitmap_CreateEx(width, height, format_gray, 0, 0);
  if (bitmap === 0) throw new Error("There is no memory for the picture of a page.");
  engine.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
  const annotated = engine.FPDFPage_GetAnnotCount(page) <= annotations_max;
  const flags = flag_gray | (annotated ? flag_annotations : 0);
  engine.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags);
  const stride = engine.FPDFBitmap_GetStride(bitmap);
  const pixels = new Uint8Array(memory(), engine.FPDFBitmap_GetBuffer(bitmap), stride * height);
  const picture = new Uint8Array(width * height);
  for (let row = 0; row < height; row++)
    picture.set(pixels.subarray(row * stride, row * stride + width), row * width);
  engine.FPDFBitmap_Destroy(bitmap);
  return { width, height, pixels: picture };
}

const object_image = 3;
const object_form = 5;
/** A page with more objects was drawn, not scanned. */
const objects_max = 1_000;

/** The share of an open page that images cover, 0 to 1; overlaps count twice. */
export function pictureCoverage({ engine, memory, scratch }: PdfiumAccess, page: number): number {
  const count = Math.min(objects_max, engine.FPDFPage_CountObjects(page));
  const hasPicture = (object: number): boolean => {
    const type = engine.FPDFPageObj_GetType(object);
    if (type !== object_form) return type === object_image;
    const parts = Math.min(objects_max, engine.FPDFFormObj_CountObjects(object));
    return Array.from({ length: parts }, (_, at) => engine.FPDFFormObj_GetObject(object, at)).some(
      (part) => engine.FPDFPageObj_GetType(part) === object_image,
    );
  };
  let covered = 0;
  for (let index = 0; index < count; index++) {
    const object = engine.FPDFPage_GetObject(page, index);
    if (
      !hasPicture(object) ||
      engine.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) === 0
    )
      continue;
    const [left, bottom, right, top] = new Float32Array(memory(), scratch, 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    covered += (right - left) * (top - bottom);
  }
  return Math.min(
    1,
    covered / (engine.FPDF_GetPageWidthF(page) * engine.FPDF_GetPageHeightF(page)),
  );
}
