/** Runs in the child: the encodings of RTF, by the charset of a font or by code page. */

/** The characters of the font Symbol from 0x20 on; 0x80 to 0x9f are not used. */
const symbols =
  (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_" +
    "‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
  ).padEnd(128) +
  "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…│─↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ " +
  "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ ";

/** Encodings of code pages other than `windows-…`. */
const code_pages: Readonly<Record<number, string>> = {
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  1361: "euc-kr",
  10000: "macintosh",
  10007: "x-mac-cyrillic",
  20866: "koi8-r",
  21866: "koi8-u",
  28592: "iso-8859-2",
  28595: "iso-8859-5",
  51932: "euc-jp",
  51949: "euc-kr",
  54936: "gb18030",
  65001: "utf-8",
};
/** The code page of each charset. */
const charsets: Readonly<Record<number, number>> = {
  0: 1252,
  77: 10000,
  78: 932,
  79: 949,
  80: 936,
  81: 950,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};
/** The charset of symbol fonts. */
export const symbol_charset = 2;

/** Decodes bytes of one encoding. */
export type Decode = (bytes: Uint8Array) => string;

const decoders = new Map<string, Decode>();
/** The decoder of a code page; Western European for an unknown one. */
export function decoderOfPage(page: number): Decode {
  const label =
    code_pages[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : "windows-1252");
  const cached = decoders.get(label);
  if (cached) return cached;
  const decoder = new TextDecoder(label as Bun.Encoding, { ignoreBOM: true });
  const decode: Decode = (bytes) => decoder.decode(bytes);
  decoders.set(label, decode);
  return decode;
}
/** The code page of a charset; null if that of the document applies. */
export const pageOfCharset = (charset: number): number | null => charsets[charset] ?? null;

/** The character of the font Symbol. */
export const symbol = (code: number): string => symbols[code - 32] ?? "";
/** Decodes symbol fonts. In fonts other than Symbol, most characters are bullets. */
export const decodeSymbols =
  (is_symbol: boolean): Decode =>
  (bytes) =>
    Array.from(bytes, (byte) =>
      is_symbol ? symbol(byte) : byte < 128 ? String.fromCharCode(byte) : "•",
    ).join("");
