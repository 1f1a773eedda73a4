/**
 * Runs in the child: joins the strips of a TIFF frame, each a JPEG file without tables, to one JPEG
 * file.
 */
import { tags, type Directory } from "./tiff";

const rgb = 2;
/** A segment that marks the colours as RGB. */
const adobe_rgb = Uint8Array.from([
  0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, 0,
]);
const start = Uint8Array.from([0xff, 0xd8]);
const end = Uint8Array.from([0xff, 0xd9]);
/** Markers of segments. */
const restarts = 0xdd;
const scan = 0xda;

interface Segment {
  readonly marker: number;
  readonly bytes: Uint8Array;
}

/** Null if these are not such strips, or if they are several tiles, which can't be joined. */
export function joinJpeg(
  { value, values }: Directory,
  parts: readonly Uint8Array[],
): Uint8Array | null {
  const tables = Uint8Array.from(values(tags.jpeg_tables)).slice(2, -2);
  const [first, ...others] = parts.map(split);
  if (!first || others.includes(null)) return null;
  const color = value(tags.photometric) === rgb ? adobe_rgb : new Uint8Array();
  if (others.length === 0)
    return Buffer.concat([
      start,
      color,
      tables,
      ...first.segments.map(({ bytes }) => bytes),
      first.data,
      end,
    ]);
  const frame = first.segments.find(({ marker }) => marker >= 0xc0 && marker <= 0xc2);
  if (
    !frame ||
    value(tags.tile_width) !== null ||
    first.segments.some(({ marker }) => marker === restarts)
  )
    return null;
  const units = unitsPerStrip(frame.bytes, value(tags.rows_per_strip) ?? 0);
  const joined = Uint8Array.from(frame.bytes);
  new DataView(joined.buffer).setUint16(5, value(tags.height) ?? 0);
  return Buffer.concat([
    start,
    color,
    tables,
    Uint8Array.from([0xff, restarts, 0, 4, units >> 8, units & 255]),
    ...first.segments.map((segment) => (segment === frame ? joined : segment.bytes)),
    first.data,
    ...others.flatMap((part, index) => [Uint8Array.from([0xff, 0xd0 + (index % 8)]), part!.data]),
    end,
  ]);
}

/** The segments up to that of the scan, and the data after it without the end marker. */
function split(
  part: Uint8Array,
): { readonly segments: readonly Segment[]; readonly data: Uint8Array } | null {
  const segments: Segment[] = [];
  for (let at = 2; at + 4 <= part.length && part[at] === 0xff;) {
    const marker = part[at + 1]!;
    const next = at + 2 + part[at + 2]! * 256 + part[at + 3]!;
    segments.push({ marker, bytes: part.subarray(at, next) });
    at = next;
    if (marker !== scan) continue;
    const ended = part.at(-2) === 0xff && part.at(-1) === 0xd9;
    return { segments, data: part.subarray(at, ended ? -2 : undefined) };
  }
  return null;
}

/** The restart interval: the number of coding units (MCU) of a strip. */
function unitsPerStrip(frame: Uint8Array, rows: number): number {
  const width = frame[7]! * 256 + frame[8]!;
  const components = frame[9]!;
  const factors = Array.from({ length: components }, (_, index) => frame[11 + 3 * index]!);
  const [across, down] =
    components === 1
      ? [8, 8]
      : [
          8 * Math.max(...factors.map((factor) => factor >> 4)),
          8 * Math.max(...factors.map((factor) => factor & 15)),
        ];
  return Math.ceil(width / across) * Math.ceil(rows / down);
}
