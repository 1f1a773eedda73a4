/**
 * The source viewer: the pages of a document, its image, its recording with transcript, or its
 * text, with a passage highlighted.
 */
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Document } from "../api/types";
import { ErrorView, Skeleton } from "../ui/states";
import { forPeople } from "../ui/sentence";
import { Button } from "../ui/button";
import { Note } from "../ui/note";
import { reader_strings as strings } from "../strings/reader";
import { useContent, useOutline } from "./content";
import type { Found, Highlight } from "./highlight";
import { Picture } from "./picture";
import type { PdfProps } from "./pdf";
import { fileUrl, viewsOf, type View } from "./views";
import { plainText } from "./plain-text";
import { renderingOf } from "./rendering";
import { surroundingsOf } from "./text-ranges";
import { TextView } from "./text-view";
import { TranscriptView } from "./transcript-view";

export interface SourceViewProps {
  readonly document: Document;
  /** The passage to highlight and scroll to. */
  readonly highlight?: Highlight | null;
  /** A passage exists, although it may not be loaded yet. */
  readonly has_passage?: boolean;
  /** One of several passages: shows buttons for the previous and next one. */
  readonly steps?: ComponentChildren;
  /** The initial page, if there is no passage. */
  readonly page?: number;
  /** The level of the highest headings of the text. */
  readonly heading_level?: number;
}

/** Fills its parent, which must have a height. */
export function SourceView({
  document,
  highlight: quoted = null,
  has_passage = quoted !== null,
  steps,
  page = 1,
  heading_level = 3,
}: SourceViewProps) {
  const highlight = useSurroundings(document, quoted);
  const views = viewsOf(document);
  const initial_view = firstView(views, has_passage);
  const [chosen_view, setChosenView] = useState<View>(initial_view);
  const [failed, setFailed] = useState<string | null>(null);
  const [found, setFound] = useState<Found>(null);
  const view = views.includes(chosen_view) ? chosen_view : views[0]!;
  useEffect(() => {
    setFailed(null);
    setChosenView(initial_view);
  }, [document.id, document.version, document.status, initial_view]);
  const toText = () => setChosenView("text");
  return (
    <div class="reader">
      {steps}
      {views.length > 1 && <ViewTabs views={views} view={view} onView={setChosenView} />}
      {view !== "text" && failed && <ViewFailure document={document} reason={failed} />}
      {(found === false || view === "picture") && !failed && (
        <PassageNote
          view={view}
          highlight={highlight}
          onText={views.includes("text") && view !== "text" ? toText : undefined}
        />
      )}
      {view === "pages" && !failed && (
        <LazyPdf
          document={document}
          page={highlight?.page ?? page}
          highlight={highlight}
          onFound={setFound}
          onFailed={(reason) => setFailed(strings[reason])}
        />
      )}
      {view === "picture" && !failed && (
        <Picture
          url={fileUrl(document)}
          name={document.name}
          onFailed={() => setFailed(strings.picture_broken)}
        />
      )}
      {view === "recording" && (
        <TranscriptView document={document} highlight={highlight} onFound={setFound} />
      )}
      {view === "text" && (
        <DocumentText {...{ document, highlight, heading_level }} onFound={setFound} />
      )}
    </div>
  );
}

/** On a phone, a full page has letters too small to read. */
const isPhone = (): boolean => matchMedia("(max-width: 480px)").matches;

/** The initial view: on a phone a passage is shown in the text, which reflows. */
const firstView = (views: readonly View[], has_passage: boolean): View =>
  has_passage && views[0] === "pages" && views.includes("text") && isPhone() ? "text" : views[0]!;

/**
 * The quote with the surrounding text, which is cut out of the document's text; null until that is
 * loaded.
 */
function useSurroundings(document: Document, quoted: Highlight | null): Highlight | null {
  const passage = quoted?.passage;
  const is_wider =
    passage !== undefined && passage.end - passage.start > quoted!.end - quoted!.start;
  const content = useContent(document, is_wider);
  return useMemo(() => {
    if (!quoted || !is_wider || content.error) return quoted;
    if (content.data === undefined) return null;
    const range = surroundingsOf(content.data, quoted, passage);
    return range ? { ...quoted, surroundings: content.data.slice(range.from, range.to) } : quoted;
  }, [quoted, is_wider, content.data, content.error]);
}

