/**
 * Runs in the child: reads DrawingML: the text and tables in the shapes of a slide or a sheet.
 * Charts and diagrams are separate parts.
 */
import { AlternateContent } from "./alternate-content";
import { readChart } from "./chart";
import { BlockBuilder } from "../child/block-builder";
import type { Block } from "../child/blocks";
import { no_emphasis } from "../child/emphasis";
import { formatNumber } from "../child/list-markers";
import { scriptForm, type Script } from "../child/scripts";
import { EquationReader } from "./equation";
import type { OfficePackage } from "./package";
import {
  ListStyle,
  readBullet,
  readPlaceholder,
  type Bullet,
  type InheritedBullets,
  type Placeholder,
} from "./slide-bullets";
import type { Tag, XmlHandler } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

/** A shape with its text. */
export interface Shape {
  /** Its type as a placeholder of a slide (`title`, `sldNum`); null if it is not a placeholder. */
  readonly role: string | null;
  readonly blocks: readonly Block[];
}
/** A part of a package. */
export interface PackagePart {
  readonly pkg: OfficePackage;
  readonly part: string;
  /** How many diagrams it is in. */
  readonly depth?: number;
}

/** The nesting limit of diagrams: in a hostile file, one may contain itself. */
const depth_max = 4;

/** The shapes of a part, in file order, which is reading order. */
export function readDrawing(
  pkg: OfficePackage,
  part: string,
  inherited: InheritedBullets = () => undefined,
  depth = 0,
): Shape[] {
  const reader = new DrawingReader({ pkg, part, depth }, inherited);
  scanOfficeXml(pkg.xml(part) ?? "", reader);
  return reader.result();
}

/** The chart that a part refers to by this id. */
export function readChartOf({ pkg, part }: PackagePart, id: string | undefined): Block[] {
  const chart = pkg.target(part, id);
  return chart === null ? [] : readChart(pkg.xml(chart) ?? "");
}
/** The text in the boxes of a diagram (SmartArt) that a part refers to by this id. */
export function readDiagramOf(
  { pkg, part, depth = 0 }: PackagePart,
  id: string | undefined,
): Block[] {
  const diagram = pkg.target(part, id);
  if (diagram === null || depth === depth_max) return [];
  return readDrawing(pkg, diagram, undefined, depth + 1).flatMap(({ blocks }) => blocks);
}

/** Maps names of DrawingML to names of other parts. */
const number_formats: Readonly<Record<string, string>> = {
  arabic: "decimal",
  alphaLc: "lowerLetter",
  alphaUc: "upperLetter",
  romanLc: "lowerRoman",
  romanUc: "upperRoman",
};
const isTrue = (value: string | undefined): boolean => value === "1" || value === "true";
const scriptOf = (baseline: number): Script | null =>
  baseline > 0 ? "raised" : baseline < 0 ? "lowered" : null;
const isShape = (name: string): boolean =>
  name === "p:sp" || name === "p:graphicFrame" || name === "p:cxnSp" || name === "p:pic";

class DrawingReader implements XmlHandler {
  private readonly builder = new BlockBuilder();
  private readonly alternatives = new AlternateContent(this.builder);
  private readonly shapes: Shape[] = [];
  private placeholder: Placeholder | null = null;
  private reading = false;
  private equation: EquationReader | null = null;
  private script: Script | null = null;
  /** Of the open paragraph; null if it has none of its own. */
  private bullet: Bullet | null = null;
  private level = 0;
  /** Of the open shape. */
  private style = new ListStyle();
  private in_style = false;
  /** Paragraphs in table cells don't inherit from the surrounding placeholder. */
  private in_table = false;
  /** Consecutive numbered paragraphs, by level. */
  private readonly counts: number[] = [];

  constructor(
    private readonly place: PackagePart,
    private readonly inherited: InheritedBullets,
  ) {}

  open(tag: Tag): void | "skip" {
    const { builder } = this;
    if (this.in_style) return this.style.open(tag);
    if (this.equation !== null) return this.equation.open(tag);
    switch (tag.name) {
      case "m:oMath":
        this.equation = new EquationReader();
        return;
      case "a:t":
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
        this.script = scriptOf(Number(tag.get("baseline") ?? 0));
        return;
      case "a:r":
      case "a:fld":
        builder.emphasise(no_emphasis);
        this.script = null;
        return;
      case "a:lstStyle":
        this.style = new ListStyle();
        this.in_style = true;
        return;
      case "a:tbl":
        this.in_table = true;
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
      case "p:ph":
        this.placeholder = readPlaceholder(tag);
        return;
      case "c:chart":
      case "cx:chart":
        builder.add(readChartOf(this.place, tag.get("r:id")));
        return;
      case "dgm:relIds":
        builder.add(readDiagramOf(this.place, tag.get("r:dm")));
        return;
      case "p:oleObj":
        builder.add(
          this.place.pkg.embedded(this.place.pkg.target(this.place.part, tag.get("r:id"))),
        );
        return;
      case "mc:AlternateContent":
      case "mc:Choice":
      case "mc:Fallback":
        return this.alternatives.open(tag.name);
      default:
        if (isShape(tag.name)) this.endShape();
        else this.bullet = readBullet(tag) ?? this.bullet;
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
        builder.emphasise(no_emphasis);
        builder.text(this.equation?.result() ?? "");
        this.equation = null;
        return;
      case "a:t":
        this.reading = false;
        return;
      case "p:text":
        this.reading = false;
        builder.endParagraph();
        return;
      case "a:lstStyle":
        this.in_style = false;
        return;
      case "a:p":
        return this.endParagraph();
      case "a:tc":
        builder.endCell();
        return;
      case "a:tr":
        builder.endRow();
        return;
      case "a:tbl":
        this.in_table = false;
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
  /** Numbering continues over blank paragraphs, which have no number. */
  private endParagraph(): void {
    const { builder, placeholder, level } = this;
    if (!builder.is_at_start) {
      const bullet =
        this.bullet ??
        this.style.at(level) ??
        (placeholder === null || this.in_table ? undefined : this.inherited(placeholder, level)) ??
        "none";
      if (bullet === "none" || "char" in bullet) this.counts.length = 0;
      const marker =
        bullet === "none" ? "" : "char" in bullet ? bullet.char : this.nextNumber(bullet);
      builder.endParagraph(null, marker, level);
    }
    this.level = 0;
    this.bullet = null;
  }
  /** `arabicPeriod` is `1.`, `alphaLcParenR` is `a)`. */
  private nextNumber({ numbering, start }: Exclude<Bullet, "none" | { char: string }>): string {
    const [, script, mark] =
      /^(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain)?/.exec(numbering) ??
      [];
    const { level } = this;
    this.counts.length = Math.min(this.counts.length, level + 1);
    const number = (this.counts[level] ?? start - 1) + 1;
    this.counts[level] = number;
    const text = formatNumber(number, script === undefined ? "decimal" : number_formats[script]!);
    return mark === "ParenBoth" ? `(${text})` : `${text}${mark === "ParenR" ? ")" : "."}`;
  }
  private endShape(): void {
    this.counts.length = 0;
    const blocks = this.builder.finish();
    const role = this.placeholder?.type ?? null;
    if (blocks.length > 0) this.shapes.push({ role, blocks });
    this.placeholder = null;
    this.style = new ListStyle();
  }
}
