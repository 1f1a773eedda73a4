/**
 * Reads XML as a stream of tags and text. Safe for hostile input: no tree, no recursion, no DTD,
 * linear time, and entities are never expanded. Invalid markup is skipped.
 */

export interface XmlHandler {
  /** `skip` ignores everything inside the element; `close` is not called for it either. */
  readonly open: (tag: Tag) => void | "skip";
  readonly close: (name: string) => void;
  /** May be called several times for one text. */
  readonly text: (text: string) => void;
}

/**
 * The prefix for a namespace in the names that handlers see, whatever prefix the file uses; `""`
 * for none. Undefined keeps the file's prefix.
 */
export type PrefixOf = (uri: string) => string | undefined;
const keepPrefixes: PrefixOf = () => undefined;

/** Calls the handler for every tag and every text, from beginning to end. */
export function scanXml(xml: string, handler: XmlHandler, prefixOf: PrefixOf = keepPrefixes): void {
  new Scanner(xml, handler, prefixOf).scan();
}

class Scanner {
  private readonly names: Names;
  private readonly tag: Tag;
  /** The last start tag may declare a namespace, which few do. */
  private declares = false;
  private depth = 0;
  /** The element being skipped, and how many open elements inside it have the same name. */
  private skipped: string | null = null;
  private skipped_depth = 0;

  constructor(
    private readonly xml: string,
    private readonly handler: XmlHandler,
    prefixOf: PrefixOf,
  ) {
    this.names = new Names(prefixOf);
    this.tag = new Tag(xml, this.names);
  }

  scan(): void {
    const { xml, handler } = this;
    for (let at = 0; at < xml.length;) {
      const start = xml.charCodeAt(at) === less ? at : xml.indexOf("<", at);
      const text_end = start < 0 ? xml.length : start;
      if (text_end > at && this.skipped === null)
        handler.text(decodeEntities(xml.slice(at, text_end)));
      if (start < 0) return;
      const code = xml.charCodeAt(start + 1);
      if (code === slash) at = this.closeTag(start + 2);
      else if (code === exclamation || code === question) at = this.declaration(start);
      else if (startsName(code)) at = this.openTag(start + 1);
      else {
        if (this.skipped === null) handler.text("<");
        at = start + 1;
      }
    }
  }

  /** `from` is the start of the tag's name. Returns where to continue. */
  private openTag(from: number): number {
    const { xml } = this;
    const end = this.endOfTag(from);
    if (end < 0) return xml.length;
    const name_end = endOfName(xml, from, end);
    const empty = xml.charCodeAt(end - 1) === slash;
    if (this.skipped !== null) {
      if (!empty && this.isSkippedName(from, name_end)) this.skipped_depth++;
      return end + 1;
    }
    this.depth++;
    this.tag.set(name_end, empty ? end - 1 : end);
    if (this.declares) this.declareNamespaces();
    const name = this.names.at(xml, from, name_end);
    this.tag.name = name;
    const skip = this.handler.open(this.tag) === "skip";
    if (skip && !empty) return this.skip(xml.slice(from, name_end), end + 1);
    if (empty) {
      if (!skip) this.handler.close(name);
      this.names.leave(this.depth--);
    }
    return end + 1;
  }

  private closeTag(from: number): number {
    const { xml } = this;
    const end = xml.indexOf(">", from);
    if (end < 0) return xml.length;
    let name_end = end;
    while (name_end > from && isSpace(xml.charCodeAt(name_end - 1))) name_end--;
    if (this.skipped === null) this.handler.close(this.names.at(xml, from, name_end));
    else if (!this.isSkippedName(from, name_end) || --this.skipped_depth > 0) return end + 1;
    this.skipped = null;
    this.names.leave(this.depth--);
    return end + 1;
  }

  /** A comment, an instruction, a CDATA section or a document type. */
  private declaration(from: number): number {
    const { xml } = this;
    if (xml.startsWith("<!--", from)) return endAfter(xml, "-->", from + 4);
    if (xml.startsWith("<?", from)) return endAfter(xml, "?>", from + 2);
    if (!xml.startsWith("<![CDATA[", from)) return endOfDoctype(xml, from + 2);
    const end = endAfter(xml, "]]>", from + 9);
    if (this.skipped === null)
      this.handler.text(xml.slice(from + 9, xml.startsWith("]]>", end - 3) ? end - 3 : end));
    return end;
  }

