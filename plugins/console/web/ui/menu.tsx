/**
 * A menu behind a button, in the top layer so that no list cuts it off. Arrows move, Enter chooses,
 * Escape leaves.
 */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { positionBeside } from "./popover-position";
import { Button, IconButton } from "./button";
import { Icon, type IconName } from "./icons";

export type MenuItem =
  | {
      readonly label: string;
      readonly icon?: IconName;
      readonly danger?: boolean;
      readonly disabled?: boolean;
      readonly run: () => void;
    }
  /** A file or page outside the console's router. */
  | {
      readonly label: string;
      readonly icon?: IconName;
      readonly href: string;
      readonly download?: boolean;
    }
  | "separator";

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** With `icon` only the button shows no text: `label` is read out. */
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
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  /**
   * 0 while it is closed. A menu that is closed and opened at once tells only of the opening: it
   * counts, so that the focus goes into it each time.
   */
  const [openings, setOpenings] = useState(0);
  const open = openings > 0;
  const opener = { popovertarget: id, "aria-haspopup": "menu", "aria-expanded": open } as const;
  const entries = () => [...menu.current!.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const close = () => menu.current?.hidePopover();
  const toggled = (event: Event & { newState?: string }) =>
    setOpenings((count) => (event.newState === "open" ? count + 1 : 0));
  // Its height is known when the items are in it.
  useLayoutEffect(() => {
    if (!open) return;
    positionBeside(
      menu.current!,
      document.querySelector<HTMLElement>(`[popovertarget="${id}"]`)!,
      "end",
    );
    entries()[0]?.focus();
  }, [openings]);
  const move = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = steps[event.key];
    if (step !== undefined) all[(at + step + all.length) % all.length]?.focus();
    else if (event.key === "Home") all[0]?.focus();
    else if (event.key === "End") all.at(-1)?.focus();
    else if (event.key === "Tab") {
      close();
      return;
    } else return;
    event.preventDefault();
  };
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
        ref={menu}
        id={id}
        popover="auto"
        class="menu"
        role="menu"
        aria-label={label}
        onToggle={toggled}
        onKeyDown={move}
      >
        {open &&
          items.map((item, place_in_list) => (
            <Item key={place_in_list} item={item} close={close} />
          ))}
      </div>
    </>
  );
}

function Item({ item, close }: { readonly item: MenuItem; readonly close: () => void }) {
  if (item === "separator") return <div class="menu-separator" role="separator" />;
  const inner = (
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
        {inner}
      </a>
    );
  return (
    <button
      type="button"
      class={`menu-item${item.danger ? " menu-item-danger" : ""}`}
      role="menuitem"
      tabIndex={-1}
      aria-disabled={item.disabled || undefined}
      onClick={() => {
        if (item.disabled) return;
        close();
        item.run();
      }}
    >
      {inner}
    </button>
  );
}
