/**
 * Excel (.xlsx): one page for each sheet in the order of the workbook, its name first, with the
 * values that Excel worked out.
 */
import { readDrawing } from "./drawing";
import { paragraph, type Block, type Page } from "../child/block-builder";
import { Grid } from "../child/grid";
import { cleanNumber, dateOf, formatKind, type DateKind } from "../child/numbers";
import type { Parts } from "./package";
import type { Tag, XmlHandler } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

interface Workbook {
  readonly sheets: readonly { readonly name: string; readonly part: string }[];
  readonly since_1904: boolean;
}
interface Book {
  readonly strings: readonly string[];
  /** By the style of a cell. */
  readonly kinds: readonly (DateKind | "percent" | null)[];
  readonly since_1904: boolean;
}

/** @throws ExtractionFailure of the archive */
export function readXlsx(parts: Parts, main: string, progress: (share: number) => void): Page[] {
  const { sheets, since_1904 } = workbookOf(parts, main);
  const [strings] = parts.related(main, "sharedStrings");
  const [styles] = parts.related(main, "styles");
  const book: Book = {
    strings: stringsOf(xmlOf(parts, strings)),
    kinds: kindsOf(xmlOf(parts, styles)),
    since_1904,
  };
  return sheets.map(({ name, part }, at) => {
    progress(at / sheets.length);
    const sheet = new SheetReader(book, parts.spend);
    scanOfficeXml(parts.xml(part) ?? "", sheet);
    return { page: at + 1, blocks: [...sheet.blocks(name), ...besides(parts, part)] };
  });
}
const xmlOf = (parts: Parts, part: string | undefined): string =>
  part === undefined ? "" : (parts.xml(part) ?? "");

function workbookOf(parts: Parts, main: string): Workbook {
  const sheets: { name: string; part: string }[] = [];
  const seen = new Set<string>();
  let since_1904 = false;
  scanOfficeXml(parts.xml(main) ?? "", {
    open: (tag) => {
      if (tag.name === "s:workbookPr")
        since_1904 = /^(?:1|true|on)$/i.test(tag.get("date1904") ?? "");
      if (tag.name !== "s:sheet") return;
      const part = parts.target(main, tag.get("r:id"));
      if (part === null || seen.has(part)) return;
      seen.add(part);
      sheets.push({ name: tag.get("name") ?? "", part });
    },
    close: () => {},
    text: () => {},
  });
  return { sheets, since_1904 };
}

