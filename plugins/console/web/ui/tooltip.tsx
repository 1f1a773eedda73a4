/** A short explanation on hover or focus. Essential information belongs on the page instead. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { positionBeside } from "./popover-position";
import { useUniqueId } from "./unique-id";

/** Shows `text` beside its children. */
export function Tooltip({
  text,
  children,
}: {
  readonly text: string;
  readonly children: ComponentChildren;
}) {
  const id = useUniqueId();
  const anchor = useRef<HTMLSpanElement>(null);
  const tip = useRef<HTMLSpanElement>(null);
  const show = () => {
    if (!tip.current || tip.current.matches(":popover-open")) return;
    tip.current.showPopover();
    positionBeside(tip.current, anchor.current!, "centre");
  };
  const hide = () => {
    if (tip.current?.matches(":popover-open")) tip.current.hidePopover();
  };
  return (
    <span
      ref={anchor}
      aria-describedby={id}
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocusIn={show}
      onFocusOut={hide}
      onKeyDown={(event) => {
        if (event.key === "Escape") hide();
      }}
    >
      {children}
      <span ref={tip} id={id} popover="manual" role="tooltip" class="tooltip">
        {text}
      </span>
    </span>
  );
}
