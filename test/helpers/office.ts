/**
 * Office documents and e-books in a few lines: a ZIP writer that can write false headers, and the
 * parts that each format needs.
 */
import { crc32, deflateRawSync } from "node:zlib";

/** A file of an archive, and what its headers say of it. */
export interface ZipPart {
  readonly data: string | Uint8Array;
  readonly stored?: boolean;
  /** The size in the headers, regardless of the real one. */
  readonly claimed_bytes?: number;
  readonly encrypted?: boolean;
  /** The compressed bytes, ready to be written. */
  readonly packed?: Uint8Array;
  readonly crc?: number;
}
/** The files of an archive by path. */
export type ZipContent = Readonly<Record<string, string | Uint8Array | ZipPart>>;

const asPart = (part: ZipContent[string]): ZipPart =>
  typeof part === "string" || part instanceof Uint8Array ? { data: part } : part;

/** `wide`: offsets and sizes are in ZIP64 fields; `before`: bytes in front of the archive. */
export function zip(
  parts: ZipContent,
  {
    directory = true,
    wide = false,
    before = "",
  }: { readonly directory?: boolean; readonly wide?: boolean; readonly before?: string } = {},
): Uint8Array {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [path, part] of Object.entries(parts)) {
    const { data, stored = false, claimed_bytes, encrypted = false, packed, crc } = asPart(part);
    const bytes = Buffer.from(data as Uint8Array);
    const body = Buffer.from(packed ?? (stored ? bytes : deflateRawSync(bytes)));
    const name = Buffer.from(path);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(encrypted ? 1 : 0, 2);
    fields.writeUInt16LE(stored ? 0 : 8, 4);
    fields.writeUInt32LE(crc ?? crc32(bytes), 10);
    fields.writeUInt32LE(body.length, 14);
    fields.writeUInt32LE(claimed_bytes ?? bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const extra = Buffer.alloc(wide ? 28 : 0);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(wide ? 0xffffffff : offset, 10);
    const listed = Buffer.from(fields);
    if (wide) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      [bytes.length, body.length, offset].forEach((number, at) =>
        extra.writeBigUInt64LE(BigInt(number), 4 + 8 * at),
      );
      listed.writeUInt32LE(0xffffffff, 14);
      listed.writeUInt32LE(0xffffffff, 18);
      listed.writeUInt16LE(extra.length, 24);
    }
    locals.push(Buffer.concat([Buffer.from("PK\x03\x04"), fields, name, body]));
    centrals.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), listed, central, name, extra]));
    offset += locals.at(-1)!.length;
  }
  const all = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(centrals.length, 8);
  end.writeUInt16LE(centrals.length, 10);
  end.writeUInt32LE(wide ? 0xffffffff : all.length, 12);
  end.writeUInt32LE(wide ? 0xffffffff : offset, 16);
  return Buffer.concat([
    Buffer.from(before),
    ...locals,
    ...(directory ? [all, ...(wide ? [end64(offset, all.length)] : []), end] : []),
  ]);
}
function end64(offset: number, size: number): Buffer {
  const record = Buffer.alloc(56);
  record.write("PK\x06\x06", 0, "latin1");
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.write("PK\x06\x07", 0, "latin1");
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  return Buffer.concat([record, locator]);
}

const office = "http://schemas.openxmlformats.org/officeDocument/2006";
const declaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
/** Related parts by id: the last segment of the type, and the target. */
export type Relations = Readonly<Record<string, readonly [type: string, target: string]>>;
/** The part of a package that lists its related parts. */
export const relations = (all: Relations): string =>
  `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(
    all,
  )
    .map(
      ([id, [type, target]]) =>
        `<Relationship Id="${id}" Type="${office}/relationships/${type}" Target="${target}"/>`,
    )
    .join("")}</Relationships>`;
const contentTypes = (main: string, type: string): string =>
  `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${main}" ContentType="${type}"/></Types>`;
const package_ = (main: string, type: string): ZipContent => ({
  "[Content_Types].xml": contentTypes(main, type),
  "_rels/.rels": relations({ r1: ["officeDocument", main] }),
});

/** The namespaces of a part of a Word document. */
export const w =
  `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="` +
  `${office}/relationships" ` +
  `xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
  `xmlns:v="urn:schemas-microsoft-com:vml"`;
const a =
  `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
  `xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ` +
  `xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`;
const p =
  `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" ${a} xmlns:r="` +
  `${office}/relationships" ` +
  `xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`;
const s = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${office}/relationships"`;

const docx_type =
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
/** The parts of a Word document with this inside its body. */
export const docxParts = (
  body: string,
  more: ZipContent = {},
  related: Relations = {},
  type = docx_type,
): ZipContent => ({
  ...package_("word/document.xml", type),
  "word/document.xml": `${declaration}<w:document ${w}><w:body>${body}</w:body></w:document>`,
  "word/_rels/document.xml.rels": relations(related),
  ...more,
});
/** A Word document with this inside its body. */
export const docx = (...parts: Parameters<typeof docxParts>): Uint8Array =>
  zip(docxParts(...parts));
/** A paragraph of one run. */
export const wp = (text: string, properties = ""): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
/** A table of Word, by rows; a cell is a text or markup. */
export const wtable = (...rows: readonly (readonly string[])[]): string =>
  `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${cell.startsWith("<") ? cell : wp(cell)}</w:tc>`).join("")}</w:tr>`).join("")}</w:tbl>`;

