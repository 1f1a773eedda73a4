/** Positions a floating element beside its anchor, inside the window. */

const gap_px = 4;
const edge_px = 8;

/**
 * Below `anchor` if there is room, otherwise above. `align`: which edges line up. The element must
 * be visible already.
 */
export function positionBeside(
  floating: HTMLElement,
  anchor: HTMLElement,
  align: "start" | "end" | "centre",
): void {
  const anchor_box = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = floating;
  const left =
    align === "start"
      ? anchor_box.left
      : align === "end"
        ? anchor_box.right - width
        : anchor_box.left + (anchor_box.width - width) / 2;
  const top_below = anchor_box.bottom + gap_px;
  const top =
    top_below + height <= innerHeight - edge_px
      ? top_below
      : Math.max(edge_px, anchor_box.top - gap_px - height);
  floating.style.left = `${Math.max(edge_px, Math.min(left, innerWidth - width - edge_px))}px`;
  floating.style.top = `${top}px`;
}
