/**
 * OpenDocument: what text, slides and sheets have in common. Paragraphs, headings, lists with their
 * markers, tables, notes, comments, boxes.
 */
import { Flow } from "../child/block-builder";
import { OdfLists } from "./odf-lists";
import type { Tag, XmlHandler } from "../../../core/lib/xml";

/**
 * Elements without text of the document: what was deleted, settings, readings above characters,
 * descriptions, who wrote a comment and when.
 */
const passed_over = new Set([
  "text:tracked-changes",
  "table:tracked-changes",
  "text:ruby-text",
  "text:script",
  "text:note-citation",
  "office:forms",
  "office:scripts",
  "office:event-listeners",
  "office:binary-data",
  "svg:title",
  "svg:desc",
  "dc:creator",
  "dc:date",
  "meta:creator-initials",
  "meta:date-string",
  "draw:page-thumbnail",
  "office:automatic-styles",
  "office:styles",
  "office:master-styles",
  "office:font-face-decls",
  "office:meta",
  "office:settings",
  "table:calculation-settings",
  "table:content-validations",
  "text:sequence-decls",
  "text:variable-decls",
  "text:user-field-decls",
]);
const asides = new Set([
  "text:note-body",
  "office:annotation",
  "draw:text-box",
  "draw:custom-shape",
  "draw:rect",
  "draw:ellipse",
  "draw:circle",
  "draw:line",
  "draw:connector",
  "draw:polygon",
  "draw:caption",
  "draw:path",
]);
const spaces_max = 10;

/** Gives the blocks of an object inside the document, by its path: a chart, say. */
export type ReadObject = (path: string) => ReturnType<Flow["take"]>;

export class OdfReader implements XmlHandler {
  readonly flow = new Flow();
  /**
   * Levels of the paragraphs that are open, one in a box of another; null for what is no heading.
   */
  private readonly open_paragraphs: {
    readonly level: number | null;
    readonly marker: string;
    readonly beside: boolean;
  }[] = [];
  private spaced = true;

  constructor(
    protected readonly lists: OdfLists,
    private readonly readObject: ReadObject,
  ) {}

  open(tag: Tag): void | "skip" {
    const { flow } = this;
    const { name } = tag;
    switch (name) {
      case "text:p":
      case "text:h":
        this.beginParagraph(tag);
        return;
      case "text:s":
        flow.text(" ".repeat(Math.min(spaces_max, Math.max(1, Number(tag.get("c") ?? 1) || 1))));
        return;
      case "text:tab":
      case "text:tab-stop":
        flow.text("\t");
        this.spaced = true;
        return;
      case "text:line-break":
        flow.text("\n");
        this.spaced = true;
        return;
      case "text:list":
      case "text:ordered-list":
      case "text:unordered-list":
        this.lists.beginList(tag);
        return;
      case "text:list-item":
        this.lists.beginItem(tag);
        return;
      case "table:table":
        flow.beginTable();
        return;
      case "table:table-row":
        flow.beginRow();
        return;
      case "table:table-cell":
      case "table:covered-table-cell":
        flow.beginCell();
        return;
      case "draw:object": {
        const path = tag.get("href");
        if (path !== undefined) flow.add(this.readObject(path));
        return;
      }
      default:
        if (passed_over.has(name)) return "skip";
        if (asides.has(name)) flow.beginAside();
    }
  }
  text(text: string): void {
    if (this.open_paragraphs.length === 0) return;
    const single = text.replace(/[ \t\r\n]+/g, " ");
    this.flow.text(this.spaced && single.startsWith(" ") ? single.slice(1) : single);
    if (single !== "") this.spaced = single.endsWith(" ");
  }
  close(name: string): void {
    const { flow } = this;
    switch (name) {
      case "text:p":
      case "text:h":
        this.endParagraph();
        return;
      case "text:list":
      case "text:ordered-list":
      case "text:unordered-list":
        this.lists.endList();
        return;
      case "table:table-cell":
      case "table:covered-table-cell":
        flow.endCell();
        return;
      case "table:table-row":
        flow.endRow();
        return;
      case "table:table":
        flow.endTable();
        return;
      default:
        if (asides.has(name)) flow.endAside();
    }
  }

  private beginParagraph(tag: Tag): void {
    const level =
      tag.name === "text:h"
        ? Math.max(1, Number(tag.get("outline-level") ?? tag.get("level") ?? 1) || 1)
        : null;
    const beside = this.open_paragraphs.length > 0 && !this.flow.fresh;
    if (beside) this.flow.beginAside();
    this.open_paragraphs.push({ level, marker: this.lists.markerOf(tag, level), beside });
    this.spaced = true;
  }
  private endParagraph(): void {
    const paragraph = this.open_paragraphs.pop();
    this.flow.endParagraph(paragraph?.level ?? null, paragraph?.marker);
    if (paragraph?.beside === true) this.flow.endAside();
    this.spaced = false;
  }
}

/** Makes a reader for a part of the document; all of them count the same lists. */
export type Readers = () => OdfReader;
/** Passes what it is given on to one reader after the other. */
export abstract class Dispatch implements XmlHandler {
  protected reader: OdfReader | null = null;
  constructor(protected readonly readers: Readers) {}
  abstract open(tag: Tag): void | "skip";
  abstract close(name: string): void;
  text(text: string): void {
    this.reader?.text(text);
  }
}
