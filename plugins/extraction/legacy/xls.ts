/**
 * Runs in the child: reads Excel 5 to 2003 (.xls): one page per sheet in workbook order, its name
 * first, with the values that Excel computed.
 */
import { ExtractionFailure } from "../contract";
import { paragraph, type Block, type Page } from "../child/blocks";
import { cellFormat, formatCell, formatText, type CellFormat } from "../child/cell-values";
import { Grid, type MergedArea } from "../child/grid";
import { HiddenParts, visiblePages } from "../child/hidden-parts";
import type { Decode } from "../rtf/charsets";
import { ByteReader } from "./byte-reader";
import { damagedFile, type CompoundFile } from "./compound-file";
import {
  decoderOf,
  formatBoolean,
  recordsOf,
  StringReader,
  unpackNumber,
  xls,
  type XlsRecord,
} from "./xls-records";

const version_of_97 = 0x600;
const version_of_5 = 0x500;
/** The type of a macro sheet. */
const macro_sheet = 6;
/** Bits of a row, and of columns: hidden, and how deep in an outline, which is read. */
const row_hidden = 0x20;
const row_outline = 0x7;
const columns_hidden = 0x1;
const columns_outline = 0x700;
/** Bits of a sheet that say that it is hidden. */
const sheet_hidden = 0x3;

interface Workbook {
  readonly sheets: { readonly name: string; readonly at: number; readonly hidden: boolean }[];
  readonly strings: string[];
  /** By cell style. */
  readonly formats: (CellFormat | null)[];
  since_1904: boolean;
  /** For strings before Excel 97; null for later versions. */
  decode: Decode | null;
}

/** @throws ExtractionFailure */
export function readXls(compound: CompoundFile, characters_max: number): Page[] {
  const stream = compound.stream("Workbook") ?? compound.stream("Book");
  if (stream === null) throw damagedFile();
  const all = new ByteReader(stream);
  const book = readWorkbook(all);
  const offsets = new Set<number>();
  let characters = 0;
  return visiblePages(book.sheets, ({ name, at }) => {
    const sheet = new SheetReader(book, (length) => {
      characters += length;
      if (characters > characters_max)
        throw new ExtractionFailure(
          "too_large",
          `The text of this workbook is longer than ${characters_max} characters.`,
        );
    });
    if (!offsets.has(at)) sheet.read(all, at);
    offsets.add(at);
    return { blocks: sheet.blocks(name), hidden: sheet.hidden };
  });
}

function readWorkbook(all: ByteReader): Workbook {
  const version = all.u16(4);
  if (all.u16(0) !== xls.begin) throw damagedFile();
  if (version !== version_of_97 && version !== version_of_5)
    throw new ExtractionFailure(
      "unsupported_type",
      "This version of Excel workbooks can't be read.",
    );
  const book: Workbook = {
    sheets: [],
    strings: [],
    formats: [],
    since_1904: false,
    decode: version === version_of_97 ? null : decoderOf(1252),
  };
  const styles: number[] = [];
  const formats = new Map<number, string>();
  for (const record of recordsOf(all, 0)) {
    const { type, data } = record;
    if (type === xls.end) break;
    if (type === xls.password)
      throw new ExtractionFailure("encrypted", "This Excel workbook is protected by a password.");
    if (type === xls.code_page && book.decode !== null) book.decode = decoderOf(data.u16(0));
    else if (type === xls.since_1904) book.since_1904 = data.u16(0) === 1;
    else if (type === xls.style) styles.push(data.u16(2));
    else if (type === xls.format)
      formats.set(
        data.u16(0),
        new StringReader(record, 2, book.decode).string(book.decode === null ? 2 : 1),
      );
    else if (type === xls.sheet && data.u8(5) !== macro_sheet)
      book.sheets.push({
        at: data.u32(0),
        name: new StringReader(record, 6, book.decode).string(1),
        hidden: (data.u8(4) & sheet_hidden) !== 0,
      });
    else if (type === xls.strings)
      for (const strings = new StringReader(record, 8, null); !strings.done;)
        book.strings.push(strings.string(2));
  }
  book.formats.push(
    ...styles.slice(0, 65_536).map((format) => cellFormat(format, formats.get(format))),
  );
  return book;
}

class SheetReader {
  private readonly grid: Grid;
  private readonly beside: Block[] = [];
  private readonly merged: MergedArea[] = [];
  readonly hidden = new HiddenParts();
  /** Rows are hidden by a filter, so they are read. */
  private filtered = false;
  /** A chart is a sheet inside a sheet. */
  private depth = 0;
  /** The cell of a formula with a string result, which is in the next record. */
  private formula_cell: { readonly row: number; readonly column: number } | null = null;