function ViewTabs({
  views,
  view,
  onView,
}: {
  readonly views: readonly View[];
  readonly view: View;
  readonly onView: (view: View) => void;
}) {
  return (
    <div class="reader-views" role="group" aria-label={strings.views}>
      {views.map((choice) => (
        <button
          key={choice}
          type="button"
          class="view-tab"
          aria-pressed={choice === view}
          onClick={() => onView(choice)}
        >
          {strings.view[choice]}
        </button>
      ))}
    </div>
  );
}

function ViewFailure({
  document,
  reason,
}: {
  readonly document: Document;
  readonly reason: string;
}) {
  return (
    <div class="reader-note">
      <Note
        tone="warn"
        live
        actions={
          <a class="button button-small" href={fileUrl(document)} download={document.name}>
            {strings.download}
          </a>
        }
      >
        <p>
          {reason} {document.status === "synced" ? strings.broken_next : strings.download_next}
        </p>
      </Note>
    </div>
  );
}

/** Says that the passage could not be highlighted, and quotes it. */
function PassageNote({
  view,
  highlight,
  onText,
}: {
  readonly view: View;
  readonly highlight: Highlight | null;
  readonly onText: (() => void) | undefined;
}) {
  if (!highlight) return null;
  return (
    <div class="reader-note">
      <Note
        tone="info"
        live
        {...(onText && {
          actions: (
            <Button small onClick={onText}>
              {strings.show_text}
            </Button>
          ),
        })}
      >
        <p>{strings.not_marked[view]}</p>
        <blockquote class="reader-quote" tabIndex={0}>
          {plainText(highlight.quote)}
        </blockquote>
      </Note>
    </div>
  );
}

/** pdf.js is larger than the rest of the console: it is loaded when a PDF is opened. */
function LazyPdf(props: PdfProps) {
  const [Pdf, setPdf] = useState<ComponentType<PdfProps> | null>(null);
  useEffect(() => {
    let is_unmounted = false;
    import("./pdf").then(
      (loaded) => {
        if (!is_unmounted) setPdf(() => loaded.Pdf);
      },
      () => {
        if (!is_unmounted) props.onFailed("broken");
      },
    );
    return () => {
      is_unmounted = true;
    };
  }, []);
  return Pdf ? (
    <Pdf {...props} />
  ) : (
    <div class="reader-wait" role="status">
      <span class="reader-bar" />
      {strings.opening(props.document.name)}
    </div>
  );
}

function DocumentText({
  document,
  highlight,
  heading_level,
  onFound,
}: {
  readonly heading_level: number;
  readonly document: Document;
  readonly highlight: Highlight | null;
  readonly onFound: (found: Found) => void;
}) {
  const content = useContent(document);
  const outline = useOutline(document);
  const rendering = useMemo(
    () => renderingOf(document, content.data ?? ""),
    [document.media_type, document.source.kind, content.data],
  );
  if (content.error && content.data === undefined)
    return <ErrorView error={content.error} onRetry={() => void content.refetch()} />;
  if (content.data === undefined)
    return (
      <div class="reader-pad">
        <Skeleton rows={8} />
      </div>
    );
  if (content.data === "") return <NoText document={document} />;
  return (
    <TextView
      text={content.data}
      name={document.name}
      rendering={rendering}
      fixed={isFixed(document.media_type)}
      outline={outline.data}
      heading_level={heading_level}
      highlight={highlight}
      onFound={onFound}
    />
  );
}

function NoText({ document }: { readonly document: Document }) {
  if (document.status === "syncing")
    return (
      <div class="reader-wait" role="status">
        <span class="reader-bar" />
        {strings.no_text_yet}
      </div>
    );
  const failed = document.status === "sync_failed";
  return (
    <div class="reader-note">
      <Note tone={failed ? "bad" : "info"} title={failed ? strings.failed : strings.empty}>
        {document.error && <p>{forPeople(document.error.message)}</p>}
      </Note>
    </div>
  );
}

/** Data, shown in a fixed-width font. */
const isFixed = (media_type: string): boolean =>
  /json|xml|yaml|x-log/.test(media_type) && !/officedocument|opendocument|xhtml/.test(media_type);
