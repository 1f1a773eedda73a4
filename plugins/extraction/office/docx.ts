/**
 * Runs in the child: reads Word (.docx): paragraphs, lists with their numbers, tables, notes,
 * comments, text boxes, headers and footers. There are no page numbers, because pages exist only
 * when it is printed.
 */
import type { Tag, XmlHandler } from "../../../core/lib/xml";
import { BlockBuilder } from "../child/block-builder";
import type { Block, Page } from "../child/blocks";
import { no_emphasis, type Emphasis } from "../child/emphasis";
import { scriptForm, type Script } from "../child/scripts";
import { AlternateContent } from "./alternate-content";
import { Numbering } from "./docx-numbering";
import { EquationReader } from "./equation";
import { isOn, ParagraphStyles, type ParagraphProperties } from "./docx-styles";
import { readChartOf, readDiagramOf } from "./drawing";
import type { OfficePackage, Progress } from "./package";
import { scanOfficeXml } from "./xml";

/** @throws ExtractionFailure of the archive */
export function readDocx(pkg: OfficePackage, main_part: string, progress: Progress): Page[] {
  const shared = {
    pkg,
    styles: new ParagraphStyles(xmlOf(pkg, main_part, "styles")),
    numbering: new Numbering(xmlOf(pkg, main_part, "numbering")),
  };
  const read = (part: string): Block[] => {
    const xml = pkg.xml(part) ?? "";
    const reader = new WordReader({ ...shared, part });
    scanOfficeXml(xml, reader);
    return reader.result();
  };
  const seen = new Set<string>();
  /** Headers and footers of different pages often have the same text. */
  const withoutRepeats = (blocks: readonly Block[]): Block[] =>
    blocks.filter(({ text }) => !seen.has(text) && seen.add(text));
  const readRelated = (type: string): Block[] => pkg.related(main_part, type).flatMap(read);
  const headers = withoutRepeats(readRelated("header"));
  progress(0.2);
  const body = read(main_part);
  progress(0.8);
  return [
    {
      page: null,
      blocks: [
        ...headers,
        ...body,
        ...readRelated("footnotes"),
        ...readRelated("endnotes"),
        ...readRelated("comments"),
        ...withoutRepeats(readRelated("footer")),
      ],
    },
  ];
}

function xmlOf(pkg: OfficePackage, main_part: string, type: string): string | null {
  const [part] = pkg.related(main_part, type);
  return part === undefined ? null : pkg.xml(part);
}

interface WordPart {
  readonly pkg: OfficePackage;
  readonly part: string;
  readonly styles: ParagraphStyles;
  readonly numbering: Numbering;
}
const newParagraph = (): ParagraphProperties => ({
  style: null,
  outline: null,
  number: null,
  level: null,
});

/**
 * Elements without text of the current document: deleted or moved text, earlier formatting, tab
 * stops, ruby text, properties of tables and pages.
 */
const skipped_elements = new Set([
  "w:tblPr",
  "w:tblPrEx",
  "w:tblGrid",
  "w:tcBorders",
  "w:tcMar",
  "w:sectPr",
  "w:rFonts",
  "w:del",
  "w:moveFrom",
  "w:pPrChange",
  "w:rPrChange",
  "w:sectPrChange",
  "w:tblPrChange",
  "w:trPrChange",
  "w:tcPrChange",
  "w:tabs",
  "w:rt",
  "w:sdtPr",
]);

const scripts: Readonly<Record<string, Script>> = { superscript: "raised", subscript: "lowered" };

/** A paragraph with the same indentation continues the preceding item. */
const item_indent_min = 200;

/** The most empty columns before the first cell of a row, and of all rows. */
const columns_before_max = 60;
const all_columns_before_max = 200_000;

class WordReader implements XmlHandler {
  private readonly builder = new BlockBuilder();
  private readonly alternatives = new AlternateContent(this.builder);
  private paragraph = newParagraph();
  /** The paragraphs around a text box, which belongs to the last of them. */
  private readonly outer_paragraphs: ParagraphProperties[] = [];
  /** Open fields, nested: an instruction comes first, then its result. */
  private readonly fields: ("instruction" | "result")[] = [];
  private reading = false;
  private hidden = false;
  private in_properties = false;
  /** The drop cap of the next paragraph, in a frame of its own. */
  private is_drop_cap = false;
  private emphasis: Emphasis = no_emphasis;
  private script: Script | null = null;
  /** Of the open paragraph, in twentieths of a point. */
  private indent = 0;
  /** The level of the last list item. */
  private item_level = 0;
  private columns_before_left = all_columns_before_max;
  private equation: EquationReader | null = null;
  /** The length of the text after the last equation; one that follows directly gets a space. */
  private equation_end = -1;