/** The text of each `element`, without readings above characters. */
function textsOf(xml: string, element: string): string[] {
  const texts: string[] = [];
  let text = "";
  let reading = false;
  scanOfficeXml(xml, {
    open: ({ name }) => {
      if (name === "s:rPh") return "skip";
      if (name === element) text = "";
      if (name === "s:t") reading = true;
    },
    close: (name) => {
      if (name === "s:t") reading = false;
      if (name === element) texts.push(escaped(text));
    },
    text: (piece) => {
      if (reading) text += piece;
    },
  });
  return texts;
}
const stringsOf = (xml: string): string[] => textsOf(xml, "s:si");
/** Characters that XML does not allow stand as `_x000D_`. */
const escaped = (text: string): string =>
  text.includes("_x")
    ? text.replace(/_x([0-9A-F]{4})_/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text;

/** What the number format of each cell style says. */
function kindsOf(xml: string): (DateKind | "percent" | null)[] {
  const codes = new Map<number, string>();
  const kinds: (DateKind | "percent" | null)[] = [];
  let in_cell_styles = false;
  scanOfficeXml(xml, {
    open: (tag) => {
      if (tag.name === "s:numFmt")
        codes.set(Number(tag.get("numFmtId")), tag.get("formatCode") ?? "");
      else if (tag.name === "s:cellXfs") in_cell_styles = true;
      else if (tag.name === "s:xf" && in_cell_styles) {
        const id = Number(tag.get("numFmtId") ?? 0);
        kinds.push(formatKind(id, codes.get(id)));
      }
    },
    close: (name) => {
      if (name === "s:cellXfs") in_cell_styles = false;
    },
    text: () => {},
  });
  return kinds;
}

/** What stands beside the cells: comments, and the text of shapes and charts. */
function besides(parts: Parts, sheet: string): Block[] {
  const comments = parts
    .related(sheet, "comments")
    .flatMap((part) => textsOf(parts.xml(part) ?? "", "s:comment"));
  const threads = parts
    .related(sheet, "threadedComment")
    .flatMap((part) => threadsOf(parts.xml(part) ?? ""));
  const shapes = parts
    .related(sheet, "drawing")
    .flatMap((part) => readDrawing(parts, part))
    .flatMap(({ blocks }) => blocks);
  // A threaded comment has a twin for old programs, which says so at length.
  const own =
    threads.length > 0
      ? comments.filter((comment) => !threads.some((text) => comment.includes(text)))
      : comments;
  return [
    ...[...own, ...threads]
      .map((comment) => comment.trim())
      .filter((comment) => comment !== "")
      .map((comment) => paragraph(comment)),
    ...shapes,
  ];
}
function threadsOf(xml: string): string[] {
  const texts: string[] = [];
  let text = "";
  scanOfficeXml(xml, {
    open: () => {
      text = "";
    },
    close: (name) => {
      if (name === "text") texts.push(text);
    },
    text: (piece) => {
      text += piece;
    },
  });
  return texts.filter((one) => one.trim() !== "");
}

class SheetReader implements XmlHandler {
  private readonly grid: Grid;
  private row = 0;
  private column = 0;
  private type = "n";
  private style = -1;
  private value = "";
  private reading = false;
  private readonly running: Block[] = [];

  constructor(
    private readonly book: Book,
    spend: Parts["spend"],
  ) {
    this.grid = new Grid(spend);
  }

  open(tag: Tag): void | "skip" {
    switch (tag.name) {
      case "s:row":
        this.row = Number(tag.get("r") ?? this.row + 1);
        this.column = -1;
        return;
      case "s:c":
        this.column = columnOf(tag.get("r")) ?? this.column + 1;
        this.type = tag.get("t") ?? "n";
        this.style = Number(tag.get("s") ?? 0);
        this.value = "";
        return;
      case "s:v":
      case "s:t":
        this.reading = true;
        return;
      case "s:oddHeader":
      case "s:oddFooter":
      case "s:evenHeader":
      case "s:evenFooter":
      case "s:firstHeader":
      case "s:firstFooter":
        this.value = "";
        this.reading = true;
        return;
      case "s:rPh":
      case "s:f":
        return "skip";
    }
  }
  text(text: string): void {
    if (this.reading) this.value += text;
  }
  close(name: string): void {
    if (name === "s:v" || name === "s:t") this.reading = false;
    else if (name === "s:c") this.grid.put(this.row, this.column, this.shown());
    else if (/^s:(?:odd|even|first)(?:Header|Footer)$/.test(name)) {
      this.reading = false;
      for (const text of wordsOf(this.value))
        if (!this.running.some((block) => block.text === text)) this.running.push(paragraph(text));
    }
  }
  blocks(name: string): Block[] {
    return [...this.grid.blocks(name), ...this.running];
  }

  /** As a reader of the sheet sees it: text, true or false, a date, a number. */
  private shown(): string {
    const { value, type } = this;
    if (type === "s") return this.book.strings[Number(value)] ?? "";
    if (type === "b") return value === "1" ? "TRUE" : value === "0" ? "FALSE" : value;
    if (type === "d") return value.replace(/T00:00:00(?:\.0+)?Z?$/, "").replace("T", " ");
    if (type !== "n") return escaped(value);
    const kind = value === "" ? null : (this.book.kinds[this.style] ?? null);
    if (kind === "percent")
      return Number.isFinite(Number(value))
        ? `${cleanNumber(String(Number(value) * 100))}%`
        : value;
    return (
      (kind === null ? null : dateOf(Number(value), kind, this.book.since_1904)) ??
      cleanNumber(value)
    );
  }
}

/**
 * What the left, the middle and the right of a header say, without codes for type; parts that count
 * pages or name the file say nothing.
 */
const wordsOf = (header: string): string[] =>
  header
    .split(/&[LCR]/)
    .filter((part) => !/(?<!&)&[PNDTAFZ]/.test(part))
    .map((part) =>
      part
        .replace(/&&|&"[^"]{0,100}"|&\d{1,3}|&K[\dA-F]{6}|&[A-Z]/g, (code) =>
          code === "&&" ? "&" : " ",
        )
        .trim(),
    )
    .filter((part) => part !== "");

/** `C5` is column 2; null when it says nothing. */
function columnOf(reference: string | undefined): number | null {
  let column = 0;
  let at = 0;
  for (; reference !== undefined && at < reference.length; at++) {
    const letter = reference.charCodeAt(at) | 32;
    if (letter < 97 || letter > 122) break;
    column = column * 26 + letter - 96;
  }
  return at === 0 || at > 3 ? null : column - 1;
}
