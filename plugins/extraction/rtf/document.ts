/**
 * The text of an RTF document: paragraphs and tables, notes and boxes behind their paragraph,
 * headers once at the end.
 */
import { ExtractionFailure } from "../contract";
import type { Block, Page } from "../child/block-builder";
import { TableFlow } from "../child/table-builder";
import { Fonts } from "./fonts";
import { readTokens, type RtfHandler } from "./tokenizer";
import { asides, characters, running, silent, starred } from "./control-words";

const brace_open = 0x7b;
const depth_max = 5_000;
/** A note in a note, a box in a box: deeper ones are text of the one around them. */
const flows_max = 8;

interface Group {
  /**
   * `text` is read, `fonts` and `styles` are the tables of these names, `silent` is passed over,
   * and so is `either` but for its part in Unicode.
   */
  place: "text" | "fonts" | "styles" | "silent" | "either";
  font: number;
  /** So many characters behind `\u` stand there for old readers. */
  unicode_skip: number;
  hidden: boolean;
  deleted: boolean;
  /** What becomes of the text when the group ends, when it does not just go on. */
  ends: "aside" | "running" | null;
  /** Nothing has come in this group yet but `\*`. */
  fresh: boolean;
  is_starred: boolean;
}
/** What holds for a paragraph. */
interface Paragraph {
  in_table: boolean;
  depth: number;
  style: number;
  outline: number | null;
}
const new_paragraph: Paragraph = { in_table: false, depth: 0, style: -1, outline: null };

/** @throws ExtractionFailure */
export function readRtf(bytes: Uint8Array, characters_max: number): Page[] {
  const reader = new RtfReader(characters_max);
  // A byte order mark may come first.
  readTokens(bytes.subarray(Math.max(0, bytes.indexOf(brace_open))), reader);
  return [{ page: null, blocks: reader.blocks() }];
}

class RtfReader implements RtfHandler {
  private group: Group = {
    place: "text",
    font: -1,
    unicode_skip: 1,
    hidden: false,
    deleted: false,
    ends: null,
    fresh: false,
    is_starred: false,
  };
  private readonly groups: Group[] = [];
  private readonly fonts = new Fonts();
  private readonly style_levels = new Map<number, number>();
  private style = -1;
  private style_name = "";
  private paragraph: Paragraph = { ...new_paragraph };
  private flow = new TableFlow();
  private readonly flows: { readonly flow: TableFlow; readonly paragraph: Paragraph }[] = [];
  private readonly running: Block[] = [];
  private readonly seen = new Set<string>();
  private skip = 0;
  private length = 0;

  constructor(private readonly characters_max: number) {}

  open(): void {
    if (this.groups.length >= depth_max)
      throw new ExtractionFailure(
        "corrupt",
        `This RTF file is damaged: more than ${depth_max} groups lie one inside the other.`,
      );
    this.skip = 0;
    this.groups.push(this.group);
    this.group = { ...this.group, ends: null, fresh: true, is_starred: false };
  }
  close(): void {
    const before = this.groups.pop();
    if (before === undefined) return;
    this.skip = 0;
    const { ends, place } = this.group;
    this.group = before;
    if (ends !== null) this.flush();
    if (place === "styles") this.endStyle();
    if (ends !== null) this.endFlow(ends);
  }
  letters(bytes: Uint8Array): void {
    this.group.fresh = false;
    const skipped = Math.min(this.skip, bytes.length);
    this.skip -= skipped;
    const rest = skipped === 0 ? bytes : bytes.subarray(skipped);
    const { place, font } = this.group;
    if (place === "text" && !this.group.hidden && !this.group.deleted)
      this.put(this.fonts.bytes(rest, font));
    else if (place === "fonts") this.fonts.name(rest);
    else if (place === "styles" && this.style_name.length < 100)
      this.style_name += Buffer.from(rest.subarray(0, 100)).toString("latin1");
  }
  word(name: string, number: number, has_number: boolean): void {
    const { group } = this;
    if (name === "*") {
      group.is_starred = true;
      return;
    }
    if (group.fresh) {
      group.fresh = false;
      this.begin(name);
    }
    if (this.skip > 0 && name !== "uc" && name !== "u") {
      this.skip--;
      return;
    }
    if (group.place === "fonts") this.fonts.word(name, number);
    else if (group.place === "styles") this.styleWord(name, number);
    else if (group.place === "text") this.textWord(name, number, has_number);
  }
  blocks(): Block[] {
    this.flush();
    while (this.flows.length > 0) this.endFlow("aside");
    return [...this.flow.take(), ...this.running];
  }

  /** The first word of a group says what the group is. */
  private begin(name: string): void {
    const { group } = this;
    if (group.place === "silent") return;
    if (group.place === "either") group.place = name === "ud" ? "text" : "either";
    else if (name === "fonttbl") group.place = "fonts";
    else if (name === "stylesheet") group.place = "styles";
    else if (group.place !== "text") return;
    else if (silent.has(name) || (group.is_starred && !starred.has(name))) group.place = "silent";
    else if (name === "upr") group.place = "either";
    else if (asides.has(name)) this.beginFlow("aside");
    else if (running.has(name)) this.beginFlow("running");
  }
  private beginFlow(ends: "aside" | "running"): void {
    if (this.flows.length >= flows_max) return;
    this.flush();
    this.group.ends = ends;
    this.flows.push({ flow: this.flow, paragraph: this.paragraph });
    this.flow = new TableFlow();
    this.paragraph = { ...new_paragraph };
  }
  private endFlow(ends: "aside" | "running"): void {
    const blocks = this.flow.take();
    const around = this.flows.pop()!;
    this.flow = around.flow;
    this.paragraph = around.paragraph;
    if (ends === "aside") this.flow.add(blocks);
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
        this.fonts.usual = number;
        return;
      case "v":
        this.flush();
        group.hidden = on;
        return;
      case "deleted":
        this.flush();
        group.deleted = on;
        return;
      case "htmlrtf":
        this.flush();
        group.hidden = on;
        return;
      case "plain":
        this.flush();
        group.hidden = false;
        group.font = -1;
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
      case "s":
        paragraph.style = number;
        return;
      case "outlinelevel":
        paragraph.outline = number < 9 ? number + 1 : null;
        return;
      default:
        return group.hidden || group.deleted ? undefined : this.mark(name);
    }
  }
  private mark(name: string): void {
    const { in_table, depth, style, outline } = this.paragraph;
    switch (name) {
      case "par":
      case "sect":
      case "page":
      case "column":
        this.flush();
        return this.flow.endParagraph(
          in_table ? Math.max(1, depth) : 0,
          in_table ? null : (outline ?? this.style_levels.get(style) ?? null),
        );
      case "cell":
        this.flush();
        return this.flow.endCell(1);
      case "nestcell":
        this.flush();
        return this.flow.endCell(Math.max(2, depth));
      case "row":
        this.flush();
        return this.flow.endRow(1);
      case "nestrow":
        this.flush();
        return this.flow.endRow(Math.max(2, depth));
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
    this.flow.text(text);
  }
}
