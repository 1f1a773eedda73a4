/** Tabs: arrow keys move between them and switch the panel. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useUniqueId } from "./unique-id";

/** A tab; `count` is shown beside its label. */
export interface TabItem {
  readonly key: string;
  readonly label: string;
  readonly count?: number | undefined;
}

/** The tabs and, as `children`, the panel of the active one. */
export function Tabs({
  label,
  items,
  active,
  onActive,
  children,
}: {
  readonly label: string;
  readonly items: readonly TabItem[];
  readonly active: string;
  readonly onActive: (key: string) => void;
  readonly children: ComponentChildren;
}) {
  const id = useUniqueId();
  const list = useRef<HTMLDivElement>(null);
  // If they don't fit, the active one is scrolled into view.
  useEffect(() => {
    const tab = list.current?.querySelector(`[data-tab="${active}"]`);
    tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active]);
  const move = (event: KeyboardEvent) => {
    const at = items.findIndex(({ key }) => key === active);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = items[(to + items.length) % items.length]!;
    onActive(next.key);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.key}"]`)?.focus();
  };
  return (
    <div class="stack">
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {items.map((item) => (
          <button
            key={item.key}
            type="button"
            class="tab"
            role="tab"
            id={`${id}-${item.key}`}
            data-tab={item.key}
            aria-selected={item.key === active}
            aria-controls={`${id}-panel`}
            tabIndex={item.key === active ? 0 : -1}
            onClick={() => onActive(item.key)}
          >
            {item.label}
            {item.count !== undefined && <span class="count">{item.count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${active}`}>
        {children}
      </div>
    </div>
  );
}