  constructor(
    private readonly book: Workbook,
    private readonly spend: (characters: number) => void,
  ) {
    this.grid = new Grid(spend);
  }

  read(all: ByteReader, from: number): void {
    for (const record of recordsOf(all, from)) {
      if (record.type === xls.begin) this.depth++;
      else if (record.type === xls.end) {
        if (--this.depth <= 0) return;
      } else if (record.type === xls.drawn_text) this.drawnText(record);
      else if (record.type === xls.chart_text)
        this.add(new StringReader(record, 2, this.book.decode).string(1));
      else if (this.depth === 1) this.cell(record);
      else if (this.depth === 0) return;
    }
  }
  blocks(name: string): Block[] {
    return [...this.grid.blocks(name, this.merged), ...this.beside];
  }

  private cell(record: XlsRecord): void {
    const { type, data } = record;
    const row = data.u16(0);
    const column = data.u16(2);
    const style = data.u16(4);
    const text = (at: number): string => new StringReader(record, at, this.book.decode).string(2);
    switch (type) {
      case xls.shared_label:
        return this.put(row, column, style, this.book.strings[data.u32(6)] ?? "");
      case xls.label:
      case xls.rich_label:
        return this.put(row, column, style, text(6));
      case xls.number:
        return this.put(row, column, style, data.f64(6));
      case xls.packed_number:
        return this.put(row, column, style, unpackNumber(data.u32(6)));
      case xls.boolean:
        return this.putTruth(row, column, data.u8(6), data.u8(7) === 1);
      case xls.many_numbers:
        for (let at = 4; at + 6 < data.length; at += 6)
          this.put(row, column + (at - 4) / 6, data.u16(at), unpackNumber(data.u32(at + 2)));
        return;
      case xls.formula:
        return this.formula(data, row, column, style);
      case xls.string:
        if (this.formula_cell)
          this.put(this.formula_cell.row, this.formula_cell.column, null, text(0));
        this.formula_cell = null;
        return;
      default:
        return this.shape(type, data);
    }
  }
  /** Merged cells, and hidden parts. */
  private shape(type: number, data: ByteReader): void {
    if (type === xls.filtered) this.filtered = true;
    else if (type === xls.row) {
      const flags = data.u16(12);
      if ((flags & row_hidden) !== 0 && (flags & row_outline) === 0 && !this.filtered)
        this.hidden.hideRow(data.u16(0));
    } else if (type === xls.columns) {
      const flags = data.u16(8);
      if ((flags & columns_hidden) !== 0 && (flags & columns_outline) === 0)
        this.hidden.hideColumns(data.u16(0), data.u16(2));
    } else if (type === xls.merged)
      for (let at = 2; at + 8 <= data.length; at += 8) this.merge(data, at);
  }
  private merge(data: ByteReader, at: number): void {
    const row = data.u16(at);
    const column = data.u16(at + 4);
    const rows = data.u16(at + 2) - row + 1;
    const columns = data.u16(at + 6) - column + 1;
    if (rows > 0 && columns > 0) this.merged.push({ row, column, rows, columns });
  }
  private formula(data: ByteReader, row: number, column: number, style: number): void {
    if (data.u16(12) !== 0xffff) return this.put(row, column, style, data.f64(6));
    const type = data.u8(6);
    this.formula_cell = type === 0 ? { row, column } : null;
    if (type === 1 || type === 2) this.putTruth(row, column, data.u8(8), type === 2);
  }
  /** Comments, and the text of boxes and shapes. */
  private drawnText({ data, more }: XlsRecord): void {
    const length = data.u16(10);
    const [first, ...continuations] = more;
    if (length > 0 && first !== undefined && this.book.decode === null)
      this.add(new StringReader({ data: first, more: continuations }, 0, null).characters(length));
  }
  private add(text: string): void {
    this.spend(text.length);
    if (text.trim() !== "") this.beside.push(paragraph(text.replace(/\r\n?/g, "\n").trim()));
  }
  /** As the sheet shows it. */
  private put(row: number, column: number, style: number | null, value: string | number): void {
    const { formats, since_1904 } = this.book;
    const format = (style === null ? null : formats[style]) ?? null;
    const is_number = typeof value === "number";
    if (value === "" || this.hidden.has(row, column)) return;
    const shown = is_number
      ? formatCell(String(value), format, since_1904)
      : formatText(value, format);
    this.grid.add(row, column, shown, is_number);
  }
  private putTruth(row: number, column: number, value: number, is_error: boolean): void {
    if (!this.hidden.has(row, column))
      this.grid.add(row, column, formatBoolean(value, is_error), !is_error);
  }
}
