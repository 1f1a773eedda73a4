/** Runs in the child: opens a Word file: the pieces of its text, and their properties. */
import { ExtractionFailure } from "../contract";
import { ByteReader } from "./byte-reader";
import { damagedFile, type CompoundFile } from "./compound-file";
import { DocLists } from "./doc-lists";
import { readRuns, type ParagraphRun, type Run } from "./doc-properties";
import { readStyles } from "./doc-styles";

/** The parts of the text, in the order of the file. */
const story_names = [
  "body",
  "footnotes",
  "headers",
  "macros",
  "comments",
  "endnotes",
  "boxes",
  "header_boxes",
] as const;
/** A part of the text, such as the main text or the footnotes. */
export type StoryName = (typeof story_names)[number];

/** A run of characters that are stored together. */
export interface Piece {
  /** Character positions in the document, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** Byte offset of the first one in the main stream. */
  readonly at: number;
  /** UTF-16; otherwise one byte per character. */
  readonly wide: boolean;
}

/** An opened Word file. */
export interface WordFile {
  readonly main: ByteReader;
  readonly pieces: readonly Piece[];
  /** Start and end of each part of the text, in characters. */
  readonly stories: Readonly<Record<StoryName, { readonly start: number; readonly end: number }>>;
  readonly paragraphs: readonly ParagraphRun[];
  /** Text that is hidden, or was deleted while changes were tracked. */
  readonly hidden: readonly Run[];
  readonly lists: DocLists;
  /** For pieces that are not wide: a name of `TextDecoder`. */
  readonly encoding: string;
}

/** Of Word 97 and later; of Word 6 and 95; of Word 95 for Chinese, Japanese and Korean. */
const signatures = [0xa5ec, 0xa5dc, 0xa697, 0xa698, 0xa699];
const version_of_97 = 106;

/** Where the flags of the file are, and what they say. */
const flags_at = 10;
const has_pieces = 0x4;
const is_encrypted = 0x100;
const uses_second_table = 0x200;
/** Where the lengths of the parts of the text are. */
const stories_at = 0x4c;
const stories_at_95 = 0x34;
/** Where the text begins in a file of Word 6 or 95 without pieces. */
const text_at_95 = 0x18;
/** Where the offset and the length of the piece table are, in Word 6 and 95. */
const pieces_at_95 = 0x160;
/** Where the offset and the length of each part of the table stream are, one after another. */
const parts_at = 0x9a;
/** The places of parts in that list. */
const place = {
  styles: 1,
  character_pages: 12,
  paragraph_pages: 13,
  pieces: 33,
  lists: 73,
  list_overrides: 74,
} as const;
/** Of a piece's offset in Word 97 and later: it has one byte per character, at half of the rest. */
const is_narrow = 0x40000000;

/** @throws ExtractionFailure */
export function openWord(compound: CompoundFile): WordFile {
  const stream = compound.stream("WordDocument");
  if (stream === null || stream.length < 256) throw damagedFile();
  const main = new ByteReader(stream);
  const flags = main.u16(flags_at);
  if (!signatures.includes(main.u16(0)))
    throw new ExtractionFailure(
      "unsupported_type",
      "This version of Word documents can't be read.",
    );
  if (flags & is_encrypted)
    throw new ExtractionFailure("encrypted", "This Word document is protected by a password.");
  if (main.u16(2) < version_of_97) return openWord95(main);
  const table = compound.stream(flags & uses_second_table ? "1Table" : "0Table");
  if (table === null) throw damagedFile();
  const table_reader = new ByteReader(table);
  const offsetOf = (part: number): number => main.u32(parts_at + 8 * part);
  const lengthOf = (part: number): number => main.u32(parts_at + 8 * part + 4);
  const readerOf = (part: number): ByteReader =>
    new ByteReader(table_reader.slice(offsetOf(part), offsetOf(part) + lengthOf(part)));
  const pieces = piecesOf(readerOf(place.pieces), true);
  if (pieces.length === 0) throw damagedFile();
  checkRepeats(pieces, main.length);
  const lists = new DocLists(
    table_reader,
    lengthOf(place.lists) > 0 ? offsetOf(place.lists) : 0,
    lengthOf(place.list_overrides) > 0 ? offsetOf(place.list_overrides) : 0,
  );
  return {
    main,
    pieces,
    stories: storiesOf(main, stories_at),
    lists,
    encoding: "windows-1252",
    ...readRuns(
      main,
      readerOf(place.paragraph_pages),
      readerOf(place.character_pages),
      readStyles(readerOf(place.styles)),
    ),
  };
}

