/**
 * Runs in the child: reduces any HTML, however broken, deep or hostile, to small and balanced
 * markup of its visible content. Runs in linear time, and protects the parser behind it, which is
 * not safe by itself.
 */
import { scriptForm, type Script } from "../child/scripts";
import {
  block_elements,
  cell_closers,
  cells,
  head_elements,
  hidden_elements,
  hidden_raw_text,
  implied_ends,
  table_elements,
  void_elements,
} from "./elements";

/** Of more deeply nested elements only the content is kept. */
const depth_max = 200;
/**
 * Beyond this number of elements only the content is kept: their tree would take too much memory.
 */
const elements_max = 100_000;
/** A longer title was never closed: it is the page. */
const title_chars_max = 1_000;
/** Stands for `<br>`: as elements, that many would take too much memory. */
export const line_break = "\u2028";

/** The visible content of a page. */
export interface Markup {
  /**
   * Balanced, in lower case, with only blocks, lists, tables and line breaks. Character references
   * are not decoded.
   */
  readonly body: string;
  /** Character references are not decoded; null if there is no title. */
  readonly title: string | null;
}

/**
 * `xml`: `<p/>` is an empty element, as in e-books and in pages that begin with an XML declaration.
 */
export function simplify(html: string, { xml = /^\ufeff?\s*<\?xml\s/.test(html) } = {}): Markup {
  const writer = new MarkupWriter();
  const scanner = new Scanner(html.replace(emphasis_marks, ""));
  for (let token = scanner.next(); token !== null; token = scanner.next()) {
    if (token.kind === "text") writer.text(token.text);
    else if (token.kind === "close") writer.close(token.name);
    else {
      const closed = xml && token.closed;
      writer.open(token.name, token.attributes, () => (closed ? "" : scanner.raw(token.name)));
      if (closed) writer.close(token.name);
    }
  }
  return writer.finish();
}

/** The attributes of an element: values by name. */
export type Attributes = ReadonlyMap<string, string>;
type Token =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "open";
      readonly name: string;
      readonly attributes: Attributes;
      readonly closed: boolean;
    }
  | { readonly kind: "close"; readonly name: string };

const escaped = (text: string): string => text.replaceAll("<", "&lt;");

