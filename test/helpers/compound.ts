/** Writes compound files (OLE2) with minimal Word, PowerPoint and Excel content. */

const sector = 512;
const small_sector = 64;
const small_limit = 4096;
const [free, chain_end, table_mark] = [0xffffffff, 0xfffffffe, 0xfffffffd];

/** The parts, one after the other. */
export const join = (...parts: readonly (Uint8Array | number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part))));
/** Bytes. */
export const u8 = (...numbers: number[]): Uint8Array => Uint8Array.from(numbers);
/** Numbers of two bytes, little-endian. */
export const u16 = (...numbers: number[]): Uint8Array =>
  new Uint8Array(Uint16Array.from(numbers).buffer);
/** Numbers of four bytes, little-endian. */
export const u32 = (...numbers: number[]): Uint8Array =>
  new Uint8Array(Uint32Array.from(numbers).buffer);
/** A number of eight bytes, little-endian. */
export const f64 = (number: number): Uint8Array => new Uint8Array(Float64Array.of(number).buffer);
/** As UTF-16, little-endian. */
export const wide = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf16le"));
/** As Latin-1. */
export const narrow = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));
const padded = (bytes: Uint8Array, to: number): Uint8Array =>
  join(bytes, new Uint8Array((to - (bytes.length % to)) % to));