/** Word 6 and 95: the same structure, with narrower numbers and one byte for each character. */
function openWord95(main: ByteReader): WordFile {
  const stories = storiesOf(main, stories_at_95);
  const pieces_offset = main.u32(pieces_at_95);
  const pieces_end = pieces_offset + main.u32(pieces_at_95 + 4);
  const listed =
    main.u16(flags_at) & has_pieces
      ? piecesOf(new ByteReader(main.slice(pieces_offset, pieces_end)), false)
      : [];
  const length = stories.header_boxes.end;
  const from = main.u32(text_at_95);
  if (listed.length === 0 && from + length > main.length) throw damagedFile();
  checkRepeats(listed, main.length);
  const pieces = listed.length > 0 ? listed : [{ start: 0, end: length, at: from, wide: false }];
  return {
    main,
    pieces,
    stories,
    encoding: encodingOf(main.u16(6)),
    paragraphs: [],
    hidden: [],
    lists: new DocLists(main, 0, 0),
  };
}

function storiesOf(main: ByteReader, at: number): WordFile["stories"] {
  let start = 0;
  return Object.fromEntries(
    story_names.map((name, index) => {
      const story = { start, end: start + Math.max(0, main.i32(at + 4 * index)) };
      start = story.end;
      return [name, story];
    }),
  ) as unknown as WordFile["stories"];
}

/** The piece table, which follows lists of properties. */
function piecesOf(table: ByteReader, has_wide: boolean): Piece[] {
  let at = 0;
  while (table.u8(at) === 1) at += 3 + table.u16(at + 1);
  if (table.u8(at) !== 2) return [];
  const from = at + 5;
  const count = Math.floor((Math.min(table.u32(at + 1), table.length - from) - 4) / 12);
  const pieces: Piece[] = [];
  for (let index = 0; index < count; index++) {
    const start = table.u32(from + 4 * index);
    const end = table.u32(from + 4 * index + 4);
    const offset = table.u32(from + 4 * (count + 1) + 8 * index + 2);
    const narrow = !has_wide || (offset & is_narrow) !== 0;
    if (end <= start || start < (pieces.at(-1)?.end ?? 0)) continue;
    pieces.push({
      start,
      end,
      wide: !narrow,
      at: narrow && has_wide ? (offset & (is_narrow - 1)) >>> 1 : offset,
    });
  }
  return pieces;
}

/** How often pieces may cover the stream that they are parts of: they hardly overlap at all. */
const repeats_max = 4;

/** @throws ExtractionFailure when a small file would be read as a very long text */
function checkRepeats(pieces: readonly Piece[], stream_bytes: number): void {
  const bytes = pieces.reduce(
    (sum, { start, end, wide }) => sum + (end - start) * (wide ? 2 : 1),
    0,
  );
  if (bytes > repeats_max * stream_bytes)
    throw new ExtractionFailure(
      "too_large",
      "This document repeats its own text so often that it can't be read.",
    );
}

/** The encodings of Windows, by primary language id. */
const encodings: Readonly<Record<string, readonly number[]>> = {
  "windows-1250": [0x05, 0x0e, 0x15, 0x18, 0x1a, 0x1b, 0x1c, 0x24],
  "windows-1251": [0x02, 0x19, 0x22, 0x23, 0x2f],
  "windows-1253": [0x08],
  "windows-1254": [0x1f],
  "windows-1255": [0x0d],
  "windows-1256": [0x01, 0x20, 0x29],
  "windows-1257": [0x25, 0x26, 0x27],
  "windows-874": [0x1e],
  "windows-1258": [0x2a],
  shift_jis: [0x11],
  "euc-kr": [0x12],
};
function encodingOf(language: number): string {
  const primary = language & 0x3ff;
  if (primary === 0x04) return language === 0x404 || language === 0xc04 ? "big5" : "gbk";
  return (
    Object.entries(encodings).find(([, languages]) => languages.includes(primary))?.[0] ??
    "windows-1252"
  );
}
