/** Runs in the child: a chart as text: its titles, then a row of categories and one per series. */
import { BlockBuilder } from "../child/block-builder";
import type { Block } from "../child/blocks";
import { cleanNumber } from "../child/cell-values";
import type { Tag, XmlHandler } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

/** The blocks of a chart; `xml` is its part. */
export function readChart(xml: string): Block[] {
  const reader = new ChartReader();
  scanOfficeXml(xml, reader);
  return reader.result();
}

/** The role of the values inside these elements. */
const series_parts: Readonly<Record<string, "name" | "categories" | "values">> = {
  "c:tx": "name",
  "c:cat": "categories",
  "c:xVal": "categories",
  "c:val": "values",
  "c:yVal": "values",
  "c:bubbleSize": "values",
};

class ChartReader implements XmlHandler {
  private readonly builder = new BlockBuilder();
  private readonly rows: string[][] = [];
  private series: { name: string[]; categories: string[]; values: string[] } | null = null;
  private series_part: "name" | "categories" | "values" | null = null;
  private reading = false;
  private value = "";

  open({ name }: Tag): void | "skip" {
    if (name === "c:ser") this.series = { name: [], categories: [], values: [] };
    else if (this.series !== null && Object.hasOwn(series_parts, name))
      this.series_part = series_parts[name]!;
    else if (name === "a:t" || name === "c:v" || name === "cx:v" || name === "cx:pt") {
      this.reading = true;
      this.value = "";
    } else if (name === "c:formatCode" || name === "c:f") return "skip";
    else if (name === "cx:data" || name === "cx:lvl") this.builder.endParagraph();
  }
  text(text: string): void {
    if (this.reading) this.value += text;
  }
  close(name: string): void {
    if (name === "a:t") this.builder.text(this.value);
    else if (name === "a:p" || name === "cx:lvl") this.builder.endParagraph();
    else if (name === "cx:pt") this.builder.text(`${cleanNumber(this.value)}\t`);
    else if (name === "cx:v") this.builder.text(this.value);
    else if (name === "c:v") this.endValue();
    else if (this.series !== null && Object.hasOwn(series_parts, name)) this.series_part = null;
    else if (name === "c:ser") this.endSeries();
    if (name === "a:t" || name === "c:v" || name === "cx:v" || name === "cx:pt")
      this.reading = false;
  }
  result(): Block[] {
    const titles = this.builder.finish();
    this.builder.beginTable();
    for (const row of this.rows) {
      this.builder.beginRow();
      for (const cell of row) {
        this.builder.beginCell();
        this.builder.text(cell);
      }
      this.builder.endRow();
    }
    return [...titles, ...this.builder.finish()];
  }

  private endValue(): void {
    if (this.series === null || this.series_part === null) this.builder.text(`${this.value} `);
    else this.series[this.series_part].push(cleanNumber(this.value));
  }
  private endSeries(): void {
    if (this.series === null) return;
    const { name, categories, values } = this.series;
    this.series = null;
    const head = ["", ...categories];
    const before = this.rows.findLast((row) => row[0] === "");
    if (
      categories.length > 0 &&
      (before?.length !== head.length || before.some((cell, at) => cell !== head[at]))
    )
      this.rows.push(head);
    if (name.length + values.length > 0) this.rows.push([name.join(" "), ...values]);
  }
}