const tag_name = /[^\s/>]*/y;
/** The end of the tag, or an attribute: its name, and the quote or the value. */
const attribute = /[\s/]*(?:(>)|([^\s/>][^\s/>=]*)(?:\s*=\s*(?:(["'])|([^\s>]*)))?)/y;

/** Splits HTML into tags and text. */
class Scanner {
  private at = 0;
  /** Strings known not to occur any more, so that each is searched for only once. */
  private readonly missing = new Set<string>();
  constructor(private readonly html: string) {}

  next(): Token | null {
    const { html } = this;
    while (this.at < html.length) {
      const from = this.at;
      if (html.charCodeAt(from) !== 60) {
        const tag = this.find("<", from);
        this.at = tag < 0 ? html.length : tag;
        return { kind: "text", text: html.slice(from, this.at) };
      }
      const token = this.markup(from);
      if (token !== null) return token;
    }
    return null;
  }
  /** The raw content of the element whose start tag was the last token, up to its end tag. */
  raw(name: string): string {
    const start = this.at;
    const closing = new RegExp(`</${name}(?=[\\s/>])`, "gi");
    closing.lastIndex = start;
    const closing_tag = this.missing.has(`</${name}`) ? null : closing.exec(this.html);
    if (closing_tag === null) this.missing.add(`</${name}`);
    const end = closing_tag?.index ?? this.html.length;
    this.at = closing_tag === null ? end : this.after(">", end);
    return this.html.slice(start, end);
  }

  /** Reads a token that begins with `<`. Null if it is not shown. */
  private markup(from: number): Token | null {
    const { html } = this;
    const second = html[from + 1] ?? "";
    if (/[a-z]/i.test(second)) return this.opening(from + 1);
    if (second === "/" && /[a-z]/i.test(html[from + 2] ?? "")) {
      const name = this.name(from + 2);
      this.at = this.after(">", this.at);
      return { kind: "close", name };
    }
    if (html.startsWith("<!--", from)) {
      const end = this.find("-->", from + 2);
      // An unterminated comment hides nothing.
      this.at = end < 0 ? from + 4 : Math.max(end + 3, from + 5);
      return null;
    }
    if (html.startsWith("<![CDATA[", from)) {
      const end = this.find("]]>", from);
      this.at = end < 0 ? from + 9 : end + 3;
      return end < 0
        ? null
        : { kind: "text", text: escaped(html.slice(from + 9, end).replaceAll("&", "&amp;")) };
    }
    if (second === "!" || second === "?" || second === "/") {
      this.at = this.after(">", from);
      return null;
    }
    this.at = from + 1;
    return { kind: "text", text: "&lt;" };
  }
  private opening(from: number): Token {
    const name = this.name(from);
    if (this.html.charCodeAt(this.at) === greater_than) {
      this.at++;
      return { kind: "open", name, attributes: none, closed: false };
    }
    let attributes: Map<string, string> | undefined;
    for (;;) {
      attribute.lastIndex = this.at;
      const match = attribute.exec(this.html);
      if (match === null) {
        this.at = this.html.length;
        break;
      }
      this.at = attribute.lastIndex;
      if (match[1] !== undefined) break;
      const quote = match[3];
      let value = match[4] ?? "";
      if (quote !== undefined) {
        const end = this.find(quote, this.at);
        if (end < 0) {
          this.at = this.after(">", this.at);
          break;
        } // The closing quote is missing: the tag ends at its `>` nevertheless.
        value = this.html.slice(this.at, end);
        this.at = end + 1;
      }
      const key = match[2]!.toLowerCase();
      if (kept_attributes.has(key)) (attributes ??= new Map()).set(key, value);
    }
    return {
      kind: "open",
      name,
      attributes: attributes ?? none,
      closed: this.html[this.at - 2] === "/",
    };
  }
  /** Reads the name at this position. */
  private name(from: number): string {
    tag_name.lastIndex = from;
    tag_name.test(this.html);
    this.at = tag_name.lastIndex;
    const name = this.html.slice(from, Math.min(this.at, from + name_chars_max)).toLowerCase();
    return name.startsWith("svg:") ? name.slice(4) : name;
  }
  private find(text: string, from: number): number {
    if (this.missing.has(text)) return -1;
    const index = this.html.indexOf(text, from);
    if (index < 0) this.missing.add(text);
    return index;
  }
  /** The index after the next `text`, or the end. */
  private after(text: string, from: number): number {
    const index = this.find(text, from);
    return index < 0 ? this.html.length : index + text.length;
  }
}
const name_chars_max = 40;
const greater_than = 62;
const none: Attributes = new Map();
const kept_attributes: ReadonlySet<string> = new Set([
  "hidden",
  "style",
  "alt",
  "start",
  "value",
  "type",
  "role",
  "colspan",
  "rowspan",
]);

const hiding = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const isHidden = (attributes: Attributes): boolean =>
  attributes.size > 0 &&
  ((attributes.has("hidden") && !/until-found/i.test(attributes.get("hidden")!)) ||
    hiding.test(attributes.get("style") ?? ""));

/** Start and end of bold and italic text: as elements, that many would take too much memory. */
export const emphasis_mark = {
  bold: "\ufdd4",
  end_bold: "\ufdd5",
  italic: "\ufdd6",
  end_italic: "\ufdd7",
} as const;
/** Characters that mark the beginning and end of emphasis; none is in any text. */
export const emphasis_marks = /[\ufdd4-\ufdd7]/g;
const bold = { begins: emphasis_mark.bold, ends: emphasis_mark.end_bold };
const italic = { begins: emphasis_mark.italic, ends: emphasis_mark.end_italic };
const emphasising = new Map<string, { readonly begins: string; readonly ends: string }>([
  ["b", bold],
  ["strong", bold],
  ["i", italic],
  ["em", italic],
]);

const scripts = new Map<string, Script>([
  ["sup", "raised"],
  ["sub", "lowered"],
]);

/** Whether this element begins and ends a line. */
const isBlock = (name: string): boolean => block_elements.has(name) || table_elements.has(name);

interface OpenElement {
  readonly name: string;
  readonly written: boolean;
  /** Written at its end instead of an end tag. */
  readonly ends?: string | undefined;
}

/** Writes the markup of a page, and closes what the page leaves open. */
class MarkupWriter {
  private readonly pieces: string[] = [];
  private readonly open_elements: OpenElement[] = [];
  /** The number of open elements when a hidden one began; null if none is hidden. */
  private hidden_at: number | null = null;
  /** Open elements by name. */
  private readonly counts = new Map<string, number>();
  private elements = 0;
  private title: string | null = null;

  text(text: string): void {
    if (this.hidden_at === null) {
      const script = scripts.get(this.open_elements.at(-1)?.name ?? "");
      const shown = script === undefined ? null : scriptForm(text.trim(), script);
      this.pieces.push(shown ?? text);
      return;
    }
    // Text in an unclosed head belongs to the body.
    if (this.open_elements.at(-1)?.name === "head" && /\S/.test(text)) {
      this.pop();
      this.text(text);
    }
  }
  open(name: string, attributes: Attributes, raw: () => string): void {
    if (name === "title") return this.setTitle(raw());
    if (hidden_raw_text.has(name)) {
      raw();
      return;
    }
    if (this.open_elements.at(-1)?.name === "head" && !head_elements.has(name)) this.pop();
    if (name === "textarea") return this.text(line_break + escaped(raw()) + line_break);
    if (void_elements.has(name)) return this.voidElement(name, attributes);
    this.impliedEnds(name);
    const hides = this.hidden_at === null && (hidden_elements.has(name) || isHidden(attributes));
    if (this.open_elements.length >= depth_max) return this.put(isBlock(name) ? line_break : "");
    if (hides) this.hidden_at = this.open_elements.length;
    const written = this.hidden_at === null && isBlock(name) && this.elements < elements_max;
    const emphasis = this.hidden_at === null ? emphasising.get(name) : undefined;
    this.open_elements.push({ name, written, ends: emphasis?.ends });
    if (emphasis !== undefined) this.put(emphasis.begins);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (!written) return this.put(isBlock(name) ? line_break : "");
    this.elements++;
    this.put(`<${name}${keptAttributes(name, attributes)}>`);
  }
  close(name: string): void {
    if (!this.counts.get(name)) return;
    const reaches = cell_closers.has(name)
      ? (): boolean => true
      : (cell_name: string): boolean => !cells.has(cell_name);
    let at = this.open_elements.length - 1;
    while (
      at >= 0 &&
      this.open_elements[at]!.name !== name &&
      reaches(this.open_elements[at]!.name)
    )
      at--;
    if (at < 0 || this.open_elements[at]!.name !== name) return;
    while (this.open_elements.length > at) this.pop();
  }
  finish(): Markup {
    while (this.open_elements.length > 0) this.pop();
    return { body: this.pieces.join(""), title: this.title };
  }

  private put(markup: string): void {
    if (this.hidden_at === null) this.pieces.push(markup);
  }
  private pop(): void {
    const { name, written, ends } = this.open_elements.pop()!;
    this.counts.set(name, this.counts.get(name)! - 1);
    if (this.hidden_at !== null && this.open_elements.length <= this.hidden_at)
      this.hidden_at = null;
    else if (written) this.put(`</${name}>`);
    else if (ends !== undefined) this.put(ends);
  }
  private setTitle(title: string): void {
    if (title.length > title_chars_max) return this.text(escaped(title));
    if (this.title === null && !this.open_elements.some(({ name }) => name === "svg"))
      this.title = escaped(title);
  }
  private voidElement(name: string, attributes: Attributes): void {
    if (isHidden(attributes)) return;
    if (name === "br" || name === "hr") return this.put(name === "br" ? line_break : "<hr>");
    const shown =
      name === "img" || (name === "input" && /^image$/i.test(attributes.get("type") ?? ""))
        ? attributes.get("alt")
        : undefined;
    if (shown !== undefined && shown.trim() !== "") this.put(` ${escaped(shown)} `);
  }
  /** Writes the end tags that this start tag implies. */
  private impliedEnds(name: string): void {
    const ending =
      implied_ends.get(name) ??
      (block_elements.has(name) || name === "table" ? end_of_paragraph : undefined);
    if (ending === undefined) return;
    let keep = this.open_elements.length;
    for (
      let at = this.open_elements.length - 1;
      at >= 0 && !ending.within.has(this.open_elements[at]!.name);
      at--
    )
      if (ending.of.has(this.open_elements[at]!.name)) keep = at;
    while (this.open_elements.length > keep) this.pop();
  }
}
/** A block inside a paragraph ends the paragraph. */
const end_of_paragraph = {
  of: new Set(["p"]),
  within: new Set([
    "div",
    "section",
    "article",
    "li",
    "td",
    "th",
    "table",
    "blockquote",
    "button",
    "object",
    "svg",
  ]),
};

/** Numbers of list items, and spans of table cells. */
function keptAttributes(name: string, attributes: Attributes): string {
  if (attributes.size === 0) return "";
  const numbers = ["start", "value", "colspan", "rowspan"].flatMap((key) =>
    /^\s*-?\d{1,9}\s*$/.test(attributes.get(key) ?? "")
      ? [` ${key}="${attributes.get(key)!.trim()}"`]
      : [],
  );
  const is_layout =
    name === "table" && /^\s*(?:none|presentation)\b/i.test(attributes.get("role") ?? "");
  return numbers.join("") + (is_layout ? ' role="none"' : "");
}
