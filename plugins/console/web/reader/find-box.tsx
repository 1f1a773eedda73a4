/** The find box of a document, and the key that opens it. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { reader_strings as strings } from "../strings/reader";
import { Icon } from "../ui/icons";
import { hits_max } from "./find";

/** The state of the find box. */
export interface FindState {
  readonly open: boolean;
  readonly query: string;
  /** The current match. */
  readonly index: number;
}
const closed: FindState = { open: false, query: "", index: 0 };
const typing_ms = 120;

/**
 * State of the find box: open or not, query and current match. Ctrl F opens it; in a panel only
 * while that has the focus.
 */
export function useFind(root: RefObject<HTMLElement>) {
  const [find, setFind] = useState(closed);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "f" || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey || !root.current) return;
      const panel = root.current.closest("aside");
      if (panel && !panel.contains(document.activeElement)) return;
      const field = root.current.querySelector<HTMLInputElement>(".find-box input");
      // Pressed again inside the box, it opens the browser's own search.
      if (field && field === document.activeElement) return;
      event.preventDefault();
      setFind((previous) => ({ ...previous, open: true }));
      field?.select();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
  return {
    find,
    toggle: () => setFind((previous) => (previous.open ? closed : { ...previous, open: true })),
    close: () => {
      setFind(closed);
      root.current?.querySelector<HTMLElement>("[role=region]")?.focus({ preventScroll: true });
    },
    search: (query: string) => setFind({ open: true, query, index: 0 }),
    /** Next or previous, wrapping around. */
    step: (offset: number, count: number) =>
      setFind((previous) => ({
        ...previous,
        index: count === 0 ? 0 : (previous.index + offset + count) % count,
      })),
  };
}

interface FindBoxProps {
  readonly find: FindState;
  readonly count: number;
  /** Part of the document has not been searched. */
  readonly busy?: boolean;
  readonly onSearch: (query: string) => void;
  readonly onStep: (by: number) => void;
  readonly onClose: () => void;
}

/** The field, the count of matches, and buttons for the previous and the next one. */
export function FindBox({ find, count, busy = false, onSearch, onStep, onClose }: FindBoxProps) {
  const [text, setText] = useState(find.query);
  const field = useRef<HTMLInputElement>(null);
  // Immediately, because users continue typing after Ctrl F.
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (text === find.query) return;
    const timer = setTimeout(() => onSearch(text), typing_ms);
    return () => clearTimeout(timer);
  }, [text]);
  const keyed = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (text === find.query) onStep(event.shiftKey ? -1 : 1);
      else onSearch(text);
    }
  };
  return (
    <div class="find-box" role="search" aria-label={strings.find}>
      <Icon name="search" size={16} />
      <input
        ref={field}
        type="text"
        autocomplete="off"
        spellcheck={false}
        aria-label={strings.find_label}
        placeholder={strings.find_label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={keyed}
      />
      <span class="find-count" role="status">
        {find.query.trim() !== "" && position(find.index, count, busy)}
      </span>
      <FindTool
        icon="chevron-up"
        label={strings.previous_hit}
        count={count}
        by={-1}
        {...{ onStep }}
      />
      <FindTool icon="chevron-down" label={strings.next_hit} count={count} by={1} {...{ onStep }} />
      <button type="button" class="tool" aria-label={strings.close_find} onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}

const FindTool = ({
  icon,
  label,
  count,
  by,
  onStep,
}: Pick<FindBoxProps, "count" | "onStep"> & {
  readonly icon: "chevron-up" | "chevron-down";
  readonly label: string;
  readonly by: number;
}) => (
  <button
    type="button"
    class="tool"
    aria-label={label}
    disabled={count === 0}
    onClick={() => onStep(by)}
  >
    <Icon name={icon} />
  </button>
);

function position(at: number, count: number, busy: boolean): string {
  if (count === 0) return busy ? strings.finding : strings.no_hits;
  const total = `${count}${count >= hits_max || busy ? "+" : ""}`;
  return strings.hit_of(at + 1, total);
}
