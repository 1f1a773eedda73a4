/**
 * Signatures (magic bytes) of common binary files: for naming unsupported files, and for not
 * mistaking them for text.
 */

interface Signature {
  /** With its article. */
  readonly what: string;
  /** These bytes, as Latin-1 characters, at the offset `at`. */
  readonly starts: string;
  readonly at?: number;
  readonly and?: (head: string) => boolean;
}

const has =
  (...words: readonly string[]) =>
  (head: string): boolean =>
    words.some((word) => head.includes(word));
/** For signatures that a text may begin with: only binary files have zero bytes. */
const zero = has("\0");
const brand =
  (...brands: readonly string[]) =>
  (head: string): boolean =>
    brands.includes(head.slice(8, 12));

/** The first match wins. */
const signatures: readonly Signature[] = [
  { what: "a ZIP archive", starts: "PK\x03\x04" },
  { what: "an empty ZIP archive", starts: "PK\x05\x06" },
  {
    what: "an Office file of the older kind (.doc, .xls, .ppt) or an Outlook message",
    starts: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
  },
  { what: "an RTF document", starts: "{\\rtf" },
  { what: "a Word document from before Word 6", starts: "\xdb\xa5", and: zero },
  { what: "a Word document from before Word 6", starts: "\x31\xbe\0\0" },
  { what: "an Excel sheet from before Excel 5", starts: "\x09\0\x04\0" },
  { what: "an Excel sheet from before Excel 5", starts: "\x09\x02\x06\0" },
  { what: "an Excel sheet from before Excel 5", starts: "\x09\x04\x06\0" },
  { what: "a WordPerfect document", starts: "\xffWPC" },
  { what: "a PostScript file", starts: "%!PS" },
  { what: "a PNG image", starts: "\x89PNG\r\n\x1a\n" },
  { what: "a JPEG image", starts: "\xff\xd8\xff" },
  { what: "a GIF image", starts: "GIF8", and: zero },
  { what: "a TIFF image", starts: "II*\0" },
  { what: "a TIFF image", starts: "MM\0*" },
  { what: "a WebP image", starts: "RIFF", and: (head) => head.slice(8, 12) === "WEBP" },
  { what: "a bitmap image", starts: "BM", and: (head) => head.slice(6, 10) === "\0\0\0\0" },
  { what: "a Photoshop image", starts: "8BPS", and: zero },
  {
    what: "a HEIC or AVIF image",
    starts: "ftyp",
    at: 4,
    and: brand("heic", "heix", "mif1", "msf1", "avif"),
  },
  { what: "a WAV recording", starts: "RIFF", and: (head) => head.slice(8, 12) === "WAVE" },
  { what: "an AVI video", starts: "RIFF", and: (head) => head.slice(8, 12) === "AVI " },
  { what: "a video or audio recording (MP4)", starts: "ftyp", at: 4, and: zero },
  { what: "an MP3 recording", starts: "ID3", and: zero },
  { what: "an MP3 recording", starts: "\xff\xfb" },
  { what: "a FLAC recording", starts: "fLaC", and: zero },
  { what: "an Ogg recording", starts: "OggS", and: zero },
  { what: "a Matroska or WebM video", starts: "\x1a\x45\xdf\xa3" },
  { what: "a gzip archive", starts: "\x1f\x8b" },
  { what: "a bzip2 archive", starts: "BZh", and: (head) => head.slice(4, 10) === "1AY&SY" },
  { what: "an xz archive", starts: "\xfd7zXZ\0" },
  { what: "a Zstandard archive", starts: "\x28\xb5\x2f\xfd" },
  { what: "a 7-Zip archive", starts: "7z\xbc\xaf\x27\x1c" },
  { what: "a RAR archive", starts: "Rar!\x1a\x07" },
  { what: "a tar archive", starts: "ustar", at: 257, and: zero },
  { what: "a program", starts: "\x7fELF" },
  { what: "a program", starts: "MZ", and: zero },
  { what: "a program", starts: "\xcf\xfa\xed\xfe" },
  { what: "a program", starts: "\xca\xfe\xba\xbe" },
  { what: "a WebAssembly program", starts: "\0asm" },
  { what: "an SQLite database", starts: "SQLite format 3\0" },
  { what: "a font", starts: "OTTO", and: zero },
  { what: "a font", starts: "wOF", and: zero },
  { what: "a font", starts: "\0\x01\0\0" },
  { what: "a DjVu document", starts: "AT&TFORM", and: zero },
  { what: "a Kindle book", starts: "BOOKMOBI", at: 60, and: zero },
];

/**
 * The kind of a file that begins like this, with its article (`a PNG image`); null for text and for
 * unknown files.
 */
export function describeSignature(head: Uint8Array): string | null {
  const characters = Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1");
  const signature = signatures.find(
    ({ starts, at = 0, and }) => characters.startsWith(starts, at) && (and?.(characters) ?? true),
  );
  return signature?.what ?? null;
}
