/** OpenDocument files: texts (.odt), presentations and drawings (.odp, .odg) with a page for each slide, spreadsheets (.ods) with a page for each sheet. */
import { ExtractionFailure } from "../contract";
import { paragraph, type Block, type Page } from "./flow";
import { Grid } from "./grid";
import { OdfReader, repeats_max, type ReadObject } from "./odf";
import { OdfLists } from "./odf-lists";
import { resolvePath, type Parts } from "./opc";
import { scanXml, type Tag, type XmlHandler } from "./xml";

export type OdfKind = "text" | "pages" | "sheets";

/** Objects in objects are read so deep. */
const objects_max = 3;

/** @throws ExtractionFailure `encrypted`, and those of the archive */
export function readOdf(parts: Parts, kind: OdfKind, content: string, progress: (share: number) => void): Page[] {
  if (isEncrypted(parts.xml("META-INF/manifest.xml"))) throw new ExtractionFailure("encrypted", "This file is protected by a password.");
  const styles = parts.xml("styles.xml");
  progress(0.2);
  const readers = readersOf(parts, "", content, styles, 0);
  if (kind === "text") return [{ page: null, blocks: textOf(readers, content, styles) }];
  const reader = kind === "pages" ? new SlidesReader(readers) : new SheetsReader(readers);
  scanXml(content, reader);
  return reader.result();
}

function isEncrypted(manifest: string | null): boolean {
  let encrypted = false;
  scanXml(manifest ?? "", { open: ({ name }) => { if (name === "manifest:encryption-data") encrypted = true; }, close: () => {}, text: () => {} });
  return encrypted;
}

/** Makes a reader for a part of the document; all of them count the same lists. */
type Readers = () => OdfReader;
function readersOf(parts: Parts, folder: string, content: string, styles: string | null, depth: number): Readers {
  const lists = new OdfLists();
  lists.declare(styles);
  lists.declare(content);
  const readObject: ReadObject = (path) => {
    const name = resolvePath(folder, path);
    const object = depth < objects_max && name !== "" ? parts.xml(`${name}/content.xml`) : null;
    if (object === null) return [];
    const reader = readersOf(parts, `${name}/`, object, null, depth + 1)();
    scanXml(object, reader);
    return reader.flow.take();
  };
  return () => new OdfReader(lists, readObject);
}

function textOf(readers: Readers, content: string, styles: string | null): Block[] {
  const reader = readers();
  scanXml(content, reader);
  const body = reader.flow.take();
  const running = new RunningReader(readers);
  scanXml(styles ?? "", running);
  const { headers, footers } = running;
  return [...headers, ...body, ...footers];
}

/** Passes what it is given on to one reader after the other. */
abstract class Dispatch implements XmlHandler {
  protected reader: OdfReader | null = null;
  constructor(protected readonly readers: Readers) {}
  abstract open(tag: Tag): void | "skip";
  abstract close(name: string): void;
  text(text: string): void { this.reader?.text(text); }
}

/** Headers and footers, each text once. */
class RunningReader extends Dispatch {
  readonly headers: Block[] = [];
  readonly footers: Block[] = [];
  private readonly seen = new Set<string>();

  open(tag: Tag): void | "skip" {
    if (/^style:(?:header|footer)(?:-left|-first)?$/.test(tag.name)) this.reader = this.readers();
    else return this.reader?.open(tag);
  }
  close(name: string): void {
    if (!/^style:(?:header|footer)(?:-left|-first)?$/.test(name)) return this.reader?.close(name);
    const blocks = (this.reader?.flow.take() ?? []).filter(({ text }) => !this.seen.has(text) && this.seen.add(text));
    (name.startsWith("style:header") ? this.headers : this.footers).push(...blocks);
    this.reader = null;
  }
}

class SlidesReader extends Dispatch {
  private readonly pages: Page[] = [];
  private titles: Block[] = [];
  private blocks: Block[] = [];
  private inside_title = false;
  /** Footers are written once and named by the slides that show them. */
  private readonly footers = new Map<string, string>();
  private footer: { readonly name: string; text: string } | null = null;

