/** Runs in the child: the annotations of a page: values of form fields, and notes. */
import type { Pdfium, PdfiumAccess } from "./pdfium";

/** The forms of a document in the engine. */
export interface Form {
  readonly handle: number;
  readonly close: () => void;
}

/** The form of a document; null if it has none. */
export function openForm(engine: Pdfium, document: number): Form | null {
  if (engine.FPDF_GetFormType(document) === 0) return null;
  const info = engine.PDFiumExt_OpenFormFillInfo();
  const handle = engine.PDFiumExt_InitFormFillEnvironment(document, info);
  const close = (): void => {
    if (handle !== 0) engine.PDFiumExt_ExitFormFillEnvironment(handle);
    engine.PDFiumExt_CloseFormFillInfo(info);
  };
  if (handle !== 0) return { handle, close };
  close();
  return null;
}

/** The texts of a page's annotations. */
export interface Annotations {
  readonly annotations: readonly string[];
  /** Some of them show text on the page. */
  readonly drawn: boolean;
}

/** Subtypes of annotations. */
const link = 2;
const free_text = 3;
const stamp = 13;
const popup = 16;
const widget = 20;
const ignored: readonly number[] = [link, popup];
const shows_text: readonly number[] = [free_text, stamp, widget];
/** Further annotations of a page, and further text in them, are left out. */
const annotations_max = 5_000;
const characters_max = 1_000_000;
/** `Hidden` and `NoView`. */
const flags_hidden = 0x02 | 0x20;

/** Types of form fields. */
const field_combo_box = 4;
const field_list_box = 5;
const field_text = 6;
const has_value: readonly number[] = [field_combo_box, field_list_box, field_text];
const flag_password = 1 << 13;

/** The annotations of an open page. */
export function readAnnotations(
  access: PdfiumAccess,
  form: Form | null,
  page: number,
): Annotations {
  const { engine } = access;
  const count = Math.min(annotations_max, engine.FPDFPage_GetAnnotCount(page));
  const annotations: string[] = [];
  let drawn = false;
  let characters = 0;
  for (let index = 0; index < count && characters < characters_max; index++) {
    const annotation = engine.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const subtype = engine.FPDFAnnot_GetSubtype(annotation);
    if (
      !ignored.includes(subtype) &&
      (engine.FPDFAnnot_GetFlags(annotation) & flags_hidden) === 0
    ) {
      drawn ||= shows_text.includes(subtype);
      const text =
        subtype === widget ? valueOf(access, form, annotation) : contentsOf(access, annotation);
      if (text.trim() !== "") annotations.push(text.trim());
      characters += text.length;
    }
    engine.FPDFPage_CloseAnnot(annotation);
  }
  // Drawing more of them into the page takes longer than they are worth.
  return { annotations, drawn: drawn && count < annotations_max };
}

function valueOf(access: PdfiumAccess, form: Form | null, annotation: number): string {
  const { engine } = access;
  if (
    form === null ||
    !has_value.includes(engine.FPDFAnnot_GetFormFieldType(form.handle, annotation))
  )
    return "";
  if ((engine.FPDFAnnot_GetFormFieldFlags(form.handle, annotation) & flag_password) !== 0)
    return "";
  return readString(access, (buffer, bytes) =>
    engine.FPDFAnnot_GetFormFieldValue(form.handle, annotation, buffer, bytes),
  );
}

const contents_key = new TextEncoder().encode("Contents\0");
function contentsOf(access: PdfiumAccess, annotation: number): string {
  const { engine, memory, scratch } = access;
  new Uint8Array(memory(), scratch, contents_key.length).set(contents_key);
  return readString(access, (buffer, bytes) =>
    engine.FPDFAnnot_GetStringValue(annotation, scratch, buffer, bytes),
  );
}

const decoder = new TextDecoder("utf-16le");
/** Calls `read` for the size in bytes, including the terminating zero, then for the string. */
function readString(
  { engine, memory }: PdfiumAccess,
  read: (buffer: number, bytes: number) => number,
): string {
  const bytes = read(0, 0);
  if (bytes <= 2) return "";
  const buffer = engine.malloc(bytes);
  read(buffer, bytes);
  const text = decoder.decode(new Uint8Array(memory(), buffer, bytes - 2));
  engine.free(buffer);
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[\0-\x08\x0b-\x1f\u00ad]/g, "")
    .toWellFormed();
}
