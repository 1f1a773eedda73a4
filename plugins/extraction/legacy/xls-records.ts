/** Runs in the child: the records of an Excel file before 2007 (BIFF), and the strings in them. */
import { decoderOfPage, type Decode } from "../rtf/charsets";
import { ByteReader } from "./byte-reader";

/** A record with its continuations. */
export interface XlsRecord {
  readonly type: number;
  readonly data: ByteReader;
  /** The continuation records after it. */
  readonly more: readonly ByteReader[];
}
/** Types of records. */
export const xls = {
  formula: 0x06,
  end: 0x0a,
  header: 0x14,
  footer: 0x15,
  since_1904: 0x22,
  password: 0x2f,
  continuation: 0x3c,
  code_page: 0x42,
  columns: 0x7d,
  sheet: 0x85,
  filtered: 0x9b,
  many_numbers: 0xbd,
  rich_label: 0xd6,
  style: 0xe0,
  merged: 0xe5,
  strings: 0xfc,
  shared_label: 0xfd,
  drawn_text: 0x1b6,
  number: 0x203,
  label: 0x204,
  boolean: 0x205,
  string: 0x207,
  row: 0x208,
  packed_number: 0x27e,
  format: 0x41e,
  begin: 0x809,
  chart_text: 0x100d,
} as const;

/** The records from this offset on. */
export function* recordsOf(all: ByteReader, from: number): Generator<XlsRecord> {
  const next = (
    at: number,
  ): { readonly type: number; readonly data: ByteReader; readonly end: number } => {
    const end = at + 4 + all.u16(at + 2);
    return { type: all.u16(at), data: new ByteReader(all.slice(at + 4, end)), end };
  };
  for (let at = from; at + 4 <= all.length;) {
    const { type, data, end } = next(at);
    const more: ByteReader[] = [];
    for (at = end; at + 4 <= all.length && all.u16(at) === xls.continuation;) {
      const following = next(at);
      more.push(following.data);
      at = following.end;
    }
    yield { type, data, more };
  }
}

/**
 * Reads consecutive strings. A string may continue in the next record, possibly with another
 * character width.
 */
export class StringReader {
  private readonly parts: readonly ByteReader[];
  private part = 0;

  /**
   * `decode` is for strings before Excel 97, which are bytes in a code page; null for later
   * versions.
   */
  constructor(
    { data, more }: Pick<XlsRecord, "data" | "more">,
    private at: number,
    private readonly decode: Decode | null,
  ) {
    this.parts = [data, ...more];
  }

  /** Whether everything was read. */
  get done(): boolean {
    while (this.part < this.parts.length && this.at >= this.parts[this.part]!.length)
      this.nextPart();
    return this.part >= this.parts.length;
  }
  /** The next string. Its length is stored in this many bytes. */
  string(length_bytes: 1 | 2): string {
    const length = this.number(length_bytes);
    return this.decode === null ? this.characters(length) : this.narrow(length);
  }
  /** `length` characters, after the flags with their width. */
  characters(length: number): string {
    const flags = this.number(1);
    const runs = flags & 8 ? this.number(2) : 0;
    const extra = flags & 4 ? this.number(2) + 65536 * this.number(2) : 0;
    const pieces: string[] = [];
    let wide = (flags & 1) === 1;
    for (let left = length; left > 0;) {
      const here = this.parts[this.part];
      if (here === undefined) break;
      const count = Math.min(left, Math.floor((here.length - this.at) / (wide ? 2 : 1)));
      const end = this.at + count * (wide ? 2 : 1);
      pieces.push(
        wide ? here.wide(this.at, end) : Buffer.from(here.slice(this.at, end)).toString("latin1"),
      );
      this.at = end;
      left -= count;
      if (left === 0) break;
      this.nextPart();
      wide = (this.number(1) & 1) === 1;
    }
    this.skip(4 * runs + extra);
    return pieces.join("");
  }

  private narrow(length: number): string {
    const text = this.decode!(
      this.parts[this.part]?.slice(this.at, this.at + length) ?? new Uint8Array(0),
    );
    this.at += length;
    return text;
  }
  private number(bytes: 1 | 2): number {
    if (this.done) return 0;
    const here = this.parts[this.part]!;
    const number = bytes === 1 ? here.u8(this.at) : here.u16(this.at);
    this.at += bytes;
    return number;
  }
  private skip(bytes: number): void {
    for (let left = bytes; left > 0 && this.part < this.parts.length;) {
      const length = Math.min(left, Math.max(0, this.parts[this.part]!.length - this.at));
      this.at += length;
      left -= length;
      if (left > 0) this.nextPart();
    }
  }
  private nextPart(): void {
    this.part++;
    this.at = 0;
  }
}

/** Decodes strings of a file before Excel 97, by its code page number. */
export const decoderOf = (page: number): Decode => decoderOfPage(page === 32768 ? 10000 : page);

const errors: Readonly<Record<number, string>> = {
  0: "#NULL!",
  7: "#DIV/0!",
  15: "#VALUE!",
  23: "#REF!",
  29: "#NAME?",
  36: "#NUM!",
  42: "#N/A",
};
/** A boolean or an error code as Excel shows it. */
export const formatBoolean = (value: number, is_error: boolean): string =>
  is_error ? (errors[value] ?? "#N/A") : value === 1 ? "TRUE" : "FALSE";

/**
 * A number in four bytes (RK): an integer or the upper half of a double, optionally divided by 100.
 */
export function unpackNumber(packed: number): number {
  const half = new DataView(new ArrayBuffer(8));
  half.setUint32(4, packed & 0xfffffffc, true);
  const number = packed & 2 ? (packed | 0) >> 2 : half.getFloat64(0, true);
  return packed & 1 ? number / 100 : number;
}