  open(tag: Tag): void | "skip" {
    const { name } = tag;
    if (name === "draw:page") {
      this.reader = this.readers();
      const footer = this.footers.get(tag.get("use-footer-name") ?? "");
      if (footer !== undefined && footer.trim() !== "") this.blocks.push(paragraph(footer.trim()));
      return;
    }
    if (name === "presentation:footer-decl") this.footer = { name: tag.get("name") ?? "", text: "" };
    if (this.reader === null) return name === "office:automatic-styles" ? "skip" : undefined;
    if (name === "presentation:notes") this.keep();
    if (name === "draw:frame" && tag.get("presentation:class") === "title") {
      this.keep();
      this.inside_title = true;
    }
    return this.reader.open(tag);
  }
  override text(text: string): void {
    if (this.footer !== null) this.footer.text += text;
    super.text(text);
  }
  close(name: string): void {
    if (name === "presentation:footer-decl" && this.footer !== null) {
      this.footers.set(this.footer.name, this.footer.text);
      this.footer = null;
    }
    if (name === "draw:page") return this.endPage();
    this.reader?.close(name);
    if (name === "draw:frame" && this.inside_title) {
      this.titles.push(...this.reader!.flow.take().map(({ text }) => paragraph(text, 1)));
      this.inside_title = false;
    }
  }
  result(): Page[] { return this.pages; }

  private keep(): void { this.blocks.push(...this.reader!.flow.take()); }
  private endPage(): void {
    if (this.reader === null) return;
    this.keep();
    this.pages.push({ page: this.pages.length + 1, blocks: [...this.titles, ...this.blocks] });
    this.reader = null;
    this.titles = [];
    this.blocks = [];
  }
}

/** The value of a cell that shows no text. */
const valueOf = (tag: Tag): string => tag.get("string-value") ?? tag.get("date-value") ?? tag.get("time-value") ?? tag.get("boolean-value") ?? tag.get("office:value") ?? "";
const repeated = (tag: Tag, attribute: string): number => Math.max(1, Math.floor(Number(tag.get(attribute) ?? 1)) || 1);

class SheetsReader extends Dispatch {
  private readonly pages: Page[] = [];
  private grid = new Grid();
  private sheet = "";
  /** Tables that are open: a cell may hold one. */
  private depth = 0;
  private row = 0;
  private row_repeats = 1;
  private cells: { readonly column: number; readonly text: string }[] = [];
  private column = 0;
  private cell: { readonly reader: OdfReader; readonly value: string; readonly repeats: number } | null = null;
  private beside: Block[] = [];

  open(tag: Tag): void | "skip" {
    if (this.cell !== null) {
      if (tag.name === "table:table") this.depth++;
      return this.cell.reader.open(tag);
    }
    switch (tag.name) {
      case "table:table": this.beginSheet(tag); return;
      case "table:shapes": this.reader = this.readers(); return;
      case "table:table-row":
        this.row_repeats = repeated(tag, "number-rows-repeated");
        [this.cells, this.column] = [[], 0];
        return;
      case "table:table-cell": case "table:covered-table-cell":
        this.cell = { reader: this.readers(), value: valueOf(tag), repeats: repeated(tag, "number-columns-repeated") };
        return;
      case "office:automatic-styles": case "table:tracked-changes": case "office:forms": return "skip";
      default: return this.reader?.open(tag);
    }
  }
  override text(text: string): void {
    if (this.cell !== null) this.cell.reader.text(text);
    else super.text(text);
  }
  close(name: string): void {
    const is_cell = name === "table:table-cell" || name === "table:covered-table-cell";
    if (this.cell !== null && !(is_cell && this.depth === 1)) {
      if (name === "table:table") this.depth--;
      return this.cell.reader.close(name);
    }
    if (is_cell) this.endCell();
    else if (name === "table:table-row") this.endRow();
    else if (name === "table:table") this.endSheet();
    else if (name === "table:shapes") {
      this.beside.push(...this.reader?.flow.take() ?? []);
      this.reader = null;
    } else this.reader?.close(name);
  }
  result(): Page[] { return this.pages; }

  private beginSheet(tag: Tag): void {
    this.depth = 1;
    this.sheet = tag.get("name") ?? "";
    this.grid = new Grid();
    this.row = 0;
  }
  private endCell(): void {
    const { reader, value, repeats } = this.cell!;
    this.cell = null;
    const shown = reader.flow.take().map(({ text }) => text).join(" ");
    const text = shown === "" ? value : shown;
    if (text !== "") for (let at = 0; at < Math.min(repeats, repeats_max); at++) this.cells.push({ column: this.column + at, text });
    this.column += repeats;
  }
  private endRow(): void {
    const times = this.cells.length === 0 ? 0 : Math.min(this.row_repeats, repeats_max);
    for (let at = 0; at < times; at++) for (const { column, text } of this.cells) this.grid.put(this.row + at, column, text);
    this.row += this.row_repeats;
    this.cells = [];
  }
  private endSheet(): void {
    this.depth = 0;
    this.pages.push({ page: this.pages.length + 1, blocks: [...this.grid.blocks(this.sheet), ...this.beside] });
    this.beside = [];
  }
}
