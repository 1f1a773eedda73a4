/**
 * The pages of a PDF: zoom, page navigation, the highlighted passage. A separate chunk, loaded when
 * the first PDF is opened.
 */
import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Document } from "../api/types";
import { reader_strings as strings } from "../strings/reader";
import { scrollToMiddle, type Found, type Highlight } from "./highlight";
import { FindBox, useFind, type FindState } from "./find-box";
import { usePdfFind, useShownHits } from "./pdf-find";
import { openPdf, wantsPassword, type PDFDocumentProxy } from "./pdfjs";
import { findOnPages, no_marks, type Marks } from "./pdf-search";
import { PdfPage, type PdfPageProps, type Size } from "./pdf-page";
import { pageAt, useStableCentre, useWidth } from "./pdf-place";
import { PdfSide } from "./pdf-side";
import { coversAll } from "./side-list";
import { stepOf, type Zoom } from "./zoom";
import { PdfToolbar } from "./pdf-toolbar";
import { fileUrl } from "./views";

export interface PdfProps {
  readonly document: Document;
  /** The initial page. */
  readonly page: number;
  readonly highlight: Highlight | null;
  /** Reports whether the passage is highlighted. */
  readonly onFound: (found: Found) => void;
  readonly onFailed: (reason: "locked" | "broken") => void;
}

/** Points to CSS pixels at 100 %. */
const css_px_per_point = 96 / 72;
const a4: Size = { width: 595, height: 842 };
const margin_px = 32;

/** The pages, or a waiting note until the file is open. */
export function Pdf({ document, page, highlight, onFound, onFailed }: PdfProps) {
  const opened = useOpened(fileUrl(document), onFailed);
  if (!opened)
    return (
      <div class="reader-wait" role="status">
        <span class="reader-bar" />
        {strings.opening(document.name)}
      </div>
    );
  return <Pages {...opened} {...{ document, page, highlight, onFound }} />;
}

interface Opened {
  readonly pdf: PDFDocumentProxy;
  readonly default_size: Size;
}

function useOpened(url: string, onFailed: PdfProps["onFailed"]): Opened | null {
  const [opened, setOpened] = useState<Opened | null>(null);
  useEffect(() => {
    const { document, close } = openPdf(url);
    let is_unmounted = false;
    setOpened(null);
    document
      .then(async (pdf) => {
        const { width, height } = (await pdf.getPage(1)).getViewport({ scale: 1 });
        if (!is_unmounted)
          setOpened({ pdf, default_size: width > 1 && height > 1 ? { width, height } : a4 });
      })
      .catch((error: unknown) => {
        if (!is_unmounted) onFailed(wantsPassword(error) ? "locked" : "broken");
      });
    return () => {
      is_unmounted = true;
      close();
    };
  }, [url]);
  return opened;
}

function Pages({
  pdf,
  default_size: upright,
  document,
  page,
  highlight,
  onFound,
}: Opened & Omit<PdfProps, "onFailed">) {
  const root = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [rotation, setRotation] = useState(0);
  const [is_side_open, setSideOpen] = useState(false);
  const { find, ...finding } = useFind(root);
  const search = usePdfFind(pdf, find.query);
  const default_size = useMemo(() => rotatedSize(upright, rotation), [upright, rotation]);
  const near = useNear(scroller);
  const width = useWidth(scroller);
  const marks = useMarks(pdf, highlight, onFound);
  const { zoom, setZoom, scale } = useScale(default_size, width, marks, rotation);
  const { elements } = near;
  const scrolling_options = { scroller, elements, pdf, page, highlight, marks, width, zoom, scale };
  const scrolling = useScrolling(scrolling_options, search.hits[find.index]?.page);
  const { goTo } = scrolling;
  const { current, onScroll } = useCurrent(pdf, page, scrolling_options);
  const goAndClose = (number: number) => {
    if (coversAll()) setSideOpen(false);
    goTo(number);
  };
  return (
    <div ref={root} class="reader-body">
      <PdfToolbar
        current={current}
        count={pdf.numPages}
        zoom={zoom}
        percent={Math.round((scale / css_px_per_point) * 100)}
        onPage={goTo}
        onZoom={(step) => setZoom(stepOf(step, scale / css_px_per_point))}
        is_side_open={is_side_open}
        is_find_open={find.open}
        onList={() => setSideOpen(!is_side_open)}
        onFind={finding.toggle}
        onRotate={() => setRotation((rotation + 90) % 360)}
      />
      {find.open && <PdfFindBox {...{ find, finding, search }} />}
      <div class="reader-columns">
        {is_side_open && (
          <PdfSide
            {...{ document, pdf, default_size, rotation, current, onPage: goAndClose }}
            onClose={() => setSideOpen(false)}
          />
        )}
        <div
          ref={scroller}
          class="pdf-pages"
          tabIndex={0}
          role="region"
          aria-label={strings.pages_of(document.name)}
          onScroll={onScroll}
        >
          {width > 0 && (
            <Sheets
              {...{ pdf, default_size, scale, rotation, marks, near, scrolling, search }}
              at={find.index}
            />
          )}
        </div>
      </div>
    </div>
  );
}

