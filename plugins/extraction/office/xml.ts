/**
 * Walks through XML from beginning to end: no tree, no DTD, no recursion, linear time whatever the
 * input. Broken markup is stepped over.
 */

export interface XmlHandler {
  /** `skip` passes over everything inside; its `close` is not called either. */
  readonly open: (tag: Tag) => void | "skip";
  readonly close: (name: string) => void;
  /** May come in several pieces. */
  readonly text: (text: string) => void;
}

/**
 * The names of namespaces that this project reads, in all their versions; those of OpenDocument say
 * their own name. Others keep the prefix of the file.
 */
const namespaces = new Map<string, string>(
  Object.entries({
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
  }).flatMap(([prefix, uris]) => uris.map((uri): [string, string] => [uri, prefix])),
);
const opendocument =
  /^(?:urn:oasis:names:tc:opendocument:xmlns:|http:\/\/openoffice\.org\/2000\/)([a-z]+)(?:[-:]|$)/;
function prefixOf(uri: string): string | undefined {
  const own = opendocument.exec(uri)?.[1];
  return namespaces.get(uri) ?? (own === "drawing" ? "draw" : own);
}

const slots = 1024;
/** Names of a document with the prefixes of this project. */
class Names {
  private readonly prefixes = new Map<string, string>();
  private readonly known = new Map<string, string>();
  private readonly raws: (string | undefined)[] = new Array<undefined>(slots).fill(undefined);
  private readonly resolved: string[] = new Array<string>(slots).fill("");
  private readonly scopes: {
    readonly depth: number;
    readonly prefix: string;
    readonly before: string | undefined;
  }[] = [];

  /**
   * The name that is written in this place; few names make up a file, so most are found without
   * copying them out.
   */
  at(xml: string, start: number, end: number): string {
    const slot =
      (((xml.charCodeAt(start + 2) * 31 + xml.charCodeAt(start + 3)) * 31 +
        xml.charCodeAt(end - 2)) *
        31 +
        xml.charCodeAt(end - 1) +
        37 * (end - start)) &
      (slots - 1);
    const raw = this.raws[slot];
    if (raw !== undefined && raw.length === end - start && xml.startsWith(raw, start))
      return this.resolved[slot]!;
    const own = xml.slice(start, end);
    this.raws[slot] = own;
    return (this.resolved[slot] = this.of(own));
  }
  of(raw: string): string {
    const known = this.known.get(raw);
    if (known !== undefined) return known;
    const colon = raw.indexOf(":");
    const prefix = this.prefixes.get(colon < 0 ? "" : raw.slice(0, colon));
    const name =
      prefix === undefined
        ? raw
        : prefix === ""
          ? raw.slice(colon + 1)
          : `${prefix}:${raw.slice(colon + 1)}`;
    this.known.set(raw, name);
    return name;
  }
  declare(prefix: string, uri: string, depth: number): void {
    const before = this.prefixes.get(prefix);
    if (before === prefixOf(uri)) return;
    this.scopes.push({ depth, prefix, before });
    this.set(prefix, prefixOf(uri));
  }
  /** The element at this depth has ended, and what it declared. */
  leave(depth: number): void {
    for (
      let scope = this.scopes.at(-1);
      scope !== undefined && scope.depth >= depth;
      scope = this.scopes.at(-1)
    ) {
      this.scopes.pop();
      this.set(scope.prefix, scope.before);
    }
  }
  private set(prefix: string, name: string | undefined): void {
    if (name === undefined) this.prefixes.delete(prefix);
    else this.prefixes.set(prefix, name);
    this.known.clear();
    this.raws.fill(undefined);
  }
}

/** The start of an element. Valid only while `open` runs. */
export class Tag {
  name = "";
  /** Where its attributes lie. */
  private start = 0;
  private end = 0;
  private parsed: string[] | null = null;
  constructor(
    private readonly xml: string,
    private readonly names: Names,
  ) {}

