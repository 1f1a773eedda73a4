/**
 * Runs in the child: reads spreadsheets of OpenDocument: a page for each sheet, its name first,
 * with the values as they are shown.
 */
import type { Block, Page } from "../child/blocks";
import { Grid } from "../child/grid";
import { ReaderDispatch, type NewReader, type OdfReader } from "./odf-reader";
import type { OfficePackage } from "./package";
import type { Tag } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

/** Copies of one cell or one row that are kept. */
const repeats_max = 50;

export function readSheets(
  newReader: NewReader,
  content: string,
  spend: OfficePackage["spend"],
): Page[] {
  const reader = new SheetsReader(newReader, spend);
  scanOfficeXml(content, reader);
  return reader.result();
}

/** The value of a cell that shows no text. */
const valueOf = (tag: Tag): string =>
  tag.get("string-value") ??
  tag.get("date-value") ??
  tag.get("time-value") ??
  tag.get("boolean-value") ??
  tag.get("office:value") ??
  "";
const repeated = (tag: Tag, attribute: string): number =>
  Math.max(1, Math.floor(Number(tag.get(attribute) ?? 1)) || 1);

class SheetsReader extends ReaderDispatch {
  private readonly pages: Page[] = [];
  private grid: Grid;
  private sheet = "";
  /** Open tables: a cell may contain one. */
  private depth = 0;
  private row = 0;
  private row_repeats = 1;
  private cells: { readonly column: number; readonly text: string }[] = [];
  private column = 0;
  private cell: {
    readonly reader: OdfReader;
    readonly value: string;
    readonly repeats: number;
  } | null = null;
  private objects: Block[] = [];

  constructor(
    newReader: NewReader,
    private readonly spend: OfficePackage["spend"],
  ) {
    super(newReader);
    this.grid = new Grid(spend);
  }
  open(tag: Tag): void | "skip" {
    if (this.cell !== null) {
      if (tag.name === "table:table") this.depth++;
      return this.cell.reader.open(tag);
    }
    switch (tag.name) {
      case "table:table":
        this.beginSheet(tag);
        return;
      case "table:shapes":
        this.reader = this.newReader();
        return;
      case "table:table-row":
        this.row_repeats = repeated(tag, "number-rows-repeated");
        [this.cells, this.column] = [[], 0];
        return;
      case "table:table-cell":
      case "table:covered-table-cell":
        this.cell = {
          reader: this.newReader(),
          value: valueOf(tag),
          repeats: repeated(tag, "number-columns-repeated"),
        };
        return;
      case "office:automatic-styles":
      case "table:tracked-changes":
      case "office:forms":
        return "skip";
      default:
        return this.reader?.open(tag);
    }
  }
  override text(text: string): void {
    if (this.cell !== null) this.cell.reader.text(text);
    else super.text(text);
  }
  close(name: string): void {
    const is_cell = name === "table:table-cell" || name === "table:covered-table-cell";
    if (this.cell !== null && !(is_cell && this.depth === 1)) {
      if (name === "table:table") this.depth--;
      return this.cell.reader.close(name);
    }
    if (is_cell) this.endCell();
    else if (name === "table:table-row") this.endRow();
    else if (name === "table:table") this.endSheet();
    else if (name === "table:shapes") {
      this.objects.push(...(this.reader?.builder.take() ?? []));
      this.reader = null;
    } else this.reader?.close(name);
  }
  result(): Page[] {
    return this.pages;
  }

  private beginSheet(tag: Tag): void {
    this.depth = 1;
    this.sheet = tag.get("name") ?? "";
    this.grid = new Grid(this.spend);
    this.row = 0;
  }
  private endCell(): void {
    if (this.cell === null) return;
    const { reader, value, repeats } = this.cell;
    this.cell = null;
    const shown = reader.builder
      .take()
      .map(({ text }) => text)
      .join(" ");
    const text = shown === "" ? value : shown;
    if (text !== "")
      for (let at = 0; at < Math.min(repeats, repeats_max); at++)
        this.cells.push({ column: this.column + at, text });
    this.column += repeats;
  }
  private endRow(): void {
    const times = this.cells.length === 0 ? 0 : Math.min(this.row_repeats, repeats_max);
    for (let at = 0; at < times; at++)
      for (const { column, text } of this.cells) this.grid.add(this.row + at, column, text);
    this.row += this.row_repeats;
    this.cells = [];
  }
  private endSheet(): void {
    this.depth = 0;
    this.pages.push({
      page: this.pages.length + 1,
      blocks: [...this.grid.blocks(this.sheet), ...this.objects],
    });
    this.objects = [];
  }
}
