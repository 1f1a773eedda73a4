/** A panel with a cited passage in its document, and buttons for the previous and the next one. */
import { useEffect, useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import { ApiProblem } from "../api/client";
import type { Passage } from "../api/types";
import { IconButton } from "../ui/button";
import { Icon } from "../ui/icons";
import { Note } from "../ui/note";
import { ErrorView, Skeleton } from "../ui/states";
import { chat_strings as strings } from "../strings/chat";
import { useDocument } from "./content";
import { longLocation, passageHref } from "./location";
import { PassageButtons } from "./passage-steps";
import { plainText } from "./plain-text";
import { SourceView } from "./source-view";
import { trailOf } from "./trail";

export interface SourcePanelProps {
  readonly passages: readonly Passage[];
  /** The index of the one shown. */
  readonly at: number;
  readonly onAt: (at: number) => void;
  readonly onClose: () => void;
}

/** The document at the passage, with its name and place above. Escape closes it. */
export function SourcePanel({ passages, at, onAt, onClose }: SourcePanelProps) {
  const panel = useRef<HTMLElement>(null);
  const passage = passages[at]!;
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.stopPropagation();
    onClose();
  };
  return (
    <aside
      ref={panel}
      class="source-panel"
      aria-label={strings.source_panel}
      tabIndex={-1}
      onKeyDown={closeOnEscape}
    >
      <header class="source-head">
        <div class="source-title">
          <h1 class="vh source-alone">{strings.source_panel}</h1>
          <h2 class="clip" title={passage.document_name}>
            {passage.document_name}
          </h2>
          <p class="small muted" aria-live="polite">
            {[
              longLocation(passage),
              passages.length > 1 && strings.source_position(at + 1, passages.length),
              passage.heading,
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
        </div>
        <div class="source-buttons">
          {passages.length > 1 && <PassageButtons at={at} count={passages.length} onAt={onAt} />}
          <Link
            href={passageHref(passage)}
            state={trailOf(passages, at)}
            class="button button-ghost button-icon button-small"
            aria-label={strings.open_document}
            title={strings.open_document}
          >
            <Icon name="external" />
          </Link>
          <IconButton label={strings.close_source} icon="close" small onClick={onClose} />
        </div>
      </header>
      <SourceBody passage={passage} />
    </aside>
  );
}

function SourceBody({ passage }: { readonly passage: Passage }) {
  const query = useDocument(passage.document_id);
  const is_deleted = query.error instanceof ApiProblem && query.error.status === 404;
  if (is_deleted)
    return (
      <div class="reader-note">
        <Stale passage={passage} />
      </div>
    );
  if (!query.data)
    return query.error ? (
      <ErrorView error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <div class="reader-pad">
        <Skeleton rows={6} />
      </div>
    );
  return (
    <>
      {passage.stale && (
        <div class="reader-note">
          <Stale passage={passage} />
        </div>
      )}
      <div class="source-body">
        <SourceView
          key={query.data.id}
          document={query.data}
          highlight={passage.stale ? null : passage}
          page={passage.page ?? 1}
        />
      </div>
    </>
  );
}

const Stale = ({ passage: { quote } }: { readonly passage: Passage }) => (
  <Note tone="warn" title={strings.stale_title}>
    <p>{quote === "" ? strings.stale_gone : strings.stale_text}</p>
    {quote !== "" && (
      <blockquote class="reader-quote" tabIndex={0}>
        {plainText(quote)}
      </blockquote>
    )}
  </Note>
);