  set(start: number, end: number): void {
    this.start = start;
    this.end = end;
    this.parsed = null;
  }
  /**
   * An attribute: with a prefix the one of this namespace, without one the first of this name in
   * any.
   */
  get(name: string): string | undefined {
    const attributes = this.attributes();
    const exact = name.includes(":");
    for (let at = 0; at < attributes.length; at += 2) {
      const raw = attributes[at]!;
      const fits =
        raw === name ||
        (exact
          ? raw.includes(":") && this.names.of(raw) === name
          : raw.endsWith(name) && raw.charAt(raw.length - name.length - 1) === ":");
      if (fits) return decodeEntities(attributes[at + 1]!);
    }
    return undefined;
  }
  /** Names and values as they are written, one after the other. */
  attributes(): readonly string[] {
    return (this.parsed ??= attributesOf(this.xml.slice(this.start, this.end)));
  }
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);
/** A letter, `_`, `:`, or anything beyond ASCII. */
const startsName = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  code === 95 ||
  code === 58 ||
  code > 127;

function attributesOf(raw: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < raw.length;) {
    while (at < raw.length && (isSpace(raw.charCodeAt(at)) || raw[at] === "/")) at++;
    const name_start = at;
    while (at < raw.length && raw[at] !== "=" && raw[at] !== "/" && !isSpace(raw.charCodeAt(at)))
      at++;
    const name = raw.slice(name_start, at);
    while (at < raw.length && isSpace(raw.charCodeAt(at))) at++;
    if (raw[at] !== "=") {
      if (name !== "") found.push(name, "");
      continue;
    }
    at++;
    while (at < raw.length && isSpace(raw.charCodeAt(at))) at++;
    const quote = raw[at] === '"' || raw[at] === "'" ? raw[at]! : null;
    const start = quote === null ? at : at + 1;
    let end = quote === null ? start : raw.indexOf(quote, start);
    if (quote === null) while (end < raw.length && !isSpace(raw.charCodeAt(end))) end++;
    if (end < 0) end = raw.length;
    found.push(name, raw.slice(start, end));
    at = quote === null ? end : end + 1;
  }
  return found;
}

const entity = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z][a-z0-9]{1,30}));/gi;
const five: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The five of XML and numbers; any other name stays as it is written. */
const decodeEntities = (text: string): string =>
  !text.includes("&")
    ? text
    : text.replace(entity, (all: string, hex?: string, decimal?: string, name?: string) =>
        name === undefined
          ? character(Number.parseInt(hex ?? decimal!, hex === undefined ? 10 : 16))
          : Object.hasOwn(five, name)
            ? five[name]!
            : all,
      );
const character = (code: number): string =>
  code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)
    ? "\ufffd"
    : String.fromCodePoint(code);

/** Where a start tag ends: the first `>` outside quotes; -1 when there is none. */
function endOfTag(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const code = xml.charCodeAt(at);
    if (code === 62) return at;
    if (code !== 34 && code !== 39) continue;
    at = xml.indexOf(code === 34 ? '"' : "'", at + 1);
    if (at < 0) return -1;
  }
  return -1;
}
/** Where a document type declaration ends, with everything it declares. */
function endOfDoctype(xml: string, from: number): number {
  let inside = 0;
  for (let at = from; at < xml.length; at++) {
    const code = xml.charCodeAt(at);
    if (code === 91) inside++;
    else if (code === 93) inside--;
    else if (code === 62 && inside <= 0) return at + 1;
    else if (code === 34 || code === 39) {
      at = xml.indexOf(code === 34 ? '"' : "'", at + 1);
      if (at < 0) return xml.length;
    }
  }
  return xml.length;
}

