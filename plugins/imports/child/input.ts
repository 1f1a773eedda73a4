/**
 * Runs in the child: decodes input of any encoding to text, or throws an error that says what is
 * wrong.
 */

/** Unreadable input: the message is for the person who started the import. */
export class InvalidInput extends Error {
  readonly code = "unfit";
}

const marks: readonly { readonly label: string; readonly bytes: readonly number[] }[] = [
  { label: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { label: "utf-16le", bytes: [0xff, 0xfe] },
  { label: "utf-16be", bytes: [0xfe, 0xff] },
];
const head_bytes = 4_096;

/**
 * A byte order mark decides first; otherwise valid UTF-8 is UTF-8; otherwise the encoding declared
 * by the server (`charset`) or the file itself. Null when there is none.
 */
export function decodeText(bytes: Uint8Array, charset: string | null): string | null {
  const mark = marks.find((mark) => mark.bytes.every((byte, at) => bytes[at] === byte));
  if (mark) return decoderOf(mark.label)!.decode(bytes);
  if (/^utf-?16/i.test(charset ?? ""))
    return (decoderOf(charset!) ?? new TextDecoder()).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    /* it is something else, or damaged */
  }
  const labels = [charset, declaredIn(bytes)].filter((label) => label !== null);
  for (const label of labels) {
    const decoder = /^utf-?8$/i.test(label) ? null : decoderOf(label);
    if (decoder) return decoder.decode(bytes);
  }
  return labels.length === 0 ? null : new TextDecoder().decode(bytes);
}

function declaredIn(bytes: Uint8Array): string | null {
  const head = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.length, head_bytes),
  ).toString("latin1");
  const match =
    /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head) ??
    /<\?xml\b[^>]*?\bencoding\s*=\s*["']\s*([\w.:-]+)/i.exec(head);
  return match?.[1] ?? null;
}

function decoderOf(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label as Bun.Encoding);
  } catch {
    return null;
  }
}
