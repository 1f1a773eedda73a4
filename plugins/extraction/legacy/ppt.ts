/**
 * PowerPoint 97 to 2003 (.ppt): one page for each slide in the order of the presentation, its notes
 * and comments behind it.
 */
import { ExtractionFailure } from "../contract";
import { paragraph, type Block, type Page } from "../child/block-builder";
import { Bytes } from "./byte-reader";
import { damaged, type CompoundFile } from "./compound-file";
import {
  childOf,
  children,
  openPresentation,
  rec,
  recordAt,
  textOf,
  type Entry,
  type OutlineText,
  type Rec,
} from "./ppt-records";

const encrypted_mark = 0xf3d1c4df;
const depth_max = 60;
/** A file for PowerPoint 95 and 97 alike holds what is for 97 in a folder. */
const folder_of_97 = "PP97_DUALSTORAGE";

/** @throws ExtractionFailure */
export function readPpt(compound: CompoundFile): Page[] {
  const folder = compound.has(folder_of_97) ? folder_of_97 : undefined;
  if (folder === undefined && compound.has("PersistentStorage Directory"))
    throw new ExtractionFailure(
      "unsupported_type",
      "This is a PowerPoint 95 presentation, which can't be read. Since PowerPoint 97 they can " +
        "be read.",
    );
  const stream = compound.stream("PowerPoint Document", folder);
  if (stream === null) throw damaged();
  const bytes = new Bytes(stream);
  const current = new Bytes(compound.stream("Current User", folder) ?? new Uint8Array(0));
  const edit = recordAt(bytes, current.u32(16));
  if (
    current.u32(12) === encrypted_mark ||
    compound.has("EncryptedSummary") ||
    (edit?.type === rec.user_edit && edit.end - edit.start >= 32 && bytes.u32(edit.start + 28) > 0)
  ) {
    throw new ExtractionFailure("encrypted", "This presentation is protected by a password.");
  }
  const presentation = openPresentation(bytes, current) ?? scattered(bytes);
  const notes = new Map(presentation.notes.map((entry) => [notedSlide(bytes, entry), entry]));
  const reader = new SlideReader(bytes);
  const footer = presentation.document === null ? [] : reader.footer(presentation.document);
  return presentation.slides.map((entry, index) => {
    const noted = notes.get(entry.id);
    return {
      page: index + 1,
      blocks: [
        ...reader.read(entry),
        ...(index === 0 ? footer : []),
        ...(noted === undefined ? [] : reader.read(noted)),
      ],
    };
  });
}

const notedSlide = (bytes: Bytes, { record }: Entry): number => {
  const atom = record === null ? null : childOf(bytes, record, rec.notes_atom);
  return atom === null ? -1 : bytes.u32(atom.start);
};

/**
 * A file without its list of slides: they come as they lie. @throws ExtractionFailure `corrupt`
 * when there are none
 */
function scattered(bytes: Bytes): { document: null; slides: Entry[]; notes: Entry[] } {
  const found = [...children(bytes, { start: 0, end: bytes.length })];
  const entries = (type: number): Entry[] =>
    found
      .filter((record) => record.type === type)
      .map((record, at) => ({ record, id: -2 - at, texts: [] }));
  if (!found.some(({ type }) => type === rec.slide)) throw damaged();
  return { document: null, slides: entries(rec.slide), notes: [] };
}

interface Cell {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

class SlideReader {
  /** A file may name the same slide again and again. */
  private readonly read_already = new Set<number>();
  private readonly footers = new Set<string>();
  private texts: readonly OutlineText[] = [];
  private used = new Set<number>();

  constructor(private readonly bytes: Bytes) {}

