/**
 * Markdown as elements: parsed by marked's lexer and built as vnodes, so that no text becomes HTML.
 */
/** @jsxImportSource preact */
import { Marked, type Token, type Tokens } from "marked";
import { Fragment, type ComponentChildren } from "preact";

export interface MarkdownProps {
  readonly text: string;
  /**
   * Creates the element for the marker `[n]`, and with 0 for `[?]`; null leaves the marker as text.
   */
  readonly marker?: (number: number) => ComponentChildren | null;
  /**
   * For quotes of documents, whose text may not be Markdown: shows it unchanged, line by line,
   * except for code blocks, and for emphasis as the extraction writes it.
   */
  readonly plain?: boolean;
}
type Marker = NonNullable<MarkdownProps["marker"]>;

/** Transforms the text of tokens; they are visited in order, each begun and ended once. */
export interface TextRenderer {
  /** Text as it is shown. */
  text(text: string): ComponentChildren;
  /** Text of code, if it differs. */
  code?(text: string): ComponentChildren;
  begin?(token: Pick<Token, "raw" | "type">): void;
  end?(token: Pick<Token, "raw" | "type">): void;
}

/** `[1]: address` would turn markers into links, so reference definitions are disabled. */
const lexer = new Marked({ gfm: true, breaks: true, tokenizer: { def: () => undefined } });
/** The lexer is recursive: content nested too deeply or too long is shown as plain text. */
const chars_max = 60_000;
const depth_max = 24;

/** Renders a text with its markers. */
export function Markdown({ text, marker = () => null, plain = false }: MarkdownProps) {
  const tokens = plain || text.length > chars_max ? null : tokensOf(text);
  // An index, `rows[2]`, is no marker.
  const renderer: TextRenderer = plain
    ? { text: (part) => withMarkers(part, marker, free_marker) }
    : { text: (part) => withMarkers(part, marker), code: (part) => part };
  return (
    <div class="prose">{tokens ? blocks(tokens, renderer, 0) : paragraphs(text, renderer)}</div>
  );
}

/** Renders these tokens as elements. */
export const elementsOf = (tokens: readonly Token[], renderer: TextRenderer): ComponentChildren =>
  blocks(tokens, renderer, 0);

/** Null if the text must not be parsed. */
export function tokensOf(text: string): Token[] | null {
  try {
    const tokens = lexer.lexer(text);
    levelHeadings(tokens);
    return tokens;
  } catch {
    return null;
  }
}

/** A code block, or otherwise a paragraph. */
const verbatim_block =
  /(?:^|\n)(`{3,})\n(?<code>[^]*?)\n\1(?=\n|$)|(?<prose>[^]+?)(?=\n{2,}|\n`{3,}\n|$)/g;

const paragraphs = (text: string, renderer: TextRenderer): ComponentChildren =>
  [...text.matchAll(verbatim_block)].map(({ groups }, index) =>
    groups!.code === undefined
      ? groups!.prose!.trim() !== "" && (
          <p key={index} class="as-written">
            {emphasised(groups!.prose!.trim(), renderer)}
          </p>
        )
      : codeBlock(groups!.code, index),
  );

/** `**bold**`, `*italic*` and `***both***` around words; not the stars of `2*3` and `**options`. */
const emphasis = /(?<![\p{L}\p{N}*\\])(\*{1,3})(?=[^\s*])([^*\n]+)(?<=\S)\1(?![\p{L}\p{N}*])/gu;

function emphasised(text: string, renderer: TextRenderer): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let plain_from = 0;
  for (const match of text.matchAll(emphasis)) {
    const stars = match[1]!.length;
    const words = renderer.text(match[2]!);
    const content = stars === 2 ? words : <em>{words}</em>;
    parts.push(renderer.text(text.slice(plain_from, match.index)));
    parts.push(stars === 1 ? content : <strong>{content}</strong>);
    plain_from = match.index + match[0].length;
  }
  return [...parts, renderer.text(text.slice(plain_from))].map((part, index) => (
    <Fragment key={index}>{part}</Fragment>
  ));
}

const codeText = (text: string, renderer: TextRenderer): ComponentChildren =>
  renderer.code === undefined ? renderer.text(text) : renderer.code(text);

