/**
 * Renders a part of a document's text: as Markdown, or verbatim with its tables, with the quote,
 * the shaded passage and search matches. No text becomes HTML.
 */
/** @jsxImportSource preact */
import { Fragment, type ComponentChildren } from "preact";
import {
  elementsOf,
  rankHeadings,
  tokensOf,
  type TextRenderer,
  type RankedHeading,
} from "./markdown";
import { SourceCursor } from "./source-map";
import {
  piecesBySource,
  rangesIn,
  styledPieces,
  type Look,
  type LookRange,
  type StyledPiece,
} from "./styled-pieces";
import { reflowed } from "./reflow";
import { tablesIn, type Chunk } from "./text-chunks";
import type { Range } from "./text-ranges";

/** `markdown`: everything; `tables`: only tables, and the rest verbatim. */
export type Rendering = "markdown" | "tables" | "as_written";

/** The chunk with the given styles. */
export function renderedChunk(
  text: string,
  chunk: Chunk,
  rendering: Rendering,
  ranges: readonly LookRange[],
  headings: readonly RankedHeading[] = [],
): ComponentChildren {
  const inside = rangesIn(ranges, chunk);
  if (rendering === "as_written") return asWritten(text, chunk, inside);
  if (rendering === "markdown") return markdown(text, chunk, chunk.head, inside, headings);
  return tablesIn(text, chunk).map((part) => (
    <Fragment key={part.from}>
      {part.table
        ? markdown(text, part, part.from === chunk.from ? chunk.head : "", inside)
        : asWritten(text, part, inside, reflowed)}
    </Fragment>
  ));
}

/** `transform`: returns the displayed text, which is as long, so that positions stay the same. */
const asWritten = (
  text: string,
  part: Range,
  ranges: readonly LookRange[],
  transform: (written: string) => string = (written) => written,
): ComponentChildren => {
  const transformed = transform(text.slice(part.from, part.to));
  const styled = styledPieces(part, ranges).map(({ from, to, looks }) => ({
    from: from - part.from,
    to: to - part.from,
    looks,
  }));
  return <div class="text-written">{pieces(transformed, styled)}</div>;
};

const pieces = (text: string, styled: readonly StyledPiece[]): ComponentChildren =>
  styled.map(({ from, to, looks }) => styledElement(text.slice(from, to), looks, from));

/** Inner elements come first. */
const elements_by_look: readonly (readonly [
  Look,
  (inner: ComponentChildren) => ComponentChildren,
])[] = [
  ["heading", (inner) => <strong>{inner}</strong>],
  ["target", (inner) => <span class="reader-target">{inner}</span>],
  ["hit", (inner) => <span class="find-hit">{inner}</span>],
  ["current", (inner) => <span class="find-current">{inner}</span>],
  ["mark", (inner) => <mark>{inner}</mark>],
];

function styledElement(piece: string, looks: readonly Look[], key: number): ComponentChildren {
  if (looks.includes("sign")) return null;
  let element: ComponentChildren = piece;
  for (const [look, wrap] of elements_by_look) if (looks.includes(look)) element = wrap(element);
  if (looks.includes("shade") && !looks.includes("mark"))
    element = <span class="passage-shade">{element}</span>;
  return <Fragment key={key}>{element}</Fragment>;
}

/** `head`: what the part continues, such as a table's header. */
function markdown(
  text: string,
  part: Range,
  head: string,
  ranges: readonly LookRange[],
  headings: readonly RankedHeading[] = [],
): ComponentChildren {
  // Every position stays the same.
  const source = text.slice(part.from, part.to).replaceAll("\r\n", " \n").replaceAll("\r", "\n");
  const tokens = tokensOf(head + source);
  if (!tokens) return asWritten(text, part, ranges);
  rankHeadings(tokens, headings);
  return (
    <div class="prose">{elementsOf(tokens, textRenderer(head + source, part, head, ranges))}</div>
  );
}

function textRenderer(
  source: string,
  { from }: Range,
  head: string,
  ranges: readonly LookRange[],
): TextRenderer {
  if (ranges.length === 0) return { text: (shown) => shown };
  const cursor = new SourceCursor(source, { from: 0, to: source.length });
  const shift = from - head.length;
  return {
    begin: (token) => cursor.begin(token),
    end: () => cursor.end(),
    text: (shown) => {
      const sources = cursor.take(shown);
      if (!sources || sources.length !== shown.length) return shown;
      const styled = piecesBySource(
        sources.map((place) => (place < head.length ? -1 : place + shift)),
        ranges,
      );
      return pieces(shown, styled);
    },
  };
}