  /** Skips the element of this name, whose content begins at `from`. */
  private skip(name: string, from: number): number {
    const end = endOfSimpleElement(this.xml, name, from);
    if (end === null) {
      [this.skipped, this.skipped_depth] = [name, 1];
      return from;
    }
    this.names.leave(this.depth--);
    return end;
  }

  private isSkippedName(from: number, to: number): boolean {
    return to - from === this.skipped!.length && this.xml.startsWith(this.skipped!, from);
  }

  private declareNamespaces(): void {
    const attributes = this.tag.attributes();
    for (let at = 0; at < attributes.length; at += 2) {
      const name = attributes[at]!;
      const uri = attributes[at + 1]!;
      if (name === "xmlns") this.names.declare("", uri, this.depth);
      else if (name.startsWith("xmlns:")) this.names.declare(name.slice(6), uri, this.depth);
    }
  }

  /** The end of a start tag: the first `>` outside quotes; -1 when there is none. */
  private endOfTag(from: number): number {
    const { xml } = this;
    this.declares = false;
    for (let at = from; at < xml.length; at++) {
      const code = xml.charCodeAt(at);
      if (code === greater) return at;
      if (code === letter_x && xml.startsWith("xmlns", at)) this.declares = true;
      if (code !== double_quote && code !== single_quote) continue;
      at = xml.indexOf(code === double_quote ? '"' : "'", at + 1);
      if (at < 0) return -1;
    }
    return -1;
  }
}

/** The start tag of an element. Valid only while `open` runs. */
export class Tag {
  name = "";
  /** The position of its attributes. */
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
   * The value of an attribute. A name with a prefix has to be in that namespace; one without
   * matches the first attribute of this name in any namespace.
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

  /** Names and values alternately, as written. */
  attributes(): readonly string[] {
    return (this.parsed ??= parseAttributes(this.xml.slice(this.start, this.end)));
  }
}

const cache_slots = 1024;

/** Translates a file's names into names with known prefixes, according to its declarations. */
class Names {
  private readonly prefixes = new Map<string, string>();
  private readonly resolved = new Map<string, string>();
  private readonly cached_raw: (string | undefined)[] = new Array(cache_slots).fill(undefined);
  private readonly cached: string[] = new Array<string>(cache_slots).fill("");
  private readonly scopes: {
    readonly depth: number;
    readonly prefix: string;
    readonly before: string | undefined;
  }[] = [];

  constructor(private readonly prefixOf: PrefixOf) {}

  /**
   * The name at this position. Most files have few different names, which are found without
   * copying.
   */
  at(xml: string, start: number, end: number): string {
    const slot =
      (((xml.charCodeAt(start + 2) * 31 + xml.charCodeAt(start + 3)) * 31 +
        xml.charCodeAt(end - 2)) *
        31 +
        xml.charCodeAt(end - 1) +
        37 * (end - start)) &
      (cache_slots - 1);
    const raw = this.cached_raw[slot];
    if (raw !== undefined && isAt(xml, start, end, raw)) return this.cached[slot]!;
    const name = xml.slice(start, end);
    this.cached_raw[slot] = name;
    return (this.cached[slot] = this.of(name));
  }

  of(raw: string): string {
    const resolved_name = this.resolved.get(raw);
    if (resolved_name !== undefined) return resolved_name;
    const colon = raw.indexOf(":");
    const prefix = this.prefixes.get(colon < 0 ? "" : raw.slice(0, colon));
    const local = raw.slice(colon + 1);
    const name = prefix === undefined ? raw : prefix === "" ? local : `${prefix}:${local}`;
    this.resolved.set(raw, name);
    return name;
  }

  declare(prefix: string, uri: string, depth: number): void {
    const before = this.prefixes.get(prefix);
    const known_prefix = this.prefixOf(uri);
    if (before === known_prefix) return;
    this.scopes.push({ depth, prefix, before });
    this.set(prefix, known_prefix);
  }

