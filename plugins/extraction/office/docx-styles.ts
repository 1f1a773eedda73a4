/**
 * The styles and lists of a Word document: which paragraphs are headings, and the numbers that Word
 * puts before them.
 */
import { letters, roman } from "../child/numbers";
import type { Tag } from "../../../core/lib/xml";
import { scanOfficeXml } from "./xml";

interface Style {
  based_on: string | null;
  name: string;
  outline: number | null;
  number: string | null;
  level: number | null;
}
interface Level {
  start: number;
  format: string;
  text: string;
  style: string | null;
  legal: boolean;
}
interface List {
  abstract: string;
  readonly starts: Map<number, number>;
  readonly levels: Map<number, Level>;
}

/** What a paragraph says of itself. */
export interface ParagraphStyle {
  style: string | null;
  outline: number | null;
  number: string | null;
  level: number | null;
}

interface StyledList {
  readonly number: string;
  readonly level: number | null;
  readonly styles: readonly string[];
}

function once<K, V>(known: Map<K, V>, key: K, find: () => V): V {
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = find();
  known.set(key, found);
  return found;
}

const levels_max = 9;
/** The pattern of a marker is short; a long one would be written again and again. */
const pattern_chars_max = 60;
/** A chain of styles that is longer goes in a circle. */
const chain_max = 20;

export class Styles {
  private readonly styles = new Map<string, Style>();
  private default_style: string | null = null;
  private readonly headings = new Map<string | null, number | null>();
  private readonly lists = new Map<string | null, StyledList | null>();

  constructor(xml: string | null) {
    let id = "";
    let style: Style | null = null;
    scanOfficeXml(xml ?? "", {
      open: (tag) => {
        if (tag.name === "w:style") {
          id = tag.get("styleId") ?? "";
          style = { based_on: null, name: "", outline: null, number: null, level: null };
          if (tag.get("type") === "paragraph" && isOn(tag.get("default") ?? "0"))
            this.default_style = id;
          if ((tag.get("type") ?? "paragraph") === "paragraph") this.styles.set(id, style);
        } else if (tag.name === "w:rPr" || tag.name === "w:tblStylePr" || tag.name === "w:tblPr")
          return "skip";
        else if (style !== null) declareIn(style, tag);
      },
      close: (name) => {
        if (name === "w:style") style = null;
      },
      text: () => {},
    });
  }
  /** The level of a heading; null for other paragraphs. */
  headingOf({ style, outline }: ParagraphStyle): number | null {
    if (outline !== null) return outline < levels_max ? outline + 1 : null;
    return once(this.headings, style, () => this.findHeading(style));
  }
  private findHeading(style: string | null): number | null {
    for (const [one] of this.named(style)) {
      if (one.outline !== null) return one.outline < levels_max ? one.outline + 1 : null;
      const named = /^(?:heading|überschrift|titre) ?([1-9])$/.exec(one.name)?.[1];
      if (named !== undefined) return Number(named);
      if (one.name === "title") return 1;
    }
    return null;
  }
  /** The list that a paragraph is in by its style, and the style that says so. */
  listOf(style: string | null): StyledList | null {
    return once(this.lists, style, () => this.findList(style));
  }
  private findList(style: string | null): StyledList | null {
    const styles: string[] = [];
    for (const [one, id] of this.named(style)) {
      styles.push(id);
      if (one.number !== null) return { number: one.number, level: one.level, styles };
    }
    return null;
  }
  private *named(style: string | null): Generator<[Style, string]> {
    let id = style ?? this.default_style;
    for (let steps = 0; id !== null && steps < chain_max; steps++) {
      const one = this.styles.get(id);
      if (one === undefined) return;
      yield [one, id];
      id = one.based_on;
    }
  }
}
function declareIn(style: Style, tag: Tag): void {
  switch (tag.name) {
    case "w:basedOn":
      style.based_on = tag.get("val") ?? null;
      return;
    case "w:name":
      style.name = (tag.get("val") ?? "").toLowerCase();
      return;
    case "w:outlineLvl":
      style.outline = Number(tag.get("val"));
      return;
    case "w:numId":
      style.number = tag.get("val") ?? null;
      return;
    case "w:ilvl":
      style.level = Number(tag.get("val"));
  }
}
export const isOn = (value: string): boolean => !/^(?:0|false|off)$/i.test(value);

