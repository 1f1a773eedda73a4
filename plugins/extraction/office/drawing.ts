/**
 * Runs in the child: reads DrawingML: the text and tables in the shapes of a slide or a sheet.
 * Charts and diagrams are parts of their own.
 */
import { AlternateContent } from "./alternate-content";
import { readChart } from "./chart";
import { BlockBuilder } from "../child/block-builder";
import type { Block } from "../child/blocks";
import { no_emphasis } from "../child/emphasis";
import { formatBullet, formatNumber } from "../child/list-markers";
import type { OfficePackage } from "./package";
import type { Tag, XmlHandler } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

export interface Shape {
  /** Its type as a placeholder of a slide (`title`, `sldNum`); null if it is no placeholder. */
  readonly role: string | null;
  readonly blocks: readonly Block[];
}
/** A part of a package. */
export interface PackagePart {
  readonly pkg: OfficePackage;
  readonly part: string;
}

/** The shapes of a part, in the order of the file, which is the order of reading. */
export function readDrawing(pkg: OfficePackage, part: string): Shape[] {
  const reader = new DrawingReader(pkg, part);
  scanOfficeXml(pkg.xml(part) ?? "", reader);
  return reader.result();
}

/** The chart that a part refers to by this id. */
export function readChartOf({ pkg, part }: PackagePart, id: string | undefined): Block[] {
  const chart = pkg.target(part, id);
  return chart === null ? [] : readChart(pkg.xml(chart) ?? "");
}
/** The text in the boxes of a diagram (SmartArt) that a part refers to by this id. */
export function readDiagramOf({ pkg, part }: PackagePart, id: string | undefined): Block[] {
  const diagram = pkg.target(part, id);
  return diagram === null ? [] : readDrawing(pkg, diagram).flatMap(({ blocks }) => blocks);
}

/** From DrawingML to the names of other parts. */
const number_formats: Readonly<Record<string, string>> = {
  arabic: "decimal",
  alphaLc: "lowerLetter",
  alphaUc: "upperLetter",
  romanLc: "lowerRoman",
  romanUc: "upperRoman",
};
const isTrue = (value: string | undefined): boolean => value === "1" || value === "true";
const isShape = (name: string): boolean =>
  name === "p:sp" || name === "p:graphicFrame" || name === "p:cxnSp" || name === "p:pic";

class DrawingReader implements XmlHandler {
  private readonly builder = new BlockBuilder();
  private readonly alternatives = new AlternateContent(this.builder);
  private readonly shapes: Shape[] = [];
  private role: string | null = null;
  private reading = false;
  /** Of the paragraph that is open. */
  private marker = "";
  private level = 0;
  /** Consecutive numbered paragraphs, by level. */
  private readonly counts: number[] = [];

  constructor(
    readonly pkg: OfficePackage,
    readonly part: string,
  ) {}

  open(tag: Tag): void | "skip" {
    const { builder } = this;
    switch (tag.name) {
      case "a:t":
      case "m:t":
      case "p:text":
        this.reading = true;
        return;
      case "a:br":
        builder.text("\n");
        return;
      case "a:pPr":
        this.level = Math.min(8, Math.max(0, Number(tag.get("lvl") ?? 0) || 0));
        return;
      case "a:rPr":
        builder.emphasise({ bold: isTrue(tag.get("b")), italic: isTrue(tag.get("i")) });
        return;
      case "a:r":
      case "a:fld":
        builder.emphasise(no_emphasis);
        return;
      case "a:lstStyle":
        return "skip";
      case "a:tbl":
        builder.beginTable();
        return;
      case "a:tr":
        builder.beginRow();
        return;
      case "a:tc":
        builder.beginCell({
          covered: /^(?:1|true)$/.test(tag.get("hMerge") ?? tag.get("vMerge") ?? ""),
        });
        return;
      case "a:buChar":
        this.marker = formatBullet(tag.get("char") ?? "");
        return;
      case "a:buAutoNum":
        this.marker = this.nextNumber(tag);
        return;
      case "p:ph":
        this.role = tag.get("type") ?? "obj";
        return;
      case "c:chart":
      case "cx:chart":
        builder.add(readChartOf(this, tag.get("r:id")));
        return;
      case "dgm:relIds":
        builder.add(readDiagramOf(this, tag.get("r:dm")));
        return;
      case "p:oleObj":
        builder.add(this.pkg.embedded(this.pkg.target(this.part, tag.get("r:id"))));
        return;
      case "mc:AlternateContent":
      case "mc:Choice":
      case "mc:Fallback":
        return this.alternatives.open(tag.name);
      default:
        if (isShape(tag.name)) this.endShape();
    }
  }
  text(text: string): void {
    if (this.reading) this.builder.text(text);
  }
  close(name: string): void {
    const { builder } = this;
    switch (name) {
      case "a:t":
      case "m:t":
        this.reading = false;
        return;
      case "p:text":
        this.reading = false;
        builder.endParagraph();
        return;
      case "a:p":
        builder.endParagraph(null, this.marker, this.level);
        this.level = 0;
        if (!this.marker.endsWith(".") && !this.marker.endsWith(")")) this.counts.length = 0;
        this.marker = "";
        return;
      case "a:tc":
        builder.endCell();
        return;
      case "a:tr":
        builder.endRow();
        return;
      case "a:tbl":
        builder.endTable();
        return;
      case "mc:AlternateContent":
        this.alternatives.close(name);
        return;
      default:
        if (isShape(name)) this.endShape();
    }
  }
  result(): Shape[] {
    this.endShape();
    return this.shapes;
  }
  /** `arabicPeriod` is `1.`, `alphaLcParenR` is `a)`. */
  private nextNumber(tag: Tag): string {
    const [, script, mark] =
      /^(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain)?/.exec(
        tag.get("type") ?? "",
      ) ?? [];
    const { level } = this;
    this.counts.length = Math.min(this.counts.length, level + 1);
    const number = (this.counts[level] =
      (this.counts[level] ?? Number(tag.get("startAt") ?? 1) - 1) + 1);
    const text = formatNumber(number, script === undefined ? "decimal" : number_formats[script]!);
    return mark === "ParenBoth" ? `(${text})` : `${text}${mark === "ParenR" ? ")" : "."}`;
  }
  private endShape(): void {
    this.counts.length = 0;
    const blocks = this.builder.take();
    if (blocks.length > 0) this.shapes.push({ role: this.role, blocks });
    this.role = null;
  }
}
