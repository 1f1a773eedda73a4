/**
 * Word (.docx): paragraphs, lists with their numbers, tables, notes, comments, boxes, headers and
 * footers. Its pages are made by the printer: none here.
 */
import { Choices } from "./alternate-content";
import { isOn, Lists, Styles, type ParagraphStyle } from "./docx-styles";
import { readChartOf, readDiagramOf } from "./drawing";
import { Flow, type Block, type Page } from "../child/block-builder";
import type { Parts } from "./package";
import type { Tag, XmlHandler } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

/** @throws ExtractionFailure of the archive */
export function readDocx(parts: Parts, main: string, progress: (share: number) => void): Page[] {
  const [styles, numbering] = [partOf(parts, main, "styles"), partOf(parts, main, "numbering")];
  const shared = { parts, styles: new Styles(styles), lists: new Lists(numbering) };
  const seen = new Set<string>();
  const read = (part: string): Block[] => {
    const xml = parts.xml(part) ?? "";
    const reader = new WordReader({ ...shared, part, hides: xml.includes("vanish") });
    scanOfficeXml(xml, reader);
    return reader.result();
  };
  /** Headers and footers of one kind often say the same. */
  const once = (blocks: readonly Block[]): Block[] =>
    blocks.filter(({ text }) => !seen.has(text) && seen.add(text));
  const all = (type: string): Block[] => parts.related(main, type).flatMap(read);
  const headers = once(all("header"));
  progress(0.2);
  const body = read(main);
  progress(0.8);
  return [
    {
      page: null,
      blocks: [
        ...headers,
        ...body,
        ...all("footnotes"),
        ...all("endnotes"),
        ...all("comments"),
        ...once(all("footer")),
      ],
    },
  ];
}
function partOf(parts: Parts, main: string, type: string): string | null {
  const [part] = parts.related(main, type);
  return part === undefined ? null : parts.xml(part);
}

/**
 * `hides`: some of its text is hidden. How runs look matters only then, and that is half of many a
 * file.
 */
interface WordParts {
  readonly parts: Parts;
  readonly part: string;
  readonly styles: Styles;
  readonly lists: Lists;
  readonly hides: boolean;
}
const newParagraph = (): ParagraphStyle => ({
  style: null,
  outline: null,
  number: null,
  level: null,
});

/**
 * Elements without text of today: what was deleted or moved away, what was formatted otherwise
 * before, tab stops, readings above characters, looks of tables and pages.
 */
