/**
 * DrawingML: the shapes of a slide or a sheet and what is written in them, with tables; charts and
 * diagrams are parts of their own.
 */
import { readChart } from "./chart";
import { Choices } from "./alternate-content";
import { bullet, formatted } from "./docx-styles";
import { Flow, type Block } from "../child/block-builder";
import type { Parts } from "./package";
import type { Tag, XmlHandler } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

export interface Shape {
  /** What it is for on a slide (`title`, `sldNum`); null for a shape that is no placeholder. */
  readonly role: string | null;
  readonly blocks: readonly Block[];
}
/** The shapes of a part, in the order of the file, which is that of reading aloud. */
export function readDrawing(parts: Parts, part: string): Shape[] {
  const reader = new DrawingReader(parts, part);
  scanOfficeXml(parts.xml(part) ?? "", reader);
  return reader.result();
}
/** What is written in the boxes of a diagram (SmartArt). */
export const readDiagram = (parts: Parts, part: string): Block[] =>
  readDrawing(parts, part).flatMap(({ blocks }) => blocks);

/** What a part relates to, by the id that an element names. */
export function readChartOf(parts: Parts, part: string, id: string | undefined): Block[] {
  const chart = parts.target(part, id);
  return chart === null ? [] : readChart(parts.xml(chart) ?? "");
}
export function readDiagramOf(parts: Parts, part: string, id: string | undefined): Block[] {
  const diagram = parts.target(part, id);
  return diagram === null ? [] : readDiagram(parts, diagram);
}

const scripts: Readonly<Record<string, string>> = {
  arabic: "decimal",
  alphaLc: "lowerLetter",
  alphaUc: "upperLetter",
  romanLc: "lowerRoman",
  romanUc: "upperRoman",
};
const isShape = (name: string): boolean =>
  name === "p:sp" || name === "p:graphicFrame" || name === "p:cxnSp" || name === "p:pic";

class DrawingReader implements XmlHandler {
  private readonly flow = new Flow();
  private readonly choices = new Choices(() => this.flow);
  private readonly shapes: Shape[] = [];
  private role: string | null = null;
  private reading = false;
  /** What stands before the paragraph, as the paragraph itself says. */
  private marker = "";
  private level = 0;
  /** Of numbered paragraphs that follow each other, for each level. */
  private readonly counts: number[] = [];

  constructor(
    private readonly parts: Parts,
    private readonly part: string,
  ) {}

  open(tag: Tag): void | "skip" {
    const { flow } = this;
    switch (tag.name) {
      case "a:t":
      case "m:t":
      case "p:text":
        this.reading = true;
        return;
      case "a:br":
        flow.text("\n");
        return;
      case "a:pPr":
        this.level = Math.min(8, Math.max(0, Number(tag.get("lvl") ?? 0) || 0));
        return;
      case "a:lstStyle":
        return "skip";
      case "a:tbl":
        flow.beginTable();
        return;
      case "a:tr":
        flow.beginRow();
        return;
      case "a:tc":
        flow.beginCell();
        return;
      case "a:buChar":
        this.marker = bullet(tag.get("char") ?? "");
        return;
      case "a:buAutoNum":
        this.marker = this.nextNumber(tag);
        return;
      case "p:ph":
        this.role = tag.get("type") ?? "obj";
        return;
      case "c:chart":
      case "cx:chart":
        flow.add(readChartOf(this.parts, this.part, tag.get("r:id")));
        return;
      case "dgm:relIds":
        flow.add(readDiagramOf(this.parts, this.part, tag.get("r:dm")));
        return;
      case "p:oleObj":
        flow.add(this.parts.embedded(this.parts.target(this.part, tag.get("r:id"))));
        return;
      case "mc:AlternateContent":
      case "mc:Choice":
      case "mc:Fallback":
        return this.choices.open(tag.name);
      default:
        if (isShape(tag.name)) this.endShape();
    }
  }
  text(text: string): void {
    if (this.reading) this.flow.text(text);
  }
  close(name: string): void {
    const { flow } = this;
    switch (name) {
      case "a:t":
      case "m:t":
        this.reading = false;
        return;
      case "p:text":
        this.reading = false;
        flow.endParagraph();
        return;
      case "a:p":
        flow.endParagraph(null, this.marker);
        if (!this.marker.endsWith(".") && !this.marker.endsWith(")")) this.counts.length = 0;
        this.marker = "";
        return;
      case "a:tc":
        flow.endCell();
        return;
      case "a:tr":
        flow.endRow();
        return;
      case "a:tbl":
        flow.endTable();
        return;
      case "mc:AlternateContent":
        this.choices.close(name);
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
    const text = formatted(number, script === undefined ? "decimal" : scripts[script]!);
    return mark === "ParenBoth" ? `(${text})` : `${text}${mark === "ParenR" ? ")" : "."}`;
  }
  private endShape(): void {
    this.counts.length = 0;
    const blocks = this.flow.take();
    if (blocks.length > 0) this.shapes.push({ role: this.role, blocks });
    this.role = null;
  }
}
