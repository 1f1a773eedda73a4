/**
 * Runs in the child: the numbers and bullets of lists in a Word file. They are not part of the
 * text: Word computes them.
 */
import { formatBullet, formatNumber } from "../child/list-markers";
import { ByteReader } from "./byte-reader";

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
/** What paragraphs refer to: a list, with starts and levels that may differ from its own. */
interface ListOverride {
  readonly id: number;
  readonly starts: Map<number, number>;
  readonly levels: Map<number, Level>;
}

const levels_max = 9;
/** By Word's format number; all others are decimal. */
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

/** Counts items in reading order, so that each gets its number. */
export class DocLists {
  private readonly lists = new Map<number, List>();
  private readonly overrides: ListOverride[] = [];
  private readonly counts = new Map<number, number[]>();
  private readonly started = new Set<number>();

  /** `table` is the table stream, and the others are offsets in it; 0 if absent. */
  constructor(
    private readonly table: ByteReader,
    lists_at: number,
    overrides_at: number,
  ) {
    if (lists_at > 0) this.readLists(lists_at);
    if (overrides_at > 0) this.readOverrides(overrides_at);
  }

  /** Counts the next paragraph of this list, starting at 1, and returns its marker. */
  next(number: number, level: number): string {
    const override = this.overrides[number - 1];
    const list = override && this.lists.get(override.id);
    if (override === undefined || list === undefined) return "";
    const levelAt = (at: number): Level | undefined =>
      override.levels.get(at) ?? list.levels[Math.min(at, list.levels.length - 1)];
    const direct = levelAt(level);
    if (direct === undefined || level >= levels_max) return "";
    const counts = this.countsOf(number, override);
    counts[level] = (counts[level] ?? direct.start - 1) + 1;
    counts.length = level + 1;
    if (direct.format === bullet_format) return formatBullet(direct.text);
    if (formats[direct.format] === "none") return "";
    return direct.text.replace(/[\0-\x08]/g, (place) => {
      const at = place.charCodeAt(0);
      const other = levelAt(at);
      return formatNumber(
        counts[at] ?? other?.start ?? 1,
        direct.legal ? "decimal" : (formats[other?.format ?? 0] ?? "decimal"),
      );
    });
  }

  /** Overrides of one list continue each other's counts, unless they set a start. */
  private countsOf(number: number, { id, starts }: ListOverride): number[] {
    const counts = this.counts.get(id) ?? [];
    this.counts.set(id, counts);
    if (!this.started.has(number)) for (const [level, start] of starts) counts[level] = start - 1;
    this.started.add(number);
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
  private readOverrides(start: number): void {
    const count = Math.min(this.table.u32(start), Math.floor(this.table.length / 16));
    let at = start + 4 + 16 * count;
    for (let index = 0; index < count && at < this.table.length; index++) {
      const head = start + 4 + 16 * index;
      const override: ListOverride = {
        id: this.table.u32(head),
        starts: new Map(),
        levels: new Map(),
      };
      at += 4;
      for (let left = Math.min(levels_max, this.table.u8(head + 12)); left > 0; left--) {
        const flags = this.table.u32(at + 4);
        if (flags & 16) override.starts.set(flags & 15, this.table.u32(at));
        at += 8;
        if (!(flags & 32)) continue;
        const { level, end } = this.levelAt(at);
        override.levels.set(flags & 15, level);
        at = end;
      }
      this.overrides.push(override);
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