/** The page in view. */
function useCurrent(
  pdf: PDFDocumentProxy,
  page: number,
  { scroller, elements }: Pick<ScrollingOptions, "scroller" | "elements">,
) {
  const [current, setCurrent] = useState(Math.min(Math.max(1, page), pdf.numPages));
  const onScroll = () => setCurrent(pageAt(scroller.current, elements.current));
  return { current, onScroll };
}

const PdfFindBox = ({
  find,
  finding,
  search: { hits, done },
}: {
  readonly find: FindState;
  readonly finding: Omit<ReturnType<typeof useFind>, "find">;
  readonly search: ReturnType<typeof usePdfFind>;
}) => (
  <FindBox
    find={find}
    count={hits.length}
    busy={!done}
    onSearch={finding.search}
    onStep={(by) => finding.step(by, hits.length)}
    onClose={finding.close}
  />
);

const rotatedSize = ({ width, height }: Size, rotation: number): Size =>
  rotation % 180 === 0 ? { width, height } : { width: height, height: width };

function Sheets({
  pdf,
  marks,
  near: { near, register },
  scrolling: { target, onMarked, onCurrent },
  search,
  at,
  ...page_props
}: Pick<PdfPageProps, "pdf" | "default_size" | "scale" | "rotation"> & {
  readonly marks: Marks;
  readonly near: ReturnType<typeof useNear>;
  readonly scrolling: ReturnType<typeof useScrolling>;
  readonly search: ReturnType<typeof usePdfFind>;
  readonly at: number;
}) {
  const hitsOn = useShownHits(search.hits, at);
  const numbers = useMemo(
    () => Array.from({ length: pdf.numPages }, (_, index) => index + 1),
    [pdf],
  );
  return (
    <>
      {numbers.map((number) => (
        <PdfPage
          key={number}
          pdf={pdf}
          number={number}
          is_near={near.has(number)}
          marks={marks.pages.get(number) ?? no_hits}
          shades={marks.shades.get(number) ?? no_hits}
          hits={hitsOn(number)}
          onMarked={number === target ? onMarked : doNothing}
          onCurrent={onCurrent}
          register={register}
          {...page_props}
        />
      ))}
    </>
  );
}

interface ScrollingOptions extends Pick<PdfProps, "page" | "highlight"> {
  readonly scroller: RefObject<HTMLDivElement>;
  /** The elements of the pages, by number. */
  readonly elements: { readonly current: ReadonlyMap<number, HTMLElement> };
  readonly pdf: PDFDocumentProxy;
  readonly marks: Marks;
  readonly width: number;
  readonly zoom: Zoom;
  readonly scale: number;
}

