/**
 * One page of a PDF: a canvas, the text layer over it, and the highlights in it. Rendered only
 * while it is in view or close to it.
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
import type { ShownHit } from "./pdf-find";
import { styledPieces, type LookRange } from "./styled-pieces";

/** The size of a page in points. */
export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface PdfPageProps {
  readonly pdf: PDFDocumentProxy;
  readonly number: number;
  /** CSS pixels per point of the page. */
  readonly scale: number;
  /** The assumed size of a page until its own is known. */
  readonly default_size: Size;
  readonly is_near: boolean;
  readonly marks: readonly Hit[];
  /** The passage around the highlights. */
  readonly shades: readonly Hit[];
  /** The query of the find box. */
  readonly hits: readonly ShownHit[];
  /** Degrees, in addition to the page's own rotation. */
  readonly rotation: number;
  /** Called when the highlights of the page are rendered. */
  readonly onMarked: (first: Element) => void;
  /** Called when the current match is rendered. */
  readonly onCurrent: (hit: Element) => void;
  readonly register: (number: number, sheet: HTMLElement | null) => void;
}

/** Browsers don't draw a canvas with more pixels than this. */
const canvas_pixels_max = 16_000_000;
/** Limits the height of a page, whatever the file says. */
const height_max = 20_000;

/** Memoized: a document may have thousands of pages. */
export class PdfPage extends Component<PdfPageProps> {
  override shouldComponentUpdate(next: PdfPageProps): boolean {
    return (Object.keys(next) as (keyof PdfPageProps)[]).some(
      (name) => next[name] !== this.props[name],
    );
  }
  override render() {
    return <PageView {...this.props} />;
  }
}

function PageView(props: PdfPageProps) {
  const { pdf, number, scale, default_size, is_near, marks, shades, hits, rotation } = props;
  const { onMarked, onCurrent, register } = props;
  const root = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [page, setPage] = useState<PDFPageProxy | null>(null);
  const [failed, setFailed] = useState(false);
  const [divs, setDivs] = useState<readonly HTMLElement[] | null>(null);
  const size = page ? sizeOf(page, rotation) : default_size;
  const limited_scale = Math.min(scale, height_max / size.height);

  useLayoutEffect(() => {
    register(number, root.current);
    return () => register(number, null);
  }, [number]);
  useEffect(() => {
    if (!is_near || page) return;
    let is_unmounted = false;
    pdf.getPage(number).then(
      (loaded) => {
        if (!is_unmounted) setPage(loaded);
      },
      () => {
        if (!is_unmounted) setFailed(true);
      },
    );
    return () => {
      is_unmounted = true;
    };
  }, [pdf, number, is_near, page]);
  useEffect(() => {
    if (!is_near || !page || !canvas.current || !layer.current) return;
    return draw({
      page,
      viewport: viewportOf(page, limited_scale, rotation),
      canvas: canvas.current,
      layer: layer.current,
      onText: setDivs,
      onFailed: () => setFailed(true),
    });
  }, [page, is_near, limited_scale, rotation]);
  useEffect(() => {
    if (!divs || marks.length + shades.length + hits.length === 0) return;
    const { mark, current } = applyMarks(divs, marks, shades, hits);
    // Removes the old text layer before it is replaced.
    if (mark?.isConnected) onMarked(mark);
    if (current?.isConnected) onCurrent(current);
    return () => removeMarks(divs, [...marks, ...shades, ...hits]);
  }, [divs, marks, shades, hits]);

  return (
    <div
      ref={root}
      class="pdf-sheet"
      data-page={number}
      role="group"
      aria-label={strings.page(number)}
      style={styleOf(size, limited_scale)}
    >
      {is_near && page && <canvas ref={canvas} aria-hidden="true" />}
      {is_near && page && <div ref={layer} class="pdf-text" />}
      {failed && <p class="pdf-broken">{strings.page_broken(number)}</p>}
    </div>
  );
}

const styleOf = ({ width, height }: Size, scale: number) => ({
  width: `${Math.floor(width * scale)}px`,
  height: `${Math.floor(height * scale)}px`,
  "--total-scale-factor": scale,
  "--scale-round-x": "1px",
  "--scale-round-y": "1px",
});

const viewportOf = (page: PDFPageProxy, scale: number, rotation: number) =>
  page.getViewport({ scale, rotation: (page.rotate + rotation) % 360 });

const sizeOf = (page: PDFPageProxy, rotation: number): Size => {
  const { width, height } = viewportOf(page, 1, rotation);
  return { width: Math.max(1, width), height: Math.max(1, height) };
};

/** Renders the page and its text layer. Returns a cleanup function. */
function draw({
  page,
  viewport,
  canvas,
  layer,
  onText,
  onFailed,
}: {
  readonly page: PDFPageProxy;
  readonly viewport: ReturnType<typeof viewportOf>;
  readonly canvas: HTMLCanvasElement;
  readonly layer: HTMLElement;
  readonly onText: (divs: readonly HTMLElement[] | null) => void;
  readonly onFailed: () => void;
}): () => void {
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
    canvas.width = 0;
    canvas.height = 0;
    page.cleanup();
  };
}

/**
 * Wraps the parts in elements: `<mark>` for the quote, shades for the passage around it, and
 * matches. Returns the first mark, and the first part of the current match.
 */
function applyMarks(
  divs: readonly HTMLElement[],
  marks: readonly Hit[],
  shades: readonly Hit[],
  hits: readonly ShownHit[],
): { readonly mark: Element | undefined; readonly current: Element | undefined } {
  const looks = new Map<number, LookRange[]>();
  const add = ({ piece, from, to }: Hit, look: LookRange["look"]) =>
    looks.set(piece, [...(looks.get(piece) ?? []), { from, to, look }]);
  for (const hit of shades) add(hit, "shade");
  for (const hit of marks) add(hit, "mark");
  for (const hit of hits) add(hit, hit.look);
  let mark: Element | undefined;
  let current: Element | undefined;
  for (const [piece, ranges] of looks) {
    const div = divs[piece];
    if (!div) continue;
    const text = div.textContent ?? "";
    div.replaceChildren(
      ...styledPieces({ from: 0, to: text.length }, ranges).map(({ from, to, looks }) => {
        const part = text.slice(from, to);
        if (looks.length === 0) return part;
        const is_marked = looks.includes("mark");
        const element = document.createElement(is_marked ? "mark" : "span");
        element.className = classOf(looks);
        element.textContent = part;
        if (is_marked) mark ??= element;
        if (looks.includes("current")) current ??= element;
        return element;
      }),
    );
  }
  return { mark, current };
}

function classOf(looks: readonly LookRange["look"][]): string {
  if (looks.includes("current")) return "find-current";
  if (looks.includes("hit")) return "find-hit";
  return looks.includes("mark") ? "" : "passage-shade";
}

function removeMarks(divs: readonly HTMLElement[], hits: readonly Hit[]): void {
  for (const { piece } of hits) {
    const div = divs[piece];
    if (div) div.textContent = div.textContent ?? "";
  }
}
