/** Generated files for the benchmark: a long PDF, and a Word document that is one large table. */
import { deflateRawSync, deflateSync } from "node:zlib";
import { makeText } from "./text";

const latin = (text: string): Buffer => Buffer.from(text, "latin1");

/** A line as word processors write it: a few letters at a time, with kerning. */
function kerned(line: string): string {
  const pieces = (line.trim().match(/.{1,4}/g) ?? []).map(
    (letters, i) => `(${letters.replace(/[()\\]/g, "\\$&")}) ${(i % 5) * 4 - 8}`,
  );
  return `[${pieces.join(" ")}] TJ T*`;
}

/** A compressed stream, with these further entries in its dictionary. */
function pdfStream(content: string, entries = ""): Buffer {
  const packed = deflateSync(latin(content));
  return Buffer.concat([
    latin(`<< ${entries} /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
    packed,
    latin("\nendstream"),
  ]);
}

/**
 * A PDF with a font `F1`. `more` are its objects from the fourth on; `kids` are the numbers of its
 * pages, whose parent is object 2.
 */
function pdfFile(more: readonly Buffer[], kids: readonly number[]): Uint8Array {
  const references = kids.map((kid) => `${kid} 0 R`);
  const objects = [
    latin("<< /Type /Catalog /Pages 2 0 R >>"),
    latin(`<< /Type /Pages /Count ${kids.length} /Kids [${references.join(" ")}] >>`),
    latin("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    ...more,
  ];
  const parts: Buffer[] = [latin("%PDF-1.4\n")];
  const positions: number[] = [];
  let at = parts[0]!.length;
  for (const [number, object] of objects.entries()) {
    const part = Buffer.concat([latin(`${number + 1} 0 obj\n`), object, latin("\nendobj\n")]);
    positions.push(at);
    at += part.length;
    parts.push(part);
  }
  const table = positions.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  return Buffer.concat([
    ...parts,
    latin(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}` +
        `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  ]);
}
const first_object = 4;

const pdfPage = (contents: number, resources = ""): Buffer =>
  latin(
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] " +
      `/Resources << /Font << /F1 3 0 R >> ${resources} >> /Contents ${contents} 0 R >>`,
  );

/** A PDF of `pages` pages of prose, 46 lines each. */
export function longPdf(pages: number): Uint8Array {
  const objects: Buffer[] = [];
  const kids: number[] = [];
  for (let page = 0; page < pages; page++) {
    const lines = makeText(page + 1, 4_200)
      .replace(/\n+/g, " ")
      .match(/.{1,90}(?:\s|$)/g)!
      .slice(0, 46);
    const number = first_object + objects.length;
    objects.push(pdfPage(number + 1));
    objects.push(pdfStream(`BT /F1 11 Tf 14 TL 60 780 Td ${lines.map(kerned).join(" ")} ET`));
    kids.push(number);
  }
  return pdfFile(objects, kids);
}

/** A PDF whose pages show the same drawing of so many lines. */
export function drawnPdf(pages: number, lines: number): Uint8Array {
  const drawing = Array.from({ length: lines }, (_, at) => {
    const from = `${at % 500} ${(at * 7) % 700}`;
    return `${from} m ${(at * 3) % 500} ${(at * 11) % 700} l S`;
  });
  const form = "/Type /XObject /Subtype /Form /BBox [0 0 595 842]";
  const shared = [
    pdfStream(drawing.join("\n"), form),
    pdfStream("/X Do BT /F1 11 Tf 60 780 Td (The heron stands in shallow water.) Tj ET"),
  ];
  const page = pdfPage(first_object + 1, `/XObject << /X ${first_object} 0 R >>`);
  const kids = Array.from({ length: pages }, (_, at) => first_object + shared.length + at);
  return pdfFile([...shared, ...kids.map(() => page)], kids);
}

/** A DOCX with about `characters` of text in the cells of one table. */
export function tableDocx(characters: number): Uint8Array {
  const words = makeText(7, characters).split(/\s+/);
  const rows: string[] = [];
  for (let at = 0; at < words.length; at += 24) {
    const cells = Array.from({ length: 6 }, (_, column) =>
      tableCell(words.slice(at + column * 4, at + column * 4 + 4).join(" ")),
    );
    rows.push(`<w:tr>${cells.join("")}</w:tr>`);
  }
  return zip({
    "[Content_Types].xml": xml(
      "Types",
      "http://schemas.openxmlformats.org/package/2006/content-types",
      '\n<Override PartName="/word/document.xml" ContentType="application/' +
        'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>',
    ),
    "_rels/.rels": xml(
      "Relationships",
      "http://schemas.openxmlformats.org/package/2006/relationships",
      '\n<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/' +
        'relationships/officeDocument" Target="word/document.xml"/>',
    ),
    "word/document.xml":
      '<?xml version="1.0" encoding="UTF-8"?><w:document ' +
      'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
      `<w:body><w:tbl>${rows.join("")}</w:tbl></w:body></w:document>`,
  });
}

const tableCell = (text: string): string =>
  '<w:tc><w:tcPr><w:tcW w:w="1200" w:type="dxa"/></w:tcPr>' +
  '<w:p><w:pPr><w:pStyle w:val="TableText"/></w:pPr><w:r><w:rPr><w:sz w:val="18"/></w:rPr>' +
  `<w:t xml:space="preserve">${text.replace(/[&<>]/g, " ")}</w:t></w:r></w:p></w:tc>`;

const xml = (root: string, namespace: string, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><${root} xmlns="${namespace}">${content}</${root}>`;

/** A ZIP archive, deflated. */
export function zip(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array<ArrayBuffer> {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const raw = Buffer.from(content as string);
    const packed = deflateRawSync(raw);
    const name_bytes = Buffer.from(name);
    // The fields common to the local header and the central directory entry.
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(8, 4);
    header.writeUInt32LE(Bun.hash.crc32(raw), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(raw.length, 18);
    header.writeUInt16LE(name_bytes.length, 22);
    const position = Buffer.alloc(14);
    position.writeUInt32LE(at, 10);
    directory.push(latin("PK\x01\x02\x14\0"), header, position, name_bytes);
    const body = Buffer.concat([latin("PK\x03\x04"), header, name_bytes, packed]);
    bodies.push(body);
    at += body.length;
  }
  const central_directory = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  latin("PK\x05\x06").copy(end);
  end.writeUInt16LE(bodies.length, 8);
  end.writeUInt16LE(bodies.length, 10);
  end.writeUInt32LE(central_directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, central_directory, end]);
}
