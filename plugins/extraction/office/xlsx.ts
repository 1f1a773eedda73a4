/**
 * Runs in the child: reads Excel (.xlsx): one page per sheet in workbook order, its name first,
 * with the values that Excel computed.
 */
import { readDrawing } from "./drawing";
import { paragraph, type Block, type Page } from "../child/blocks";
import { cellFormat, formatCell, formatText, type CellFormat } from "../child/cell-values";
import { Grid, type MergedArea } from "../child/grid";
import { HiddenParts, visiblePages } from "../child/hidden-parts";
import type { OfficePackage, Progress } from "./package";
import type { Tag, XmlHandler } from "../../../core/lib/xml";
import { scanOfficeXml, scanTags } from "./xml";

interface SheetEntry {
  readonly name: string;
  readonly part: string;
  readonly hidden: boolean;
}
interface Workbook {
  readonly sheets: readonly SheetEntry[];
  readonly since_1904: boolean;
}
interface CellTables {
  readonly strings: readonly string[];
  /** By cell style. */
  readonly formats: readonly (CellFormat | null)[];
  readonly since_1904: boolean;
}

/** @throws ExtractionFailure of the archive */
export function readXlsx(pkg: OfficePackage, main_part: string, progress: Progress): Page[] {
  const { sheets, since_1904 } = readWorkbook(pkg, main_part);
  const [strings] = pkg.related(main_part, "sharedStrings");
  const [styles] = pkg.related(main_part, "styles");
  const cell_tables: CellTables = {
    strings: stringsOf(xmlOf(pkg, strings)),
    formats: cellFormatsOf(xmlOf(pkg, styles)),
    since_1904,
  };
  return visiblePages(sheets, ({ name, part }, at) => {
    progress(at / sheets.length);
    const sheet = new SheetReader(cell_tables, pkg, part);
    scanOfficeXml(pkg.xml(part) ?? "", sheet);
    return { blocks: [...sheet.blocks(name), ...readObjects(pkg, part)], hidden: sheet.hidden };
  });
}
const xmlOf = (pkg: OfficePackage, part: string | undefined): string =>
  part === undefined ? "" : (pkg.xml(part) ?? "");

function readWorkbook(pkg: OfficePackage, main_part: string): Workbook {
  const sheets: SheetEntry[] = [];
  const seen = new Set<string>();
  let since_1904 = false;
  scanTags(pkg.xml(main_part) ?? "", (tag) => {
    if (tag.name === "s:workbookPr")
      since_1904 = /^(?:1|true|on)$/i.test(tag.get("date1904") ?? "");
    if (tag.name !== "s:sheet") return;
    const part = pkg.target(main_part, tag.get("r:id"));
    if (part === null || seen.has(part)) return;
    seen.add(part);
    const hidden = /hidden$/i.test(tag.get("state") ?? "");
    sheets.push({ name: tag.get("name") ?? "", part, hidden });
  });
  return { sheets, since_1904 };
}

