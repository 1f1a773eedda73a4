/**
 * Writes small PDF files: valid ones, with positioned text, images and passwords; and broken ones.
 */
import { deflateSync } from "node:zlib";

/** A line of text at a position in points, from the lower left. */
export interface PlacedLine {
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly text: string;
}
/** What is on a page. */
export interface PdfPage {
  readonly lines?: readonly PlacedLine[];
  /** A full-page image, as from a scanner. */
  readonly picture?: boolean;
  /** Such an image with these pixels: one byte per pixel, 0 is black. */
  readonly scan?: { readonly width: number; readonly height: number; readonly pixels: Uint8Array };
  /** Bodies of annotations, including form fields. */
  readonly annotations?: readonly string[];
  /** A complete content stream instead, deflated. */
  readonly content?: Uint8Array | string;
  /** The page tree refers to this page, but it is missing. */
  readonly missing?: boolean;
  /** Rotation in a viewer, degrees. */
  readonly rotate?: number;
  /**
   * In a font with a wrong character mapping: capital letters are control characters, and
   * lower-case vowels are x.
   */
  readonly meaningless?: boolean;
}
/** What a file has besides its pages. */
export interface PdfOptions {
  /** Needed to open the file. */
  readonly password?: string;
  /**
   * Further objects, whose bodies may refer to each other from `/R 0` on: `@0` is the first of
   * them.
   */
  readonly forms?: readonly string[];
  /** Its outline: titles with page numbers, starting at 1. */
  readonly outline?: readonly (readonly [title: string, page: number])[];
}

const width = 595;
const height = 842;