const codeBlock = (children: ComponentChildren, key?: number) => (
  <pre key={key} tabIndex={0}>
    <code>{children}</code>
  </pre>
);

const blocks = (
  tokens: readonly Token[],
  renderer: TextRenderer,
  depth: number,
): ComponentChildren =>
  tokens.map((token, index) => (
    <Fragment key={index}>
      {depth > depth_max
        ? renderer.text(token.raw)
        : withVisit(token, renderer, () => block(token, renderer, depth + 1))}
    </Fragment>
  ));

function withVisit(
  token: Pick<Token, "raw" | "type">,
  renderer: TextRenderer,
  build: () => ComponentChildren,
): ComponentChildren {
  renderer.begin?.(token);
  const element = build();
  renderer.end?.(token);
  return element;
}

function block(token: Token, renderer: TextRenderer, depth: number): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return heading(token as Tokens.Heading, renderer, depth);
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens, renderer, depth)}</p>;
    case "blockquote":
      return (
        <blockquote>{blocks((token as Tokens.Blockquote).tokens, renderer, depth)}</blockquote>
      );
    case "list":
      return list(token as Tokens.List, renderer, depth);
    case "code":
      return codeBlock(codeText((token as Tokens.Code).text, renderer));
    case "hr":
      return <hr />;
    case "table":
      return table(token as Tokens.Table, renderer, depth);
    case "html":
      return <p class="as-written">{renderer.text(token.raw.trim())}</p>;
    case "text":
      return inline((token as Tokens.Text).tokens ?? [token], renderer, depth);
    default:
      return inlineElement(token, renderer, depth);
  }
}

function heading(token: Tokens.Heading, renderer: TextRenderer, depth: number): ComponentChildren {
  const Heading = `h${levels.get(token) ?? heading_first}` as "h3";
  const rank = ranks.get(token);
  if (rank === undefined) return <Heading>{inline(token.tokens, renderer, depth)}</Heading>;
  const Ranked = rank.tag;
  return <Ranked class={`rank-${rank.rank}`}>{inline(token.tokens, renderer, depth)}</Ranked>;
}

/** A heading of a document: its element, and its visual level, starting at 1. */
export interface RankedHeading {
  readonly tag: "h2" | "h3" | "h4" | "h5" | "h6" | "p";
  readonly rank: number;
}
const ranks = new WeakMap<Token, RankedHeading>();

/** Assigns to each heading token, in order, the levels known from the whole document. */
export function rankHeadings(tokens: readonly Token[], ranked: readonly RankedHeading[]): void {
  const headings = tokens.filter(({ type }) => type === "heading");
  for (const [at, token] of headings.entries())
    ranks.set(token, ranked[at] ?? { tag: "p", rank: (token as Tokens.Heading).depth });
}

/** Answers are below the headings of the page. */
const heading_first = 3;
const heading_last = 6;
const levels = new WeakMap<Token, number>();

/** Levels start right below those of the page and skip none, whatever the text does. */
function levelHeadings(tokens: readonly Token[]): void {
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === "heading");
  const ranks = [...new Set(headings.map(({ depth }) => depth))].sort((a, b) => a - b);
  let last_level = heading_first - 1;
  for (const token of headings) {
    last_level = Math.min(heading_first + ranks.indexOf(token.depth), last_level + 1, heading_last);
    levels.set(token, last_level);
  }
}

function list(
  { ordered, start, items }: Tokens.List,
  renderer: TextRenderer,
  depth: number,
): ComponentChildren {
  const rows = items.map((item, index) => (
    <li key={index}>
      {item.task && (
        <span class="task" aria-label={item.checked ? "done" : "to do"}>
          {item.checked ? "☑ " : "☐ "}
        </span>
      )}
      {withVisit(item, renderer, () =>
        blocks(
          item.tokens.filter(({ type }) => type !== "checkbox"),
          renderer,
          depth,
        ),
      )}
    </li>
  ));
  return ordered ? <ol start={typeof start === "number" ? start : 1}>{rows}</ol> : <ul>{rows}</ul>;
}

