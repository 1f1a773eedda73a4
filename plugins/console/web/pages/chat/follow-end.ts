/**
 * The scroll position of a conversation: follows the end while it is in view, and stays in place
 * once the user scrolls up, whatever is added below or loaded above.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Closer to the end than this counts as at the end, CSS pixels. */
const near_end_px = 80;
/** Further from the end than this, a button to jump there appears. */
const scrolled_up_px = 400;

/** `first` and `last`: the ids of the first and the last message. */
export function useFollowedEnd(first: string | undefined, last: string | undefined) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const scrolled_to = useRef(0);
  const [is_scrolled_up, setScrolledUp] = useState(false);
  const toEnd = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    following.current = true;
    box.scrollTop = box.scrollHeight;
    scrolled_to.current = box.scrollTop;
    setScrolledUp(false);
  }, []);
  useKeptTop(scroller, content, first, following);
  useLayoutEffect(toEnd, [last]);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (following.current) toEnd();
    });
    observer.observe(content.current!);
    observer.observe(scroller.current!);
    return () => observer.disconnect();
  }, []);
  const onScroll = () => {
    const box = scroller.current!;
    const below_px = box.scrollHeight - box.scrollTop - box.clientHeight;
    const is_up = box.scrollTop < scrolled_to.current - 1;
    scrolled_to.current = box.scrollTop;
    if (is_up && below_px > 4) following.current = false;
    else if (below_px < near_end_px) following.current = true;
    setScrolledUp(!following.current && below_px > scrolled_up_px);
  };
  return { scroller, content, onScroll, away: is_scrolled_up, toEnd };
}

/**
 * Scroll anchoring: keeps the first turn in place when earlier ones are inserted above. Where the
 * browser does so itself, nothing is left to do.
 */
function useKeptTop(
  scroller: { readonly current: HTMLElement | null },
  content: { readonly current: HTMLElement | null },
  first: string | undefined,
  following: { readonly current: boolean },
): void {
  const rendered_first = useRef(first);
  const anchor = useRef<{ readonly turn: Element; readonly top: number } | null>(null);
  // The DOM still has the content from before this change.
  if (rendered_first.current !== first) {
    const turn = content.current?.querySelector(".turn");
    anchor.current = turn ? { turn, top: turn.getBoundingClientRect().top } : null;
    rendered_first.current = first;
  }
  useLayoutEffect(() => {
    const saved = anchor.current;
    anchor.current = null;
    if (!saved || following.current || !saved.turn.isConnected) return;
    scroller.current!.scrollTop += saved.turn.getBoundingClientRect().top - saved.top;
  }, [first]);
}
