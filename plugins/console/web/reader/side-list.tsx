/** The sidebar of a document: its headings, and other entries that lead to a position. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { reader_strings as strings } from "../strings/reader";
import { Icon } from "../ui/icons";

/** An entry of the outline. */
export interface Heading {
  readonly text: string;
  /** 1 is the top level. */
  readonly level: number;
  /** Its position: an index of the text, or a page. */
  readonly place: number;
  /** Its end in the text. */
  readonly end?: number;
  /** Includes the Markdown markers that make it a heading when rendered. */
  readonly is_written?: boolean;
}

/** On a narrow screen the sidebar covers the document, so it closes after a choice. */
export const coversAll = (): boolean => matchMedia("(max-width: 700px)").matches;

/** Escape closes it. */
export function SideList({
  label,
  onClose,
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <nav
      class="reader-side"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <header class="reader-side-head">
        <span class="label">{label}</span>
        <button type="button" class="tool" aria-label={strings.close_side} onClick={onClose}>
          <Icon name="close" size={16} />
        </button>
      </header>
      {children}
    </nav>
  );
}

/** The outline, indented by level. */
export function HeadingList({
  headings,
  current,
  onGo,
}: {
  readonly headings: readonly Heading[];
  /** The last entry before what is in view. */
  readonly current?: number | undefined;
  readonly onGo: (heading: Heading) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const top_level = Math.min(...headings.map(({ level }) => level));
  useEffect(() => list.current?.querySelector<HTMLElement>("button")?.focus(), []);
  return (
    <ul ref={list} class="heading-list">
      {headings.map((heading, index) => (
        <li key={index}>
          <button
            type="button"
            class="heading-link"
            aria-current={heading.place === current ? "true" : undefined}
            style={{ paddingLeft: `${8 + 12 * Math.min(4, heading.level - top_level)}px` }}
            onClick={() => onGo(heading)}
          >
            {heading.text}
          </button>
        </li>
      ))}
    </ul>
  );
}
