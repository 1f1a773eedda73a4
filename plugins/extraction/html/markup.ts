/**
 * Any HTML, however broken, deep or hostile, as small and balanced markup of what it shows: in
 * linear time, because the parser that comes after it is not safe by itself.
 */
import {
  cells,
  closes_cells,
  empty,
  endings,
  of_head,
  paragraphs,
  table_parts,
  unseen,
  unseen_raw,
} from "./elements";

/** Deeper elements are dissolved: what they hold stays. */
const depth_max = 200;
/**
 * So many elements are kept: the tree of more would not fit the memory. What the others hold stays.
 */
const elements_max = 100_000;
/** What is longer is no title, but a page whose title was not closed. */
const title_chars_max = 1_000;
/**
 * A line break: a character of the text, because a tree of as many elements would cost far more.
 */
export const line_break = "\u2028";

export interface Markup {
  /**
   * Balanced, lower case, of paragraphs, lists, tables and line breaks alone; character references
   * as they were.
   */
  readonly body: string;
  /** With character references; null when there is none. */
  readonly title: string | null;
}

/**
 * `xml` tells that `<p/>` has no content, as in e-books; a page that begins as XML does says so
 * itself.
 */
export function simplify(html: string, { xml = /^\ufeff?\s*<\?xml\s/.test(html) } = {}): Markup {
  const page = new Page();
  const scan = new Scanner(html);
  for (let token = scan.next(); token !== null; token = scan.next()) {
    if (token.kind === "text") page.text(token.text);
    else if (token.kind === "close") page.close(token.name);
    else {
      const closed = xml && token.closed;
      page.open(token.name, token.attributes, () => (closed ? "" : scan.raw(token.name)));
      if (closed) page.close(token.name);
    }
  }
  return page.finish();
}

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