  /** Removes the declarations of the element at this depth and of those inside it. */
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
    this.resolved.clear();
    this.cached_raw.fill(undefined);
  }
}

const exclamation = 33;
const double_quote = 34;
const single_quote = 39;
const slash = 47;
const less = 60;
const equals = 61;
const greater = 62;
const question = 63;
const letter_x = 120;
const bracket_open = 91;
const bracket_close = 93;
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);
/** A letter, `_`, `:`, or anything beyond ASCII. */
const startsName = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  code === 95 ||
  code === 58 ||
  code > 127;

/** Whether the characters from `start` to `end` are this name. */
function isAt(xml: string, start: number, end: number, name: string): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++)
    if (name.charCodeAt(at) !== xml.charCodeAt(start + at)) return false;
  return true;
}

/** Where the name of a tag ends; the tag itself ends at `end`. */
function endOfName(xml: string, from: number, end: number): number {
  let at = from + 1;
  for (
    let code = xml.charCodeAt(at);
    at < end && code !== slash && !isSpace(code);
    code = xml.charCodeAt(++at)
  );
  return at;
}

/** The end of a document type, including everything it declares. */
function endOfDoctype(xml: string, from: number): number {
  let depth = 0;
  for (let at = from; at < xml.length; at++) {
    const code = xml.charCodeAt(at);
    if (code === bracket_open) depth++;
    else if (code === bracket_close) depth--;
    else if (code === greater && depth <= 0) return at + 1;
    else if (code === double_quote || code === single_quote) {
      at = xml.indexOf(code === double_quote ? '"' : "'", at + 1);
      if (at < 0) return xml.length;
    }
  }
  return xml.length;
}

/**
 * The end of an element that contains nothing of the same name and nothing that may hide its end;
 * otherwise null.
 */
function endOfSimpleElement(xml: string, name: string, from: number): number | null {
  const close = xml.indexOf(`</${name}`, from);
  if (close < 0 || xml.charCodeAt(close + name.length + 2) !== greater) return null;
  const inside = xml.slice(from, close);
  return inside.includes(`<${name}`) || inside.includes("<!") ? null : close + name.length + 3;
}

function endAfter(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from);
  return at < 0 ? xml.length : at + mark.length;
}

function parseAttributes(raw: string): string[] {
  const attributes: string[] = [];
  const { length } = raw;
  for (let at = 0; at < length;) {
    let code = raw.charCodeAt(at);
    while (isSpace(code) || code === slash) code = raw.charCodeAt(++at);
    const name_start = at;
    while (at < length && code !== equals && code !== slash && !isSpace(code))
      code = raw.charCodeAt(++at);
    const name = raw.slice(name_start, at);
    while (isSpace(code)) code = raw.charCodeAt(++at);
    if (code !== equals) {
      if (name !== "") attributes.push(name, "");
      continue;
    }
    do code = raw.charCodeAt(++at);
    while (isSpace(code));
    const is_quoted = code === double_quote || code === single_quote;
    const start = is_quoted ? at + 1 : at;
    let end = start;
    if (is_quoted) end = raw.indexOf(code === double_quote ? '"' : "'", start);
    else while (end < length && !isSpace(raw.charCodeAt(end))) end++;
    if (end < 0) end = length;
    attributes.push(name, raw.slice(start, end));
    at = is_quoted ? end + 1 : end;
  }
  return attributes;
}

const entity = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z][a-z0-9]{1,30}));/gi;
const predefined: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Decodes the five predefined entities and numeric references; other entities stay. */
const decodeEntities = (text: string): string =>
  !text.includes("&")
    ? text
    : text.replace(entity, (all: string, hex?: string, decimal?: string, name?: string) =>
        name === undefined
          ? character(Number.parseInt(hex ?? decimal!, hex === undefined ? 10 : 16))
          : Object.hasOwn(predefined, name)
            ? predefined[name]!
            : all,
      );
const character = (code: number): string =>
  code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)
    ? "\ufffd"
    : String.fromCodePoint(code);
