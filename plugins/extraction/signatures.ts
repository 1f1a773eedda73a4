/**
 * Signatures (magic bytes) of common binary files: for naming unsupported files, and for not
 * mistaking them for text.
 */

interface Signature {
  /** With its article. */
  readonly description: string;
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
  { description: "a ZIP archive", starts: "PK\x03\x04" },
  { description: "an empty ZIP archive", starts: "PK\x05\x06" },
  {
    description: "an Office file of the older kind (.doc, .xls, .ppt) or an Outlook message",
    starts: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
  },
  { description: "an RTF document", starts: "{\\rtf" },
  { description: "a Word document from before Word 6", starts: "\xdb\xa5", and: zero },
  { description: "a Word document from before Word 6", starts: "\x31\xbe\0\0" },
  { description: "an Excel sheet from before Excel 5", starts: "\x09\0\x04\0" },
  { description: "an Excel sheet from before Excel 5", starts: "\x09\x02\x06\0" },
  { description: "an Excel sheet from before Excel 5", starts: "\x09\x04\x06\0" },
  { description: "a WordPerfect document", starts: "\xffWPC" },
  { description: "a PostScript file", starts: "%!PS" },
  { description: "a PNG image", starts: "\x89PNG\r\n\x1a\n" },
  { description: "a JPEG image", starts: "\xff\xd8\xff" },
  { description: "a GIF image", starts: "GIF8", and: zero },
  { description: "a TIFF image", starts: "II*\0" },
  { description: "a TIFF image", starts: "MM\0*" },
  { description: "a WebP image", starts: "RIFF", and: (head) => head.slice(8, 12) === "WEBP" },
  { description: "a bitmap image", starts: "BM", and: (head) => head.slice(6, 10) === "\0\0\0\0" },
  { description: "a Photoshop image", starts: "8BPS", and: zero },
  {
    description: "a HEIC or AVIF image",
    starts: "ftyp",
    at: 4,
    and: brand("heic", "heix", "mif1", "msf1", "avif"),
  },
  { description: "a WAV recording", starts: "RIFF", and: (head) => head.slice(8, 12) === "WAVE" },
  { description: "an AVI video", starts: "RIFF", and: (head) => head.slice(8, 12) === "AVI " },
  { description: "a video or audio recording (MP4)", starts: "ftyp", at: 4, and: zero },
  { description: "an MP3 recording", starts: "ID3", and: zero },
  { description: "an MP3 recording", starts: "\xff\xfb" },
  { description: "a FLAC recording", starts: "fLaC", and: zero },
  { description: "an Ogg recording", starts: "OggS", and: zero },
  { description: "a Matroska or WebM video", starts: "\x1a\x45\xdf\xa3" },
  { description: "a gzip archive", starts: "\x1f\x8b" },
  { description: "a bzip2 archive", starts: "BZh", and: (head) => head.slice(4, 10) === "1AY&SY" },
  { description: "an xz archive", starts: "\xfd7zXZ\0" },
  { description: "a Zstandard archive", starts: "\x28\xb5\x2f\xfd" },
  { description: "a 7-Zip archive", starts: "7z\xbc\xaf\x27\x1c" },
  { description: "a RAR archive", starts: "Rar!\x1a\x07" },
  { description: "a tar archive", starts: "ustar", at: 257, and: zero },
  { description: "a program", starts: "\x7fELF" },
  { description: "a program", starts: "MZ", and: zero },
  { description: "a program", starts: "\xcf\xfa\xed\xfe" },
  { description: "a program", starts: "\xca\xfe\xba\xbe" },
  { description: "a WebAssembly program", starts: "\0asm" },
  { description: "an SQLite database", starts: "SQLite format 3\0" },
  { description: "a font", starts: "OTTO", and: zero },
  { description: "a font", starts: "wOF", and: zero },
  { description: "a font", starts: "\0\x01\0\0" },
  { description: "a DjVu document", starts: "AT&TFORM", and: zero },
  { description: "a Kindle book", starts: "BOOKMOBI", at: 60, and: zero },
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
  return signature?.description ?? null;
}
