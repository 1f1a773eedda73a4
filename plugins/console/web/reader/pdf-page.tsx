/**
 * One page of a PDF: a canvas, the text layer over it, and the marks in that. Drawn only while it
 * is in view or close to it.
 */
import { Component } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Hit } from "./quote-match";
import {
  AnnotationMode,
  RenderingCancelledException,
  TextLayer,
  textOf,
  type PDFDocumentProxy,
  type PDFPageProxy,
} from "./pdfjs";
import { reader_strings as strings } from "../strings/reader";
import { piecesOf } from "./text-ranges";

export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface PdfPageProps {
  readonly pdf: PDFDocumentProxy;
  readonly number: number;
  /** CSS pixels for each point of the page. */
  readonly scale: number;
  /** The size of a page until its own is known. */
  readonly usual: Size;
  readonly near: boolean;
  readonly marks: readonly Hit[];
  /** What the marks stand in. */
  readonly shades: readonly Hit[];
  /** Called when the marks of the page are on it. */
  readonly onMarked: (first: Element) => void;
  readonly register: (number: number, sheet: HTMLElement | null) => void;
}

/** Browsers draw nothing on a canvas with more pixels than this. */
const canvas_pixels_max = 16_000_000;
/** No page is shown higher, whatever the file says. */
const height_max = 20_000;

/** Rendered again only when its own props have changed: a document may have thousands of pages. */
export class PdfPage extends Component<PdfPageProps> {
  override shouldComponentUpdate(next: PdfPageProps): boolean {
    return (Object.keys(next) as (keyof PdfPageProps)[]).some(
      (name) => next[name] !== this.props[name],
    );
  }
  override render() {
    return <Drawn {...this.props} />;
  }
}

function Drawn(props: PdfPageProps) {
  const { pdf, number, scale, usual, near, marks, shades, onMarked, register } = props;
  const root = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [page, setPage] = useState<PDFPageProxy | null>(null);
  const [failed, setFailed] = useState(false);
  const [divs, setDivs] = useState<readonly HTMLElement[] | null>(null);
  const size = page ? sizeOf(page) : usual;
  const shown = Math.min(scale, height_max / size.height);

  useLayoutEffect(() => {
    register(number, root.current);
    return () => register(number, null);
  }, [number]);
  useEffect(() => {
    if (!near || page) return;
    let left = false;
    pdf.getPage(number).then(
      (got) => {
        if (!left) setPage(got);
      },
      () => {
        if (!left) setFailed(true);
      },
    );
    return () => {
      left = true;
    };
  }, [pdf, number, near, page]);
  useEffect(() => {
    if (!near || !page || !canvas.current || !layer.current) return;
    return draw(page, shown, canvas.current, layer.current, setDivs, () => setFailed(true));
  }, [page, near, shown]);
  useEffect(() => {
    if (!divs || marks.length + shades.length === 0) return;
    const first = markIn(divs, marks, shades);
    // A text layer that is about to be replaced has left the page already.
    if (first?.isConnected) onMarked(first);
    return () => unmark(divs, [...marks, ...shades]);
  }, [divs, marks, shades]);

  return (
    <div
      ref={root}
      class="pdf-sheet"
      data-page={number}
      role="group"
      aria-label={strings.page(number)}
      style={{
        width: `${Math.floor(size.width * shown)}px`,
        height: `${Math.floor(size.height * shown)}px`,
        "--total-scale-factor": shown,
        "--scale-round-x": "1px",
        "--scale-round-y": "1px",
      }}
    >
      {near && page && <canvas ref={canvas} aria-hidden="true" />}
      {near && page && <div ref={layer} class="pdf-text" />}
      {failed && <p class="pdf-broken">{strings.page_broken(number)}</p>}
    </div>
  );
}

const sizeOf = (page: PDFPageProxy): Size => {
  const { width, height } = page.getViewport({ scale: 1 });
  return { width: Math.max(1, width), height: Math.max(1, height) };
};

/** Draws the page and its text layer. Returns a function that stops that and cleans up. */
function draw(
  page: PDFPageProxy,
  scale: number,
  canvas: HTMLCanvasElement,
  layer: HTMLElement,
  onText: (divs: readonly HTMLElement[] | null) => void,
  onFailed: () => void,
): () => void {
  const viewport = page.getViewport({ scale });
  const density = Math.min(
    globalThis.devicePixelRatio || 1,
    Math.sqrt(canvas_pixels_max / (viewport.width * viewport.height)),
  );
  canvas.width = Math.max(1, Math.floor(viewport.width * density));
  canvas.height = Math.max(1, Math.floor(viewport.height * density));
  const drawing = page.render({
    canvas,
    viewport,
    transform: [density, 0, 0, density, 0, 0],
    annotationMode: AnnotationMode.ENABLE,
  });
  let stopped = false;
  let text: TextLayer | undefined;
  drawing.promise.catch((error: unknown) => {
    if (!stopped && !(error instanceof RenderingCancelledException)) onFailed();
  });
  const layOut = async () => {
    const content = await textOf(page);
    if (stopped) return;
    text = new TextLayer({ textContentSource: content, container: layer, viewport });
    await text.render();
    if (!stopped) onText(text.textDivs);
  };
  // A page whose text can't be extracted is still drawn.
  layOut().catch(() => {});
  return () => {
    stopped = true;
    drawing.cancel();
    text?.cancel();
    onText(null);
    layer.replaceChildren();
    canvas.width = canvas.height = 0;
    page.cleanup();
  };
}

/** Wraps the parts in elements: `<mark>`, and shades for what is around them. The first mark. */
function markIn(
  divs: readonly HTMLElement[],
  marks: readonly Hit[],
  shades: readonly Hit[],
): Element | undefined {
  let first: Element | undefined;
  const marked = new Map(marks.map((hit) => [hit.piece, hit])),
    shaded = new Map(shades.map((hit) => [hit.piece, hit]));
  for (const piece of new Set([...marked.keys(), ...shaded.keys()])) {
    const div = divs[piece];
    if (!div) continue;
    const text = div.textContent ?? "";
    const parts = piecesOf(
      { from: 0, to: text.length },
      [],
      marked.get(piece) ?? null,
      shaded.get(piece) ?? null,
    );
    div.replaceChildren(
      ...parts.map(({ from, to, marked: is_marked, shaded: is_shaded }) => {
        const part = text.slice(from, to);
        if (!is_marked && !is_shaded) return part;
        const element = document.createElement(is_marked ? "mark" : "span");
        if (is_marked) first ??= element;
        else element.className = "passage-shade";
        element.textContent = part;
        return element;
      }),
    );
  }
  return first;
}

function unmark(divs: readonly HTMLElement[], marks: readonly Hit[]): void {
  for (const { piece } of marks) {
    const div = divs[piece];
    if (div) div.textContent = div.textContent ?? "";
  }
}
