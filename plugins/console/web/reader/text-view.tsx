/**
 * The text of a document, rendered, with a quote highlighted and its passage shaded; its outline,
 * and a find box. Blocks far from the viewport are not rendered, so that megabytes stay smooth.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { reader_strings as strings } from "../strings/reader";
import type { Outline } from "./content";
import { findAll } from "./find";
import { FindBox, useFind } from "./find-box";
import { scrollToMiddle, type Found, type Highlight } from "./highlight";
import type { Rendering } from "./rendered-text";
import { coversAll, HeadingList, SideList, type Heading } from "./side-list";
import type { LookRange } from "./styled-pieces";
import { TextBlock, type TextBlockLayout } from "./text-block";
import { full_render_blocks_max, layoutOf } from "./text-layout";
import { Tool } from "./tool";
import { rangeOf, surroundingsOf, type Range } from "./text-ranges";

export interface TextViewProps {
  readonly text: string;
  readonly name: string;
  readonly rendering: Rendering;
  /** In a fixed-width font: data, code. */
  readonly fixed: boolean;
  readonly outline: Outline | undefined;
  /** The level of the highest headings: one below that of the page above them. */
  readonly heading_level: number;
  readonly highlight: Highlight | null;
  readonly onFound: (found: Found) => void;
}

/** The text with its toolbar, sidebar and find box. */
export function TextView(props: TextViewProps) {
  const { text, name, rendering: default_rendering, fixed, outline, heading_level } = props;
  const { highlight, onFound } = props;
  const root = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [as_written, setAsWritten] = useState(false);
  const rendering = as_written ? "as_written" : default_rendering;
  const [is_side_open, setSideOpen] = useState(false);
  const [target, setTarget] = useState<Heading | null>(null);
  const { find, ...finding } = useFind(root);
  const { layout, headings } = useMemo(
    () => layoutOf(text, outline, heading_level, default_rendering),
    [text, outline, default_rendering],
  );
  const { quote, shade } = useQuoted(text, highlight);
  const hits = useMemo(() => findAll(text, find.query), [text, find.query]);
  const ranges = useMemo(
    () => lookRanges(text, { quote, shade, hits, at: find.index, target, headings, rendering }),
    [quote, shade, hits, find.index, target, headings, rendering],
  );
  useEffect(() => onFound(highlight ? quote !== null : null), [quote, highlight]);
  useScrolling(scroller, quote && { selector: "mark", range: quote }, [quote, layout, rendering]);
  const hit = hits[find.index];
  useScrolling(scroller, hit && { selector: ".find-current", range: hit }, [hit]);
  const goTo = (heading: Heading) => {
    setTarget({ ...heading });
    if (coversAll()) setSideOpen(false);
  };
  useScrolling(scroller, target && scrollTargetOf(target), [target]);
  return (
    <div ref={root} class="reader-body">
      <TextTools
        is_side_open={headings.length > 1 ? is_side_open : null}
        onList={() => setSideOpen(!is_side_open)}
        is_as_written={default_rendering === "as_written" ? null : as_written}
        onWritten={() => setAsWritten(!as_written)}
        is_find_open={find.open}
        onFind={finding.toggle}
      />
      {find.open && (
        <FindBox
          find={find}
          count={hits.length}
          onSearch={finding.search}
          onStep={(by) => finding.step(by, hits.length)}
          onClose={finding.close}
        />
      )}
      <div class="reader-columns">
        {is_side_open && headings.length > 1 && (
          <SideList label={strings.outline} onClose={() => setSideOpen(false)}>
            <HeadingList headings={headings} current={target?.place} onGo={goTo} />
          </SideList>
        )}
        <div
          ref={scroller}
          class={fixed ? "text-view text-fixed" : "text-view"}
          tabIndex={0}
          role="region"
          aria-label={strings.text_of(name)}
        >
          <Blocks {...{ text, layout, rendering, ranges }} />
        </div>
      </div>
    </div>
  );
}

const Blocks = ({
  layout,
  ...block_props
}: {
  readonly text: string;
  readonly layout: readonly TextBlockLayout[];
  readonly rendering: Rendering;
  readonly ranges: readonly LookRange[];
}) => (
  <>
    {layout.map((laid) => (
      <TextBlock
        key={laid.chunk.from}
        layout={laid}
        at_once={layout.length <= full_render_blocks_max}
        {...block_props}
      />
    ))}
  </>
);