const table = (
  { header, rows, raw, align }: Tokens.Table,
  renderer: TextRenderer,
  depth: number,
): ComponentChildren => (
  <div class="prose-table" tabIndex={0} role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          {header.map((cell, index) =>
            cell.text.trim() === "" ? (
              // Empty header cells count as no header.
              <td key={index} />
            ) : (
              <th key={index} scope="col" class={cellClass(cell.text, align[index])}>
                {inline(cell.tokens, renderer, depth)}
              </th>
            ),
          )}
        </tr>
      </thead>
      {withVisit({ raw: raw.split("\n")[1] ?? "", type: "rule" }, renderer, () => null)}
      <tbody>
        {rows.map((row, line) => (
          <tr key={line}>
            {row.map((cell, index) => (
              <td key={index} class={cellClass(cell.text, align[index])}>
                {inline(cell.tokens, renderer, depth)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** A cell with longer text gets a minimum width; UTF-16 units. */
const long_units = 28;
const cellClass = (text: string, align: string | null | undefined): string | undefined =>
  [text.length > long_units && "cell-long", align && `cell-${align}`].filter(Boolean).join(" ") ||
  undefined;

const inline = (
  tokens: readonly Token[],
  renderer: TextRenderer,
  depth: number,
): ComponentChildren =>
  tokens.map((token, index) => (
    <Fragment key={index}>
      {depth > depth_max
        ? renderer.text(token.raw)
        : withVisit(token, renderer, () => inlineElement(token, renderer, depth + 1))}
    </Fragment>
  ));

function inlineElement(token: Token, renderer: TextRenderer, depth: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens, renderer, depth)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens, renderer, depth)}</em>;
    case "del":
      return <del>{inline((token as Tokens.Del).tokens, renderer, depth)}</del>;
    case "codespan":
      return <code>{codeText((token as Tokens.Codespan).text, renderer)}</code>;
    case "br":
      return <br />;
    // The only way to break a line inside a table cell.
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : renderer.text(token.raw);
    case "link":
      return link(token as Tokens.Link, renderer, depth);
    // Loading an image would tell its host who reads this, so only its alternative text is shown.
    case "image":
      return renderer.text((token as Tokens.Image).text);
    case "escape":
      return renderer.text((token as Tokens.Escape).text);
    case "text":
      return "tokens" in token && token.tokens
        ? inline(token.tokens, renderer, depth)
        : renderer.text(token.raw);
    default:
      return renderer.text(token.raw);
  }
}

const safe_protocols = new Set(["http:", "https:", "mailto:"]);
/** The address if it is safe as a link: absolute, and of a scheme that runs no script. */
function safeAddress(href: string): string | null {
  try {
    return safe_protocols.has(new URL(href).protocol) ? href : null;
  } catch {
    return null;
  }
}

function link(
  { href, tokens }: Tokens.Link,
  renderer: TextRenderer,
  depth: number,
): ComponentChildren {
  const address = safeAddress(href);
  const content = inline(tokens, renderer, depth);
  return address ? (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {content}
    </a>
  ) : (
    content
  );
}

const any_marker = /\[(\d{1,3}|\?)\]/g;
/** Not directly after a word. */
const free_marker = /(?<![\p{L}\p{N}_)](?:\[\d{1,9}\]){0,9})\[(\d{1,3}|\?)\]/gu;

/** The text with its markers as elements; adjacent duplicates are shown once. */
function withMarkers(text: string, marker: Marker, pattern = any_marker): ComponentChildren {
  if (!text.includes("[")) return text;
  const parts: ComponentChildren[] = [];
  let from = 0;
  let last_marker = "";
  for (const match of text.matchAll(pattern)) {
    const element = marker(match[1] === "?" ? 0 : Number(match[1]));
    if (element === null) continue;
    const text_before = text.slice(from, match.index);
    from = match.index + match[0].length;
    if (text_before.trim() === "" && last_marker === match[1]) continue;
    last_marker = match[1]!;
    // Keeps a marker on the line of the preceding word.
    parts.push(text_before.replace(/ $/, "\u00a0"), element);
  }
  parts.push(text.slice(from));
  return parts.map((part, index) => <Fragment key={index}>{part}</Fragment>);
}
