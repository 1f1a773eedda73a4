/**
 * Runs in the child: reads the elements common to texts, slides and sheets of OpenDocument:
 * paragraphs, headings, lists with their markers, tables, notes, comments, text boxes.
 */
import { BlockBuilder } from "../child/block-builder";
import type { Block } from "../child/blocks";
import { no_emphasis, type Emphasis } from "../child/emphasis";
import type { OdfEmphasis } from "./odf-emphasis";
import { OdfLists } from "./odf-lists";
import type { Tag, XmlHandler } from "../../../core/lib/xml";

/**
 * Elements without text of the document: deleted text, settings, ruby text, descriptions, authors
 * and dates of comments.
 */
const skipped_elements = new Set([
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
/** Elements whose text follows the surrounding paragraph. */
const aside_elements = new Set([
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
/** The most copies of a repeated cell, and of all of a text; later ones are read once. */
const cell_repeats_max = 60;
const cell_copies_max = 100_000;

/** Reads an object inside the document, such as a chart, by its path. */
export type ReadObject = (path: string) => readonly Block[];

/** Builds blocks; readers of the three kinds of documents decide which elements reach it. */
export class OdfReader implements XmlHandler {
  readonly builder = new BlockBuilder();
  /** An aside inside another. `level` is null for anything but a heading. */
  private readonly open_paragraphs: {
    readonly level: number | null;
    readonly marker: string;
    readonly depth: number;
    readonly continues: boolean;
    readonly is_aside: boolean;
  }[] = [];
  /** The line so far is empty or ends with white space. */
  private after_space = true;
  /** The emphasis of the open spans. */
  private readonly spans: Emphasis[] = [];
  /** The rows are the header of their table. */
  private in_head = false;
  private cell_copies_left = cell_copies_max;

  constructor(
    protected readonly lists: OdfLists,
    private readonly emphasis: OdfEmphasis,
    private readonly readObject: ReadObject,
  ) {}

  open(tag: Tag): void | "skip" {
    const { builder } = this;
    const { name } = tag;
    switch (name) {
      case "text:p":
      case "text:h":
        this.beginParagraph(tag);
        return;
      case "text:s":
        builder.text(" ".repeat(Math.min(spaces_max, Math.max(1, Number(tag.get("c") ?? 1) || 1))));
        return;
      case "text:tab":
      case "text:tab-stop":
        builder.text("\t");
        this.after_space = true;
        return;
      case "text:line-break":
        builder.text("\n");
        this.after_space = true;
        return;
      case "text:span":
        this.beginSpan(this.emphasis.of(tag.get("style-name"), this.spans.at(-1) ?? no_emphasis));
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
        builder.beginTable();
        return;
      case "table:table-header-rows":
        this.in_head = true;
        return;
      case "table:table-row":
        builder.beginRow();
        if (this.in_head) builder.headRow();
        return;
      case "table:table-cell":
      case "table:covered-table-cell":
        this.beginCell(tag);
        return;
      case "draw:object": {
        const path = tag.get("href");
        if (path !== undefined) builder.add(this.readObject(path));
        return;
      }
      default:
        if (skipped_elements.has(name)) return "skip";
        if (aside_elements.has(name)) builder.beginAside();
    }
  }
  text(text: string): void {
    if (this.open_paragraphs.length === 0) return;
    const collapsed = text.replace(/[ \t\r\n]+/g, " ");
    this.builder.text(
      this.after_space && collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed,
    );
    if (collapsed !== "") this.after_space = collapsed.endsWith(" ");
  }
  close(name: string): void {
    const { builder } = this;
    switch (name) {
      case "text:p":
      case "text:h":
        this.endParagraph();
        return;
      case "text:span":
        this.spans.pop();
        builder.emphasise(this.spans.at(-1) ?? no_emphasis);
        return;
      case "text:list":
      case "text:ordered-list":
      case "text:unordered-list":
        this.lists.endList();
        return;
      case "table:table-header-rows":
        this.in_head = false;
        return;
      case "table:table-cell":
      case "table:covered-table-cell":
        builder.endCell();
        return;
      case "table:table-row":
        builder.endRow();
        return;
      case "table:table":
        builder.endTable();
        return;
      default:
        if (aside_elements.has(name)) builder.endAside();
    }
  }

  private beginSpan(emphasis: Emphasis): void {
    this.spans.push(emphasis);
    this.builder.emphasise(emphasis);
  }
  /** Covered cells are listed, too, and repeated cells are written once. */
  private beginCell(tag: Tag): void {
    const covered = tag.name === "table:covered-table-cell";
    const repeats = Number(tag.get("number-columns-repeated") ?? 1) || 1;
    const cells = Math.max(1, Math.min(repeats, cell_repeats_max, this.cell_copies_left));
    this.cell_copies_left -= cells - 1;
    for (let at = cells; at > 0; at--) this.builder.beginCell({ covered });
  }
  private beginParagraph(tag: Tag): void {
    const level =
      tag.name === "text:h"
        ? Math.max(1, Number(tag.get("outline-level") ?? tag.get("level") ?? 1) || 1)
        : null;
    const is_aside = this.open_paragraphs.length > 0 && !this.builder.is_at_start;
    if (is_aside) this.builder.beginAside();
    const marker = this.lists.markerOf(tag, level);
    const depth = Math.max(0, this.lists.depth - 1);
    const continues = level === null && marker === "" && this.lists.depth > 0 && !is_aside;
    this.open_paragraphs.push({ level, marker, depth, continues, is_aside });
    this.after_space = true;
  }
  private endParagraph(): void {
    const paragraph = this.open_paragraphs.pop();
    const { level = null, marker, depth, continues } = paragraph ?? {};
    this.builder.endParagraph(level, marker, depth, continues);
    if (paragraph?.is_aside === true) this.builder.endAside();
    this.after_space = false;
  }
}

/** Creates a reader for a part of the document. All readers of a document share list counters. */
export type NewReader = () => OdfReader;
/** Passes each part of a document to a reader of its own. */
export abstract class ReaderDispatch implements XmlHandler {
  protected reader: OdfReader | null = null;
  constructor(protected readonly newReader: NewReader) {}
  abstract open(tag: Tag): void | "skip";
  abstract close(name: string): void;
  text(text: string): void {
    this.reader?.text(text);
  }
}