/** The width in Helvetica, roughly, in thousandths of the font size. */
const widthOf = (text: string): number =>
  [...text].reduce(
    (sum, letter) =>
      sum +
      (/[ijlftr.,;:'! ]/.test(letter)
        ? 280
        : /[mwMW@]/.test(letter)
          ? 830
          : /[A-Z]/.test(letter)
            ? 690
            : 545),
    0,
  );

/** How text is set in columns. */
export interface Setting {
  readonly columns?: number;
  readonly size?: number;
  readonly leading?: number;
  /** Space between paragraphs, and indentation of their first line; points. */
  readonly gap?: number;
  readonly indent?: number;
}
/** Typesets paragraphs like a word processor, page after page. */
export function setProse(
  paragraphs: readonly string[],
  { columns = 1, size = 11, leading = 1.2 * size, gap = 0, indent = 0 }: Setting = {},
): PdfPage[] {
  const column_width = (width - 120 - 20 * (columns - 1)) / columns;
  const pages: PlacedLine[][] = [[]];
  let column = 0;
  let y = height - 60;
  const next = (): void => {
    if (y >= 60) return;
    y = height - 60;
    if (++column === columns) {
      column = 0;
      pages.push([]);
    }
  };
  for (const paragraph of paragraphs) {
    let line = "";
    let inset = indent;
    const put = (): void => {
      next();
      pages.at(-1)!.push({ x: 60 + column * (column_width + 20) + inset, y, size, text: line });
      y -= leading;
      inset = 0;
    };
    for (const word of paragraph.split(" ")) {
      if (line !== "" && (widthOf(`${line} ${word}`) * size) / 1000 > column_width - inset) {
        put();
        line = "";
      }
      line += line === "" ? word : ` ${word}`;
    }
    put();
    y -= gap;
  }
  return pages.map((lines) => ({ lines }));
}

/** A PDF file with one page per list of paragraphs. */
export const pdf = (pages: readonly (readonly string[])[]): Uint8Array<ArrayBuffer> =>
  buildPdf(pages.map((paragraphs) => setProse(paragraphs, { gap: 8 })[0]!));

const escapeText = (text: string): string => text.replace(/[\\()]/g, "\\$&");
const contentOf = ({ lines = [], picture = false, scan, meaningless = false }: PdfPage): string =>
  [
    ...(picture || scan ? [`q ${width} 0 0 ${height} 0 0 cm /${scan ? "Scan" : "Im1"} Do Q`] : []),
    ...lines.map(
      ({ x, y, size = 11, text }) =>
        `BT /${meaningless ? "F2" : "F1"} ${size} Tf 1 0 0 1 ${x.toFixed(2)} ${y.toFixed(2)} Tm (${escapeText(text)}) Tj ET`,
    ),
  ].join("\n");

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
interface PdfObject {
  readonly head: string;
  readonly stream?: Buffer;
}

/** The bytes of a PDF file. */
export function buildPdf(
  pages: readonly PdfPage[],
  { password, forms = [], outline = [] }: PdfOptions = {},
): Uint8Array<ArrayBuffer> {
  const first_page = 7;
  const first_form = first_page + 2 * pages.length;
  const place = (body: string): string =>
    body.replace(/@(\d+)/g, (_, index: string) => `${first_form + Number(index)} 0 R`);
  const resourcesWith = (scan: string): string =>
    place(
      `<< /Font << /F1 3 0 R /F2 5 0 R >> /XObject << /Im1 4 0 R ${scan} ${forms.map((_, index) => `/X${index} @${index}`).join(" ")} >> >>`,
    );
  const resources = resourcesWith("");
  const scans = pages.flatMap(({ scan }) => scan ?? []);
  const annotations = pages.flatMap((page) => page.annotations ?? []);
  const first_scan = first_form + forms.length;
  const first_annotation = first_scan + scans.length;
  const first_entry = first_annotation + annotations.length;
  const numbers = <T>(first: number, all: readonly T[], of: readonly T[]): string =>
    of.map((object) => `${first + all.indexOf(object)} 0 R`).join(" ");
  const form =
    annotations.length === 0
      ? ""
      : `/AcroForm << /Fields [${numbers(
          first_annotation,
          annotations,
          annotations.filter((body) => body.includes("/FT")),
        )}] /DA (/F1 11 Tf 0 g) /DR << /Font << /F1 3 0 R >> >> >>`;
  const resourcesOf = (scan: PdfPage["scan"]): string =>
    scan ? resourcesWith(`/Scan ${numbers(first_scan, scans, [scan])}`) : resources;
  const headOf = (
    { rotate = 0, scan, annotations: own_annotations = [] }: PdfPage,
    contents: string,
  ): string =>
    [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Rotate ${rotate} ${contents}`,
      `/Resources ${resourcesOf(scan)} /Annots [${numbers(first_annotation, annotations, own_annotations)}] >>`,
    ].join(" ");
  const objects: PdfObject[] = [
    {
      head:
        outline.length === 0
          ? `<< /Type /Catalog /Pages 2 0 R ${form} >>`
          : `<< /Type /Catalog /Pages 2 0 R /Outlines ${first_entry + outline.length} 0 R ${form} >>`,
    },
    {
      head: `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${first_page + 2 * index} 0 R`).join(" ")}] >>`,
    },
    { head: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>" },
    {
      head:
        "<< /Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray " +
        "/BitsPerComponent 1",
      stream: Buffer.from([1, 2, 4, 8, 16, 32, 64, 128]),
    },
    { head: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>" },
    {
      head: "<<",
      stream: latin(
        "begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <41> <5a> " +
          "<0001> endbfrange 5 beginbfchar <61> <0078> <65> <0078> <69> <0078> <6f> <0078> " +
          "<75> <0078> endbfchar endcmap",
      ),
    },
    ...pages.flatMap((page, index) => [
      { head: page.missing ? "null" : headOf(page, `/Contents ${first_page + 2 * index + 1} 0 R`) },
      page.content === undefined
        ? { head: "<<", stream: latin(contentOf(page)) }
        : { head: "<< /Filter /FlateDecode", stream: deflateSync(page.content) },
    ]),
    ...forms.map((body) => ({
      head: `<< /Type /XObject /Subtype /Form /BBox [0 0 ${width} ${height}] /Resources ${resources}`,
      stream: latin(place(body)),
    })),
    ...scans.map((scan) => ({
      head: `<< /Type /XObject /Subtype /Image /Width ${scan.width} /Height ${scan.height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`,
      stream: deflateSync(scan.pixels),
    })),
    ...annotations.map((body) => ({ head: `<< /Type /Annot ${body} >>` })),
    ...outline.map(([title, page], at) => ({
      head: [
        `<< /Title (${escapeText(title)}) /Parent ${first_entry + outline.length} 0 R`,
        `/Dest [${first_page + 2 * (page - 1)} 0 R /Fit]`,
        at + 1 < outline.length ? `/Next ${first_entry + at + 1} 0 R >>` : ">>",
      ].join(" "),
    })),
    ...(outline.length === 0
      ? []
      : [
          {
            head: `<< /First ${first_entry} 0 R /Last ${first_entry + outline.length - 1} 0 R >>`,
          },
        ]),
  ];
  return assemble(objects, password);
}

/**
 * Numbers the objects, encrypts them if there is a password, and writes the cross-reference table.
 */
function assemble(
  objects: readonly PdfObject[],
  password: string | undefined,
): Uint8Array<ArrayBuffer> {
  const id = Buffer.from("0123456789abcdef");
  const lock = password === undefined ? undefined : lockWith(password, id);
  const parts: Buffer[] = [latin("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")];
  let at = parts[0]!.length;
  const offsets: number[] = [];
  const put = (part: Buffer): void => {
    parts.push(part);
    at += part.length;
  };
  const bodies = [...objects, ...(lock ? [{ head: lock.dictionary }] : [])];
  bodies.forEach(({ head, stream }: PdfObject, index) => {
    offsets.push(at);
    put(latin(`${index + 1} 0 obj\n${head}`));
    if (stream) {
      const bytes = lock ? lock.encrypt(stream, index + 1) : stream;
      put(
        Buffer.concat([
          latin(` /Length ${bytes.length} >>\nstream\n`),
          bytes,
          latin("\nendstream"),
        ]),
      );
    }
    put(latin("\nendobj\n"));
  });
  const table_at = at;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  put(latin(`xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${rows.join("")}`));
  const hex = `<${id.toString("hex")}>`;
  const locked = lock ? ` /Encrypt ${bodies.length} 0 R /ID [${hex} ${hex}]` : "";
  put(latin(`trailer\n<< /Size ${bodies.length + 1} /Root 1 0 R${locked} >>\n`));
  put(latin(`startxref\n${table_at}\n%%EOF\n`));
  return Buffer.concat(parts);
}

const md5 = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), new Bun.CryptoHasher("md5")).digest() as Buffer;

