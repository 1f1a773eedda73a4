/** Runs in the child: the records of a PowerPoint file before 2007, and its slides. */
import { ByteReader } from "./byte-reader";

/** A record of the file; `start` and `end` are offsets of its content, bytes. */
export interface PptRecord {
  readonly type: number;
  readonly instance: number;
  readonly container: boolean;
  readonly start: number;
  readonly end: number;
}

/** Types of records. */
export const ppt = {
  document: 1000,
  slide: 1006,
  slide_atom: 1007,
  notes: 1008,
  notes_atom: 1009,
  slide_persist: 1011,
  drawing: 1036,
  text_ref: 3998,
  text_header: 3999,
  text_wide: 4000,
  text_narrow: 4008,
  string: 4026,
  headers_footers: 4057,
  headers_footers_atom: 4058,
  slide_list: 4080,
  tag_data: 5003,
  user_edit: 4085,
  persist_directory: 6002,
  comment: 12000,
  group: 0xf003,
  shape: 0xf004,
  text_box: 0xf00d,
  child_anchor: 0xf00f,
  more_options: 0xf122,
} as const;
/** Instances of slide lists. */
const list = { slides: 0, notes: 2 } as const;

const header_bytes = 8;
/** The record at this offset, truncated at `limit`; null if not even its header fits. */
export function recordAt(bytes: ByteReader, at: number, limit = bytes.length): PptRecord | null {
  if (at < 0 || at + header_bytes > limit) return null;
  const first = bytes.u16(at);
  const start = at + header_bytes;
  return {
    type: bytes.u16(at + 2),
    instance: first >> 4,
    container: (first & 15) === 15,
    start,
    end: Math.min(limit, start + bytes.u32(at + 4)),
  };
}
/** The records inside this one. */
export function* children(
  bytes: ByteReader,
  { start, end }: Pick<PptRecord, "start" | "end">,
): Generator<PptRecord> {
  for (let at = start; ;) {
    const record = recordAt(bytes, at, end);
    if (record === null) return;
    yield record;
    at = record.end;
  }
}
/** The first record of this type inside another one; null if there is none. */
export function childOf(bytes: ByteReader, parent: PptRecord, type: number): PptRecord | null {
  for (const record of children(bytes, parent)) if (record.type === type) return record;
  return null;
}

/** A text of the outline; `kind` distinguishes titles from other text. */
export interface OutlineText {
  readonly kind: number;
  readonly text: string;
}
/** A slide or a notes page. */
export interface Slide {
  readonly record: PptRecord | null;
  readonly id: number;
  readonly texts: readonly OutlineText[];
}
/** The records of a presentation in the order of its slides. */
export interface Presentation {
  readonly document: PptRecord;
  readonly slides: readonly Slide[];
  readonly notes: readonly Slide[];
}

/** The presentation as last saved; null if its start can't be found. */
export function openPresentation(bytes: ByteReader, current: ByteReader): Presentation | null {
  const { offsets, document_id } = readDirectories(bytes, current.u32(16));
  const document = recordAt(bytes, offsets.get(document_id) ?? -1);
  if (document?.type !== ppt.document) return null;
  const slidesIn = (instance: number, type: number): Slide[] =>
    [...children(bytes, document)]
      .filter((record) => record.type === ppt.slide_list && record.instance === instance)
      .flatMap((record) =>
        slidesOf(bytes, record, (id) => {
          const record = recordAt(bytes, offsets.get(id) ?? -1);
          return record?.type === type ? record : null;
        }),
      );
  return {
    document,
    slides: slidesIn(list.slides, ppt.slide),
    notes: slidesIn(list.notes, ppt.notes),
  };
}

/**
 * Offsets of the objects of a presentation by id. Each save appends a directory of its changes,
 * which refers to the previous one.
 */
function readDirectories(
  bytes: ByteReader,
  last_edit: number,
): { offsets: Map<number, number>; document_id: number } {
  const offsets = new Map<number, number>();
  const visited = new Set<number>();
  let document_id = -1;
  for (
    let edit = recordAt(bytes, last_edit);
    edit?.type === ppt.user_edit && !visited.has(edit.start);
    edit = recordAt(bytes, bytes.u32(edit.start + 8) || -1)
  ) {
    visited.add(edit.start);
    if (document_id < 0) document_id = bytes.u32(edit.start + 16);
    const directory = recordAt(bytes, bytes.u32(edit.start + 12));
    if (directory?.type !== ppt.persist_directory || visited.has(directory.start)) continue;
    visited.add(directory.start);
    for (let at = directory.start; at + 4 <= directory.end;) {
      const first = bytes.u32(at) & 0xfffff;
      const count = bytes.u32(at) >>> 20;
      at += 4;
      for (let index = 0; index < count && at + 4 <= directory.end; index++, at += 4)
        if (!offsets.has(first + index)) offsets.set(first + index, bytes.u32(at));
    }
  }
  return { offsets, document_id };
}

function slidesOf(
  bytes: ByteReader,
  parent: PptRecord,
  find: (id: number) => PptRecord | null,
): Slide[] {
  const entries: (Slide & { texts: OutlineText[] })[] = [];
  let kind = 0;
  for (const record of children(bytes, parent)) {
    if (record.type === ppt.slide_persist)
      entries.push({
        record: find(bytes.u32(record.start)),
        id: bytes.u32(record.start + 12),
        texts: [],
      });
    else if (record.type === ppt.text_header) {
      kind = bytes.u32(record.start);
      entries.at(-1)?.texts.push({ kind, text: "" });
    } else {
      const text = textOf(bytes, record);
      const texts = entries.at(-1)?.texts;
      if (text !== null && texts !== undefined && texts.length > 0)
        texts[texts.length - 1] = { kind, text };
    }
  }
  return entries;
}

/** The text of a text record; null for any other record. */
export function textOf(bytes: ByteReader, { type, start, end }: PptRecord): string | null {
  if (type === ppt.text_wide || type === ppt.string)
    return bytes.wide(start, end - ((end - start) % 2));
  return type === ppt.text_narrow ? Buffer.from(bytes.slice(start, end)).toString("latin1") : null;
}
