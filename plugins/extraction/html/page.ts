/** Reads a web page: what it shows, as blocks of text with headings, lists and tables. */
import { HTMLElement, parse, TextNode } from "node-html-parser";
import { Flow, paragraph, type Block } from "../child/block-builder";
import { line_break, simplify } from "./markup";

/**
 * The text of an HTML page. Its title comes first when nothing of that text stands in the page
 * itself.
 */
export function readPage(html: string): Block[] {
  const { body, title } = simplify(html);
  const blocks = blocksOf(body);
  const heading = title === null ? "" : squeezed(new TextNode(title).text);
  return heading === "" || blocks.some(({ text }) => squeezed(text).includes(heading))
    ? blocks
    : [paragraph(heading, 1), ...blocks];
}
/** The text of a part of an e-book. */
export const readXhtml = (xhtml: string): Block[] => blocksOf(simplify(xhtml, { xml: true }).body);

const large_chars = 4 * 1024 * 1024;

function blocksOf(markup: string): Block[] {
  // What came before it would else count towards the memory that this may take.
  if (markup.length > large_chars) Bun.gc(true);
  const reader = new Reader();
  reader.children(
    parse(markup, {
      comment: false,
      preserveTagNesting: true,
      parseNoneClosedTags: true,
      blockTextElements: {},
    }),
  );
  return reader.flow.take();
}
const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim();

const around_breaks = new RegExp(` ?${line_break} ?`, "g");

/** Walks through a tree whose depth is limited. */
class Reader {
  readonly flow = new Flow();
  /** The line so far ends with white space, or is empty. */
  private spaced = true;
  private preformatted = 0;
  /** Lists that are open: the number of the last item, or null when they have bullets. */
  private readonly lists: { count: number | null }[] = [];
  private marker = "";

  children(parent: HTMLElement): void {
    for (const node of parent.childNodes) {
      if (node instanceof HTMLElement) this.element(node);
      else this.text(node.text);
    }
  }

  private element(element: HTMLElement): void {
    const name = element.rawTagName;
    const { flow } = this;
    this.endParagraph(null);
    switch (name) {
      case "pre":
      case "listing":
      case "plaintext":
        this.preformatted++;
        this.children(element);
        break;
      case "ul":
      case "ol":
      case "menu":
      case "dir":
        this.list(element);
        return;
      case "li":
        this.marker = this.markerOf(element);
        this.children(element);
        break;
      case "table":
        flow.beginTable();
        this.children(element);
        this.endParagraph(null);
        flow.endTable();
        return;
      case "tr":
        flow.beginRow();
        this.children(element);
        this.endParagraph(null);
        flow.endRow();
        return;
      case "td":
      case "th":
        flow.beginCell();
        this.children(element);
        this.endParagraph(null);
        flow.endCell();
        return;
      default:
        this.children(element);
    }
    if (name === "pre" || name === "listing" || name === "plaintext") this.preformatted--;
    this.endParagraph(/^h[1-6]$/.test(name) ? Number(name[1]) : null);
    if (name === "li") this.marker = "";
  }
  private list(element: HTMLElement): void {
    this.lists.push({
      count: element.rawTagName === "ol" ? Number(element.getAttribute("start") ?? 1) - 1 : null,
    });
    this.children(element);
    this.lists.pop();
    this.endParagraph(null);
  }
  private text(text: string): void {
    if (this.preformatted > 0) return this.flow.text(text.replaceAll(line_break, "\n"));
    const lines = text
      .replace(/[ \t\r\n\f]+/g, " ")
      .replaceAll("\u00a0", " ")
      .replace(around_breaks, "\n");
    this.flow.text(this.spaced && lines.startsWith(" ") ? lines.slice(1) : lines);
    if (lines !== "") this.spaced = lines.endsWith(" ") || lines.endsWith("\n");
  }
  private endParagraph(level: number | null): void {
    const { fresh } = this.flow;
    this.flow.endParagraph(level, fresh ? "" : this.marker);
    if (!fresh) this.marker = "";
    this.spaced = true;
  }
  private markerOf(item: HTMLElement): string {
    const list = this.lists.at(-1);
    if (list === undefined || list.count === null) return "•";
    const value = Number(item.getAttribute("value") ?? Number.NaN);
    list.count = Number.isNaN(value) ? list.count + 1 : value;
    return `${list.count}.`;
  }
}
