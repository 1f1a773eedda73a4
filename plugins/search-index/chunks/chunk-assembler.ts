/** Assembles blocks into chunks. */
import type { ReadableText } from "../../../core/lib/text-window";
import type { PageSpan } from "../../extraction/contract";
import { HeadingPath, separator, type Heading } from "./heading-path";
import { long_chars, pieces, target_chars } from "./paragraph-cuts";
import type { TableRows } from "./table-rows";
import { crossesPage, pageAt } from "./text-scan";

/** UTF-16 indices into the text, end exclusive, without surrounding white space. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  readonly page_end: number | null;
  /** The path of headings above it, including one at its start: `Paper size › Landscape`. */
  readonly heading: string | null;
  /** The headings above it that are not part of the chunk. */
  readonly headings_above: string;
}
/** A heading, or the lines of one paragraph. */
export interface Block {
  readonly start: number;
  readonly end: number;
  readonly heading: Heading | null;
  /**
   * What follows belongs to it: it introduces it ("as follows:"), or names its subject (an option).
   */
  readonly leads_on: "announces" | "names" | null;
}
/** The chunk under construction. */
interface Open {
  readonly start: number;
  readonly end: number;
  readonly has_body: boolean;
  readonly holds_heading: boolean;
  /** Its last block, if what follows belongs to it, and where the block before that ends. */
  readonly lead: { readonly start: number; readonly end_before: number } | null;
  readonly last: Block;
}

/** A chunk of this length is complete at the end of a paragraph. */
const short_chars = 400;
/** The longest run of white space in a chunk. */
export const gap_chars_max = 64;

/**
 * Joins short blocks with the next one, headings with what follows and a lead with what it
 * introduces; splits long blocks.
 */
export class ChunkAssembler {
  private readonly chunks: Chunk[] = [];
  private open: Open | null = null;
  private readonly path = new HeadingPath();

  constructor(
    private readonly text: ReadableText,
    private readonly pages: readonly PageSpan[],
    private readonly tables: TableRows,
  ) {}

  /** Adds the next block of the text. */
  add(block: Block): void {
    if (this.open !== null && this.closes(this.open, block)) {
      const { start, end, lead } = this.open;
      const continues = block.heading === null && block.start - end <= gap_chars_max;
      if (lead !== null && continues && lead.start > start && end - lead.start < short_chars)
        this.closeBefore(lead);
      else this.close();
    }
    if (block.heading !== null) this.path.enter(block.heading, block.start);
    const { open } = this;
    this.open = {
      start: open?.start ?? block.start,
      end: block.end,
      has_body: open?.has_body === true || block.heading === null,
      holds_heading: open?.holds_heading === true || block.heading !== null,
      lead: leadOf(open, block),
      last: block,
    };
    if (block.end - this.open.start > long_chars) this.close();
  }

  private closes(open: Open, block: Block): boolean {
    const crosses = crossesPage(this.pages, open.end, block.start);
    const length = block.end - open.start;
    if (block.start - open.end > gap_chars_max) return true;
    if (!open.has_body) return block.heading !== null && (crosses || length > target_chars);
    if (block.heading !== null) return true;
    if (open.lead?.start === open.start && open.end - open.start < short_chars) return false;
    if (open.lead !== null) return crosses || length > long_chars;
    return crosses || open.end - open.start >= short_chars || length > long_chars;
  }

  /** The lead starts the next chunk. */
  private closeBefore({ start, end_before }: NonNullable<Open["lead"]>): void {
    const open = this.open!;
    this.open = { ...open, end: end_before };
    this.close();
    this.open = {
      ...open,
      start,
      has_body: true,
      holds_heading: false,
      lead: { start, end_before: start },
    };
  }

  private close(): void {
    const open = this.open!;
    this.open = null;
    if (
      !open.holds_heading &&
      open.end - open.start < short_chars &&
      this.joinsLast(open.start, open.end)
    )
      return;
    for (const [start, end] of pieces(this.text, open.start, open.end)) this.push(start, end);
  }

  /** Whether a short remainder of a section is appended to the previous chunk. */
  private joinsLast(start: number, end: number): boolean {
    const last = this.chunks.at(-1);
    if (
      last === undefined ||
      last.heading !== this.headingAt(last.start) ||
      end - last.start > long_chars ||
      start - last.end > gap_chars_max ||
      crossesPage(this.pages, last.end, start)
    )
      return false;
    this.chunks.pop();
    this.push(last.start, end);
    return true;
  }

  private push(start: number, end: number): void {
    const first = this.pages[pageAt(this.pages, start)];
    const last = this.pages[pageAt(this.pages, end - 1)];
    this.chunks.push({
      start,
      end,
      page: first?.page ?? null,
      page_end: last?.page ?? null,
      heading: this.headingAt(start),
      headings_above: [this.path.above(start), this.tables.headAbove(start) ?? ""]
        .filter((above) => above !== "")
        .join("\n"),
    });
  }

  /** The headings, and the head of the table whose rows begin here. */
  private headingAt(start: number): string | null {
    const head = this.tables.headAbove(start);
    const { text } = this.path;
    return head === null ? text : text === null ? head : text + separator + head;
  }

  /** The chunks to which nothing more will be joined. */
  takeFinal(): Chunk[] {
    return this.chunks.splice(0, this.chunks.length - 1);
  }
  /** Ends the last chunk, and takes all that have not been taken. */
  takeAll(): Chunk[] {
    if (this.open !== null) this.close();
    return this.chunks.splice(0);
  }
}

/** Successive lines introduce nothing: they are a list, or code. */
function leadOf(open: Open | null, block: Block): Open["lead"] {
  const is_one_of_many = block.leads_on === "names" && open !== null && open.last.leads_on !== null;
  if (block.leads_on === null || is_one_of_many) return null;
  return {
    start: open?.has_body === false ? open.start : block.start,
    end_before: open?.end ?? block.start,
  };
}
