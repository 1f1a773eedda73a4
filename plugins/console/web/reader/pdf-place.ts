/** The available width for PDF pages, and which page is in view. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The width available to pages, CSS pixels; 0 until it is known. */
export function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Keeps the centre in place when the scale changes; 0 means no scale yet. */
export function useStableCentre(
  scroller: { readonly current: HTMLElement | null },
  scale: number,
): void {
  const previous_scale = useRef(scale);
  useLayoutEffect(() => {
    const box = scroller.current;
    const factor = scale / previous_scale.current;
    const had_scale = previous_scale.current > 0;
    previous_scale.current = scale;
    if (!box || !had_scale || factor === 1) return;
    const half = box.clientHeight / 2;
    box.scrollTop = (box.scrollTop + half) * factor - half;
  }, [scale]);
}

/**
 * The number of the page at a third of the viewport's height. `elements` are the pages by number;
 * `scroller` is null after the reader was closed.
 */
export function pageAt(
  scroller: HTMLElement | null,
  elements: ReadonlyMap<number, HTMLElement>,
): number {
  const line = (scroller?.scrollTop ?? 0) + (scroller?.clientHeight ?? 0) / 3;
  let low = 1;
  let high = elements.size;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((elements.get(middle)?.offsetTop ?? 0) <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}