/** `is_side_open` and `is_as_written` are null if there is nothing to choose. */
function TextTools({
  is_side_open,
  onList,
  is_as_written,
  onWritten,
  is_find_open,
  onFind,
}: {
  readonly is_side_open: boolean | null;
  readonly onList: () => void;
  readonly is_as_written: boolean | null;
  readonly onWritten: () => void;
  readonly is_find_open: boolean;
  readonly onFind: () => void;
}) {
  return (
    <div class="reader-tools" role="toolbar" aria-label={strings.text_tools}>
      {is_side_open !== null && (
        <Tool icon="list" label={strings.outline} pressed={is_side_open} onPress={onList} />
      )}
      <span class="tools-gap" />
      {is_as_written !== null && (
        <Tool icon="code" label={strings.as_written} pressed={is_as_written} onPress={onWritten} />
      )}
      <Tool icon="search" label={strings.find} pressed={is_find_open} onPress={onFind} />
    </div>
  );
}

/** The quote, and the passage around it. */
function useQuoted(text: string, highlight: Highlight | null) {
  const quote = useMemo(() => highlight && rangeOf(text, highlight), [text, highlight]);
  const shade = useMemo(
    () => highlight && surroundingsOf(text, highlight, highlight.passage),
    [text, highlight],
  );
  return { quote, shade };
}

/** A page has no text of its own to scroll to, but begins a block. */
const scrollTargetOf = ({ place, end }: Heading) => ({
  selector: end === undefined ? `.text-block[data-from="${place}"]` : ".reader-target",
  range: { from: place, to: place + 1 },
});

/** The markers that make the following text a heading. */
const markerLengthBefore = (text: string, place: number): number =>
  /#{1,6}[ \t]*$/.exec(text.slice(Math.max(0, place - 8), place))?.[0].length ?? 0;

interface Looks {
  readonly quote: Range | null;
  readonly shade: Range | null;
  readonly hits: readonly Range[];
  readonly at: number;
  readonly target: Heading | null;
  readonly headings: readonly Heading[];
  readonly rendering: Rendering;
}

function lookRanges(
  text: string,
  { quote, shade, hits, at, target, headings, rendering }: Looks,
): LookRange[] {
  const looks: LookRange[] = hits.map((hit, index) => ({
    ...hit,
    look: index === at ? "current" : "hit",
  }));
  if (quote) looks.push({ ...quote, look: "mark" });
  if (shade) looks.push({ ...shade, look: "shade" });
  if (target) looks.push({ from: target.place, to: target.end ?? target.place, look: "target" });
  for (const { place, end = place, is_written } of headings) {
    if (rendering === "markdown" && is_written) continue;
    looks.push({ from: place, to: end, look: "heading" });
    if (rendering === "tables" && is_written)
      looks.push({ from: place - markerLengthBefore(text, place), to: place, look: "sign" });
  }
  return looks.sort((a, b) => a.from - b.from);
}

/** Events that mean that the user scrolls. */
const scroll_events = ["wheel", "pointerdown", "keydown", "touchstart"] as const;
/** Blocks get their real heights when they come into view: wait this many frames for them. */
const frames_max = 20;

/**
 * Scrolls to the target. Blocks around it get their real heights only in view, so it repeats until
 * the position is stable, or the user scrolls.
 */
function useScrolling(
  scroller: { readonly current: HTMLElement | null },
  target: { readonly selector: string; readonly range: Range } | null | undefined,
  dependencies: readonly unknown[],
): void {
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box || !target) return;
    let frames_left = frames_max;
    let frame = 0;
    const settle = () => {
      const element = box.querySelector(target.selector);
      if (element) scrollToMiddle(box, element);
      else blockWith(box, target.range.from)?.scrollIntoView({ block: "center" });
      if (--frames_left > 0) frame = requestAnimationFrame(settle);
    };
    const stop = () => cancelAnimationFrame(frame);
    settle();
    for (const event of scroll_events)
      box.addEventListener(event, stop, { once: true, passive: true });
    return () => {
      stop();
      for (const event of scroll_events) box.removeEventListener(event, stop);
    };
  }, dependencies);
}

function blockWith(box: HTMLElement, place: number): Element | undefined {
  return [...box.querySelectorAll<HTMLElement>(".text-block")].findLast(
    (block) => Number(block.dataset["from"]) <= place,
  );
}