export function scanXml(xml: string, handler: XmlHandler): void {
  const names = new Names();
  const tag = new Tag(xml, names);
  let next_declaration = xml.indexOf("xmlns");
  let depth = 0;
  let skipped: string | null = null;
  let skipped_depth = 0;

  const openTag = (from: number): number => {
    const end = endOfTag(xml, from);
    if (end < 0) return xml.length;
    let name_end = from + 1;
    for (
      let code = xml.charCodeAt(name_end);
      name_end < end && code !== 47 && !isSpace(code);
      code = xml.charCodeAt(++name_end)
    );
    const empty = xml.charCodeAt(end - 1) === 47;
    if (skipped !== null) {
      if (!empty && name_end - from === skipped.length && xml.startsWith(skipped, from))
        skipped_depth++;
      return end + 1;
    }
    depth++;
    tag.set(name_end, empty ? end - 1 : end);
    while (next_declaration >= 0 && next_declaration < from)
      next_declaration = xml.indexOf("xmlns", from);
    if (next_declaration >= 0 && next_declaration < end) declareIn(tag.attributes(), names, depth);
    tag.name = names.at(xml, from, name_end);
    const { name } = tag;
    const skip = handler.open(tag) === "skip";
    if (skip && !empty) {
      const behind = endOfSimple(xml, xml.slice(from, name_end), end + 1);
      if (behind === null) [skipped, skipped_depth] = [xml.slice(from, name_end), 1];
      else {
        names.leave(depth--);
        return behind;
      }
    } else if (empty && !skip) handler.close(name);
    if (empty) names.leave(depth--);
    return end + 1;
  };
  const closeTag = (from: number): number => {
    const end = xml.indexOf(">", from);
    if (end < 0) return xml.length;
    let name_end = end;
    while (name_end > from && isSpace(xml.charCodeAt(name_end - 1))) name_end--;
    if (skipped === null) handler.close(names.at(xml, from, name_end));
    else if (
      name_end - from !== skipped.length ||
      !xml.startsWith(skipped, from) ||
      --skipped_depth > 0
    )
      return end + 1;
    skipped = null;
    names.leave(depth--);
    return end + 1;
  };
  const other = (from: number): number => {
    if (xml.startsWith("<!--", from)) return endAfter(xml, "-->", from + 4);
    if (xml.startsWith("<?", from)) return endAfter(xml, "?>", from + 2);
    if (!xml.startsWith("<![CDATA[", from)) return endOfDoctype(xml, from + 2);
    const end = endAfter(xml, "]]>", from + 9);
    if (skipped === null)
      handler.text(xml.slice(from + 9, xml.startsWith("]]>", end - 3) ? end - 3 : end));
    return end;
  };

  for (let at = 0; at < xml.length;) {
    const start = xml.indexOf("<", at);
    const text_end = start < 0 ? xml.length : start;
    if (text_end > at && skipped === null) handler.text(decodeEntities(xml.slice(at, text_end)));
    if (start < 0) return;
    const code = xml.charCodeAt(start + 1);
    if (code === 47) at = closeTag(start + 2);
    else if (code === 33 || code === 63) at = other(start);
    else if (startsName(code)) at = openTag(start + 1);
    else {
      if (skipped === null) handler.text("<");
      at = start + 1;
    }
  }
}
/**
 * Behind an element that is passed over, when it is plain to see where it ends: nothing inside has
 * its name, or may hide an end.
 */
function endOfSimple(xml: string, name: string, from: number): number | null {
  const close = xml.indexOf(`</${name}`, from);
  if (close < 0 || xml.charCodeAt(close + name.length + 2) !== 62) return null;
  const inside = xml.slice(from, close);
  return inside.includes(`<${name}`) || inside.includes("<!") ? null : close + name.length + 3;
}
const endAfter = (xml: string, mark: string, from: number): number => {
  const at = xml.indexOf(mark, from);
  return at < 0 ? xml.length : at + mark.length;
};
function declareIn(attributes: readonly string[], names: Names, depth: number): void {
  for (let at = 0; at < attributes.length; at += 2) {
    const name = attributes[at]!;
    if (name === "xmlns") names.declare("", attributes[at + 1]!, depth);
    else if (name.startsWith("xmlns:")) names.declare(name.slice(6), attributes[at + 1]!, depth);
  }
}

/**
 * The text of an XML file: by its byte order mark, by the zero bytes of UTF-16, or as it declares.
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
  // A file in UTF-16 could not have said so in these bytes.
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
    return new TextDecoder().decode(bytes); // Nobody knows this encoding.
  }
}
