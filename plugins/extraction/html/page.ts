/** Runs in the child: the blocks of a web page, with headings, lists and tables. */
import { HTMLElement, parse, TextNode } from "node-html-parser";
import { BlockBuilder } from "../child/block-builder";
import { paragraph, type Block } from "../child/blocks";
import { emphasis_mark, emphasis_marks, line_break, simplify } from "./markup";

/** The title of the page comes first, unless the page itself shows it. */
export function readPage(html: string): Block[] {
  const { body, title } = simplify(html);
  const blocks = blocksOf(body);
  const heading =
    title === null ? "" : squeezed(new TextNode(title).text.replace(emphasis_marks, ""));
  return heading === "" || blocks.some(({ text }) => squeezed(text).includes(heading))
    ? blocks
    : [paragraph(heading, 1), ...blocks];
}
/** A part of an e-book. */
export const readXhtml = (xhtml: string): Block[] => blocksOf(simplify(xhtml, { xml: true }).body);

const large_chars = 4 * 1024 * 1024;

function blocksOf(markup: string): Block[] {
  // Garbage of earlier steps would count towards the memory limit.
  if (markup.length > large_chars) Bun.gc(true);
  const reader = new PageReader();
  reader.children(
    parse(markup, {
      comment: false,
      preserveTagNesting: true,
      parseNoneClosedTags: true,
      blockTextElements: {},
    }),
  );
  return reader.builder.finish();
}
const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim();

const around_breaks = new RegExp(` ?${line_break} ?`, "g");

/** White space that is shown as one space; a single space is one already. */
const white_space = / *[\t\r\n\f][ \t\r\n\f]*| {2,}/g;

/** Recursive: the depth of the tree is limited. */
class PageReader {
  readonly builder = new BlockBuilder();
  /** The line so far is empty or ends with white space. */
  private after_space = true;
  private preformatted = 0;
  /** Open elements that emphasise. */
  private bold = 0;
  private italic = 0;
  /** Open lists: the number of the last item, or null for bullets. */
  private readonly lists: { count: number | null }[] = [];
  private marker = "";
  /** Open list items. */
  private items = 0;

  children(parent: HTMLElement): void {
    for (const node of parent.childNodes) {
      if (node instanceof HTMLElement) this.element(node);
      else this.text(node.text);
    }
  }

  private element(element: HTMLElement): void {
    const name = element.rawTagName;
    const { builder } = this;
    this.endParagraph(null);
    switch (name) {
      case "pre":
      case "listing":
      case "plaintext":
        this.preformatted++;
        this.children(element);
        this.preformatted--;
        this.endCode();
        return;
      case "ul":
      case "ol":
      case "menu":
      case "dir":
        this.list(element);
        return;
      case "li":
        this.marker = this.markerOf(element);
        this.items++;
        this.children(element);
        break;
      case "table":
        builder.beginTable({ web: true, layout: element.getAttribute("role") === "none" });
        this.children(element);
        this.endParagraph(null);
        builder.endTable();
        return;
      case "tr":
        builder.beginRow();
        this.children(element);
        this.endParagraph(null);
        builder.endRow();
        return;
      case "td":
      case "th":
        builder.beginCell({
          columns: Number(element.getAttribute("colspan") ?? 1),
          rows: Number(element.getAttribute("rowspan") ?? 1),
          head: name === "th",
        });
        this.children(element);
        this.endParagraph(null);
        builder.endCell();
        return;
      default:
        this.children(element);
    }
    this.endParagraph(/^h[1-6]$/.test(name) ? Number(name[1]) : null);
    if (name === "li") {
      this.marker = "";
      this.items--;
    }
  }
  private list(element: HTMLElement): void {
    this.lists.push({
      count: element.rawTagName === "ol" ? Number(element.getAttribute("start") ?? 1) - 1 : null,
    });
    this.children(element);
    this.lists.pop();
    this.endParagraph(null);
  }
  /** A text with emphasis marks. */
  private text(text: string): void {
    let from = 0;
    for (const { 0: mark, index } of text.matchAll(emphasis_marks)) {
      this.plainText(text.slice(from, index));
      from = index + 1;
      if (mark === emphasis_mark.bold) this.bold++;
      else if (mark === emphasis_mark.end_bold) this.bold--;
      else if (mark === emphasis_mark.italic) this.italic++;
      else this.italic--;
      this.builder.emphasise({ bold: this.bold > 0, italic: this.italic > 0 });
    }
    this.plainText(text.slice(from));
  }
  private plainText(text: string): void {
    if (this.preformatted > 0) return this.builder.text(text.replaceAll(line_break, "\n"));
    const lines = text
      .replace(white_space, " ")
      .replaceAll("\u00a0", " ")
      .replace(around_breaks, "\n");
    this.builder.text(this.after_space && lines.startsWith(" ") ? lines.slice(1) : lines);
    if (lines !== "") this.after_space = lines.endsWith(" ") || lines.endsWith("\n");
  }
  private endCode(): void {
    if (this.preformatted > 0 || this.marker !== "") return this.endParagraph(null);
    this.builder.endCode();
    this.after_space = true;
  }
  private endParagraph(level: number | null): void {
    const empty = this.builder.is_at_start;
    const continues = this.items > 0 && level === null && this.marker === "";
    const depth = Math.max(0, this.lists.length - 1);
    this.builder.endParagraph(level, empty ? "" : this.marker, depth, continues);
    if (!empty) this.marker = "";
    this.after_space = true;
  }
  private markerOf(item: HTMLElement): string {
    const list = this.lists.at(-1);
    if (list === undefined || list.count === null) return "•";
    const value = Number(item.getAttribute("value") ?? Number.NaN);
    list.count = Number.isNaN(value) ? list.count + 1 : value;
    return `${list.count}.`;
  }
}
