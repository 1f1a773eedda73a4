/**
 * Runs in the child: reads PowerPoint 97 to 2003 (.ppt): one page per slide in presentation order,
 * with its notes and comments at the end.
 */
import { ExtractionFailure } from "../contract";
import { paragraph, slideLabel, type Block, type Page } from "../child/blocks";
import { tableBlock } from "../child/table";
import { ByteReader } from "./byte-reader";
import { damagedFile, type CompoundFile } from "./compound-file";
import {
  childOf,
  children,
  openPresentation,
  ppt,
  recordAt,
  textOf,
  type Slide,
  type OutlineText,
  type PptRecord,
} from "./ppt-records";

const encrypted_token = 0xf3d1c4df;
const depth_max = 60;
/** The storage with the 97 presentation in a file for PowerPoint 95 and 97. */
const folder_97 = "PP97_DUALSTORAGE";

/** @throws ExtractionFailure */
export function readPpt(compound: CompoundFile): Page[] {
  const folder = compound.has(folder_97) ? folder_97 : undefined;
  if (folder === undefined && compound.has("PersistentStorage Directory"))
    throw new ExtractionFailure(
      "unsupported_type",
      "This is a PowerPoint 95 presentation. Only presentations from PowerPoint 97 or " +
        "later can be read.",
    );
  const stream = compound.stream("PowerPoint Document", folder);
  if (stream === null) throw damagedFile();
  const bytes = new ByteReader(stream);
  const current = new ByteReader(compound.stream("Current User", folder) ?? new Uint8Array(0));
  const edit = recordAt(bytes, current.u32(16));
  if (
    current.u32(12) === encrypted_token ||
    compound.has("EncryptedSummary") ||
    (edit?.type === ppt.user_edit && edit.end - edit.start >= 32 && bytes.u32(edit.start + 28) > 0)
  ) {
    throw new ExtractionFailure("encrypted", "This presentation is protected by a password.");
  }
  const presentation = openPresentation(bytes, current) ?? salvageSlides(bytes);
  const notes = new Map(presentation.notes.map((entry) => [notedSlide(bytes, entry), entry]));
  const reader = new SlideReader(bytes);
  const footer = presentation.document === null ? [] : reader.footer(presentation.document);
  return presentation.slides.map((entry, index) => {
    const noted = notes.get(entry.id);
    const blocks = [
      ...reader.read(entry),
      ...(index === 0 ? footer : []),
      ...(noted === undefined ? [] : reader.read(noted)),
    ];
    return { page: index + 1, label: slideLabel(index + 1, blocks), blocks };
  });
}

const notedSlide = (bytes: ByteReader, { record }: Slide): number => {
  const atom = record === null ? null : childOf(bytes, record, ppt.notes_atom);
  return atom === null ? -1 : bytes.u32(atom.start);
};

/**
 * The slides of a file whose slide list is lost, in file order.
 * @throws ExtractionFailure `corrupt` when there are none
 */
function salvageSlides(bytes: ByteReader): { document: null; slides: Slide[]; notes: Slide[] } {
  const records = [...children(bytes, { start: 0, end: bytes.length })];
  const entries = (type: number): Slide[] =>
    records
      .filter((record) => record.type === type)
      .map((record, at) => ({ record, id: -2 - at, texts: [] }));
  if (!records.some(({ type }) => type === ppt.slide)) throw damagedFile();
  return { document: null, slides: entries(ppt.slide), notes: [] };
}

interface Cell {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

class SlideReader {
  /** A hostile file may list one slide many times. */
  private readonly read_already = new Set<number>();
  private readonly footers = new Set<string>();
  private texts: readonly OutlineText[] = [];
  private used = new Set<number>();

  constructor(private readonly bytes: ByteReader) {}

  read({ record, texts }: Slide): Block[] {
    this.texts = texts;
    this.used = new Set();
    const blocks: Block[] = [];
    if (record !== null && !this.read_already.has(record.start)) {
      this.read_already.add(record.start);
      this.walk(record, blocks, 0);
    }
    const outline = texts.flatMap(({ kind, text }, at) =>
      this.used.has(at) ? [] : blocksOf(text, kind),
    );
    return [...outline, ...blocks];
  }