/** The text of each `element`, without phonetic text. */
function textsOf(xml: string, element: string): string[] {
  const texts: string[] = [];
  let text = "";
  let reading = false;
  scanOfficeXml(xml, {
    open: ({ name }) => {
      if (name === "s:rPh") return "skip";
      if (name === element) text = "";
      if (name === "s:t") reading = true;
    },
    close: (name) => {
      if (name === "s:t") reading = false;
      if (name === element) texts.push(unescape(text));
    },
    text: (piece) => {
      if (reading) text += piece;
    },
  });
  return texts;
}
const stringsOf = (xml: string): string[] => textsOf(xml, "s:si");
/** Decodes characters that XML does not allow: `_x000D_`. */
const unescape = (text: string): string =>
  text.includes("_x")
    ? text.replace(/_x([0-9A-F]{4})_/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text;

/** The number format of each cell style. */
function cellFormatsOf(xml: string): (CellFormat | null)[] {
  const codes = new Map<number, string>();
  const formats: (CellFormat | null)[] = [];
  let in_cell_styles = false;
  scanOfficeXml(xml, {
    open: (tag) => {
      if (tag.name === "s:numFmt")
        codes.set(Number(tag.get("numFmtId")), tag.get("formatCode") ?? "");
      else if (tag.name === "s:cellXfs") in_cell_styles = true;
      else if (tag.name === "s:xf" && in_cell_styles) {
        const id = Number(tag.get("numFmtId") ?? 0);
        formats.push(cellFormat(id, codes.get(id)));
      }
    },
    close: (name) => {
      if (name === "s:cellXfs") in_cell_styles = false;
    },
    text: () => {},
  });
  return formats;
}

/** Comments, and the text of shapes and charts. */
function readObjects(pkg: OfficePackage, sheet: string): Block[] {
  const comments = pkg
    .related(sheet, "comments")
    .flatMap((part) => textsOf(pkg.xml(part) ?? "", "s:comment"));
  const threads = pkg
    .related(sheet, "threadedComment")
    .flatMap((part) => threadTextsOf(pkg.xml(part) ?? ""));
  const shapes = pkg
    .related(sheet, "drawing")
    .flatMap((part) => readDrawing(pkg, part))
    .flatMap(({ blocks }) => blocks);
  // A threaded comment has a copy for old programs, with an explanation, which is left out.
  const unthreaded =
    threads.length > 0
      ? comments.filter((comment) => !threads.some((text) => comment.includes(text)))
      : comments;
  return [
    ...[...unthreaded, ...threads]
      .map((comment) => comment.trim())
      .filter((comment) => comment !== "")
      .map((comment) => paragraph(comment)),
    ...shapes,
  ];
}
function threadTextsOf(xml: string): string[] {
  const texts: string[] = [];
  let text = "";
  scanOfficeXml(xml, {
    open: () => {
      text = "";
    },
    close: (name) => {
      if (name === "text") texts.push(text);
    },
    text: (piece) => {
      text += piece;
    },
  });
  return texts.filter((text) => text.trim() !== "");
}

class SheetReader implements XmlHandler {
  private readonly grid: Grid;
  private row = 0;
  private column = 0;
  private type = "n";
  private style = -1;
  private value = "";
  private reading = false;
  private readonly merged: MergedArea[] = [];
  private readonly headers_and_footers: Block[] = [];
  readonly hidden = new HiddenParts();
  /** Rows are hidden by a filter, so they are read. Null while unknown. */
  private filtered: boolean | null = null;

  constructor(
    private readonly cell_tables: CellTables,
    private readonly pkg: OfficePackage,
    private readonly part: string,
  ) {
    this.grid = new Grid(pkg.spend);
  }

  open(tag: Tag): void | "skip" {
    switch (tag.name) {
      case "s:sheetPr":
        if (isTrue(tag.get("filterMode"))) this.filtered = true;
        return;
      case "s:col":
        if (isTrue(tag.get("hidden")) && !isInOutline(tag))
          this.hidden.hideColumns(Number(tag.get("min")) - 1, Number(tag.get("max")) - 1);
        return;
      case "s:row":
        this.row = Number(tag.get("r") ?? this.row + 1);
        this.column = -1;
        if (isTrue(tag.get("hidden")) && !isInOutline(tag) && !this.isFiltered())
          this.hidden.hideRow(this.row);
        return;
      case "s:c":
        this.column = columnOf(tag.get("r")) ?? this.column + 1;
        this.type = tag.get("t") ?? "n";
        this.style = Number(tag.get("s") ?? 0);
        this.value = "";
        return;
      case "s:v":
      case "s:t":
        this.reading = true;
        return;
      case "s:mergeCell": {
        const area = areaOf(tag.get("ref"));
        if (area !== null) this.merged.push(area);
        return;
      }
      case "s:oddHeader":
      case "s:oddFooter":
      case "s:evenHeader":
      case "s:evenFooter":
      case "s:firstHeader":
      case "s:firstFooter":
        this.value = "";
        this.reading = true;
        return;
      case "s:rPh":
      case "s:f":
        return "skip";
    }
  }
  text(text: string): void {
    if (this.reading) this.value += text;
  }
  close(name: string): void {
    if (name === "s:v" || name === "s:t") this.reading = false;
    else if (name === "s:c") this.endCell();
    else if (/^s:(?:odd|even|first)(?:Header|Footer)$/.test(name)) {
      this.reading = false;
      for (const text of headerTexts(this.value))
        if (!this.headers_and_footers.some((block) => block.text === text))
          this.headers_and_footers.push(paragraph(text));
    }
  }
  blocks(name: string): Block[] {
    return [...this.grid.blocks(name, this.merged), ...this.headers_and_footers];
  }

  /** Filters of the sheet are in the sheet itself, those of its tables in their own parts. */
  private isFiltered(): boolean {
    return (this.filtered ??= this.pkg
      .related(this.part, "table")
      .some((table) => (this.pkg.xml(table) ?? "").includes("filterColumn")));
  }
  private endCell(): void {
    const { row, column, type } = this;
    if (this.value === "") return;
    if (this.hidden.has(row, column)) return;
    this.grid.add(row, column, this.displayedText(), type === "n" || type === "b" || type === "d");
  }

  /** As the sheet shows it: text, true or false, a date, a number. */
  private displayedText(): string {
    const { value, type } = this;
    const format = this.cell_tables.formats[this.style] ?? null;
    if (type === "s") return formatText(this.cell_tables.strings[Number(value)] ?? "", format);
    if (type === "b") return value === "1" ? "TRUE" : value === "0" ? "FALSE" : value;
    if (type === "d") return value.replace(/T00:00:00(?:\.0+)?Z?$/, "").replace("T", " ");
    if (type !== "n") return formatText(unescape(value), format);
    return formatCell(value, format, this.cell_tables.since_1904);
  }
}

/**
 * The text of the left, middle and right section of a header or footer, without formatting codes.
 * Sections with the page number, the date or the file name are left out.
 */
const headerTexts = (header: string): string[] =>
  header
    .split(/&[LCR]/)
    .filter((part) => !/(?<!&)&[PNDTAFZ]/.test(part))
    .map((part) =>
      part
        .replace(/&&|&"[^"]{0,100}"|&\d{1,3}|&K[\dA-F]{6}|&[A-Z]/g, (code) =>
          code === "&&" ? "&" : " ",
        )
        .trim(),
    )
    .filter((part) => part !== "");

/** `C5` is column 2; null if the reference is invalid. */
function columnOf(reference: string | undefined): number | null {
  let column = 0;
  let at = 0;
  for (; reference !== undefined && at < reference.length; at++) {
    const letter = reference.charCodeAt(at) | 32;
    if (letter < 97 || letter > 122) break;
    column = column * 26 + letter - 96;
  }
  return at === 0 || at > 3 ? null : column - 1;
}

/** `B2:D3` as numbers; columns start at 0, rows at 1. */
function areaOf(reference: string | undefined): MergedArea | null {
  const [first, last = first] = (reference ?? "").split(":");
  const column = columnOf(first);
  const end = columnOf(last);
  const [row, end_row] = [first, last].map((reference) =>
    Number(/\d+$/.exec(reference ?? "")?.[0]),
  );
  return column === null || end === null || !(end >= column) || !(end_row! >= row!)
    ? null
    : { row: row!, column, rows: end_row! - row! + 1, columns: end - column + 1 };
}
const isTrue = (value: string | undefined): boolean => /^(?:1|true|on)$/i.test(value ?? "");
/** Rows and columns hidden by a collapsed outline are read. */
const isInOutline = (tag: Tag): boolean => Number(tag.get("outlineLevel") ?? 0) > 0;
