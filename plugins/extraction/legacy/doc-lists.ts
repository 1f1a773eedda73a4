/**
 * The numbers and bullets that Word puts before the paragraphs of a list: they stand nowhere in the
 * text.
 */
import { bullet, formatted } from "../office/docx-styles";
import { Bytes } from "./byte-reader";

interface Level {
  readonly start: number;
  readonly format: number;
  readonly legal: boolean;
  readonly text: string;
}
interface List {
  readonly id: number;
  readonly levels: Level[];
}
/** How paragraphs refer to a list: it may begin elsewhere and have levels of its own. */
interface Use {
  readonly id: number;
  readonly starts: Map<number, number>;
  readonly levels: Map<number, Level>;
}

const levels_max = 9;
/** Word's number of a format, where it is another than a plain number. */
const formats: Readonly<Record<number, string>> = {
  1: "upperRoman",
  2: "lowerRoman",
  3: "upperLetter",
  4: "lowerLetter",
  5: "ordinal",
  22: "decimalZero",
  255: "none",
};
const bullet_format = 23;

export class DocLists {
  private readonly lists = new Map<number, List>();
  private readonly uses: Use[] = [];
  private readonly counts = new Map<number, number[]>();
  private readonly begun = new Set<number>();

  /** `table` is the stream of tables; lists begin at one place in it, their uses at another. */
  constructor(
    private readonly table: Bytes,
    lists_at: number,
    uses_at: number,
  ) {
    if (lists_at > 0) this.readLists(lists_at);
    if (uses_at > 0) this.readUses(uses_at);
  }

  /** What stands before the next paragraph of this list, counting it. The first list is 1. */
  next(number: number, level: number): string {
    const use = this.uses[number - 1];
    const list = use && this.lists.get(use.id);
    if (use === undefined || list === undefined) return "";
    const levelAt = (at: number): Level | undefined =>
      use.levels.get(at) ?? list.levels[Math.min(at, list.levels.length - 1)];
    const own = levelAt(level);
    if (own === undefined || level >= levels_max) return "";
    const counts = this.countsOf(number, use);
    counts[level] = (counts[level] ?? own.start - 1) + 1;
    counts.length = level + 1;
    if (own.format === bullet_format) return bullet(own.text);
    if (formats[own.format] === "none") return "";
    return own.text.replace(/[\0-\x08]/g, (place) => {
      const at = place.charCodeAt(0);
      const other = levelAt(at);
      return formatted(
        counts[at] ?? other?.start ?? 1,
        own.legal ? "decimal" : (formats[other?.format ?? 0] ?? "decimal"),
      );
    });
  }

  /** Uses of one list go on counting where another one stopped, unless they say where to begin. */
  private countsOf(number: number, { id, starts }: Use): number[] {
    const counts = this.counts.get(id) ?? [];
    this.counts.set(id, counts);
    if (!this.begun.has(number)) for (const [level, start] of starts) counts[level] = start - 1;
    this.begun.add(number);
    return counts;
  }

  private readLists(start: number): void {
    const count = this.table.u16(start);
    let at = start + 2 + 28 * count;
    for (let index = 0; index < count && at < this.table.length; index++) {
      const head = start + 2 + 28 * index;
      const list: List = { id: this.table.u32(head), levels: [] };
      for (let left = this.table.u8(head + 26) & 1 ? 1 : levels_max; left > 0; left--) {
        const { level, end } = this.levelAt(at);
        list.levels.push(level);
        at = end;
      }
      this.lists.set(list.id, list);
    }
  }
  private readUses(start: number): void {
    const count = Math.min(this.table.u32(start), Math.floor(this.table.length / 16));
    let at = start + 4 + 16 * count;
    for (let index = 0; index < count && at < this.table.length; index++) {
      const head = start + 4 + 16 * index;
      const use: Use = { id: this.table.u32(head), starts: new Map(), levels: new Map() };
      at += 4;
      for (let left = Math.min(levels_max, this.table.u8(head + 12)); left > 0; left--) {
        const flags = this.table.u32(at + 4);
        if (flags & 16) use.starts.set(flags & 15, this.table.u32(at));
        at += 8;
        if (!(flags & 32)) continue;
        const { level, end } = this.levelAt(at);
        use.levels.set(flags & 15, level);
        at = end;
      }
      this.uses.push(use);
    }
  }
  private levelAt(at: number): { level: Level; end: number } {
    const text = at + 28 + this.table.u8(at + 24) + this.table.u8(at + 25);
    const end = text + 2 + 2 * this.table.u16(text);
    return {
      level: {
        start: this.table.u32(at),
        format: this.table.u8(at + 4),
        legal: (this.table.u8(at + 5) & 4) !== 0,
        text: this.table.wide(text + 2, end).slice(0, 100),
      },
      end,
    };
  }
}
