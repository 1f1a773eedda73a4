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
export function useKeptPlace(
  scroller: { readonly current: HTMLElement | null },
  scale: number,
): void {
  const before = useRef(scale);
  useLayoutEffect(() => {
    const box = scroller.current;
    const grown = scale / before.current;
    const known = before.current > 0;
    before.current = scale;
    if (!box || !known || grown === 1) return;
    const half = box.clientHeight / 2;
    box.scrollTop = (box.scrollTop + half) * grown - half;
  }, [scale]);
}

/** The page at a third of the height of the viewport; null after the reader was closed. */
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
