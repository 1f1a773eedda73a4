/** Runs in the child: the list properties of the paragraph styles of a Word file. */
import type { ByteReader } from "./byte-reader";
import { eachProperty } from "./doc-sprm";

/** For a paragraph or a style; null where it has no value. List 0 means no list. */
export interface ListProperties {
  readonly list: number | null;
  readonly list_level: number | null;
}

/** A longer chain of styles is circular. */
const chain_max = 12;
const code = { list: 0x460b, list_level: 0x260a } as const;

/** Those between two offsets. */
export function listPropertiesIn(bytes: ByteReader, start: number, end: number): ListProperties {
  let [list, list_level]: [number | null, number | null] = [null, null];
  eachProperty(bytes, start, end, (property, at) => {
    if (property === code.list) list = bytes.u16(at);
    else if (property === code.list_level) list_level = bytes.u8(at);
  });
  return { list, list_level };
}

/** The list properties of each style, including inherited ones. */
export function readStyles(sheet: ByteReader): ListProperties[] {
  const base_bytes = sheet.u16(4);
  const count = sheet.u16(2);
  const listed: (ListProperties & { readonly based_on: number })[] = [];
  for (let index = 0, at = 2 + sheet.u16(0); index < count && at < sheet.length; index++) {
    const bytes = sheet.u16(at);
    listed.push({
      ...styleAt(sheet, at + 2, at + 2 + bytes, base_bytes),
      based_on: sheet.u16(at + 4) >> 4,
    });
    at += 2 + bytes + (bytes % 2);
  }
  return listed.map((style) => {
    let { list, list_level } = style;
    let at = style.based_on;
    for (let steps = 0; steps < chain_max && listed[at] !== undefined; steps++) {
      list ??= listed[at]!.list;
      list_level ??= listed[at]!.list_level;
      at = listed[at]!.based_on;
    }
    return { list, list_level };
  });
}

/** A style is a header, its name with a terminating zero, and its properties. */
function styleAt(
  sheet: ByteReader,
  start: number,
  end: number,
  base_bytes: number,
): ListProperties {
  const is_paragraph = (sheet.u16(start + 2) & 15) === 1;
  if (!is_paragraph) return { list: null, list_level: null };
  const name = start + base_bytes;
  const from = name + 2 + 2 * sheet.u16(name) + 2;
  const properties = from + ((from - start) % 2);
  return listPropertiesIn(
    sheet,
    properties + 4,
    Math.min(end, properties + 2 + sheet.u16(properties)),
  );
}
