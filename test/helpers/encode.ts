/** Encodes text in old encodings: the inverse of `TextDecoder`. */
const tables = new Map<string, Map<string, Uint8Array>>();

function tableOf(label: Bun.Encoding): Map<string, Uint8Array> {
  const decoder = new TextDecoder(label, { fatal: true });
  const table = new Map<string, Uint8Array>();
  const learn = (...bytes: number[]): void => {
    let character: string;
    try {
      character = decoder.decode(new Uint8Array(bytes));
    } catch {
      return;
    }
    if ([...character].length === 1 && !table.has(character))
      table.set(character, new Uint8Array(bytes));
  };
  for (let byte = 0; byte < 256; byte++) learn(byte);
  for (let lead = 0x81; lead < 0xff; lead++)
    for (let trail = 0x40; trail < 0xff; trail++) learn(lead, trail);
  return table;
}

/** @throws when the encoding lacks a character */
export function encodeAs(label: Bun.Encoding, text: string): Uint8Array {
  const table = tables.get(label) ?? tableOf(label);
  tables.set(label, table);
  return Uint8Array.from(
    [...text].flatMap((character) => {
      const bytes = table.get(character);
      if (!bytes) throw new Error(`${label} has no ${character}`);
      return [...bytes];
    }),
  );
}

/** Encodes as UTF-16, with a byte order mark unless `mark` is false. */
export const utf16 = (text: string, { big_endian = false, mark = true } = {}): Uint8Array =>
  Uint8Array.from(
    (mark ? `\ufeff${text}` : text).split("").flatMap((unit) => {
      const code = unit.charCodeAt(0);
      return big_endian ? [code >> 8, code & 255] : [code & 255, code >> 8];
    }),
  );

/** Encodes as UTF-32, with a byte order mark. */
export const utf32 = (text: string, { big_endian = false } = {}): Uint8Array =>
  Uint8Array.from(
    [..."\ufeff", ...text].flatMap((character) => {
      const code = character.codePointAt(0)!;
      const bytes = [code & 255, (code >> 8) & 255, (code >> 16) & 255, 0];
      return big_endian ? bytes.reverse() : bytes;
    }),
  );