function rc4(key: Uint8Array, bytes: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, i) => i);
  const swap = (i: number, j: number): void => {
    [state[i], state[j]] = [state[j]!, state[i]!];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    bytes.map((byte) => {
      i = (i + 1) & 255;
      j = (j + state[i]!) & 255;
      swap(i, j);
      return byte ^ state[(state[i]! + state[j]!) & 255]!;
    }),
  );
}

/** The standard security handler, revision 2: RC4 with 40 bits. */
function lockWith(
  password: string,
  id: Buffer,
): {
  readonly dictionary: string;
  readonly encrypt: (bytes: Uint8Array, number: number) => Buffer;
} {
  const padding = Buffer.from(
    "28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a",
    "hex",
  );
  const padded = Buffer.concat([latin(password), padding]).subarray(0, 32);
  const owner = rc4(md5(padded).subarray(0, 5), padded);
  const permissions = -4;
  const permission_bytes = Buffer.from(new Int32Array([permissions]).buffer);
  const key = md5(padded, owner, permission_bytes, id).subarray(0, 5);
  const user = rc4(key, padding);
  return {
    dictionary: `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString("hex")}> /U <${user.toString("hex")}> /P ${permissions} >>`,
    encrypt: (bytes, number) =>
      rc4(md5(key, Buffer.from([number & 255, number >> 8, 0, 0, 0])).subarray(0, 10), bytes),
  };
}
