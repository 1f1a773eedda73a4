/**
 * Runs in the child: the text of an RTF document: paragraphs and tables, notes and text boxes after
 * their paragraph, headers and footers once at the end.
 */
import { ExtractionFailure } from "../contract";
import type { Block, Page } from "../child/blocks";
import { no_emphasis, type Emphasis } from "../child/emphasis";
import { NestedTableBuilder } from "../child/nested-table-builder";
import { formatBullet } from "../child/list-markers";
import { Fonts } from "./fonts";
import { readTokens, type RtfHandler } from "./tokenizer";
import { asides, characters, isSkipped, running_text } from "./control-words";

const brace_open = 0x7b;
const depth_max = 5_000;
/** Descriptions of further cells of a row are ignored. */
const cells_max = 1_000;
/** Nesting limit of notes; deeper ones become part of the surrounding text. */
const asides_depth_max = 8;

interface Group {
  /** The role of its content. Of `either`, only the Unicode part (`\ud`) is read. */
  content: "text" | "marker" | "font_table" | "style_sheet" | "skipped" | "either";
  font: number;
  /** The number of characters after `\u` that are for readers without Unicode. */
  unicode_skip: number;
  hidden: boolean;
  deleted: boolean;
  emphasis: Emphasis;
  /** The kind of separate text; null if it is part of the surrounding text. */
  ends: "aside" | "running" | null;
  /** Only `\*` has been read so far. */
  is_at_start: boolean;
  is_starred: boolean;
  /** It describes a row of a nested table. */
  describes_nested: boolean;
}
/** The description of the cells of a row. */
interface RowDescription {
  readonly edges: number[];
  readonly covered: boolean[];
  /** Of the cell being described. */
  is_covered: boolean;
}
const newRow = (): RowDescription => ({ edges: [], covered: [], is_covered: false });
const isText = (content: Group["content"]): boolean => content === "text" || content === "marker";
/** What a group contains by its first control word, also inside of another one. */
const contents: ReadonlyMap<string, Group["content"]> = new Map([
  ["fonttbl", "font_table"],
  ["stylesheet", "style_sheet"],
]);
const entriesFor = (
  names: Iterable<string>,
  act: () => void,
): (readonly [name: string, act: () => void])[] => [...names].map((name) => [name, act]);
/** Inside a number or bullet: its properties don't apply to the paragraph. */
const marker_words: ReadonlySet<string> = new Set(["u", "uc", "f", ...Object.keys(characters)]);
const is_number = /^\(?(?:\p{N}|\p{L}{1,4}[.)])/u;
interface Paragraph {
  in_table: boolean;
  depth: number;
  style: number;
  outline: number | null;
  /** Its number or bullet. */
  marker: string;
  /** List nesting depth. */
  level: number;
}
const new_paragraph: Paragraph = {
  in_table: false,
  depth: 0,
  style: -1,
  outline: null,
  marker: "",
  level: 0,
};

/** @throws ExtractionFailure */
export function readRtfDocument(bytes: Uint8Array, characters_max: number): Page[] {
  const reader = new RtfReader(characters_max);
  // A byte order mark may come first.
  readTokens(bytes.subarray(Math.max(0, bytes.indexOf(brace_open))), reader);
  return [{ page: null, blocks: reader.blocks() }];
}

class RtfReader implements RtfHandler {
  private group: Group = {
    content: "text",
    font: -1,
    unicode_skip: 1,
    hidden: false,
    deleted: false,
    emphasis: no_emphasis,
    ends: null,
    is_at_start: false,
    is_starred: false,
    describes_nested: false,
  };
  /** Rows of tables and nested tables. */
  private row = newRow();
  private nested_row = newRow();
  private readonly groups: Group[] = [];
  /** What the first control word of a group in the text does. */
  private readonly group_words: ReadonlyMap<string, () => void> = new Map([
    ["listtext", () => this.beginMarker()],
    ["pntext", () => this.beginMarker()],
    ["upr", () => void (this.group.content = "either")],
    ["nesttableprops", () => void (this.group.describes_nested = true)],
    ...entriesFor(asides, () => this.beginSeparateText("aside")),
    ...entriesFor(running_text, () => this.beginSeparateText("running")),
  ]);
  private readonly fonts = new Fonts();
  private readonly style_levels = new Map<number, number>();
  private style = -1;
  private style_name = "";
  private paragraph: Paragraph = { ...new_paragraph };
  private builder = new NestedTableBuilder();
  /** The texts around the current aside. */
  private readonly outer: {
    readonly builder: NestedTableBuilder;
    readonly paragraph: Paragraph;
  }[] = [];
  private readonly running: Block[] = [];
  private readonly seen = new Set<string>();
  private skip = 0;
  private length = 0;
  /** The current number or bullet. */
  private marker = "";

