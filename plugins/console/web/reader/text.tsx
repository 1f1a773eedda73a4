/** A document as its text, with a passage marked. Laid out block by block, so that a text of megabytes stays smooth. */
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { words } from "../words/reader";
import { scrollToMiddle, type Found, type Highlight } from "./highlight";
import { blocksOf, rangeOf, within, type Range } from "./spans";

export interface TextViewProps {
  readonly text: string;
  readonly name: string;
  /** Columns stand below each other: tables, data, code. */
  readonly fixed: boolean;
  readonly highlight: Highlight | null;
  readonly onFound: (found: Found) => void;
}

export function TextView({ text, name, fixed, highlight, onFound }: TextViewProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const blocks = useMemo(() => blocksOf(text), [text]);
  const range = useMemo(() => highlight && rangeOf(text, highlight), [text, highlight]);
  useLayoutEffect(() => {
    onFound(highlight ? range !== null : null);
    const box = scroller.current;
    if (box && range) return settleOn(box);
  }, [range, highlight]);
  return (
    <div ref={scroller} class={fixed ? "text-view text-fixed" : "text-view"} tabIndex={0} role="region" aria-label={words.text_of(name)}>
      {blocks.map((block) => <Block key={block.from} text={text} block={block} range={range} />)}
    </div>
  );
}

function Block({ text, block, range }: { readonly text: string; readonly block: Range; readonly range: Range | null }) {
  const words = text.slice(block.from, block.to);
  const marked = within(block, range);
  return <div class="text-block">{marked ? <>{words.slice(0, marked.from)}<mark>{words.slice(marked.from, marked.to)}</mark>{words.slice(marked.to)}</> : words}</div>;
}

/** Blocks above get their real heights only when they come near: the mark is brought into the middle until it stays there. */
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
