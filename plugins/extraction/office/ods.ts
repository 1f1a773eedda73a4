/**
 * Runs in the child: reads spreadsheets of OpenDocument: one page per sheet, its name first, with
 * the values as shown; hidden parts are left out.
 */
import type { Block, Page } from "../child/blocks";
import { Grid, type MergedArea } from "../child/grid";
import { HiddenParts, visiblePages } from "../child/hidden-parts";
import { cellText } from "../child/table";
import { ExtractionFailure } from "../contract";
import { ReaderDispatch, type NewReader, type OdfReader } from "./odf-reader";
import type { OfficePackage } from "./package";
import type { Tag } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

/** The most copies of a repeated cell or row that are kept … */
const repeats_max = 50;
/** … and the most copied cells of a file; later ones are read once. */
const copies_max = 500_000;
/** No program has as many: each takes memory, also without text. */
const sheets_max = 20_000;

/** `spend` counts the characters of repeated cells against the limit of the file. */
export function readSheets(
  newReader: NewReader,
  content: string,
  spend: OfficePackage["spend"],
): Page[] {
  const reader = new SheetsReader(newReader, spend);
  scanOfficeXml(content, reader);
  return reader.result();
}

/** The value of a cell without displayed text. */
const valueOf = (tag: Tag): string =>
  tag.get("string-value") ??
  tag.get("date-value") ??
  tag.get("time-value") ??
  tag.get("boolean-value") ??
  tag.get("office:value") ??
  "";
const repeatCount = (tag: Tag, attribute: string): number =>
  Math.max(1, Math.floor(Number(tag.get(attribute) ?? 1)) || 1);

const numeric_types = new Set(["float", "percentage", "currency", "date", "time", "boolean"]);
const isCell = (name: string): boolean =>
  name === "table:table-cell" || name === "table:covered-table-cell";

interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly blocks: readonly Block[];
  readonly hidden_parts: HiddenParts;
}
interface Cell {
  readonly column: number;
  readonly text: string;
  readonly numeric: boolean;
}

class SheetsReader extends ReaderDispatch {
  private readonly sheets: Sheet[] = [];
  private readonly hidden_styles = new Set<string>();
  private style = "";
  private grid: Grid;
  private merged: MergedArea[] = [];
  private hidden_parts = new HiddenParts();
  private sheet = { name: "", hidden: false };
  /** Open tables: a cell may contain one. */
  private depth = 0;
  /** Open outline groups: rows and columns that a collapsed outline hides are read. */
  private outline_depth = 0;
  private row = 0;
  private row_repeats = 1;
  private cells: Cell[] = [];
  private column = 0;
  private cell: {
    readonly reader: OdfReader;
    readonly value: string;
    readonly numeric: boolean;
    readonly repeats: number;
  } | null = null;
  private objects: Block[] = [];
  private copies_left = copies_max;

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
      case "style:style":
        this.style = tag.get("name") ?? "";
        return;
      case "style:table-properties":
        if (tag.get("display") === "false") this.hidden_styles.add(this.style);
        return;
      case "table:table":
        this.beginSheet(tag);
        return;
      case "table:table-row-group":
      case "table:table-column-group":
        this.outline_depth++;
        return;
      case "table:table-column":
        this.readColumn(tag);
        return;
      case "table:shapes":
        this.reader = this.newReader();
        return;
      case "table:table-row":
        this.beginRow(tag);
        return;
      case "table:table-cell":
      case "table:covered-table-cell":
        this.beginCell(tag);
        return;
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
    if (this.cell !== null && !(isCell(name) && this.depth === 1)) {
      if (name === "table:table") this.depth--;
      return this.cell.reader.close(name);
    }
    if (isCell(name)) this.endCell();
    else if (name === "table:table-row") this.endRow();
    else if (name === "table:table") this.endSheet();
    else if (name === "table:table-row-group" || name === "table:table-column-group")
      this.outline_depth--;
    else if (name === "table:shapes") {
      this.objects.push(...(this.reader?.builder.finish() ?? []));
      this.reader = null;
    } else this.reader?.close(name);
  }
  result(): Page[] {
    return visiblePages(this.sheets, ({ blocks, hidden_parts: hidden }) => ({ blocks, hidden }));
  }

  private beginSheet(tag: Tag): void {
    this.depth = 1;
    this.outline_depth = 0;
    this.sheet = {
      name: tag.get("name") ?? "",
      hidden: this.hidden_styles.has(tag.get("style-name") ?? ""),
    };
    this.grid = new Grid(this.spend);
    this.merged = [];
    this.hidden_parts = new HiddenParts();
    this.row = 0;
    this.column = 0;
  }
  private readColumn(tag: Tag): void {
    const repeats = repeatCount(tag, "number-columns-repeated");
    if (tag.get("visibility") === "collapse" && this.outline_depth === 0)
      this.hidden_parts.hideColumns(this.column, this.column + repeats - 1);
    this.column += repeats;
  }
  private beginRow(tag: Tag): void {
    this.row_repeats = repeatCount(tag, "number-rows-repeated");
    [this.cells, this.column] = [[], 0];
    if (tag.get("visibility") === "collapse" && this.outline_depth === 0)
      for (let at = 0; at < Math.min(this.row_repeats, repeats_max); at++)
        this.hidden_parts.hideRow(this.row + at);
  }
  private beginCell(tag: Tag): void {
    const [rows, columns] = ["number-rows-spanned", "number-columns-spanned"].map((name) =>
      repeatCount(tag, name),
    ) as [number, number];
    if (rows * columns > 1) this.merged.push({ row: this.row, column: this.column, rows, columns });
    this.cell = {
      reader: this.newReader(),
      value: valueOf(tag),
      numeric: numeric_types.has(tag.get("office:value-type") ?? tag.get("value-type") ?? ""),
      repeats: repeatCount(tag, "number-columns-repeated"),
    };
  }
  private endCell(): void {
    if (this.cell === null) return;
    const { reader, value, repeats, numeric } = this.cell;
    this.cell = null;
    const displayed = cellText(reader.builder.finish());
    const text = displayed === "" ? value : displayed;
    const copies = text === "" ? 0 : this.copiesOf(repeats, 1);
    for (let at = 0; at < copies; at++)
      this.cells.push({ column: this.column + at, text, numeric });
    this.column += repeats;
  }
  /** How often a repeated part of so many cells is read. */
  private copiesOf(repeats: number, cells: number): number {
    const copies = Math.min(repeats, repeats_max);
    const copied = (copies - 1) * cells;
    if (copied > this.copies_left) return 1;
    this.copies_left -= copied;
    return copies;
  }
  private endRow(): void {
    const { length } = this.cells;
    const copies = length === 0 ? 0 : this.copiesOf(this.row_repeats, length);
    for (let at = 0; at < copies; at++)
      for (const { column, text, numeric } of this.cells)
        if (!this.hidden_parts.has(this.row + at, column))
          this.grid.add(this.row + at, column, text, numeric);
    // Empty rows are all counted, dropped copies are not.
    this.row += copies > 0 ? copies : this.row_repeats;
    this.cells = [];
  }
  private endSheet(): void {
    this.depth = 0;
    if (this.sheets.length === sheets_max)
      throw new ExtractionFailure("too_large", `This workbook has more than ${sheets_max} sheets.`);
    this.sheets.push({
      ...this.sheet,
      blocks: [...this.grid.blocks(this.sheet.name, this.merged), ...this.objects],
      hidden_parts: this.hidden_parts,
    });
    this.objects = [];
  }
}
