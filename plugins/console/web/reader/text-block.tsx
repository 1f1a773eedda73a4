/**
 * A block of a text, with the page that begins there; rendered once it is close to the viewport.
 */
import { Component, createRef } from "preact";
import type { Outline } from "./content";
import { pageName } from "./location";
import type { RankedHeading } from "./markdown";
import { renderedChunk, type Rendering } from "./rendered-text";
import { rangesIn, type LookRange } from "./styled-pieces";
import type { Chunk } from "./text-chunks";

/** A chunk of a text with its page and its headings. */
export interface TextBlockLayout {
  readonly chunk: Chunk;
  readonly page: Outline["pages"][number] | null;
  /** Headings written as Markdown, in order. */
  readonly headings: readonly RankedHeading[];
}
interface TextBlockProps {
  readonly text: string;
  readonly layout: TextBlockLayout;
  readonly rendering: Rendering;
  readonly ranges: readonly LookRange[];
  /** Render immediately, without waiting until it is close. */
  readonly at_once: boolean;
}

/** Estimated size of a block that is not rendered: units per line, pixels per line. */
const line_units = 80;
const line_px = 24;
const heightOf = (units: number): number => Math.max(line_px, (units / line_units) * line_px);

/** Memoized: a long text has hundreds of blocks. */
export class TextBlock extends Component<TextBlockProps, { readonly near: boolean }> {
  override state = { near: this.props.at_once };
  private readonly root = createRef<HTMLDivElement>();
  private observer: IntersectionObserver | null = null;

  override componentDidMount(): void {
    if (this.state.near) return;
    this.observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        this.observer?.disconnect();
        this.setState({ near: true });
      },
      { root: this.root.current!.parentElement, rootMargin: "100% 0px" },
    );
    this.observer.observe(this.root.current!);
  }
  override componentWillUnmount(): void {
    this.observer?.disconnect();
  }

  override shouldComponentUpdate(
    next: TextBlockProps,
    { near }: { readonly near: boolean },
  ): boolean {
    const { text, layout, rendering, ranges } = this.props;
    if (next.text !== text || next.layout !== layout || near !== this.state.near) return true;
    if (!near && !hasScrollTarget(next)) return false;
    if (next.rendering !== rendering) return true;
    return next.ranges !== ranges && keyOf(next) !== keyOf(this.props);
  }

  override render() {
    const { text, layout, rendering, ranges } = this.props;
    const { chunk, page, headings } = layout;
    const is_rendered = this.state.near || hasScrollTarget(this.props);
    return (
      <div
        ref={this.root}
        class="text-block"
        data-from={chunk.from}
        style={is_rendered ? {} : { minHeight: `${heightOf(chunk.to - chunk.from)}px` }}
      >
        {page && (
          <p class="text-page">
            <span>{pageName(page.page, page.page_label)}</span>
          </p>
        )}
        {is_rendered && renderedChunk(text, chunk, rendering, ranges, headings)}
      </div>
    );
  }
}

/** The scroll target is in this block. */
const hasScrollTarget = ({ layout: { chunk }, ranges }: TextBlockProps): boolean =>
  rangesIn(ranges, chunk).some(({ look }) => /mark|current|target/.test(look));

/** The styles in this block. */
const keyOf = ({ layout: { chunk }, ranges }: TextBlockProps): string =>
  rangesIn(ranges, chunk)
    .map(({ from, to, look }) => `${from} ${to} ${look}`)
    .join();
