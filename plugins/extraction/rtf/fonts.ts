/** The fonts of an RTF document say which letters its bytes are. */
import {
  decoderOfPage,
  decodeSigns,
  pageOfCharset,
  signs_charset,
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

export class Fonts {
  /** The code page of the document. */
  page = 1252;
  /** The font of text that names none. */
  usual = -1;
  private readonly fonts = new Map<number, Font>();
  private current: Font | undefined;
  private readonly decoders = new Map<number, Decode>();
  /**
   * Letters of a font that were not decoded yet: one of them may take two bytes, and these may come
   * apart.
   */
  private held = new Uint8Array(1024);
  private held_length = 0;
  private held_font = -1;

  /** A word inside the table of fonts. */
  word(name: string, number: number): void {
    if (name === "f" && this.fonts.size < fonts_max)
      this.fonts.set(number, (this.current = { charset: null, page: null, name: "" }));
    else if (name === "fcharset" && this.current) this.current.charset = number;
    else if (name === "cpg" && this.current) this.current.page = number;
  }
  /** Letters inside the table of fonts. */
  name(bytes: Uint8Array): void {
    if (this.current && this.current.name.length < name_characters_max)
      this.current.name += Buffer.from(bytes.subarray(0, name_characters_max)).toString("latin1");
  }

  /**
   * Takes letters of a font, and gives the text of what it held before, when that was in another
   * font.
   */
  bytes(bytes: Uint8Array, font: number): string {
    const before = font === this.held_font ? "" : this.flush();
    this.held_font = font;
    const length = this.held_length + bytes.length;
    if (length > this.held.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.held.subarray(0, this.held_length));
      this.held = larger;
    }
    this.held.set(bytes, this.held_length);
    this.held_length = length;
    return before;
  }
  flush(): string {
    if (this.held_length === 0) return "";
    const bytes = this.held.subarray(0, this.held_length);
    this.held_length = 0;
    return this.decoder(this.held_font)(bytes);
  }
  /** A character that was given by its number. */
  character(code: number, font: number): string {
    if (code < 0xf000 || code > 0xf0ff) return String.fromCharCode(code);
    return this.isSymbol(font)
      ? symbol(code & 0xff)
      : decodeSigns(false)(Uint8Array.of(code & 0xff));
  }

  private fontOf(id: number): Font | undefined {
    return this.fonts.get(id < 0 ? this.usual : id);
  }
  private isSymbol(id: number): boolean {
    return /^\s*symbol/i.test(this.fontOf(id)?.name ?? "");
  }
  private decoder(id: number): Decode {
    const known = this.decoders.get(id);
    if (known) return known;
    const font = this.fontOf(id);
    const decoder =
      font?.charset === signs_charset
        ? decodeSigns(this.isSymbol(id))
        : decoderOfPage(font?.page ?? pageOfCharset(font?.charset ?? 1) ?? this.page);
    this.decoders.set(id, decoder);
    return decoder;
  }
}