  constructor(private readonly context: WordPart) {}

  open(tag: Tag): void | "skip" {
    if (this.equation !== null)
      return skipped_elements.has(tag.name) ? "skip" : this.equation.open(tag);
    switch (tag.name) {
      case "m:oMath":
        if (this.equation_end === this.builder.length) this.builder.text(" ");
        this.equation = new EquationReader();
        return;
      case "w:t":
      case "a:t":
        this.reading = !this.hidden && !this.fields.includes("instruction");
        this.builder.emphasise(this.emphasis);
        return;
      case "w:pPr":
        this.in_properties = true;
        return;
      case "w:rPr":
        return this.in_properties ? "skip" : undefined;
      case "w:r":
        this.hidden = false;
        this.emphasis = no_emphasis;
        this.script = null;
        return;
      case "w:p":
        if (!this.builder.is_at_start && !this.is_drop_cap) this.endParagraph();
        this.is_drop_cap = false;
        return;
      case "w:pStyle":
        this.paragraph.style = tag.get("val") ?? null;
        return;
      case "w:numId":
        this.paragraph.number = tag.get("val") ?? null;
        return;
      case "w:ilvl":
        this.paragraph.level = Number(tag.get("val"));
        return;
      case "w:outlineLvl":
        this.paragraph.outline = Number(tag.get("val"));
        return;
      case "w:framePr":
        this.is_drop_cap = /^(?:drop|margin)$/.test(tag.get("dropCap") ?? "");
        return;
      case "w:vanish":
        this.hidden = isOn(tag.get("val") ?? "1");
        return;
      case "w:fldChar":
        this.changeField(tag.get("fldCharType"));
        return;
      case "w:tbl":
        this.builder.beginTable();
        return;
      case "w:tr":
        this.builder.beginRow();
        return;
      case "w:tc":
        this.builder.beginCell();
        return;
      default:
        return this.openProperty(tag);
    }
  }

  /** Handles properties of runs, cells and rows, then all other elements. */
  private openProperty(tag: Tag): void | "skip" {
    const { builder } = this;
    switch (tag.name) {
      case "w:b":
        this.emphasis = { ...this.emphasis, bold: isOn(tag.get("val") ?? "1") };
        return;
      case "w:i":
        this.emphasis = { ...this.emphasis, italic: isOn(tag.get("val") ?? "1") };
        return;
      case "w:rStyle":
        this.emphasis = this.context.styles.emphasisOf(tag.get("val"));
        return;
      case "w:ind":
        this.indent = Number(tag.get("left") ?? tag.get("start") ?? 0) || 0;
        return;
      case "w:vertAlign":
        this.script = scripts[tag.get("val") ?? ""] ?? null;
        return;
      case "w:gridSpan":
        return builder.describeCell({ columns: Number(tag.get("val")) });
      case "w:vMerge":
      case "w:hMerge":
        return builder.describeCell({ covered: tag.get("val") !== "restart" });
      case "w:gridBefore":
        this.beginCellsBefore(Number(tag.get("val")) || 0);
        return;
      case "w:tblHeader":
        return builder.headRow();
      default:
        return this.openOther(tag);
    }
  }