const passed_over = new Set([
  "w:tblPr",
  "w:tblPrEx",
  "w:tblGrid",
  "w:tcPr",
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

class WordReader implements XmlHandler {
  private readonly flow = new Flow();
  private readonly choices = new Choices(() => this.flow);
  private paragraph = newParagraph();
  /** The paragraphs around this one: it stands in a box that belongs to the last of them. */
  private readonly around: ParagraphStyle[] = [];
  /** Fields that are open, one in another: an instruction comes first, then its result. */
  private readonly fields: ("instruction" | "result")[] = [];
  private reading = false;
  private hidden = false;

  constructor(private readonly document: WordParts) {}

  open(tag: Tag): void | "skip" {
    const { flow, paragraph } = this;
    switch (tag.name) {
      case "w:t":
      case "m:t":
      case "a:t":
        this.reading = !this.hidden && !this.fields.includes("instruction");
        return;
      case "w:rPr":
        return this.document.hides ? undefined : "skip";
      case "w:r":
        this.hidden = false;
        return;
      case "w:p":
        if (!flow.fresh) this.endParagraph();
        return;
      case "w:pStyle":
        paragraph.style = tag.get("val") ?? null;
        return;
      case "w:numId":
        paragraph.number = tag.get("val") ?? null;
        return;
      case "w:ilvl":
        paragraph.level = Number(tag.get("val"));
        return;
      case "w:outlineLvl":
        paragraph.outline = Number(tag.get("val"));
        return;
      case "w:vanish":
        this.hidden = isOn(tag.get("val") ?? "1");
        return;
      case "w:tab":
      case "w:ptab":
        flow.text("\t");
        return;
      case "w:br":
      case "w:cr":
        flow.text("\n");
        return;
      case "w:noBreakHyphen":
        flow.text("\u2011");
        return;
      case "w:softHyphen":
        flow.text("\u00ad");
        return;
      case "w:sym":
        flow.text(symbol(tag));
        return;
      case "w:fldChar":
        this.field(tag.get("fldCharType"));
        return;
      case "w:tbl":
        flow.beginTable();
        return;
      case "w:tr":
        flow.beginRow();
        return;
      case "w:tc":
        flow.beginCell();
        return;
      case "w:txbxContent":
        flow.beginAside();
        this.around.push(paragraph);
        this.paragraph = newParagraph();
        return;
      case "c:chart":
      case "cx:chart":
        flow.add(readChartOf(this.document.parts, this.document.part, tag.get("r:id")));
        return;
      case "dgm:relIds":
        flow.add(readDiagramOf(this.document.parts, this.document.part, tag.get("r:dm")));
        return;
      case "w:altChunk":
      case "o:OLEObject":
        flow.add(
          this.document.parts.embedded(
            this.document.parts.target(this.document.part, tag.get("r:id")),
          ),
        );
        return;
      case "mc:AlternateContent":
      case "mc:Choice":
      case "mc:Fallback":
        return this.choices.open(tag.name);
      default:
        if (passed_over.has(tag.name)) return "skip";
    }
  }
  text(text: string): void {
    if (this.reading) this.flow.text(text);
  }
  close(name: string): void {
    const { flow } = this;
    switch (name) {
      case "w:t":
      case "m:t":
      case "a:t":
        this.reading = false;
        return;
      case "w:p":
        this.endParagraph();
        return;
      case "a:p":
        flow.text("\n");
        return;
      case "w:tc":
        flow.endCell();
        return;
      case "w:tr":
        flow.endRow();
        return;
      case "w:tbl":
        flow.endTable();
        return;
      case "w:txbxContent":
        flow.endAside();
        this.paragraph = this.around.pop() ?? newParagraph();
        return;
      case "mc:AlternateContent":
        this.choices.close(name);
    }
  }
  result(): Block[] {
    return this.flow.take();
  }

  private field(kind: string | undefined): void {
    if (kind === "begin") this.fields.push("instruction");
    else if (kind === "separate" && this.fields.length > 0)
      this.fields[this.fields.length - 1] = "result";
    else if (kind === "end") this.fields.pop();
  }
  private endParagraph(): void {
    const { styles, lists } = this.document;
    const { paragraph, flow } = this;
    const by_style = paragraph.number === null ? styles.listOf(paragraph.style) : null;
    const number = paragraph.number ?? by_style?.number ?? null;
    const marker =
      flow.fresh || number === null || number === "0"
        ? ""
        : lists.next(number, paragraph.level ?? by_style?.level ?? null, by_style?.styles);
    flow.endParagraph(styles.headingOf(paragraph), marker);
    this.paragraph = newParagraph();
    // An instruction ends with its paragraph: in a damaged field it must not swallow the rest of
    // the document.
    if (this.around.length === 0 && this.fields.includes("instruction")) this.fields.length = 0;
  }
}

/** A character of a font for symbols: only those of Symbol are letters. */
function symbol(tag: Tag): string {
  const code = Number.parseInt(tag.get("char") ?? "", 16) & 0xff;
  if (Number.isNaN(code) || !/^symbol$/i.test(tag.get("font") ?? "")) return "";
  return code >= 0x41 && code <= 0x5a
    ? "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"[code - 0x41]!
    : code >= 0x61 && code <= 0x7a
      ? "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"[code - 0x61]!
      : code === 0xb7
        ? "•"
        : "";
}
