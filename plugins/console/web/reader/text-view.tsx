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
import { TextBlock, type Laid } from "./text-block";
import { drawn_at_once, layoutOf } from "./text-layout";
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

export function TextView(props: TextViewProps) {
  const { text, name, rendering: default_rendering, fixed, outline, heading_level } = props;
  const { highlight, onFound } = props;
  const root = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [as_written, setAsWritten] = useState(false);
  const rendering = as_written ? "as_written" : default_rendering;
  const [listed, setListed] = useState(false);
  const [target, setTarget] = useState<Heading | null>(null);
  const { find, ...finding } = useFind(root);
  const { layout, headings } = useMemo(
    () => layoutOf(text, outline, heading_level, default_rendering),
    [text, outline, default_rendering],
  );
  const { quote, shade } = useQuoted(text, highlight);
  const hits = useMemo(() => findAll(text, find.query), [text, find.query]);
  const ranges = useMemo(
    () => looksOf(text, { quote, shade, hits, at: find.at, target, headings, rendering }),
    [quote, shade, hits, find.at, target, headings, rendering],
  );
  useEffect(() => onFound(highlight ? quote !== null : null), [quote, highlight]);
  useScrolling(scroller, quote && { selector: "mark", range: quote }, [quote, layout, rendering]);
  const hit = hits[find.at];
  useScrolling(scroller, hit && { selector: ".find-current", range: hit }, [hit]);
  const go = (heading: Heading) => {
    setTarget({ ...heading });
    if (coversAll()) setListed(false);
  };
  useScrolling(scroller, target && goalOf(target), [target]);
  return (
    <div ref={root} class="reader-body">
      <TextTools
        listed={headings.length > 1 ? listed : null}
        onList={() => setListed(!listed)}
        written={default_rendering === "as_written" ? null : as_written}
        onWritten={() => setAsWritten(!as_written)}
        finding={find.open}
        onFind={finding.toggle}
      />
      {find.open && (
        <FindBox
          find={find}
          count={hits.length}
          onLook={finding.look}
          onStep={(by) => finding.step(by, hits.length)}
          onClose={finding.close}
        />
      )}
      <div class="reader-columns">
        {listed && headings.length > 1 && (
          <SideList label={strings.outline} onClose={() => setListed(false)}>
            <HeadingList headings={headings} current={target?.place} onGo={go} />
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
  ...rest
}: {
  readonly text: string;
  readonly layout: readonly Laid[];
  readonly rendering: Rendering;
  readonly ranges: readonly LookRange[];
}) => (
  <>
    {layout.map((laid) => (
      <TextBlock
        key={laid.chunk.from}
        laid={laid}
        at_once={layout.length <= drawn_at_once}
        {...rest}
      />
    ))}
  </>
);

/** `listed` and `written` are null if there is nothing to choose. */
function TextTools({
  listed,
  onList,
  written,
  onWritten,
  finding,
  onFind,
}: {
  readonly listed: boolean | null;
  readonly onList: () => void;
  readonly written: boolean | null;
  readonly onWritten: () => void;
  readonly finding: boolean;
  readonly onFind: () => void;
}) {
  return (
    <div class="reader-tools" role="toolbar" aria-label={strings.text_tools}>
      {listed !== null && (
        <Tool icon="list" label={strings.outline} pressed={listed} onPress={onList} />
      )}
      <span class="tools-gap" />
      {written !== null && (
        <Tool icon="code" label={strings.as_written} pressed={written} onPress={onWritten} />
      )}
      <Tool icon="search" label={strings.find} pressed={finding} onPress={onFind} />
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
const goalOf = ({ place, end }: Heading) => ({
  selector: end === undefined ? `.text-block[data-from="${place}"]` : ".reader-target",
  range: { from: place, to: place + 1 },
});

/** The markers that make the following text a heading. */
const marksBefore = (text: string, place: number): number =>
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

function looksOf(
  text: string,
  { quote, shade, hits, at, target, headings, rendering }: Looks,
): LookRange[] {
  const looks: LookRange[] = hits.map((hit, place) => ({
    ...hit,
    look: place === at ? "current" : "hit",
  }));
  if (quote) looks.push({ ...quote, look: "mark" });
  if (shade) looks.push({ ...shade, look: "shade" });
  if (target) looks.push({ from: target.place, to: target.end ?? target.place, look: "target" });
  for (const { place, end = place, is_written } of headings) {
    if (rendering === "markdown" && is_written) continue;
    looks.push({ from: place, to: end, look: "heading" });
    if (rendering === "tables" && is_written)
      looks.push({ from: place - marksBefore(text, place), to: place, look: "sign" });
  }
  return looks.sort((a, b) => a.from - b.from);
}

/** Events that mean that the user scrolls. */
const by_hand = ["wheel", "pointerdown", "keydown", "touchstart"] as const;
/** Blocks get their real heights when they come into view: wait this many frames for them. */
const frames_max = 20;

/**
 * Scrolls to the target. Blocks around it get their real heights only in view, so it repeats until
 * the position is stable, or the user scrolls.
 */
function useScrolling(
  scroller: { readonly current: HTMLElement | null },
  to: { readonly selector: string; readonly range: Range } | null | undefined,
  when: readonly unknown[],
): void {
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box || !to) return;
    let left = frames_max;
    let frame = 0;
    const settle = () => {
      const element = box.querySelector(to.selector);
      if (element) scrollToMiddle(box, element);
      else blockWith(box, to.range.from)?.scrollIntoView({ block: "center" });
      if (--left > 0) frame = requestAnimationFrame(settle);
    };
    const stop = () => cancelAnimationFrame(frame);
    settle();
    for (const event of by_hand) box.addEventListener(event, stop, { once: true, passive: true });
    return () => {
      stop();
      for (const event of by_hand) box.removeEventListener(event, stop);
    };
  }, when);
}

function blockWith(box: HTMLElement, place: number): Element | undefined {
  return [...box.querySelectorAll<HTMLElement>(".text-block")].findLast(
    (block) => Number(block.dataset["from"]) <= place,
  );
}