/** A paragraph of a slide. */
export const ap = (text: string, properties = ""): string =>
  `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;
/** A shape of a slide; `placeholder` is its type, such as `title`. */
export const shape = (paragraphs: string, placeholder?: string): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder === undefined ? "" : `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp>`;
/** A slide with these shapes; or another part like it, with this element: `sldMaster`. */
export const slide = (shapes: string, element = "sld"): string =>
  `${declaration}<p:${element} ${p}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${element}>`;
/** Slides in presentation order; their files are numbered from the last to the first. */
export function pptx(slides: readonly string[], more: ZipContent = {}): Uint8Array {
  const file = (at: number): string => `slide${slides.length - at}.xml`;
  const order = slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="s${at}"/>`).join("");
  return zip({
    ...package_(
      "ppt/presentation.xml",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    ),
    "ppt/presentation.xml": `<p:presentation ${p}><p:sldIdLst>${order}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relations(
      Object.fromEntries(slides.map((_, at) => [`s${at}`, ["slide", `slides/${file(at)}`]])),
    ),
    ...Object.fromEntries(slides.map((xml, at) => [`ppt/slides/${file(at)}`, xml])),
    ...more,
  });
}
/** A chart with this inside it. */
export const chart = (inside: string): string =>
  `<c:chartSpace ${a}><c:chart>${inside}</c:chart></c:chartSpace>`;
/** A diagram of these texts. */
export const diagram = (...texts: readonly string[]): string =>
  `<dgm:dataModel ${a}><dgm:ptLst>${texts.map((text) => `<dgm:pt><dgm:t>${ap(text)}</dgm:t></dgm:pt>`).join("")}</dgm:ptLst></dgm:dataModel>`;

/** `sheets`: the content of `sheetData` by name. */
export function xlsx(
  sheets: Readonly<Record<string, string>>,
  more: ZipContent = {},
  related: Relations = {},
): Uint8Array {
  const names = Object.keys(sheets);
  const listed = names
    .map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="r${at}"/>`)
    .join("");
  return zip({
    ...package_(
      "xl/workbook.xml",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    ),
    "xl/workbook.xml": `<workbook ${s}><sheets>${listed}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations({
      ...Object.fromEntries(
        names.map((_, at): [string, [string, string]] => [
          `r${at}`,
          ["worksheet", `/xl/worksheets/sheet${at + 1}.xml`],
        ]),
      ),
      ...related,
    }),
    ...Object.fromEntries(
      names.map((name, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `<worksheet ${s}><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
    ...more,
  });
}
/** The strings that cells of a workbook refer to by number. */
export const sharedStrings = (...items: readonly string[]): string =>
  `<sst ${s}>${items.map((item) => `<si>${item.startsWith("<") ? item : `<t>${item}</t>`}</si>`).join("")}</sst>`;
/** The number formats of a workbook by id, and the format of each style. */
export const cellStyles = (
  formats: Readonly<Record<number, string>>,
  ...styles: readonly number[]
): string =>
  `<styleSheet ${s}><numFmts>${Object.entries(formats)
    .map(([id, code]) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`)
    .join(
      "",
    )}</numFmts><cellXfs>${styles.map((id) => `<xf numFmtId="${id}"/>`).join("")}</cellXfs></styleSheet>`;

const odf =
  ["office", "text", "table", "style", "presentation", "manifest", "meta"]
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(" ") +
  ` xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" ` +
  `xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" ` +
  `xmlns:xlink="http://www.w3.org/1999/xlink" ` +
  `xmlns:dc="http://purl.org/dc/elements/1.1/"`;
/** An OpenDocument file with `inside` in its body. */
export const opendocument = (
  kind: "text" | "presentation" | "spreadsheet",
  inside: string,
  {
    styles = "",
    automatic = "",
    more = {},
  }: { readonly styles?: string; readonly automatic?: string; readonly more?: ZipContent } = {},
): Uint8Array =>
  zip({
    mimetype: { data: `application/vnd.oasis.opendocument.${kind}`, stored: true },
    "content.xml":
      `${declaration}<office:document-content ${odf}><office:automatic-styles>${automatic}` +
      `</office:automatic-styles><office:body><office:${kind}>${inside}</office:${kind}>` +
      `</office:body></office:document-content>`,
    "styles.xml": `${declaration}<office:document-styles ${odf}>${styles}</office:document-styles>`,
    "META-INF/manifest.xml": `<manifest:manifest ${odf}><manifest:file-entry manifest:full-path="/"/></manifest:manifest>`,
    ...more,
  });

/** An e-book; its files are in another order than its parts. */
export function epub(parts: readonly string[], more: ZipContent = {}): Uint8Array {
  const file = (at: number, space: string): string => `text${space}${parts.length - at}.xhtml`;
  const items = parts.map(
    (_, at) => `<item id="i${at}" href="${file(at, "%20")}" media-type="application/xhtml+xml"/>`,
  );
  const spine = parts.map((_, at) => `<itemref idref="i${at}"/>`);
  return zip({
    mimetype: { data: "application/epub+zip", stored: true },
    "META-INF/container.xml":
      `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>` +
      `<rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
    "OPS/book.opf":
      `<package xmlns="http://www.idpf.org/2007/opf"><manifest>${items.join("")}</manifest>` +
      `<spine>${spine.join("")}</spine></package>`,
    ...Object.fromEntries(
      parts.map((body, at) => [
        `OPS/${file(at, " ")}`,
        `${declaration}<html xmlns="http://www.w3.org/1999/xhtml">` +
          `<head><title>Not shown</title></head><body>${body}</body></html>`,
      ]),
    ),
    ...more,
  });
}