/** Cuts HTML into tags and text. */
class Scanner {
  private at = 0;
  /** What is known not to come any more: looked for once. */
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
      const token = this.tag(from);
      if (token !== null) return token;
    }
    return null;
  }
  /**
   * The raw content of an element whose opening tag was the last token; the closing tag is
   * consumed.
   */
  raw(name: string): string {
    const start = this.at;
    const closing = new RegExp(`</${name}(?=[\\s/>])`, "gi");
    closing.lastIndex = start;
    const found = this.missing.has(`</${name}`) ? null : closing.exec(this.html);
    if (found === null) this.missing.add(`</${name}`);
    const end = found?.index ?? this.html.length;
    this.at = found === null ? end : this.after(">", end);
    return this.html.slice(start, end);
  }

  /** At a `<`. Null when nothing of it is shown. */
  private tag(from: number): Token | null {
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
      // A comment that never ends hides nothing.
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
    let attributes: Map<string, string> | undefined;
    const attribute = /[\s/]*(?:(>)|([^\s/>][^\s/>=]*)(?:\s*=\s*(?:(["'])|([^\s>]*)))?)/y;
    for (;;) {
      attribute.lastIndex = this.at;
      const found = attribute.exec(this.html);
      if (found === null) {
        this.at = this.html.length;
        break;
      }
      this.at = attribute.lastIndex;
      if (found[1] !== undefined) break;
      const quote = found[3];
      let value = found[4] ?? "";
      if (quote !== undefined) {
        const end = this.find(quote, this.at);
        if (end < 0) {
          this.at = this.after(">", this.at);
          break;
        } // Whoever forgot the quote did not forget the tag.
        value = this.html.slice(this.at, end);
        this.at = end + 1;
      }
      const key = found[2]!.toLowerCase();
      if (kept.has(key)) (attributes ??= new Map()).set(key, value);
    }
    return {
      kind: "open",
      name,
      attributes: attributes ?? none,
      closed: this.html[this.at - 2] === "/",
    };
  }
  /** Reads the name at this place. */
  private name(from: number): string {
    const name = /[^\s/>]*/y;
    name.lastIndex = from;
    const found = name.exec(this.html)![0];
    this.at = from + found.length;
    return found.slice(0, name_chars_max).toLowerCase().replace(/^svg:/, "");
  }
  private find(what: string, from: number): number {
    if (this.missing.has(what)) return -1;
    const found = this.html.indexOf(what, from);
    if (found < 0) this.missing.add(what);
    return found;
  }
  /** The place after the next `what`, or the end. */
  private after(what: string, from: number): number {
    const found = this.find(what, from);
    return found < 0 ? this.html.length : found + what.length;
  }
}
const name_chars_max = 40;
const none: Attributes = new Map();
const kept: ReadonlySet<string> = new Set(["hidden", "style", "alt", "start", "value", "type"]);

const hiding = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const isHidden = (attributes: Attributes): boolean =>
  (attributes.has("hidden") && !/until-found/i.test(attributes.get("hidden")!)) ||
  hiding.test(attributes.get("style") ?? "");

/** Whether a line ends where this element begins. */
const breaks = (name: string): boolean => paragraphs.has(name) || table_parts.has(name);

interface Open {
  readonly name: string;
  readonly written: boolean;
}

/** What is open while the page is written, and what is written of it. */
class Page {
  private readonly pieces: string[] = [];
  private readonly open_now: Open[] = [];
  /**
   * How many elements were open when one began that is not shown; everything is shown while it is
   * null.
   */
  private hidden_at: number | null = null;
  /** How many are open of each name. */
  private readonly counts = new Map<string, number>();
  private elements = 0;
  private title: string | null = null;

  text(text: string): void {
    if (this.hidden_at === null) {
      this.pieces.push(text);
      return;
    }
    // Text in a head that was not closed belongs to the body.
    if (this.open_now.at(-1)?.name === "head" && /\S/.test(text)) {
      this.pop();
      this.text(text);
    }
  }
  open(name: string, attributes: Attributes, raw: () => string): void {
    if (name === "title") return this.take(raw());
    if (unseen_raw.has(name)) return void raw();
    if (this.open_now.at(-1)?.name === "head" && !of_head.has(name)) this.pop();
    if (name === "textarea") return this.text(line_break + escaped(raw()) + line_break);
    if (empty.has(name)) return this.single(name, attributes);
    this.endBefore(name);
    const hides = this.hidden_at === null && (unseen.has(name) || isHidden(attributes));
    if (this.open_now.length >= depth_max) return this.put(breaks(name) ? line_break : "");
    if (hides) this.hidden_at = this.open_now.length;
    const written = this.hidden_at === null && breaks(name) && this.elements < elements_max;
    this.open_now.push({ name, written });
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (!written) return this.put(breaks(name) ? line_break : "");
    this.elements++;
    this.put(`<${name}${numbering(attributes)}>`);
  }
  close(name: string): void {
    if (!this.counts.get(name)) return;
    const reaches = closes_cells.has(name)
      ? (): boolean => true
      : (one: string): boolean => !cells.has(one);
    let at = this.open_now.length - 1;
    while (at >= 0 && this.open_now[at]!.name !== name && reaches(this.open_now[at]!.name)) at--;
    if (at < 0 || this.open_now[at]!.name !== name) return;
    while (this.open_now.length > at) this.pop();
  }
  finish(): Markup {
    while (this.open_now.length > 0) this.pop();
    return { body: this.pieces.join(""), title: this.title };
  }

  private put(markup: string): void {
    if (this.hidden_at === null) this.pieces.push(markup);
  }
  private pop(): void {
    const { name, written } = this.open_now.pop()!;
    this.counts.set(name, this.counts.get(name)! - 1);
    if (this.hidden_at !== null && this.open_now.length <= this.hidden_at) this.hidden_at = null;
    else if (written) this.put(`</${name}>`);
  }
  private take(title: string): void {
    if (title.length > title_chars_max) return this.text(escaped(title));
    if (this.title === null && !this.open_now.some(({ name }) => name === "svg"))
      this.title = escaped(title);
  }
  private single(name: string, attributes: Attributes): void {
    if (isHidden(attributes)) return;
    if (name === "br" || name === "hr") return this.put(name === "br" ? line_break : "<hr>");
    const shown =
      name === "img" || (name === "input" && /^image$/i.test(attributes.get("type") ?? ""))
        ? attributes.get("alt")
        : undefined;
    if (shown !== undefined && shown.trim() !== "") this.put(` ${escaped(shown)} `);
  }
  /** Ends what this element ends by beginning. */
  private endBefore(name: string): void {
    const ending =
      endings.get(name) ?? (paragraphs.has(name) || name === "table" ? of_paragraphs : undefined);
    if (ending === undefined) return;
    let keep = this.open_now.length;
    for (
      let at = this.open_now.length - 1;
      at >= 0 && !ending.within.has(this.open_now[at]!.name);
      at--
    )
      if (ending.of.has(this.open_now[at]!.name)) keep = at;
    while (this.open_now.length > keep) this.pop();
  }
}
/** A paragraph ends where anything begins that can't stand in one. */
const of_paragraphs = {
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

const numbering = (attributes: Attributes): string =>
  ["start", "value"]
    .flatMap((name) =>
      /^\s*-?\d{1,9}\s*$/.test(attributes.get(name) ?? "")
        ? [` ${name}="${attributes.get(name)!.trim()}"`]
        : [],
    )
    .join("");
