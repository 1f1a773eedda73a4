/** The sidebar of a PDF: thumbnails, and the outline of the file. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Document } from "../api/types";
import { reader_strings as strings } from "../strings/reader";
import { useContent, useOutline } from "./content";
import { headingsByPage } from "./headings";
import type { PDFDocumentProxy } from "./pdfjs";
import type { Size } from "./pdf-page";
import { HeadingList, SideList, type Heading } from "./side-list";

interface PdfSideProps {
  readonly document: Document;
  readonly pdf: PDFDocumentProxy;
  readonly default_size: Size;
  readonly rotation: number;
  readonly current: number;
  readonly onPage: (number: number) => void;
  readonly onClose: () => void;
}

/** The sidebar with its two views. `current` is the number of the page in view. */
export function PdfSide(props: PdfSideProps) {
  const { current, onPage, onClose } = props;
  const headings = useHeadings(props);
  const [view, setView] = useState<"outline" | "thumbnails">("thumbnails");
  return (
    <SideList label={strings[view]} onClose={onClose}>
      <div class="choice reader-choice" role="group" aria-label={strings.side_views}>
        {(["thumbnails", "outline"] as const).map((choice) => (
          <button
            key={choice}
            type="button"
            class="choice-one"
            aria-pressed={choice === view}
            onClick={() => setView(choice)}
          >
            {strings[choice]}
          </button>
        ))}
      </div>
      {view === "thumbnails" ? (
        <Thumbnails {...props} />
      ) : headings === null || headings.length === 0 ? (
        <p class="reader-side-note small muted" role="status">
          {headings ? strings.no_outline : strings.outline_comes}
        </p>
      ) : (
        <HeadingList
          headings={headings}
          current={headings.findLast(({ place }) => place <= current)?.place}
          onGo={({ place }) => onPage(place)}
        />
      )}
    </SideList>
  );
}

/**
 * The bookmarks of the file, or otherwise the headings extracted from its text, with their pages.
 * Null while loading.
 */
function useHeadings({
  document,
  pdf,
}: Pick<PdfSideProps, "document" | "pdf">): readonly Heading[] | null {
  const bookmarks = useBookmarks(pdf);
  const from_text = bookmarks?.length === 0 && document.synced_at !== null;
  const content = useContent(document, from_text);
  const outline = useOutline(document, from_text);
  const text = content.data;
  const spans = outline.data;
  const headings = useMemo(() => text && spans && headingsByPage(text, spans), [text, spans]);
  if (!from_text) return bookmarks;
  return headings || (content.isPending || outline.isPending ? null : []);
}

/** Deeper levels and further entries are left out. */
const depth_max = 5;
const bookmarks_max = 1_000;
type Bookmarks = Awaited<ReturnType<PDFDocumentProxy["getOutline"]>> | null;

/**
 * The outline of the file with the page of each entry; empty if it has none, null while loading.
 */
function useBookmarks(pdf: PDFDocumentProxy): readonly Heading[] | null {
  const [headings, setHeadings] = useState<readonly Heading[] | null>(null);
  useEffect(() => {
    let is_unmounted = false;
    const read = async () => {
      const headings: Heading[] = [];
      const visit = async (entries: Bookmarks, level: number): Promise<void> => {
        for (const { title, dest, items } of entries ?? []) {
          if (is_unmounted || headings.length >= bookmarks_max) return;
          const place = await pageOf(pdf, dest);
          if (place !== null && title.trim() !== "")
            headings.push({ text: title.trim(), level, place });
          if (level < depth_max) await visit(items as Bookmarks, level + 1);
        }
      };
      await visit(await pdf.getOutline(), 1);
      if (!is_unmounted) setHeadings(headings);
    };
    // A file with a broken outline is shown without it.
    read().catch(() => {
      if (!is_unmounted) setHeadings([]);
    });
    return () => {
      is_unmounted = true;
    };
  }, [pdf]);
  return headings;
}

async function pageOf(
  pdf: PDFDocumentProxy,
  named: string | readonly unknown[] | null,
): Promise<number | null> {
  try {
    const dest = typeof named === "string" ? await pdf.getDestination(named) : named;
    const target: unknown = dest?.[0];
    if (typeof target === "number") return target + 1;
    return target ? (await pdf.getPageIndex(target as { num: number; gen: number })) + 1 : null;
  } catch {
    return null;
  }
}

const thumb_px = 132;

function Thumbnails({ pdf, default_size, rotation, current, onPage }: PdfSideProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const thumb = list.current?.querySelector<HTMLElement>(`[data-thumb="${current}"]`);
    thumb?.scrollIntoView({ block: "nearest" });
  }, [current]);
  useEffect(() => {
    list.current?.querySelector<HTMLElement>("[aria-current=true]")?.focus({ preventScroll: true });
  }, []);
  return (
    <ul ref={list} class="reader-thumbs">
      {Array.from({ length: pdf.numPages }, (_, index) => index + 1).map((number) => (
        <li key={number}>
          <button
            type="button"
            class="thumb"
            data-thumb={number}
            aria-label={strings.go_to_page(number)}
            aria-current={number === current ? "true" : undefined}
            onClick={() => onPage(number)}
          >
            <Thumbnail pdf={pdf} default_size={default_size} number={number} rotation={rotation} />
            {number}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Rendered when it scrolls into view. */
function Thumbnail({
  pdf,
  default_size,
  number,
  rotation,
}: Pick<PdfSideProps, "pdf" | "default_size" | "rotation"> & { readonly number: number }) {
  const box = useRef<HTMLSpanElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [is_near, setIsNear] = useState(false);
  const [size, setSize] = useState(default_size);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsNear(true);
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!is_near) return;
    let stop = () => {};
    const draw = async () => {
      const page = await pdf.getPage(number);
      const total_rotation = (page.rotate + rotation) % 360;
      const actual = page.getViewport({ scale: 1, rotation: total_rotation });
      setSize({ width: actual.width, height: actual.height });
      const scale = (thumb_px / actual.width) * (globalThis.devicePixelRatio || 1);
      const viewport = page.getViewport({ scale, rotation: total_rotation });
      if (!canvas.current) return;
      canvas.current.width = Math.ceil(viewport.width);
      canvas.current.height = Math.ceil(viewport.height);
      const drawing = page.render({ canvas: canvas.current, viewport });
      stop = () => drawing.cancel();
      await drawing.promise;
    };
    // Stays white if it can't be rendered.
    draw().catch(() => {});
    return () => stop();
  }, [is_near, rotation]);
  const height = Math.min(3 * thumb_px, (thumb_px * size.height) / size.width);
  return (
    <span
      ref={box}
      class="thumb-page"
      style={{ width: `${thumb_px}px`, height: `${Math.max(8, height)}px` }}
    >
      <canvas ref={canvas} aria-hidden="true" />
    </span>
  );
}
