/**
 * Runs in the child: reads Excel 5 to 2003 (.xls): a page for each sheet in the order of the
 * workbook, its name first, with the values that Excel computed.
 */
import { ExtractionFailure } from "../contract";
import { paragraph, type Block, type Page } from "../child/blocks";
import { cellFormat, formatCell, type CellFormat } from "../child/cell-values";
import { Grid } from "../child/grid";
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
/** The type of a sheet that holds macros. */
const macro_sheet = 6;

interface Workbook {
  readonly sheets: { readonly name: string; readonly at: number }[];
  readonly strings: string[];
  /** By the style of a cell. */
  readonly formats: (CellFormat | null)[];
  since_1904: boolean;
  /** For strings before Excel 97; null since then. */
  decode: Decode | null;
}

/** @throws ExtractionFailure */
export function readXls(compound: CompoundFile, characters_max: number): Page[] {
  const stream = compound.stream("Workbook") ?? compound.stream("Book");
  if (stream === null) throw damagedFile();
  const all = new ByteReader(stream);
  const book = readWorkbook(all);
  const seen = new Set<number>();
  let characters = 0;
  return book.sheets.map(({ name, at }, index) => {
    const sheet = new SheetReader(book, (length) => {
      characters += length;
      if (characters > characters_max)
        throw new ExtractionFailure(
          "too_large",
          `The text of this workbook is longer than ${characters_max} characters.`,
        );
    });
    if (!seen.has(at)) sheet.read(all, at);
    seen.add(at);
    return { page: index + 1, blocks: sheet.blocks(name) };
  });
}

function readWorkbook(all: ByteReader): Workbook {
  const version = all.u16(4);
  if (all.u16(0) !== xls.begin) throw damagedFile();
  if (version !== version_of_97 && version !== version_of_5)
    throw new ExtractionFailure(
      "unsupported_type",
      "This Excel workbook is of a version that can't be read.",
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
  /** Charts are sheets inside a sheet. */
  private depth = 0;
  /** The cell of a formula whose result is a string: that is in the next record. */
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
    return [...this.grid.blocks(name), ...this.beside];
  }

  private cell(record: XlsRecord): void {
    const { type, data } = record;
    const [row, column, style] = [data.u16(0), data.u16(2), data.u16(4)];
    switch (type) {
      case xls.shared_label:
        return this.grid.add(row, column, this.book.strings[data.u32(6)] ?? "");
      case xls.label:
      case xls.rich_label:
        return this.grid.add(row, column, new StringReader(record, 6, this.book.decode).string(2));
      case xls.number:
        return this.grid.add(row, column, this.shown(data.f64(6), style));
      case xls.packed_number:
        return this.grid.add(row, column, this.shown(unpackNumber(data.u32(6)), style));
      case xls.boolean:
        return this.grid.add(row, column, formatBoolean(data.u8(6), data.u8(7) === 1));
      case xls.many_numbers:
        for (let at = 4; at + 6 < data.length; at += 6)
          this.grid.add(
            row,
            column + (at - 4) / 6,
            this.shown(unpackNumber(data.u32(at + 2)), data.u16(at)),
          );
        return;
      case xls.formula:
        return this.formula(data, row, column, style);
      case xls.string:
        if (this.formula_cell)
          this.grid.add(
            this.formula_cell.row,
            this.formula_cell.column,
            new StringReader(record, 0, this.book.decode).string(2),
          );
        this.formula_cell = null;
    }
  }
  private formula(data: ByteReader, row: number, column: number, style: number): void {
    if (data.u16(12) !== 0xffff) return this.grid.add(row, column, this.shown(data.f64(6), style));
    const type = data.u8(6);
    this.formula_cell = type === 0 ? { row, column } : null;
    if (type === 1 || type === 2) this.grid.add(row, column, formatBoolean(data.u8(8), type === 2));
  }
  /** Comments, and the text of boxes and shapes. */
  private drawnText({ data, more }: XlsRecord): void {
    const length = data.u16(10);
    const [first, ...rest] = more;
    if (length > 0 && first !== undefined && this.book.decode === null)
      this.add(new StringReader({ data: first, more: rest }, 0, null).characters(length));
  }
  private add(text: string): void {
    this.spend(text.length);
    if (text.trim() !== "") this.beside.push(paragraph(text.replace(/\r\n?/g, "\n").trim()));
  }
  /** As the sheet shows it. */
  private shown(value: number, style: number): string {
    const format = this.book.formats[style] ?? null;
    return formatCell(String(value), format, this.book.since_1904);
  }
}
