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
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = floating;
  const left =
    align === "start"
      ? at.left
      : align === "end"
        ? at.right - width
        : at.left + (at.width - width) / 2;
  const below = at.bottom + gap_px;
  const top =
    below + height <= innerHeight - edge_px ? below : Math.max(edge_px, at.top - gap_px - height);
  floating.style.left = `${Math.max(edge_px, Math.min(left, innerWidth - width - edge_px))}px`;
  floating.style.top = `${top}px`;
}
