/**
 * Runs in the child: XML of documents, with the names that the readers here use, such as `w:p`,
 * whatever prefix the file itself has. A reader of a new namespace adds it here.
 */
import { scanXml, type XmlHandler } from "../../../core/lib/xml";

/** All versions of each namespace. */
const namespaces: Readonly<Record<string, readonly string[]>> = {
  w: [
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
  ],
  a: [
    "http://schemas.openxmlformats.org/drawingml/2006/main",
    "http://purl.oclc.org/ooxml/drawingml/main",
  ],
  p: [
    "http://schemas.openxmlformats.org/presentationml/2006/main",
    "http://purl.oclc.org/ooxml/presentationml/main",
  ],
  s: [
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
  ],
  c: [
    "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "http://purl.oclc.org/ooxml/drawingml/chart",
  ],
  cx: ["http://schemas.microsoft.com/office/drawing/2014/chartex"],
  dgm: [
    "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "http://purl.oclc.org/ooxml/drawingml/diagram",
  ],
  m: [
    "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "http://purl.oclc.org/ooxml/officeDocument/math",
  ],
  r: [
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "http://purl.oclc.org/ooxml/officeDocument/relationships",
  ],
  mc: ["http://schemas.openxmlformats.org/markup-compatibility/2006"],
  dc: ["http://purl.org/dc/elements/1.1/"],
  svg: ["http://www.w3.org/2000/svg"],
  xlink: ["http://www.w3.org/1999/xlink"],
  "": [
    "http://www.w3.org/1999/xhtml",
    "http://www.idpf.org/2007/opf",
    "http://openebook.org/namespaces/oeb-package/1.0/",
    "urn:oasis:names:tc:opendocument:xmlns:container",
    "http://schemas.openxmlformats.org/package/2006/relationships",
    "http://schemas.openxmlformats.org/package/2006/content-types",
    "http://www.w3.org/2001/04/xmlenc#",
  ],
};
const prefixes = new Map(
  Object.entries(namespaces).flatMap(([prefix, uris]) =>
    uris.map((uri): [string, string] => [uri, prefix]),
  ),
);
/** The namespaces of OpenDocument contain their own prefix. */
const opendocument =
  /^(?:urn:oasis:names:tc:opendocument:xmlns:|http:\/\/openoffice\.org\/2000\/)([a-z]+)(?:[-:]|$)/;

function prefixOf(uri: string): string | undefined {
  const prefix = opendocument.exec(uri)?.[1];
  return prefixes.get(uri) ?? (prefix === "drawing" ? "draw" : prefix);
}

/** Calls the handler with names in these prefixes. */
export const scanOfficeXml = (xml: string, handler: XmlHandler): void =>
  scanXml(xml, handler, prefixOf);
/** The same for files whose texts do not matter: calls `open` with each start tag. */
export const scanTags = (xml: string, open: XmlHandler["open"]): void =>
  scanOfficeXml(xml, { open, close: () => {}, text: () => {} });

/**
 * The text of an XML file, decoded by its byte order mark, by the zero bytes of UTF-16, or by its
 * declared encoding.
 */
export function decodeXml(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeAs("utf-16le", bytes);
  if (first === 0xfe && second === 0xff) return decodeAs("utf-16be", bytes);
  if (first === 0x3c && second === 0) return decodeAs("utf-16le", bytes);
  if (first === 0 && second === 0x3c) return decodeAs("utf-16be", bytes);
  const declared =
    /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(
      Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 300)).toString("latin1"),
    )?.[1];
  // A file in UTF-16 could not have declared it in these bytes.
  return decodeAs(
    declared === undefined || /^utf-?(8|16)/i.test(declared) ? "utf-8" : declared,
    bytes,
  );
}

function decodeAs(label: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(label as Bun.Encoding).decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder().decode(bytes); // An unknown encoding.
  }
}
