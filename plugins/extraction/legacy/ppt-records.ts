/** The records that a PowerPoint file is made of, and where the slides lie among them. */
import { Bytes } from "./byte-reader";

export interface Rec {
  readonly type: number;
  readonly instance: number;
  readonly container: boolean;
  readonly start: number;
  readonly end: number;
}

export const rec = {
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
export const list = { slides: 0, notes: 2 } as const;

const header_bytes = 8;
/**
 * The record at this place, which ends at `limit` at the latest; null when there is no room for
 * one.
 */
export function recordAt(bytes: Bytes, at: number, limit = bytes.length): Rec | null {
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
  bytes: Bytes,
  { start, end }: Pick<Rec, "start" | "end">,
): Generator<Rec> {
  for (let at = start; ;) {
    const record = recordAt(bytes, at, end);
    if (record === null) return;
    yield record;
    at = record.end;
  }
}
export function childOf(bytes: Bytes, parent: Rec, type: number): Rec | null {
  for (const record of children(bytes, parent)) if (record.type === type) return record;
  return null;
}

export interface OutlineText {
  readonly kind: number;
  readonly text: string;
}
/** A slide or a page of notes, in the order of the presentation. */
export interface Entry {
  readonly record: Rec | null;
  readonly id: number;
  readonly texts: readonly OutlineText[];
}
export interface Presentation {
  readonly document: Rec;
  readonly slides: readonly Entry[];
  readonly notes: readonly Entry[];
}

/** The presentation as it was saved last; null when its beginning can't be found. */
export function openPresentation(bytes: Bytes, current: Bytes): Presentation | null {
  const { places, document_id } = placesOf(bytes, current.u32(16));
  const document = recordAt(bytes, places.get(document_id) ?? -1);
  if (document?.type !== rec.document) return null;
  const entries = (instance: number, type: number): Entry[] =>
    [...children(bytes, document)]
      .filter((record) => record.type === rec.slide_list && record.instance === instance)
      .flatMap((record) =>
        entriesOf(bytes, record, (id) => {
          const found = recordAt(bytes, places.get(id) ?? -1);
          return found?.type === type ? found : null;
        }),
      );
  return {
    document,
    slides: entries(list.slides, rec.slide),
    notes: entries(list.notes, rec.notes),
  };
}

/** Each save adds a list of the places of what it changed, and names the list before it. */
function placesOf(
  bytes: Bytes,
  last_edit: number,
): { places: Map<number, number>; document_id: number } {
  const places = new Map<number, number>();
  const seen = new Set<number>();
  let document_id = -1;
  for (
    let edit = recordAt(bytes, last_edit);
    edit?.type === rec.user_edit && !seen.has(edit.start);
    edit = recordAt(bytes, bytes.u32(edit.start + 8) || -1)
  ) {
    seen.add(edit.start);
    if (document_id < 0) document_id = bytes.u32(edit.start + 16);
    const directory = recordAt(bytes, bytes.u32(edit.start + 12));
    if (directory?.type !== rec.persist_directory || seen.has(directory.start)) continue;
    seen.add(directory.start);
    for (let at = directory.start; at + 4 <= directory.end;) {
      const [first, count] = [bytes.u32(at) & 0xfffff, bytes.u32(at) >>> 20];
      at += 4;
      for (let index = 0; index < count && at + 4 <= directory.end; index++, at += 4)
        if (!places.has(first + index)) places.set(first + index, bytes.u32(at));
    }
  }
  return { places, document_id };
}

function entriesOf(bytes: Bytes, parent: Rec, find: (id: number) => Rec | null): Entry[] {
  const entries: (Entry & { texts: OutlineText[] })[] = [];
  let kind = 0;
  for (const record of children(bytes, parent)) {
    if (record.type === rec.slide_persist)
      entries.push({
        record: find(bytes.u32(record.start)),
        id: bytes.u32(record.start + 12),
        texts: [],
      });
    else if (record.type === rec.text_header) {
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

/** What a record of text says; null for any other record. */
export function textOf(bytes: Bytes, { type, start, end }: Rec): string | null {
  if (type === rec.text_wide || type === rec.string)
    return bytes.wide(start, end - ((end - start) % 2));
  return type === rec.text_narrow ? Buffer.from(bytes.slice(start, end)).toString("latin1") : null;
}
