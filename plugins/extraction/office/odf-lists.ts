/** Runs in the child: the markers of list items and headings in an OpenDocument file. */
import type { Tag } from "../../../core/lib/xml";
import { formatBullet, formatNumber } from "../child/list-markers";
import { scanOfficeXml } from "./xml";

interface Level {
  readonly bullet: string | null;
  readonly format: string;
  readonly before: string;
  readonly after: string;
  readonly start: number;
  /** The number of levels that the marker shows. */
  readonly display_levels: number;
}
type Levels = Map<number, Level>;
/** Maps to the names of Office Open XML. */
const formats: Readonly<Record<string, string>> = {
  "": "none",
  a: "lowerLetter",
  A: "upperLetter",
  i: "lowerRoman",
  I: "upperRoman",
};

interface OpenList {
  readonly style: string | null;
  item: { start: number | null } | null;
}

/** Counts items in reading order, so that each gets its number. */
export class OdfLists {
  private readonly styles = new Map<string, Levels>();
  /** The list styles of paragraph styles. */
  private readonly by_paragraph = new Map<string, string>();
  private readonly outline: Levels = new Map();
  private readonly counts = new Map<string, number[]>();
  private readonly outline_counts: number[] = [];
  private readonly open_lists: OpenList[] = [];

  /** Adds the styles that a part declares. */
  declare(xml: string | null): void {
    let levels: Levels | null = null;
    scanOfficeXml(xml ?? "", {
      open: (tag) => {
        const level = tag.get("level");
        if (tag.name === "text:list-style")
          this.styles.set(tag.get("name") ?? "", (levels = new Map()));
        else if (tag.name === "text:outline-style") levels = this.outline;
        else if (tag.name === "style:style") this.declareParagraph(tag);
        else if (tag.name === "office:body") return "skip";
        else if (
          levels !== null &&
          level !== undefined &&
          /^text:(?:list|outline)-level-style/.test(tag.name)
        )
          levels.set(Number(level), levelOf(tag));
      },
      close: (name) => {
        if (name === "text:list-style" || name === "text:outline-style") levels = null;
      },
      text: () => {},
    });
  }
  private declareParagraph(tag: Tag): void {
    const style = tag.get("name");
    const list = tag.get("list-style-name");
    if (style !== undefined && list !== undefined && list !== "")
      this.by_paragraph.set(style, list);
  }

  /** The number of open lists, one inside the other. */
  get depth(): number {
    return this.open_lists.length;
  }
  beginList(tag: Tag): void {
    const style = tag.get("style-name") ?? this.open_lists.at(-1)?.style ?? null;
    const continues =
      tag.get("continue-numbering") === "true" || tag.get("continue-list") !== undefined;
    if (this.open_lists.length === 0 && style !== null && !continues) this.counts.delete(style);
    this.open_lists.push({ style, item: null });
  }
  endList(): void {
    this.open_lists.pop();
  }
  beginItem(tag: Tag): void {
    const list = this.open_lists.at(-1);
    const start = tag.get("start-value");
    if (list !== undefined) list.item = { start: start === undefined ? null : Number(start) };
  }
  /** For a paragraph; only the first one of an item has a marker. `level` is that of a heading. */
  markerOf(tag: Tag, level: number | null): string {
    const list = this.open_lists.at(-1);
    if (list?.item) {
      const { start } = list.item;
      list.item = null;
      const style = list.style ?? this.by_paragraph.get(tag.get("style-name") ?? "") ?? null;
      const levels = style === null ? undefined : this.styles.get(style);
      if (levels !== undefined)
        return nextMarker(levels, this.countsOf(style!), this.open_lists.length, start);
    }
    return level === null || tag.get("is-list-header") === "true"
      ? ""
      : nextMarker(this.outline, this.outline_counts, level, null);
  }
  private countsOf(style: string): number[] {
    const counts = this.counts.get(style) ?? [];
    this.counts.set(style, counts);
    return counts;
  }
}

function levelOf(tag: Tag): Level {
  const format = tag.get("num-format") ?? "";
  return {
    bullet: tag.name.endsWith("-bullet")
      ? formatBullet(tag.get("bullet-char") ?? "")
      : tag.name.endsWith("-image")
        ? "•"
        : null,
    format: Object.hasOwn(formats, format) ? formats[format]! : "decimal",
    before: affix(tag.get("num-prefix")),
    after: affix(tag.get("num-suffix")),
    start: Number(tag.get("start-value") ?? 1),
    display_levels: Number(tag.get("display-levels") ?? 1),
  };
}

/** Cut, because it is repeated for every item: genuine prefixes and suffixes are short. */
const affix = (text = ""): string => text.slice(0, affix_chars_max);
const affix_chars_max = 20;

const levels_max = 10;
function nextMarker(levels: Levels, counts: number[], depth: number, start: number | null): string {
  const level = levels.get(depth);
  if (level === undefined || depth > levels_max) return "";
  if (level.bullet !== null) return level.bullet;
  if (level.format === "none") return "";
  counts[depth] = start ?? (counts[depth] ?? level.start - 1) + 1;
  counts.length = depth + 1;
  const numbers: string[] = [];
  for (let at = Math.max(1, depth - level.display_levels + 1); at <= depth; at++) {
    const other = levels.get(at);
    if (other !== undefined && other.bullet === null && other.format !== "none")
      numbers.push(formatNumber(counts[at] ?? other.start, other.format));
  }
  return `${level.before}${numbers.join(".")}${level.after}`.trim();
}
