/** Runs in the child: decodes the text of an RTF document; each font has its own encoding. */
import {
  decoderOfPage,
  decodeSymbols,
  pageOfCharset,
  symbol_charset,
  symbol,
  type Decode,
} from "./charsets";

interface Font {
  charset: number | null;
  page: number | null;
  name: string;
}
const name_characters_max = 60;
const fonts_max = 100_000;

/** The font table of a document, and the text that waits to be decoded. */
export class Fonts {
  /** The code page of the document, for fonts without their own. */
  page = 1252;
  /** The font of text that names none. */
  default_font = -1;
  private readonly fonts = new Map<number, Font>();
  private current: Font | undefined;
  private readonly decoders = new Map<number, Decode>();
  /** Bytes not decoded yet: the two bytes of one character may arrive separately. */
  private pending = new Uint8Array(1024);
  private pending_length = 0;
  private pending_font = -1;

  /** A control word inside the font table. */
  fontTableWord(name: string, number: number): void {
    if (name === "f" && this.fonts.size < fonts_max)
      this.fonts.set(number, (this.current = { charset: null, page: null, name: "" }));
    else if (name === "fcharset" && this.current) this.current.charset = number;
    else if (name === "cpg" && this.current) this.current.page = number;
  }
  /** Text inside the font table. */
  fontTableText(bytes: Uint8Array): void {
    if (this.current && this.current.name.length < name_characters_max)
      this.current.name += Buffer.from(bytes.subarray(0, name_characters_max)).toString("latin1");
  }

  /**
   * Buffers bytes in this font. Returns the text of those buffered before, if they were in another
   * font.
   */
  bytes(bytes: Uint8Array, font: number): string {
    const before = font === this.pending_font ? "" : this.flush();
    this.pending_font = font;
    const length = this.pending_length + bytes.length;
    if (length > this.pending.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.pending.subarray(0, this.pending_length));
      this.pending = larger;
    }
    this.pending.set(bytes, this.pending_length);
    this.pending_length = length;
    return before;
  }
  /** The text of the bytes buffered so far. */
  flush(): string {
    if (this.pending_length === 0) return "";
    const bytes = this.pending.subarray(0, this.pending_length);
    this.pending_length = 0;
    return this.decoder(this.pending_font)(bytes);
  }
  /** A character by its UTF-16 code. */
  character(code: number, font: number): string {
    if (code < 0xf000 || code > 0xf0ff) return String.fromCharCode(code);
    return this.isSymbol(font)
      ? symbol(code & 0xff)
      : decodeSymbols(false)(Uint8Array.of(code & 0xff));
  }

  private fontOf(id: number): Font | undefined {
    return this.fonts.get(id < 0 ? this.default_font : id);
  }
  private isSymbol(id: number): boolean {
    return /^\s*symbol/i.test(this.fontOf(id)?.name ?? "");
  }
  private decoder(id: number): Decode {
    const cached = this.decoders.get(id);
    if (cached) return cached;
    const font = this.fontOf(id);
    const decoder =
      font?.charset === symbol_charset
        ? decodeSymbols(this.isSymbol(id))
        : decoderOfPage(font?.page ?? pageOfCharset(font?.charset ?? 1) ?? this.page);
    this.decoders.set(id, decoder);
    return decoder;
  }
}
