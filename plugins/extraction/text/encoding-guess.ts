/** Runs in the child: guesses the encoding of text that does not declare it. */

/** Maps names of jschardet to names of `TextDecoder`, for every encoding that both know. */
const labels: Readonly<Record<string, string>> = {
  ascii: "windows-1252",
  big5hkscs: "big5",
  cp1250: "windows-1250",
  cp1251: "windows-1251",
  cp1252: "windows-1252",
  cp1253: "windows-1253",
  cp1254: "windows-1254",
  cp1255: "windows-1255",
  cp1256: "windows-1256",
  cp1257: "windows-1257",
  cp1258: "windows-1258",
  cp866: "ibm866",
  cp874: "windows-874",
  cp932: "shift_jis",
  cp949: "euc-kr",
  euc_jis_2004: "euc-jp",
  euc_kr: "euc-kr",
  gb18030: "gb18030",
  iso2022_jp_2: "iso-2022-jp",
  "iso8859-1": "windows-1252",
  "iso8859-10": "iso-8859-10",
  "iso8859-13": "iso-8859-13",
  "iso8859-14": "iso-8859-14",
  "iso8859-15": "iso-8859-15",
  "iso8859-16": "iso-8859-16",
  "iso8859-2": "iso-8859-2",
  "iso8859-3": "iso-8859-3",
  "iso8859-4": "iso-8859-4",
  "iso8859-5": "iso-8859-5",
  "iso8859-6": "iso-8859-6",
  "iso8859-7": "iso-8859-7",
  "iso8859-8": "iso-8859-8-i",
  "iso8859-9": "windows-1254",
  "koi8-r": "koi8-r",
  "koi8-u": "koi8-u",
  "mac-cyrillic": "x-mac-cyrillic",
  "mac-roman": "macintosh",
  shift_jis_2004: "shift_jis",
  "tis-620": "windows-874",
  "utf-16-be": "utf-16be",
  "utf-16-le": "utf-16le",
  "utf-8": "utf-8",
};

/**
 * The most likely encoding, by letter frequencies of languages; null if there is none. The tables
 * of jschardet take 100 ms and 10 MB to load, so this runs only in a child.
 */
export async function guessEncoding(bytes: Uint8Array): Promise<string | null> {
  const { chardet } = await import("jschardet");
  const { encoding } = chardet.detect(bytes, {
    includeEncodings: Object.keys(labels),
    compatNames: false,
  });
  return encoding === null ? null : (labels[encoding] ?? null);
}
