/**
 * Runs in the child: the lists of a Word document. The numbers of their items are not part of the
 * text: Word computes them.
 */
import type { Tag } from "../../../core/lib/xml";
import { formatBullet, formatNumber } from "../child/list-markers";
import { isOn } from "./docx-styles";
import { scanOfficeXml } from "./xml";

interface Level {
  start: number;
  format: string;
  /** The pattern of the marker: `%1.%2)`. */
  text: string;
  /** The paragraph style linked to this level. */
  style: string | null;
  /** All numbers of the marker are decimal. */
  legal: boolean;
}
/** What paragraphs refer to: an abstract list, with starts and levels that may differ. */
interface List {
  abstract: string;
  readonly starts: Map<number, number>;
  readonly levels: Map<number, Level>;
}

const levels_max = 9;
/** Patterns are cut, because they are repeated for every item: genuine ones are short. */
const pattern_chars_max = 60;

/** Counts items in reading order, so that each gets its number. */
export class Numbering {
  private readonly lists = new Map<string, List>();
  private readonly abstract_lists = new Map<string, Map<number, Level>>();
  private readonly counts = new Map<string, number[]>();
  private readonly started = new Set<string>();

  constructor(xml: string | null) {
    const reader = new NumberingReader(this.lists, this.abstract_lists);
    scanOfficeXml(xml ?? "", reader);
  }

  /**
   * Counts the next paragraph of this list, and returns its marker. Without a level, that of one of
   * the `styles` is used.
   */
  next(number: string, level: number | null, styles: readonly string[] = []): string {
    const list = this.lists.get(number);
    const levels = list === undefined ? undefined : this.abstract_lists.get(list.abstract);
    if (list === undefined || levels === undefined) return "";
    const level_index =
      level ??
      [...levels].find(([, level]) => level.style !== null && styles.includes(level.style))?.[0] ??
      0;
    const levelAt = (number: number): Level | undefined =>
      list.levels.get(number) ?? levels.get(number);
    const current_level = levelAt(level_index);
    if (current_level === undefined || !(level_index >= 0 && level_index < levels_max)) return "";
    const counts = this.countsOf(number, list);
    counts[level_index] = (counts[level_index] ?? current_level.start - 1) + 1;
    counts.length = level_index + 1;
    if (current_level.format === "bullet") return formatBullet(current_level.text);
    if (current_level.format === "none") return "";
    return current_level.text.replace(/%([1-9])/g, (_, digit: string) => {
      const other = levelAt(Number(digit) - 1);
      const count = counts[Number(digit) - 1] ?? other?.start ?? 1;
      return formatNumber(count, current_level.legal ? "decimal" : (other?.format ?? "decimal"));
    });
  }

  /** Lists with the same abstract list continue each other, unless they set a start. */
  private countsOf(number: string, { abstract, starts }: List): number[] {
    const counts = this.counts.get(abstract) ?? [];
    this.counts.set(abstract, counts);
    if (!this.started.has(number)) {
      this.started.add(number);
      for (const [level, start] of starts) counts[level] = start - 1;
    }
    return counts;
  }
}

/** Reads the numbering part into these maps. */
class NumberingReader {
  private levels = new Map<number, Level>();
  private level: Level | null = null;
  private list: List | null = null;
  private override_level = 0;

  constructor(
    private readonly lists: Map<string, List>,
    private readonly abstract_lists: Map<string, Map<number, Level>>,
  ) {}

  open(tag: Tag): void | "skip" {
    switch (tag.name) {
      case "w:abstractNum":
        this.levels = new Map();
        this.abstract_lists.set(tag.get("abstractNumId") ?? "", this.levels);
        this.list = null;
        return;
      case "w:num":
        this.list = { abstract: "", starts: new Map(), levels: new Map() };
        this.lists.set(tag.get("numId") ?? "", this.list);
        return;
      case "w:abstractNumId":
        if (this.list !== null) this.list.abstract = tag.get("val") ?? "";
        return;
      case "w:lvlOverride":
        this.override_level = Number(tag.get("ilvl"));
        return;
      case "w:startOverride":
        this.list?.starts.set(this.override_level, Number(tag.get("val")));
        return;
      case "w:lvl":
        this.level = { start: 1, format: "decimal", text: "", style: null, legal: false };
        (this.list?.levels ?? this.levels).set(Number(tag.get("ilvl")), this.level);
        return;
      case "w:rPr":
        return "skip";
      default:
        if (this.level !== null) describeLevel(this.level, tag);
    }
  }
  close(name: string): void {
    if (name === "w:lvl") this.level = null;
  }
  text(): void {}
}

function describeLevel(level: Level, tag: Tag): void {
  switch (tag.name) {
    case "w:start":
      level.start = Number(tag.get("val"));
      return;
    case "w:numFmt":
      level.format = tag.get("val") ?? "";
      return;
    case "w:lvlText":
      level.text = (tag.get("val") ?? "").slice(0, pattern_chars_max);
      return;
    case "w:pStyle":
      level.style = tag.get("val") ?? null;
      return;
    case "w:isLgl":
      level.legal = isOn(tag.get("val") ?? "1");
  }
}
