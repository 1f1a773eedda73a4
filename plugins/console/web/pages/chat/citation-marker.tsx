/**
 * The marker of a citation in an answer. On hover or focus, a card shows the quote; a click opens
 * the document beside the answer. On touch screens the first tap shows the card.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Citation } from "../../api/chats";
import { citationText, longLocation, passageHref } from "../../reader/location";
import { plainText } from "../../reader/plain-text";
import { trailOf } from "../../reader/trail";
import { chat_strings as strings } from "../../strings/chat";
import { positionBeside } from "../../ui/popover-position";
import { useUniqueId } from "../../ui/unique-id";

interface MarkerProps {
  readonly citation: Citation;
  /** All citations of the answer, including this one. */
  readonly citations: readonly Citation[];
  readonly pressed: boolean;
  readonly onOpen: (id: number, from: HTMLElement) => void;
}

/** Time for the pointer to move from the marker to its card. */
const leave_ms = 200;

/** The number of a citation as a button, with its card. */
export function CitationMarker({ citation, citations, pressed, onOpen }: MarkerProps) {
  const id = useUniqueId();
  const marker = useRef<HTMLButtonElement>(null);
  const { shown, show, hide, watch } = useCard();
  const touched = useRef(false);
  const clicked = () => {
    // Touch can't hover: the first tap shows the card, whose button opens the document.
    if (touched.current && !shown) return show();
    hide();
    onOpen(citation.id, marker.current!);
  };
  return (
    <span class="cite-place" {...watch}>
      <button
        ref={marker}
        type="button"
        class={citation.stale ? "cite cite-stale" : "cite"}
        aria-pressed={pressed}
        aria-label={strings.cite(citation.id, citationText(citation))}
        aria-describedby={shown ? id : undefined}
        onPointerDown={({ pointerType }) => {
          touched.current = pointerType === "touch";
        }}
        onKeyDown={() => {
          touched.current = false;
        }}
        onClick={clicked}
      >
        {citation.id}
      </button>
      {shown && (
        <Card id={id} {...{ citation, citations }} marker={marker.current!}>
          <button
            type="button"
            class="button button-small"
            onClick={() => {
              hide();
              onOpen(citation.id, marker.current!);
            }}
          >
            {strings.show_in_document}
          </button>
        </Card>
      )}
    </span>
  );
}

/** Shown while the pointer or the focus is on the marker or the card; Escape hides it. */
function useCard() {
  const [shown, setShown] = useState(false);
  const hide_timer = useRef<ReturnType<typeof setTimeout>>();
  const cancelHide = () => clearTimeout(hide_timer.current);
  const show = () => {
    cancelHide();
    setShown(true);
  };
  const hide = () => {
    cancelHide();
    setShown(false);
  };
  useEffect(() => cancelHide, []);
  useEffect(() => {
    if (!shown) return;
    const hideOnOutside = (event: Event) => {
      if (!(event.target as Element).closest?.(".cite-place")) hide();
    };
    const hideOnEscape = (event: KeyboardEvent) => {
      if (event.key === "Escape") hide();
    };
    // Hidden on scrolling, because its anchor moves away.
    const hideOnScroll = ({ target }: Event) => {
      if (!(target as Element).closest?.(".cite-card")) hide();
    };
    addEventListener("pointerdown", hideOnOutside);
    addEventListener("keydown", hideOnEscape);
    addEventListener("scroll", hideOnScroll, true);
    return () => {
      removeEventListener("pointerdown", hideOnOutside);
      removeEventListener("keydown", hideOnEscape);
      removeEventListener("scroll", hideOnScroll, true);
    };
  }, [shown]);
  return {
    shown,
    show,
    hide,
    watch: {
      onPointerEnter: ({ pointerType }: PointerEvent) => {
        if (pointerType !== "touch") show();
      },
      onPointerLeave: ({ pointerType }: PointerEvent) => {
        if (pointerType !== "touch")
          hide_timer.current = setTimeout(() => setShown(false), leave_ms);
      },
      onFocusIn: ({ target }: FocusEvent) => {
        if ((target as Element).matches(":focus-visible")) show();
      },
      onFocusOut: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!(currentTarget as Element).contains(relatedTarget as Node | null)) hide();
      },
    },
  };
}

function Card({
  id,
  citation,
  citations,
  marker,
  children,
}: {
  readonly id: string;
  readonly citation: Citation;
  readonly citations: readonly Citation[];
  readonly marker: HTMLElement;
  readonly children: preact.ComponentChildren;
}) {
  const card = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!card.current) return;
    card.current.showPopover();
    positionBeside(card.current, marker, "centre");
  }, [marker]);
  const location = longLocation(citation);
  return (
    // The surrounding live region announces new answers; this is not one.
    <span ref={card} popover="manual" class="cite-card" aria-live="off">
      <span class="cite-card-name">{citation.document_name}</span>
      {location !== null && <span class="cite-card-place">{location}</span>}
      <span id={id} class="cite-card-quote">
        {citation.quote === "" ? strings.stale_gone : plainText(citation.quote)}
      </span>
      <span class="cite-card-links">
        {children}
        <Link
          class="button button-small button-ghost"
          href={passageHref(citation)}
          state={trailOf(citations, citations.indexOf(citation))}
        >
          {strings.open_document}
        </Link>
      </span>
    </span>
  );
}
