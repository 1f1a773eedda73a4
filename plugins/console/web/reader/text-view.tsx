/**
 * The text of a document, with a quote marked and its passage shaded. Laid out in blocks, so that
 * megabytes of text stay smooth.
 */
import { Component } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { reader_strings as strings } from "../strings/reader";
import type { Outline } from "./content";
import { scrollToMiddle, type Found, type Highlight } from "./highlight";
import {
  blocksOf,
  indicesOf,
  piecesOf,
  rangeOf,
  surroundingsOf,
  within,
  type Range,
} from "./text-ranges";

export interface TextViewProps {
  readonly text: string;
  readonly name: string;
  /** In a fixed-width font: tables, data, code. */
  readonly fixed: boolean;
  readonly outline: Outline | undefined;
  readonly highlight: Highlight | null;
  readonly onFound: (found: Found) => void;
}

export function TextView({ text, name, fixed, outline, highlight, onFound }: TextViewProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => layoutOf(text, outline), [text, outline]);
  const range = useMemo(() => highlight && rangeOf(text, highlight), [text, highlight]);
  const shade = useMemo(
    () => highlight && surroundingsOf(text, highlight, highlight.passage),
    [text, highlight],
  );
  useLayoutEffect(() => {
    onFound(highlight ? range !== null : null);
    const box = scroller.current;
    if (box && range) return settleOn(box);
  }, [range, highlight, layout]);
  return (
    <div
      ref={scroller}
      class={fixed ? "text-view text-fixed" : "text-view"}
      tabIndex={0}
      role="region"
      aria-label={strings.text_of(name)}
    >
      {layout.map((laid) => (
        <Block
          key={laid.block.from}
          text={text}
          laid={laid}
          range={within(laid.block, range) && range}
          shade={within(laid.block, shade) && shade}
        />
      ))}
    </div>
  );
}

/** A block with the page that begins with it, and the headings in it. */
interface Laid {
  readonly block: Range;
  readonly page: number | null;
  readonly headings: readonly Range[];
}
const none: readonly Range[] = [];

function layoutOf(text: string, outline: Outline | undefined): readonly Laid[] {
  const pages = outline && outline.pages.length > 1 ? outline.pages : [];
  const starts = indicesOf(
    text,
    pages.map(({ start }) => start),
  );
  const page_at = new Map(starts.map((start, at) => [start, pages[at]!.page]));
  const ends = indicesOf(text, outline?.headings.flatMap(({ start, end }) => [start, end]) ?? []);
  const headings = Array.from({ length: ends.length / 2 }, (_, at): Range => ({
    from: ends[2 * at]!,
    to: ends[2 * at + 1]!,
  }));
  let next = 0;
  return blocksOf(text, starts).map((block) => {
    while (next < headings.length && headings[next]!.to <= block.from) next++;
    let last = next;
    while (last < headings.length && headings[last]!.from < block.to) last++;
    return {
      block,
      page: page_at.get(block.from) ?? null,
      headings: last > next ? headings.slice(next, last) : none,
    };
  });
}

/** Rendered again only when its own props have changed: a long text has hundreds of blocks. */
class Block extends Component<{
  readonly text: string;
  readonly laid: Laid;
  readonly range: Range | null;
  readonly shade: Range | null;
}> {
  override shouldComponentUpdate(next: typeof this.props): boolean {
    return (
      next.text !== this.props.text ||
      next.laid !== this.props.laid ||
      next.range !== this.props.range ||
      next.shade !== this.props.shade
    );
  }
  override render() {
    const {
      text,
      laid: { block, page, headings },
      range,
      shade,
    } = this.props;
    return (
      <div class="text-block">
        {page !== null && (
          <p class="text-page">
            <span>{strings.page(page)}</span>
          </p>
        )}
        {piecesOf(block, headings, range, shade).map(({ from, to, heading, marked, shaded }) => {
          const piece = text.slice(block.from + from, block.from + to);
          const said = heading ? <strong key={from}>{piece}</strong> : piece;
          if (marked) return <mark key={from}>{said}</mark>;
          return shaded ? (
            <span key={from} class="passage-shade">
              {said}
            </span>
          ) : (
            said
          );
        })}
      </div>
    );
  }
}

/**
 * Blocks above get their real heights only when they come into view: scrolls to the mark until it
 * stays in place.
 */
function settleOn(box: HTMLElement): () => void {
  let left = 4;
  let frame = 0;
  const settle = () => {
    const mark = box.querySelector("mark");
    if (mark) scrollToMiddle(box, mark);
    if (--left > 0) frame = requestAnimationFrame(settle);
  };
  settle();
  return () => cancelAnimationFrame(frame);
}
