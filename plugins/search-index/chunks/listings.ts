/**
 * Recognises tables of contents, lists of figures and indexes by the form of their lines: they tell
 * where something is said, not what.
 */
import { countLeading } from "../../../core/lib/binary-search";
import type { HeadingSpan, PageSpan } from "../../extraction/contract";
import type { ReadableText } from "../../../core/lib/text-window";

interface ListedText {
  readonly text: ReadableText;
  readonly pages: readonly PageSpan[];
  readonly headings?: readonly HeadingSpan[] | undefined;
}
interface Line {
  readonly text: string;
  readonly start: number;
}

/** Fewer entries without leaders are not a list. */
const entries_min = 3;
/** The share of lines that are entries: some entries have two lines, some lists a title. */
const entries_share_min = 0.6;
/**
 * Without leaders, at least this many lines with numbers at their ends distinguish a list from a
 * small table.
 */
const numbered_min = 6;
/** They are in the first or the last part of a document with this many pages. */
const outer_share = 0.25;
const pages_min = 10;
/** The share of neighbours in ascending order, by page or alphabetically. */
const ascending_share_min = 0.9;
const alphabetical_share_min = 0.7;
/** The maximum length of a heading that an entry may repeat, and the number of such headings. */
const heading_chars_max = 300;
const headings_max = 10_000;

/**
 * Dots, or similar, that lead from an entry to its page number, which may be cut off. They match
 * only from their beginning: otherwise a line of a thousand dots is tried from each of them.
 */
const leading = String.raw`(?<![.·] ?)(?:[.·] ?){4,}|(?<!…)…{2,}|(?<!_)_{4,}`;
const page = String.raw`(?:\d{1,4}|[ivxlc]{1,7})(?![\p{L}\p{N}])`;
const cut_off = String.raw`(?<![.·] )(?:[.·] ){4,}[.·]?$`;
const leader = new RegExp(String.raw`(?:${leading})\s*${page}|${cut_off}`, "u");
/** Every leader contains this: most lines don't, and are rejected much faster. */
const leader_part = /[.·] ?[.·]|……|____/;
const hasLeader = ({ text }: Line): boolean => leader_part.test(text) && leader.test(text);
/** A mark or number before an entry. */
const mark = /^(?:[-*+•‣▪–]|\(?\d{1,3}[.)])\s+/;
/** A link within the document, in Markdown. */
const link = /^\[([^\]]+)\]\(#[^)]*\)$/;
/** An entry and its pages: `spaces, 12, 45–47`. */
const numbered =
  /^(.*\p{L}.*?)[\s,.·…_]+(\d{1,4}|[ivxlc]{1,7})(?:\s?[,;–-]\s?(?:\d{1,4}|[ivxlc]{1,7}))*$/u;

/** Judges the chunks of one document. */
export class Listings {
  private headings: ReadonlySet<string> | undefined;
  constructor(private readonly document: ListedText) {}

  /** Whether this part of the document, which begins at `start`, belongs to such a list. */
  isPart(part: string, { start }: { readonly start: number }): boolean {
    const lines = linesOf(part, start).filter((line) => !this.isHeading(line));
    const count = (isEntry: (line: Line) => boolean) => lines.filter(isEntry).length;
    const leaders_min = Math.max(1, entries_share_min * lines.length);
    if (count(hasLeader) >= leaders_min) return true;
    if (lines.length < entries_min) return false;
    const count_min = Math.max(entries_min, leaders_min);
    return (
      count(({ text }) => link.test(text.replace(mark, ""))) >= count_min ||
      this.isNumbered(lines, start, count_min) ||
      count(({ text }) => this.repeatsHeading(text)) >= count_min
    );
  }

  private isNumbered(lines: readonly Line[], start: number, count_min: number): boolean {
    const { text, pages } = this.document;
    const last_page = pages.at(-1)?.page ?? 0;
    const is_outer = start < outer_share * text.length || start > (1 - outer_share) * text.length;
    if (last_page < pages_min || !is_outer) return false;
    const entries = lines.flatMap((line) => {
      const [, entry, page] = numbered.exec(line.text) ?? [];
      return entry === undefined ? [] : { entry: lettersOf(entry), page: Number(page) || 0 };
    });
    if (entries.length < Math.max(count_min, numbered_min)) return false;
    if (entries.some(({ page }) => page > last_page)) return false;
    return (
      orderedShare(entries, (one, next) => one.page <= next.page) >= ascending_share_min ||
      orderedShare(entries, (one, next) => one.entry <= next.entry) >= alphabetical_share_min
    );
  }

  /** Whether the line repeats a heading, possibly with a page number. */
  private repeatsHeading(line: string): boolean {
    this.headings ??= this.readHeadings();
    if (this.headings.size === 0) return false;
    const bare = line.replace(mark, "");
    const entry = link.exec(bare)?.[1] ?? bare;
    return (
      this.headings.has(lettersOf(entry)) ||
      this.headings.has(lettersOf(line)) ||
      this.headings.has(lettersOf(numbered.exec(bare)?.[1] ?? ""))
    );
  }

  private readHeadings(): ReadonlySet<string> {
    const { text, headings = [] } = this.document;
    const heading_letters = new Set<string>();
    for (const { start, end } of headings.slice(0, headings_max))
      if (end - start <= heading_chars_max) heading_letters.add(lettersOf(text.slice(start, end)));
    heading_letters.delete("");
    return heading_letters;
  }

  /** Whether there is a heading of the document at that position. */
  private isHeading({ text, start }: Line): boolean {
    const { headings = [] } = this.document;
    const next = headings[countLeading(headings, ({ end }) => end <= start)];
    return next !== undefined && next.start < start + text.length;
  }
}

function linesOf(part: string, start: number): Line[] {
  const lines: Line[] = [];
  let at = start;
  for (const line of part.split("\n")) {
    const text = line.trim();
    // The letter above its entries in an index is not an entry.
    if (text.length > 1) lines.push({ text, start: at + line.indexOf(text) });
    at += line.length + 1;
  }
  return lines;
}

/** Only letters and digits, without the number of a section. */
const lettersOf = (line: string): string =>
  line
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^[\d.]+\s+/, "")
    .replace(/[^\p{L}\p{N}]+/gu, "");

function orderedShare<T>(all: readonly T[], isOrdered: (one: T, next: T) => boolean): number {
  const ordered = all.filter((one, at) => at + 1 < all.length && isOrdered(one, all[at + 1]!));
  return ordered.length / Math.max(1, all.length - 1);
}