  /** Special characters and embedded objects. */
  private openOther(tag: Tag): void | "skip" {
    const { builder } = this;
    switch (tag.name) {
      case "w:tab":
      case "w:ptab":
        return builder.text("\t");
      case "w:br":
      case "w:cr":
        return builder.text("\n");
      case "w:noBreakHyphen":
        return builder.text("\u2011");
      case "w:softHyphen":
        return builder.text("\u00ad");
      case "w:sym":
        return builder.text(decodeSymbol(tag));
      case "w:txbxContent":
        builder.beginAside();
        this.outer_paragraphs.push(this.paragraph);
        this.paragraph = newParagraph();
        return;
      case "c:chart":
      case "cx:chart":
        return builder.add(readChartOf(this.context, tag.get("r:id")));
      case "dgm:relIds":
        return builder.add(readDiagramOf(this.context, tag.get("r:dm")));
      case "w:altChunk":
      case "o:OLEObject": {
        const { pkg, part } = this.context;
        return builder.add(pkg.embedded(pkg.target(part, tag.get("r:id"))));
      }
      case "mc:AlternateContent":
      case "mc:Choice":
      case "mc:Fallback":
        return this.alternatives.open(tag.name);
      default:
        if (skipped_elements.has(tag.name)) return "skip";
    }
  }

  text(text: string): void {
    if (this.equation !== null) this.equation.text(text);
    else if (this.reading)
      this.builder.text(this.script === null ? text : (scriptForm(text, this.script) ?? text));
  }

  close(name: string): void {
    const { builder } = this;
    if (this.equation !== null && name !== "m:oMath") return this.equation.close(name);
    switch (name) {
      case "m:oMath":
        return this.endEquation();
      case "w:t":
      case "a:t":
        this.reading = false;
        return;
      case "w:p":
        if (!this.is_drop_cap) this.endParagraph();
        return;
      case "w:pPr":
        this.in_properties = false;
        return;
      case "a:p":
        builder.text("\n");
        return;
      case "w:tc":
        builder.endCell();
        return;
      case "w:tr":
        builder.endRow();
        return;
      case "w:tbl":
        builder.endTable();
        return;
      case "w:txbxContent":
        builder.endAside();
        this.paragraph = this.outer_paragraphs.pop() ?? newParagraph();
        return;
      case "mc:AlternateContent":
        this.alternatives.close(name);
    }
  }

  result(): Block[] {
    return this.builder.finish();
  }

  private beginCellsBefore(columns: number): void {
    const cells = Math.min(columns, columns_before_max, this.columns_before_left);
    for (let at = 0; at < cells; at++) this.builder.beginCell();
    this.columns_before_left -= Math.max(0, cells);
  }

  private changeField(type: string | undefined): void {
    if (type === "begin") this.fields.push("instruction");
    else if (type === "separate" && this.fields.length > 0)
      this.fields[this.fields.length - 1] = "result";
    else if (type === "end") this.fields.pop();
  }

  private endEquation(): void {
    const text = this.equation?.result() ?? "";
    this.equation = null;
    if (this.hidden || this.fields.includes("instruction")) return;
    this.builder.emphasise(no_emphasis);
    this.builder.text(text);
    this.equation_end = this.builder.length;
  }

  private endParagraph(): void {
    const { styles, numbering } = this.context;
    const { paragraph, builder } = this;
    const from_style = paragraph.number === null ? styles.listOf(paragraph.style) : null;
    const number = paragraph.number ?? from_style?.number ?? null;
    const level = paragraph.level ?? from_style?.level ?? null;
    const marker =
      builder.is_at_start || number === null || number === "0"
        ? ""
        : numbering.next(number, level, from_style?.styles);
    const heading = styles.headingLevel(paragraph);
    const continues = marker === "" && heading === null && this.indent >= item_indent_min;
    const depth = continues ? this.item_level : (level ?? 0);
    if (marker !== "") this.item_level = depth;
    this.indent = 0;
    builder.endParagraph(heading, marker, depth, continues);
    this.paragraph = newParagraph();
    // In a damaged file an unterminated instruction must not hide the rest of the document.
    if (this.outer_paragraphs.length === 0 && this.fields.includes("instruction"))
      this.fields.length = 0;
  }
}

const greek_upper_case = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
const greek_lower_case = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";

/** A character of a symbol font: only those of the font Symbol are letters. */
function decodeSymbol(tag: Tag): string {
  const code = Number.parseInt(tag.get("char") ?? "", 16) & 0xff;
  if (Number.isNaN(code) || !/^symbol$/i.test(tag.get("font") ?? "")) return "";
  if (code === 0xb7) return "•";
  if (code >= 0x41 && code <= 0x5a) return greek_upper_case[code - 0x41]!;
  return code >= 0x61 && code <= 0x7a ? greek_lower_case[code - 0x61]! : "";
}
