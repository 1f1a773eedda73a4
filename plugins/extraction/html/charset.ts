/** Runs in the child: the encoding that a web page declares in its first bytes. */

/** Browsers look at the first 1,024 bytes. */
const sample_bytes = 4_096;

const declarations = [
  /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i,
  /<\?xml\b[^>]*?\bencoding\s*=\s*["']\s*([\w.:-]+)/i,
];

/**
 * A name of `TextDecoder`; null if the page declares none that is possible. UTF-16 is not: the
 * declaration was found in ASCII.
 */
export function declaredCharset(head: Uint8Array): string | null {
  const text = Buffer.from(
    head.buffer,
    head.byteOffset,
    Math.min(head.length, sample_bytes),
  ).toString("latin1");
  for (const declaration of declarations) {
    const label = declaration.exec(text)?.[1];
    if (label === undefined || /^(utf-?16|utf-?32|ucs|iso-10646|x-user-defined)/i.test(label))
      continue;
    try {
      return new TextDecoder(label as Bun.Encoding).encoding;
    } catch {
      /* unknown name: try the next declaration */
    }
  }
  return null;
}