  /** The footer in this record, unless it was returned before. */
  footer(parent: PptRecord): Block[] {
    const container = childOf(this.bytes, parent, ppt.headers_footers);
    const atom =
      container === null ? null : childOf(this.bytes, container, ppt.headers_footers_atom);
    if (container === null || atom === null || !(this.bytes.u16(atom.start + 2) & 32)) return [];
    for (const record of children(this.bytes, container)) {
      const text =
        record.type === ppt.string && record.instance === 2 ? textOf(this.bytes, record)! : "";
      if (text.trim() === "" || this.footers.has(text)) continue;
      this.footers.add(text);
      return blocksOf(text, null);
    }
    return [];
  }

  private walk(parent: PptRecord, blocks: Block[], depth: number): void {
    if (depth > depth_max) return;
    for (const record of children(this.bytes, parent)) {
      if (record.type === ppt.text_box)
        blocks.push(...this.textBox(record).flatMap(({ kind, text }) => blocksOf(text, kind)));
      else if (record.type === ppt.group && this.isTable(record))
        blocks.push(...this.table(record));
      else if (record.type === ppt.comment) blocks.push(...this.comment(record));
      else if (record.type === ppt.headers_footers) continue;
      else if (record.container || record.type === ppt.tag_data)
        this.walk(record, blocks, depth + 1);
    }
    if (parent.type === ppt.slide) blocks.push(...this.footer(parent));
  }

  /** The text of a box: its own, or an outline text that it refers to. */
  private textBox(box: PptRecord): OutlineText[] {
    const texts: OutlineText[] = [];
    let kind: number | null = null;
    for (const record of children(this.bytes, box)) {
      if (record.type === ppt.text_header) kind = this.bytes.u32(record.start);
      const index = record.type === ppt.text_ref ? this.bytes.u32(record.start) : -1;
      const text = record.type === ppt.string ? null : textOf(this.bytes, record);
      if (text !== null) texts.push({ kind: kind ?? 4, text });
      else if (index in this.texts && !this.used.has(index)) {
        this.used.add(index);
        texts.push(this.texts[index]!);
      }
    }
    return texts;
  }

  private comment(container: PptRecord): Block[] {
    const text = [...children(this.bytes, container)].find(
      ({ type, instance }) => type === ppt.string && instance === 1,
    );
    return text === undefined ? [] : blocksOf(textOf(this.bytes, text)!, null);
  }

  /** A table is a group of boxes with a flag. */
  private isTable(group: PptRecord): boolean {
    const first = childOf(this.bytes, group, ppt.shape);
    const options = first === null ? null : childOf(this.bytes, first, ppt.more_options);
    if (options === null) return false;
    for (
      let at = options.start, left = options.instance;
      left > 0 && at + 6 <= options.end;
      at += 6, left--
    ) {
      if ((this.bytes.u16(at) & 0x3fff) === 0x39f) return (this.bytes.u32(at + 2) & 1) === 1;
    }
    return false;
  }
  private table(group: PptRecord): Block[] {
    const cells: Cell[] = [];
    for (const shape of children(this.bytes, group)) {
      const anchor = shape.type === ppt.shape ? childOf(this.bytes, shape, ppt.child_anchor) : null;
      const box = anchor === null ? null : childOf(this.bytes, shape, ppt.text_box);
      if (anchor === null || box === null) continue;
      const text = this.textBox(box)
        .map((outline) => outline.text)
        .join("\n")
        .replace(/[\r\v]+/g, "\n")
        .trim();
      cells.push({ x: this.bytes.i32(anchor.start), y: this.bytes.i32(anchor.start + 4), text });
    }
    const rows = Map.groupBy(cells, ({ y }) => y);
    const columns = [...new Set(cells.map(({ x }) => x))].toSorted((a, b) => a - b);
    if (columns.length > cells_max || rows.size > cells_max) return [];
    const texts = [...rows.keys()]
      .toSorted((a, b) => a - b)
      .map((y) => {
        const row = columns.map(() => "");
        for (const { x, text } of rows.get(y)!) row[columns.indexOf(x)] = text;
        return row;
      });
    return texts.flat().every((text) => text === "") ? [] : [tableBlock(texts)];
  }
}
/** Columns or rows of the table of a slide. */
const cells_max = 200;

/** Titles are headings. A single `*` is a placeholder for a number or a date. */
function blocksOf(text: string, kind: number | null): Block[] {
  const level = kind === 0 || kind === 6 ? 1 : null;
  const lines = level === null ? text.split("\r") : [text.replaceAll("\r", " ")];
  return lines
    .map((line) => line.replaceAll("\v", level === null ? "\n" : " ").trim())
    .filter((line) => line !== "" && line !== "*")
    .map((line) => paragraph(line, level));
}
