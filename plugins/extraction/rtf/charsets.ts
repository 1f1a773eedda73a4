/** The encodings of RTF: by the character set of a font, or by the number of a code page. */

/** The letters of the font Symbol, from the space on; the controls in the middle are not in use. */
const symbols =
  " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼".padEnd(
    128,
  ) +
  "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…│─↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ " +
  "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ ";

/** Code pages under other names than their number. */
const pages: Readonly<Record<number, string>> = {
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
const fonts: Readonly<Record<number, number>> = {
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
/** The character set of fonts of signs. */
export const signs_charset = 2;

/** What decodes a run of bytes. */
export type Decode = (bytes: Uint8Array) => string;

const decoders = new Map<string, Decode>();
/** What decodes this code page; Western European for one that nobody knows. */
export function decoderOfPage(page: number): Decode {
  const label = pages[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : "windows-1252");
  const known = decoders.get(label);
  if (known) return known;
  const decoder = new TextDecoder(label as Bun.Encoding, { ignoreBOM: true });
  const decode: Decode = (bytes) => decoder.decode(bytes);
  decoders.set(label, decode);
  return decode;
}
/** The code page of a font's character set; null when the document decides. */
export const pageOfCharset = (charset: number): number | null => fonts[charset] ?? null;

export const symbol = (code: number): string => symbols[code - 32] ?? "";
/** Of the signs in other fonts nobody knows the meaning; most are marks of lists. */
export const decodeSigns =
  (is_symbol: boolean): Decode =>
  (bytes) =>
    Array.from(bytes, (byte) =>
      is_symbol ? symbol(byte) : byte < 128 ? String.fromCharCode(byte) : "•",
    ).join("");
