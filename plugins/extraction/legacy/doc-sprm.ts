/**
 * Runs in the child: a list of properties in a Word file (`sprm`): codes, each followed by a value.
 */
import type { ByteReader } from "./byte-reader";

/** The two properties whose size is stored differently. */
const table_code = 0xd608;
const tabs_code = 0xc615;
/**
 * The size of a value by the upper three bits of its code; for 6 the value begins with its size.
 */
const value_bytes = [1, 1, 2, 4, 2, 2, 0, 3];

/** Calls `use` for each property between these offsets, with the offset of its value. */
export function eachProperty(
  main: ByteReader,
  start: number,
  end: number,
  use: (property: number, at: number) => void,
): void {
  for (let at = start; at + 2 < end;) {
    const property = main.u16(at);
    at += 2;
    use(property, at);
    const kind = property >> 13;
    if (kind !== 6) at += value_bytes[kind]!;
    else if (property === table_code) at += 1 + main.u16(at);
    else if (property === tabs_code && main.u8(at) === 255) return;
    else at += 1 + main.u8(at);
  }
}