/** A compound file of these streams; those below 4096 bytes are in the mini stream. */
export function compound(streams: Readonly<Record<string, Uint8Array>>): Uint8Array<ArrayBuffer> {
  const sectors: Uint8Array[] = [];
  const next: number[] = [];
  const put = (bytes: Uint8Array): number => {
    const start = sectors.length;
    const all = padded(bytes, sector);
    for (let at = 0; at < all.length; at += sector) {
      sectors.push(all.subarray(at, at + sector));
      next.push(at + sector < all.length ? sectors.length : chain_end);
    }
    return all.length === 0 ? chain_end : start;
  };
  const small: Uint8Array[] = [];
  const small_next: number[] = [];
  const putSmall = (bytes: Uint8Array): number => {
    const start = small_next.length;
    const count = Math.ceil(bytes.length / small_sector);
    small.push(padded(bytes, small_sector));
    for (let at = 1; at <= count; at++) small_next.push(at < count ? start + at : chain_end);
    return count === 0 ? chain_end : start;
  };
  const names = Object.keys(streams);
  const places = names.map((name) =>
    streams[name]!.length < small_limit ? putSmall(streams[name]!) : put(streams[name]!),
  );
  const small_bytes = join(...small);
  const small_start = put(small_bytes);
  const small_table = put(
    u32(...small_next, ...Array<number>((128 - (small_next.length % 128)) % 128).fill(free)),
  );
  const entry = (
    name: string,
    kind: number,
    right: number,
    child: number,
    start: number,
    size: number,
  ): Uint8Array =>
    join(
      padded(wide(name), 64),
      u16(2 * name.length + 2),
      u8(kind, 1),
      u32(free, right, child),
      new Uint8Array(36),
      u32(start, size, 0),
    );
  const directory = put(
    padded(
      join(
        entry("Root Entry", 5, free, 1, small_start, small_bytes.length),
        ...names.map((name, at) =>
          entry(
            name,
            2,
            at + 1 < names.length ? at + 2 : free,
            free,
            places[at]!,
            streams[name]!.length,
          ),
        ),
      ),
      sector,
    ),
  );
  const table_sectors = Math.ceil((sectors.length + 1) / 127);
  const table_places = Array.from({ length: table_sectors }, (_, at) => sectors.length + at);
  const table = u32(...next, ...table_places.map(() => table_mark));
  const header = join(
    narrow("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    new Uint8Array(16),
    u16(0x3e, 3, 0xfffe, 9, 6),
    new Uint8Array(6),
    u32(0, table_sectors, directory, 0, small_limit, small_table, 1, chain_end, 0),
    u32(...table_places, ...Array<number>(109 - table_sectors).fill(free)),
  );
  const full = new Uint8Array(table_sectors * sector).fill(255);
  full.set(table);
  return join(header, ...sectors, full);
}

/** What a Word document has besides its text, or claims in its header. */
export interface DocOptions {
  readonly flags?: number;
  readonly version?: number;
  /**
   * Lengths of the parts after the body: footnotes, headers, macros, comments, endnotes, boxes,
   * boxes of headers.
   */
  readonly lengths_after_body?: readonly number[];
  /**
   * Properties of the paragraph whose mark is at this position, beginning with the number of its
   * style.
   */
  readonly paragraphs?: readonly {
    readonly start: number;
    readonly end: number;
    readonly style?: number;
    readonly properties?: Uint8Array;
  }[];
  /** The parts of the table at these numbers. */
  readonly parts?: Readonly<Record<number, Uint8Array>>;
  /** Character range: deleted, or hidden. */
  readonly unseen?: readonly [number, number, "deleted" | "hidden"];
  /** Characters before this one are stored with one byte each, the others with two. */
  readonly narrow_until?: number;
}
const text_at = 2048;

/** A Word file with this text, which includes its control characters. */
export function doc(
  text: string,
  {
    flags = 0x200,
    version = 193,
    lengths_after_body = [],
    paragraphs = [],
    parts = {},
    unseen,
    narrow_until = 0,
  }: DocOptions = {},
): Uint8Array<ArrayBuffer> {
  const main = new Uint8Array(8192 + 2 * text.length);
  const at = (place: number): number =>
    text_at + (place <= narrow_until ? place : narrow_until + 2 * (place - narrow_until));
  const write = (bytes: Uint8Array, place: number): void => main.set(bytes, place);
  write(u16(0xa5ec, version), 0);
  write(u16(flags), 10);
  const tail_length = lengths_after_body.reduce((sum, length) => sum + length, 0);
  write(u32(text.length - tail_length, ...lengths_after_body), 0x4c);
  write(narrow(text.slice(0, narrow_until)), text_at);
  write(wide(text.slice(narrow_until)), at(narrow_until));
  const pieces =
    narrow_until > 0 && narrow_until < text.length
      ? [0, narrow_until, text.length]
      : [0, text.length];
  const clx = join(
    u8(2),
    u32(4 * pieces.length + 8 * (pieces.length - 1)),
    u32(...pieces),
    ...pieces
      .slice(0, -1)
      .map((start) =>
        join(
          u16(0),
          start < narrow_until ? u32(((at(start) * 2) | 0x40000000) >>> 0) : u32(at(start)),
          u16(0),
        ),
      ),
  );
  const table: Uint8Array[] = [];
  let length = 0;
  const part = (index: number, bytes: Uint8Array): void => {
    write(u32(length, bytes.length), 0x9a + 8 * index);
    table.push(bytes);
    length += bytes.length;
  };
  part(33, clx);
  for (const [index, bytes] of Object.entries(parts)) part(Number(index), bytes);
  const page = (
    number: number,
    record: number,
    runs: readonly { readonly start: number; readonly end: number; readonly data: Uint8Array }[],
  ): Uint8Array => {
    const base = number * 512;
    write(u32(...runs.map(({ start }) => at(start)), at(runs.at(-1)!.end)), base);
    let end = 511;
    runs.forEach(({ data }, index) => {
      end = (end - data.length) & ~1;
      write(data, base + end);
      main[base + 4 * (runs.length + 1) + record * index] = end / 2;
    });
    main[base + 511] = runs.length;
    return join(u32(0, 1), u32(number));
  };
  if (paragraphs.length > 0)
    part(
      13,
      page(
        1,
        13,
        paragraphs.map(({ start, end, style = 0, properties = u8() }) => {
          const data = join(u16(style), properties);
          return {
            start,
            end,
            data: join(
              u8(
                data.length % 2 ? (data.length + 1) / 2 : 0,
                ...(data.length % 2 ? [] : [data.length / 2]),
              ),
              data,
            ),
          };
        }),
      ),
    );
  if (unseen)
    part(
      12,
      page(2, 1, [
        {
          start: unseen[0],
          end: unseen[1],
          data: join(u8(3), u16(unseen[2] === "deleted" ? 0x0800 : 0x083c), u8(1)),
        },
      ]),
    );
  return compound({ WordDocument: main, [flags & 0x200 ? "1Table" : "0Table"]: join(...table) });
}

/** A record of PowerPoint; version `0xf` is a container of records. */
export const record = (
  type: number,
  instance: number,
  ...data: readonly Uint8Array[]
): Uint8Array => atom(type, instance << 4, ...data);
/** A record of PowerPoint that contains others. */
export const container = (
  type: number,
  instance: number,
  ...data: readonly Uint8Array[]
): Uint8Array => atom(type, (instance << 4) | 15, ...data);
const atom = (type: number, first: number, ...data: readonly Uint8Array[]): Uint8Array => {
  const all = join(...data);
  return join(u16(first, type), u32(all.length), all);
};
/** The text of a shape. */
export const textBox = (...records: readonly Uint8Array[]): Uint8Array =>
  container(0xf004, 0, record(0xf00d, 0, ...records));
/** Text with its kind: 0 is a title, 1 a body. */
export const text = (kind: number, content: string): Uint8Array =>
  join(record(3999, 0, u32(kind)), record(4000, 0, wide(content)));

/** A slide, with the records of its text. */
export interface Slide {
  readonly id: number;
  readonly outline?: readonly Uint8Array[];
  readonly shapes?: readonly Uint8Array[];
  readonly notes?: readonly Uint8Array[];
}
/** What a presentation has besides its slides. */
export interface PptOptions {
  /** The order of the presentation: indices of slides. */
  readonly order?: readonly number[];
  readonly in_document?: readonly Uint8Array[];
  readonly token?: number;
  readonly password?: boolean;
}
/** A PowerPoint file with the slides in this order. */
export function ppt(
  slides: readonly Slide[],
  {
    order = slides.map((_, at) => at),
    in_document = [],
    token = 0xe391c05f,
    password = false,
  }: PptOptions = {},
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const places: number[] = [0];
  let length = 0;
  const put = (bytes: Uint8Array): number => {
    parts.push(bytes);
    length += bytes.length;
    return length - bytes.length;
  };
  for (const { shapes = [] } of slides)
    places.push(
      put(
        container(
          1006,
          0,
          record(1007, 2, new Uint8Array(24)),
          container(1036, 0, container(0xf002, 0, container(0xf003, 0, ...shapes))),
        ),
      ),
    );
  const noted = slides.filter(({ notes }) => notes);
  for (const { id, notes } of noted)
    places.push(
      put(container(1008, 0, record(1009, 1, u32(id, 0)), container(1036, 0, ...notes!))),
    );
  const entry = (persist: number, id: number): Uint8Array =>
    record(1011, 0, u32(persist, 0, 0, id, 0));
  const list = container(
    4080,
    0,
    ...order.flatMap((at) => [entry(at + 1, slides[at]!.id), ...(slides[at]!.outline ?? [])]),
  );
  const notes = container(
    4080,
    2,
    ...noted.map(({ id }, at) => entry(slides.length + 1 + at, 1000 + id)),
  );
  places[0] = put(container(1000, 0, ...in_document, list, notes));
  const directory = put(record(6002, 0, u32(((places.length << 20) | 0) >>> 0), u32(...places)));
  const edit = put(
    record(4085, 0, u32(0, 3, 0, directory, 0, places.length, 0), password ? u32(9) : u8()),
  );
  return compound({
    "Current User": record(4086, 0, u32(20, token, edit)),
    "PowerPoint Document": join(...parts),
  });
}

/** A record of Excel. */
export const biff = (type: number, ...data: readonly Uint8Array[]): Uint8Array => {
  const all = join(...data);
  return join(u16(type, all.length), all);
};
/** A string of Excel 97: its length, the width of its characters, the characters. */
export const xlString = (content: string, length_bytes: 1 | 2 = 2): Uint8Array =>
  join(length_bytes === 1 ? u8(content.length) : u16(content.length), u8(1), wide(content));

/** What a workbook has besides its sheets. */
export interface XlsOptions {
  readonly version?: number;
  readonly globals?: readonly Uint8Array[];
  readonly stream?: string;
}
/** An Excel file of these sheets: names and records. */
export function xls(
  sheets: readonly (readonly [string, ...Uint8Array[]])[],
  { version = 0x600, globals = [], stream = "Workbook" }: XlsOptions = {},
): Uint8Array<ArrayBuffer> {
  const name = (content: string): Uint8Array =>
    version === 0x600 ? xlString(content, 1) : join(u8(content.length), narrow(content));
  const begin = biff(0x809, u16(version, 5, 0, 0), u32(0, 0));
  const end = biff(0x0a);
  const length =
    [begin, ...globals, end].reduce((sum, part) => sum + part.length, 0) +
    sheets.reduce((sum, [title]) => sum + 10 + name(title).length, 0);
  const bodies = sheets.map(([, ...records]) => join(begin, ...records, end));
  let at = length;
  const listed = sheets.map(([title], index) => {
    const name_record = biff(0x85, u32(at), u16(0), name(title));
    at += bodies[index]!.length;
    return name_record;
  });
  return compound({ [stream]: join(begin, ...globals, ...listed, end, ...bodies) });
}