/** Scrolls to the requested page or passage, and keeps the position while zooming. */
function useScrolling(options: ScrollingOptions, hit_page: number | undefined) {
  const { scroller, elements, pdf, page, highlight, marks, width, zoom, scale } = options;
  /** The highlights already scrolled to: zooming and scrolling by hand must not jump back there. */
  const scrolled_marks = useRef<Marks>(no_marks);
  const goTo = useCallback(
    (number: number) => {
      const element = elements.current.get(Math.min(Math.max(1, number), pdf.numPages));
      if (element && scroller.current) scroller.current.scrollTop = element.offsetTop - 12;
    },
    [pdf],
  );
  const target = marks.pages.size > 0 ? Math.min(...marks.pages.keys()) : page;
  useLayoutEffect(() => {
    if (width > 0) goTo(target);
  }, [target, highlight, width > 0, pdf]);
  const onMarked = useCallback(
    (first: Element) => {
      if (scrolled_marks.current === marks || !scroller.current) return;
      scrolled_marks.current = marks;
      scrollToMiddle(scroller.current, first);
    },
    [marks],
  );
  useStableCentre(scroller, width > 0 ? scale : 0);
  useLayoutEffect(() => {
    if (zoom !== "text" || !scroller.current || !marks.column) return;
    scroller.current.scrollLeft = marks.column.left * scale - text_margin_px + edge_px;
    goTo(target);
    scrolled_marks.current = no_marks;
  }, [zoom, scale, marks]);
  useEffect(() => {
    if (hit_page !== undefined) goTo(hit_page);
  }, [hit_page]);
  const onCurrent = useCallback((hit: Element) => {
    if (scroller.current) scrollToMiddle(scroller.current, hit);
  }, []);
  return { goTo, target, onMarked, onCurrent };
}

/** In a panel narrower than this, a passage is shown without page margins; CSS pixels. */
const narrow_px = 640;
const text_margin_px = 20;
const edge_px = 16;
/** The most that text without margins is enlarged, relative to the whole page. */
const enlargement_max = 2.4;

function useScale(usual: Size, width: number, marks: Marks, rotation: number) {
  const [zoom, setZoom] = useState<Zoom>("fit");
  const is_zoom_chosen = useRef(false);
  const column = rotation === 0 ? marks.column : null;
  useLayoutEffect(() => {
    if (!is_zoom_chosen.current && column && width > 0) setZoom(width < narrow_px ? "text" : "fit");
  }, [column, width > 0]);
  const fit = Math.max(0.01, (width - margin_px) / usual.width);
  const text = column
    ? Math.min(
        enlargement_max * fit,
        Math.max(fit, (width - 2 * text_margin_px) / (column.right - column.left)),
      )
    : fit;
  const scale = zoom === "fit" ? fit : zoom === "text" ? text : zoom * css_px_per_point;
  return {
    zoom,
    scale,
    setZoom: (next: Zoom) => {
      is_zoom_chosen.current = true;
      setZoom(next);
    },
  };
}

const no_hits: readonly never[] = [];
const doNothing = () => {};

function useMarks(
  pdf: PDFDocumentProxy,
  highlight: Highlight | null,
  onFound: (found: Found) => void,
): Marks {
  const [marks, setMarks] = useState<Marks>(no_marks);
  useEffect(() => {
    setMarks(no_marks);
    onFound(null);
    if (!highlight) return;
    let is_unmounted = false;
    findOnPages(pdf, highlight)
      .catch(() => no_marks)
      .then((found_marks) => {
        if (is_unmounted) return;
        setMarks(found_marks);
        onFound(found_marks.pages.size > 0);
      });
    return () => {
      is_unmounted = true;
    };
  }, [pdf, highlight]);
  return marks;
}

/** The pages in view or close to it. */
function useNear(scroller: { readonly current: HTMLElement | null }) {
  const [near, setNear] = useState<ReadonlySet<number>>(new Set());
  const elements = useRef(new Map<number, HTMLElement>());
  const observer = useRef<IntersectionObserver | null>(null);
  const observerOnce = () =>
    (observer.current ??= new IntersectionObserver(
      (entries) =>
        setNear((previous) => {
          const next = new Set(previous);
          for (const { target, isIntersecting } of entries)
            next[isIntersecting ? "add" : "delete"](
              Number((target as HTMLElement).dataset["page"]),
            );
          return next;
        }),
      { root: scroller.current, rootMargin: "60% 0px" },
    ));
  const register = useCallback((number: number, element: HTMLElement | null) => {
    const previous_element = elements.current.get(number);
    if (previous_element) observerOnce().unobserve(previous_element);
    elements.current.delete(number);
    if (!element) return;
    elements.current.set(number, element);
    observerOnce().observe(element);
  }, []);
  useEffect(() => () => observer.current?.disconnect(), []);
  return { near, register, elements };
}
