/**
 * Runs in the child: reads little-endian numbers and strings. Offsets outside the bytes read as 0,
 * so that a damaged file yields less text, never an error.
 */

/** The methods are named after the type of the number: `u16` is unsigned, of 16 bits. */
export class ByteReader {
  private readonly view: DataView;
  constructor(readonly all: Uint8Array) {
    this.view = new DataView(all.buffer, all.byteOffset, all.length);
  }
  get length(): number {
    return this.all.length;
  }
  u8(at: number): number {
    return this.all[at] ?? 0;
  }
  u16(at: number): number {
    return at >= 0 && at + 2 <= this.length ? this.view.getUint16(at, true) : 0;
  }
  u32(at: number): number {
    return at >= 0 && at + 4 <= this.length ? this.view.getUint32(at, true) : 0;
  }
  i32(at: number): number {
    return this.u32(at) | 0;
  }
  f64(at: number): number {
    return at >= 0 && at + 8 <= this.length ? this.view.getFloat64(at, true) : 0;
  }
  /** The bytes from `start` to `end`, as far as they exist. */
  slice(start: number, end: number): Uint8Array {
    return this.all.subarray(Math.max(0, start), Math.max(0, start, end));
  }
  /** UTF-16. */
  wide(start: number, end: number): string {
    return utf16.decode(this.slice(start, end));
  }
}
const utf16 = new TextDecoder("utf-16le", { ignoreBOM: true });