  read({ record, texts }: Entry): Block[] {
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

  /** The footer that this part of the file has, where it is new. */
  footer(parent: Rec): Block[] {
    const container = childOf(this.bytes, parent, rec.headers_footers);
    const atom =
      container === null ? null : childOf(this.bytes, container, rec.headers_footers_atom);
    if (container === null || atom === null || !(this.bytes.u16(atom.start + 2) & 32)) return [];
    for (const record of children(this.bytes, container)) {
      const text =
        record.type === rec.string && record.instance === 2 ? textOf(this.bytes, record)! : "";
      if (text.trim() === "" || this.footers.has(text)) continue;
      this.footers.add(text);
      return blocksOf(text, null);
    }
    return [];
  }

  private walk(parent: Rec, blocks: Block[], depth: number): void {
    if (depth > depth_max) return;
    for (const record of children(this.bytes, parent)) {
      if (record.type === rec.text_box)
        blocks.push(...this.textBox(record).flatMap(({ kind, text }) => blocksOf(text, kind)));
      else if (record.type === rec.group && this.isTable(record))
        blocks.push(...this.table(record));
      else if (record.type === rec.comment) blocks.push(...this.comment(record));
      else if (record.type === rec.headers_footers) continue;
      else if (record.container || record.type === rec.tag_data)
        this.walk(record, blocks, depth + 1);
    }
    if (parent.type === rec.slide) blocks.push(...this.footer(parent));
  }

  /** Its own text, or one of those that the outline of the presentation holds. */
  private textBox(box: Rec): OutlineText[] {
    const found: OutlineText[] = [];
    let kind: number | null = null;
    for (const record of children(this.bytes, box)) {
      if (record.type === rec.text_header) kind = this.bytes.u32(record.start);
      const index = record.type === rec.text_ref ? this.bytes.u32(record.start) : -1;
      const text = record.type === rec.string ? null : textOf(this.bytes, record);
      if (text !== null) found.push({ kind: kind ?? 4, text });
      else if (index in this.texts && !this.used.has(index)) {
        this.used.add(index);
        found.push(this.texts[index]!);
      }
    }
    return found;
  }

  private comment(container: Rec): Block[] {
    const text = [...children(this.bytes, container)].find(
      ({ type, instance }) => type === rec.string && instance === 1,
    );
    return text === undefined ? [] : blocksOf(textOf(this.bytes, text)!, null);
  }

  /** A table is a group of boxes that says so. */
  private isTable(group: Rec): boolean {
    const first = childOf(this.bytes, group, rec.shape);
    const options = first === null ? null : childOf(this.bytes, first, rec.more_options);
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
  private table(group: Rec): Block[] {
    const cells: Cell[] = [];
    for (const shape of children(this.bytes, group)) {
      const anchor = shape.type === rec.shape ? childOf(this.bytes, shape, rec.child_anchor) : null;
      const box = anchor === null ? null : childOf(this.bytes, shape, rec.text_box);
      if (anchor === null || box === null) continue;
      const text = this.textBox(box)
        .map((one) => one.text)
        .join(" ")
        .replace(/[\s\v]+/g, " ")
        .trim();
      cells.push({ x: this.bytes.i32(anchor.start), y: this.bytes.i32(anchor.start + 4), text });
    }
    const rows = Map.groupBy(cells, ({ y }) => y);
    const lines = [...rows.keys()]
      .sort((one, other) => one - other)
      .map((y) =>
        rows
          .get(y)!
          .sort((one, other) => one.x - other.x)
          .map(({ text }) => text)
          .join("\t")
          .trim(),
      );
    return lines
      .filter((line) => line !== "")
      .map((text, at) => ({ text, joined: at > 0, level: null }));
  }
}

/** Titles are headings. A lone `*` stands for a number or date that PowerPoint puts there. */
function blocksOf(text: string, kind: number | null): Block[] {
  const level = kind === 0 || kind === 6 ? 1 : null;
  const lines = level === null ? text.split("\r") : [text.replaceAll("\r", " ")];
  return lines
    .map((line) => line.replaceAll("\v", level === null ? "\n" : " ").trim())
    .filter((line) => line !== "" && line !== "*")
    .map((line) => paragraph(line, level));
}
