/**
 * A menu behind a button, in the top layer so that nothing clips it. Arrow keys move, Enter
 * chooses, Escape closes.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { positionBeside } from "./popover-position";
import { Button, IconButton } from "./button";
import { Icon, type IconName } from "./icons";
import { useUniqueId } from "./unique-id";

/** An action, a link, or a line between groups. */
export type MenuItem =
  | {
      readonly label: string;
      readonly icon?: IconName;
      readonly danger?: boolean;
      readonly run: () => void;
    }
  /** A file, or a page outside the console's router. */
  | {
      readonly label: string;
      readonly icon?: IconName;
      readonly href: string;
      readonly download?: boolean;
    }
  | "separator";

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * State, position and focus of the menu. Counts how often it was opened: closing and reopening at
 * once reports only the opening, which must take the focus again.
 */
function useMenu(id: string) {
  const ref = useRef<HTMLDivElement>(null);
  const [openings, setOpenings] = useState(0);
  const entries = () => [...ref.current!.querySelectorAll<HTMLElement>("[role=menuitem]")];
  // Its height is known once the items are rendered.
  useLayoutEffect(() => {
    if (openings === 0) return;
    const opener = document.querySelector<HTMLElement>(`[popovertarget="${id}"]`)!;
    positionBeside(ref.current!, opener, "end");
    entries()[0]?.focus();
  }, [openings]);
  return {
    ref,
    open: openings > 0,
    close: () => ref.current?.hidePopover(),
    onToggle: (event: Event & { newState?: string }) =>
      setOpenings((count) => (event.newState === "open" ? count + 1 : 0)),
    onKeyDown: (event: KeyboardEvent) => moveFocus(event, entries()),
  };
}

function moveFocus(event: KeyboardEvent, entries: readonly HTMLElement[]): void {
  const at = entries.indexOf(document.activeElement as HTMLElement);
  const step = steps[event.key];
  if (step !== undefined) entries[(at + step + entries.length) % entries.length]?.focus();
  else if (event.key === "Home") entries[0]?.focus();
  else if (event.key === "End") entries.at(-1)?.focus();
  else return;
  event.preventDefault();
}

/** With `icon` the button shows no text: `label` is its accessible name. */
export function Menu({
  label,
  items,
  icon = "more",
  text,
  small = true,
}: {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly icon?: IconName;
  readonly text?: string;
  readonly small?: boolean;
}) {
  const id = useUniqueId();
  const { ref, open, close, onToggle, onKeyDown } = useMenu(id);
  const opener = { popovertarget: id, "aria-haspopup": "menu", "aria-expanded": open } as const;
  return (
    <>
      {text ? (
        <Button {...opener} small={small} icon={icon}>
          {text}
        </Button>
      ) : (
        <IconButton {...opener} label={label} icon={icon} small={small} />
      )}
      <div
        ref={ref}
        id={id}
        popover="auto"
        class="menu"
        role="menu"
        aria-label={label}
        onToggle={onToggle}
        onKeyDown={(event) => {
          if (event.key === "Tab") close();
          else onKeyDown(event);
        }}
      >
        {open && items.map((item, index) => <Item key={index} item={item} close={close} />)}
      </div>
    </>
  );
}

function Item({ item, close }: { readonly item: MenuItem; readonly close: () => void }) {
  if (item === "separator") return <div class="menu-separator" role="separator" />;
  const content = (
    <>
      {item.icon && <Icon name={item.icon} />}
      <span>{item.label}</span>
    </>
  );
  if ("href" in item)
    return (
      <a
        class="menu-item"
        role="menuitem"
        tabIndex={-1}
        href={item.href}
        download={item.download ? "" : undefined}
        onClick={close}
      >
        {content}
      </a>
    );
  return (
    <button
      type="button"
      class={`menu-item${item.danger ? " menu-item-danger" : ""}`}
      role="menuitem"
      tabIndex={-1}
      onClick={() => {
        close();
        item.run();
      }}
    >
      {content}
    </button>
  );
}