  constructor(private readonly characters_max: number) {}

  open(): void {
    if (this.groups.length >= depth_max)
      throw new ExtractionFailure(
        "corrupt",
        `This RTF file is damaged: its groups are nested more than ${depth_max} levels deep.`,
      );
    this.skip = 0;
    this.groups.push(this.group);
    this.group = { ...this.group, ends: null, is_at_start: true, is_starred: false };
  }
  close(): void {
    const before = this.groups.pop();
    if (before === undefined) return;
    this.skip = 0;
    const { ends, content } = this.group;
    if (before.emphasis !== this.group.emphasis || content === "marker") this.flush();
    this.group = before;
    if (ends !== null) this.flush();
    if (content === "style_sheet") this.endStyle();
    if (ends !== null) this.endSeparateText(ends);
    if (content === "marker" && before.content !== "marker") this.endMarker();
  }
  text(bytes: Uint8Array): void {
    this.group.is_at_start = false;
    const skipped = Math.min(this.skip, bytes.length);
    this.skip -= skipped;
    const unskipped = skipped === 0 ? bytes : bytes.subarray(skipped);
    const { content, font } = this.group;
    if (isText(content) && !this.group.hidden && !this.group.deleted)
      this.put(this.fonts.bytes(unskipped, font));
    else if (content === "font_table") this.fonts.fontTableText(unskipped);
    else if (content === "style_sheet" && this.style_name.length < 100)
      this.style_name += Buffer.from(unskipped.subarray(0, 100)).toString("latin1");
  }
  word(name: string, number: number, has_number: boolean): void {
    const { group } = this;
    if (name === "*") {
      group.is_starred = true;
      return;
    }
    if (group.is_at_start) {
      group.is_at_start = false;
      this.beginGroup(name);
    }
    if (this.skip > 0 && name !== "uc" && name !== "u") {
      this.skip--;
      return;
    }
    if (group.content === "font_table") this.fonts.fontTableWord(name, number);
    else if (group.content === "style_sheet") this.styleWord(name, number);
    else if (group.content === "text") this.textWord(name, number, has_number);
    else if (group.content === "marker" && marker_words.has(name))
      this.textWord(name, number, has_number);
  }
  blocks(): Block[] {
    this.flush();
    this.builder.marker(this.paragraph.marker, this.paragraph.level);
    while (this.outer.length > 0) this.endSeparateText("aside");
    return [...this.builder.finish(), ...this.running];
  }

  /** The first control word of a group determines its content. */
  private beginGroup(name: string): void {
    const { group } = this;
    if (group.content === "skipped") return;
    if (group.content === "either") {
      if (name === "ud") group.content = "text";
      return;
    }
    const content = contents.get(name);
    if (content !== undefined) group.content = content;
    else if (group.content === "text")
      if (isSkipped(name, group.is_starred)) group.content = "skipped";
      else this.group_words.get(name)?.();
  }
  private beginMarker(): void {
    this.flush();
    this.marker = "";
    this.group.content = "marker";
  }
  private beginSeparateText(ends: "aside" | "running"): void {
    if (this.outer.length >= asides_depth_max) return;
    this.flush();
    this.group.ends = ends;
    this.outer.push({ builder: this.builder, paragraph: this.paragraph });
    this.builder = new NestedTableBuilder();
    this.paragraph = { ...new_paragraph };
  }
  private endSeparateText(ends: "aside" | "running"): void {
    const blocks = this.builder.finish();
    const around = this.outer.pop()!;
    this.builder = around.builder;
    this.paragraph = around.paragraph;
    if (ends === "aside") this.builder.aside(blocks);
    for (const block of ends === "running" ? blocks : []) {
      if (this.seen.has(block.text)) continue;
      this.seen.add(block.text);
      this.running.push(block);
    }
  }

  private styleWord(name: string, number: number): void {
    if (name === "s") this.style = number;
    else if (name === "outlinelevel") this.style_levels.set(this.style, number + 1);
  }
  private endStyle(): void {
    const level = /^heading ([1-9]);?$/i.exec(this.style_name.trim())?.[1];
    if (level !== undefined && this.style >= 0) this.style_levels.set(this.style, Number(level));
    this.style = -1;
    this.style_name = "";
  }

