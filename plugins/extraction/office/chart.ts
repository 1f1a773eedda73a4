/** A chart as text: its titles, then the categories and each series as a row of values. */
import { Flow, type Block } from "../child/block-builder";
import { cleanNumber } from "../child/numbers";
import type { Tag, XmlHandler } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

export function readChart(xml: string): Block[] {
  const reader = new ChartReader();
  scanOfficeXml(xml, reader);
  return reader.result();
}

/** Where values belong: the name of the series, its categories, its values. */
const places: Readonly<Record<string, "name" | "categories" | "values">> = {
  "c:tx": "name",
  "c:cat": "categories",
  "c:xVal": "categories",
  "c:val": "values",
  "c:yVal": "values",
  "c:bubbleSize": "values",
};

class ChartReader implements XmlHandler {
  private readonly flow = new Flow();
  private readonly rows: string[][] = [];
  private series: { name: string[]; categories: string[]; values: string[] } | null = null;
  private place: "name" | "categories" | "values" | null = null;
  private reading = false;
  private value = "";

  open({ name }: Tag): void | "skip" {
    if (name === "c:ser") this.series = { name: [], categories: [], values: [] };
    else if (this.series !== null && Object.hasOwn(places, name)) this.place = places[name]!;
    else if (name === "a:t" || name === "c:v" || name === "cx:v" || name === "cx:pt") {
      this.reading = true;
      this.value = "";
    } else if (name === "c:formatCode" || name === "c:f") return "skip";
    else if (name === "cx:data" || name === "cx:lvl") this.flow.endParagraph();
  }
  text(text: string): void {
    if (this.reading) this.value += text;
  }
  close(name: string): void {
    if (name === "a:t") this.flow.text(this.value);
    else if (name === "a:p" || name === "cx:lvl") this.flow.endParagraph();
    else if (name === "cx:pt") this.flow.text(`${cleanNumber(this.value)}\t`);
    else if (name === "cx:v") this.flow.text(this.value);
    else if (name === "c:v") this.endValue();
    else if (this.series !== null && Object.hasOwn(places, name)) this.place = null;
    else if (name === "c:ser") this.endSeries();
    if (name === "a:t" || name === "c:v" || name === "cx:v" || name === "cx:pt")
      this.reading = false;
  }
  result(): Block[] {
    const titles = this.flow.take();
    this.flow.beginTable();
    for (const row of this.rows) {
      this.flow.beginRow();
      for (const cell of row) {
        this.flow.beginCell();
        this.flow.text(cell);
      }
      this.flow.endRow();
    }
    return [...titles, ...this.flow.take()];
  }

  private endValue(): void {
    if (this.series === null || this.place === null) this.flow.text(`${this.value} `);
    else this.series[this.place].push(cleanNumber(this.value));
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
