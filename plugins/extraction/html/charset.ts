/** The encoding that a web page names in its first bytes. */

/** Where browsers look, and a little beyond. */
const within_bytes = 4_096;

const names = [
  /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i,
  /<\?xml\b[^>]*?\bencoding\s*=\s*["']\s*([\w.:-]+)/i,
];

/**
 * A name that `TextDecoder` knows; null when the page names none, or one that can't be: these bytes
 * are ASCII so far, which UTF-16 never is.
 */
export function namedCharset(head: Uint8Array): string | null {
  const text = Buffer.from(
    head.buffer,
    head.byteOffset,
    Math.min(head.length, within_bytes),
  ).toString("latin1");
  for (const name of names) {
    const label = name.exec(text)?.[1];
    if (label === undefined || /^(utf-?16|utf-?32|ucs|iso-10646|x-user-defined)/i.test(label))
      continue;
    try {
      return new TextDecoder(label as Bun.Encoding).encoding;
    } catch {
      /* a name that nobody knows says nothing */
    }
  }
  return null;
}