  private textWord(name: string, number: number, has_number: boolean): void {
    const { group, paragraph } = this;
    const on = !has_number || number !== 0;
    switch (name) {
      case "u":
        return this.unicode(number);
      case "uc":
        group.unicode_skip = Math.max(0, number);
        return;
      case "f":
        this.flush();
        group.font = number;
        return;
      case "ansicpg":
        this.fonts.page = number;
        return;
      case "mac":
        this.fonts.page = 10000;
        return;
      case "deff":
        this.fonts.default_font = number;
        return;
      case "deleted":
        this.flush();
        group.deleted = on;
        return;
      case "v":
      case "htmlrtf":
        this.flush();
        group.hidden = on;
        return;
      case "plain":
        this.flush();
        group.hidden = false;
        group.font = -1;
        group.emphasis = no_emphasis;
        return;
      case "b":
        this.flush();
        group.emphasis = { ...group.emphasis, bold: on };
        return;
      case "i":
        this.flush();
        group.emphasis = { ...group.emphasis, italic: on };
        return;
      case "pard":
        this.paragraph = { ...new_paragraph };
        return;
      case "intbl":
        paragraph.in_table = true;
        return;
      case "itap":
        paragraph.depth = Math.max(0, number);
        return;
      case "ilvl":
        paragraph.level = Math.min(8, Math.max(0, number));
        return;
      case "s":
        paragraph.style = number;
        return;
      case "outlinelevel":
        paragraph.outline = number < 9 ? number + 1 : null;
        return;
      default:
        if (this.rowWord(name, number)) return;
        return group.hidden || group.deleted ? undefined : this.control(name);
    }
  }
  /** Sets the description of a row's cells. */
  private rowWord(name: string, number: number): boolean {
    const { describes_nested } = this.group;
    const row = describes_nested ? this.nested_row : this.row;
    switch (name) {
      case "trowd":
        if (describes_nested) this.nested_row = newRow();
        else this.row = newRow();
        return true;
      case "clmrg":
      case "clvmrg":
        row.is_covered = true;
        return true;
      case "cellx":
        if (row.edges.length < cells_max) {
          row.edges.push(number);
          row.covered.push(row.is_covered);
        }
        row.is_covered = false;
        return true;
      default:
        return false;
    }
  }
  private control(name: string): void {
    const { in_table, depth, style, outline } = this.paragraph;
    switch (name) {
      case "par":
      case "sect":
      case "page":
      case "column":
        this.flush();
        this.builder.marker(this.paragraph.marker, this.paragraph.level);
        this.paragraph.marker = "";
        return this.builder.endParagraph(
          in_table ? Math.max(1, depth) : 0,
          in_table ? null : (outline ?? this.style_levels.get(style) ?? null),
        );
      case "cell":
        this.flush();
        return this.builder.endCell(1);
      case "nestcell":
        this.flush();
        return this.builder.endCell(Math.max(2, depth));
      case "row":
        this.flush();
        return this.builder.endRow(1, this.row);
      case "nestrow":
        this.flush();
        return this.builder.endRow(Math.max(2, depth), this.nested_row);
    }
    const character = characters[name];
    if (character === undefined) return;
    this.flush();
    this.put(character);
  }
  private unicode(number: number): void {
    this.skip = this.group.unicode_skip;
    this.flush();
    if (!this.group.hidden && !this.group.deleted)
      this.put(this.fonts.character(number & 0xffff, this.group.font));
  }
  /** In a cell it is text; in a heading a bullet is dropped. */
  private endMarker(): void {
    const written = this.marker.trim();
    this.marker = "";
    if (written === "") return;
    const marker = is_number.test(written) ? written : formatBullet(written);
    if (this.paragraph.in_table) this.put(`${marker} `);
    else this.paragraph.marker = marker;
  }
  private flush(): void {
    this.put(this.fonts.flush());
  }
  private put(text: string): void {
    if (text === "") return;
    this.length += text.length;
    if (this.length > this.characters_max)
      throw new ExtractionFailure(
        "too_large",
        `The text of this document is longer than ${this.characters_max} characters.`,
      );
    if (this.group.content === "marker") this.marker += text;
    else this.builder.text(text, this.group.emphasis);
  }
}
