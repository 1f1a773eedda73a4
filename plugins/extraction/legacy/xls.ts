/**
 * Excel 5 to 2003 (.xls): one page for each sheet in the order of the workbook, its name first,
 * with the values that Excel worked out.
 */
import { ExtractionFailure } from "../contract";
import { paragraph, type Block, type Page } from "../child/block-builder";
import { Grid } from "../child/grid";
import { cleanNumber, dateOf, formatKind, type DateKind } from "../child/numbers";
import type { Decode } from "../rtf/charsets";
import { Bytes } from "./byte-reader";
import { damaged, type CompoundFile } from "./compound-file";
import {
  decoderOf,
  recordsOf,
  Strings,
  truthOf,
  unpacked,
  xls,
  type XlsRecord,
} from "./xls-records";

const version_of_97 = 0x600;
const version_of_5 = 0x500;
/** Sheets that hold programs. */
const kind_of_module = 6;

interface Workbook {
  readonly sheets: { readonly name: string; readonly at: number }[];
  readonly strings: string[];
  /** By the style of a cell: what kind of number it shows. */
  readonly kinds: (DateKind | "percent" | null)[];
  since_1904: boolean;
  /** Decodes strings of before Excel 97; null since. */
  decode: Decode | null;
}

/** @throws ExtractionFailure */
export function readXls(compound: CompoundFile, characters_max: number): Page[] {
  const stream = compound.stream("Workbook") ?? compound.stream("Book");
  if (stream === null) throw damaged();
  const all = new Bytes(stream);
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

function readWorkbook(all: Bytes): Workbook {
  const version = all.u16(4);
  if (all.u16(0) !== xls.begin) throw damaged();
  if (version !== version_of_97 && version !== version_of_5)
    throw new ExtractionFailure(
      "unsupported_type",
      "This Excel workbook is of a version that can't be read.",
    );
  const book: Workbook = {
    sheets: [],
    strings: [],
    kinds: [],
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
        new Strings(record, 2, book.decode).string(book.decode === null ? 2 : 1),
      );
    else if (type === xls.sheet && data.u8(5) !== kind_of_module)
      book.sheets.push({ at: data.u32(0), name: new Strings(record, 6, book.decode).string(1) });
    else if (type === xls.strings)
      for (const strings = new Strings(record, 8, null); !strings.done;)
        book.strings.push(strings.string(2));
  }
  book.kinds.push(
    ...styles.slice(0, 65_536).map((format) => formatKind(format, formats.get(format))),
  );
  return book;
}

class SheetReader {
  private readonly grid: Grid;
  private readonly beside: Block[] = [];
  /** Charts stand inside a sheet as sheets of their own. */
  private depth = 0;
  /** The cell whose formula gave a string, which comes in a record of its own. */
  private waiting: { readonly row: number; readonly column: number } | null = null;

  constructor(
    private readonly book: Workbook,
    private readonly spend: (characters: number) => void,
  ) {
    this.grid = new Grid(spend);
  }

  read(all: Bytes, from: number): void {
    for (const record of recordsOf(all, from)) {
      if (record.type === xls.begin) this.depth++;
      else if (record.type === xls.end) {
        if (--this.depth <= 0) return;
      } else if (record.type === xls.drawn_text) this.drawnText(record);
      else if (record.type === xls.chart_text)
        this.add(new Strings(record, 2, this.book.decode).string(1));
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
        return this.grid.put(row, column, this.book.strings[data.u32(6)] ?? "");
      case xls.label:
      case xls.rich_label:
        return this.grid.put(row, column, new Strings(record, 6, this.book.decode).string(2));
      case xls.number:
        return this.grid.put(row, column, this.shown(data.f64(6), style));
      case xls.packed_number:
        return this.grid.put(row, column, this.shown(unpacked(data.u32(6)), style));
      case xls.boolean:
        return this.grid.put(row, column, truthOf(data.u8(6), data.u8(7) === 1));
      case xls.many_numbers:
        for (let at = 4; at + 6 < data.length; at += 6)
          this.grid.put(
            row,
            column + (at - 4) / 6,
            this.shown(unpacked(data.u32(at + 2)), data.u16(at)),
          );
        return;
      case xls.formula:
        return this.formula(data, row, column, style);
      case xls.string:
        if (this.waiting)
          this.grid.put(
            this.waiting.row,
            this.waiting.column,
            new Strings(record, 0, this.book.decode).string(2),
          );
        this.waiting = null;
    }
  }
  private formula(data: Bytes, row: number, column: number, style: number): void {
    if (data.u16(12) !== 0xffff) return this.grid.put(row, column, this.shown(data.f64(6), style));
    const kind = data.u8(6);
    this.waiting = kind === 0 ? { row, column } : null;
    if (kind === 1 || kind === 2) this.grid.put(row, column, truthOf(data.u8(8), kind === 2));
  }
  /** Comments, and the text of boxes and shapes. */
  private drawnText({ data, more }: XlsRecord): void {
    const length = data.u16(10);
    const [first, ...rest] = more;
    if (length > 0 && first !== undefined && this.book.decode === null)
      this.add(new Strings({ data: first, more: rest }, 0, null).letters(length));
  }
  private add(text: string): void {
    this.spend(text.length);
    if (text.trim() !== "") this.beside.push(paragraph(text.replace(/\r\n?/g, "\n").trim()));
  }
  /** As a reader of the sheet sees it. */
  private shown(value: number, style: number): string {
    const kind = this.book.kinds[style] ?? null;
    if (kind === "percent") return `${cleanNumber(String(value * 100))}%`;
    return (
      (kind === null ? null : dateOf(value, kind, this.book.since_1904)) ??
      cleanNumber(String(value))
    );
  }
}