export class Lists {
  private readonly lists = new Map<string, List>();
  private readonly abstracts = new Map<string, Map<number, Level>>();
  private readonly counts = new Map<string, number[]>();
  private readonly begun = new Set<string>();

  constructor(xml: string | null) {
    let levels: Map<number, Level> = new Map();
    let level: Level | null = null;
    let list: List | null = null;
    let at = 0;
    const open = (tag: Tag): void | "skip" => {
      switch (tag.name) {
        case "w:abstractNum":
          this.abstracts.set(tag.get("abstractNumId") ?? "", (levels = new Map()));
          list = null;
          return;
        case "w:num":
          list = { abstract: "", starts: new Map(), levels: new Map() };
          this.lists.set(tag.get("numId") ?? "", list);
          return;
        case "w:abstractNumId":
          if (list !== null) list.abstract = tag.get("val") ?? "";
          return;
        case "w:lvlOverride":
          at = Number(tag.get("ilvl"));
          return;
        case "w:startOverride":
          list?.starts.set(at, Number(tag.get("val")));
          return;
        case "w:lvl":
          level = { start: 1, format: "decimal", text: "", style: null, legal: false };
          (list?.levels ?? levels).set(Number(tag.get("ilvl")), level);
          return;
        case "w:start":
          if (level !== null) level.start = Number(tag.get("val"));
          return;
        case "w:numFmt":
          if (level !== null) level.format = tag.get("val") ?? "";
          return;
        case "w:lvlText":
          if (level !== null) level.text = (tag.get("val") ?? "").slice(0, pattern_chars_max);
          return;
        case "w:pStyle":
          if (level !== null) level.style = tag.get("val") ?? null;
          return;
        case "w:rPr":
          return "skip";
        case "w:isLgl":
          if (level !== null) level.legal = isOn(tag.get("val") ?? "1");
      }
    };
    scanOfficeXml(xml ?? "", {
      open,
      close: (name) => {
        if (name === "w:lvl") level = null;
      },
      text: () => {},
    });
  }
  /** What stands before the next paragraph of this list, counting it. */
  next(number: string, level: number | null, styles: readonly string[] = []): string {
    const list = this.lists.get(number);
    const levels = list === undefined ? undefined : this.abstracts.get(list.abstract);
    if (list === undefined || levels === undefined) return "";
    const at =
      level ??
      [...levels].find(([, one]) => one.style !== null && styles.includes(one.style))?.[0] ??
      0;
    const levelAt = (one: number): Level | undefined => list.levels.get(one) ?? levels.get(one);
    const own = levelAt(at);
    if (own === undefined || !(at >= 0 && at < levels_max)) return "";
    const counts = this.countsOf(number, list);
    counts[at] = (counts[at] ?? own.start - 1) + 1;
    counts.length = at + 1;
    if (own.format === "bullet") return bullet(own.text);
    if (own.format === "none") return "";
    return own.text.replace(/%([1-9])/g, (_, digit: string) => {
      const other = levelAt(Number(digit) - 1);
      const count = counts[Number(digit) - 1] ?? other?.start ?? 1;
      return formatted(count, own.legal ? "decimal" : (other?.format ?? "decimal"));
    });
  }
  /** Lists of one kind go on counting where another one stopped, unless they say where to start. */
  private countsOf(number: string, { abstract, starts }: List): number[] {
    const counts = this.counts.get(abstract) ?? [];
    this.counts.set(abstract, counts);
    if (!this.begun.has(number)) {
      this.begun.add(number);
      for (const [level, start] of starts) counts[level] = start - 1;
    }
    return counts;
  }
}

/** Bullets are letters of fonts for symbols more often than not. */
export const bullet = (text: string): string =>
  text === "" || /^[o\s]$|[\ue000-\uf8ff]|[\p{L}\p{N}]{2}/u.test(text) ? "•" : text;

export function formatted(number: number, format: string): string {
  switch (format) {
    case "lowerLetter":
      return letters(number);
    case "upperLetter":
      return letters(number).toUpperCase();
    case "lowerRoman":
      return roman(number);
    case "upperRoman":
      return roman(number).toUpperCase();
    case "decimalZero":
      return String(number).padStart(2, "0");
    case "ordinal":
      return `${number}${number % 100 > 10 && number % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th")}`;
    case "none":
      return "";
    default:
      return String(number);
  }
}
