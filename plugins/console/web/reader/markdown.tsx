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
export interface Ink {
  /** Text as it is shown. */
  text(text: string): ComponentChildren;
  begin?(token: Pick<Token, "raw" | "type">): void;
  end?(token: Pick<Token, "raw" | "type">): void;
}

/** `[1]: address` would turn markers into links, so reference definitions are disabled. */
const reader = new Marked({ gfm: true, breaks: true, tokenizer: { def: () => undefined } });
/** The lexer is recursive: content nested too deeply or too long is shown as plain text. */
const chars_max = 60_000;
const depth_max = 24;

export function Markdown({ text, marker = () => null, plain = false }: MarkdownProps) {
  const tokens = plain || text.length > chars_max ? null : tokensOf(text);
  const ink: Ink = { text: (part) => withMarkers(part, marker) };
  return <div class="prose">{tokens ? blocks(tokens, ink, 0) : paragraphs(text, ink)}</div>;
}

/** Renders these tokens as elements. */
export const elementsOf = (tokens: readonly Token[], ink: Ink): ComponentChildren =>
  blocks(tokens, ink, 0);

/** Null if the text must not be parsed. */
export function tokensOf(text: string): Token[] | null {
  try {
    const tokens = reader.lexer(text);
    levelHeadings(tokens);
    return tokens;
  } catch {
    return null;
  }
}

/** A code block, or otherwise a paragraph. */
const written_block =
  /(?:^|\n)(`{3,})\n(?<code>[^]*?)\n\1(?=\n|$)|(?<prose>[^]+?)(?=\n{2,}|\n`{3,}\n|$)/g;

const paragraphs = (text: string, ink: Ink): ComponentChildren =>
  [...text.matchAll(written_block)].map(({ groups }, at) =>
    groups!.code === undefined
      ? groups!.prose!.trim() !== "" && (
          <p key={at} class="as-written">
            {emphasised(groups!.prose!.trim(), ink)}
          </p>
        )
      : codeBlock(groups!.code, at),
  );

/** `**bold**`, `*italic*` and `***both***` around words; not the stars of `2*3` and `**options`. */
const emphasis = /(?<![\p{L}\p{N}*\\])(\*{1,3})(?=[^\s*])([^*\n]+)(?<=\S)\1(?![\p{L}\p{N}*])/gu;

function emphasised(text: string, ink: Ink): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(emphasis)) {
    const stars = match[1]!.length;
    const words = ink.text(match[2]!);
    const inner = stars === 2 ? words : <em>{words}</em>;
    parts.push(ink.text(text.slice(from, match.index)));
    parts.push(stars === 1 ? inner : <strong>{inner}</strong>);
    from = match.index + match[0].length;
  }
  return [...parts, ink.text(text.slice(from))].map((part, at) => (
    <Fragment key={at}>{part}</Fragment>
  ));
}

const codeBlock = (children: ComponentChildren, key?: number) => (
  <pre key={key} tabIndex={0}>
    <code>{children}</code>
  </pre>
);

const blocks = (tokens: readonly Token[], ink: Ink, depth: number): ComponentChildren =>
  tokens.map((token, at) => (
    <Fragment key={at}>
      {depth > depth_max
        ? ink.text(token.raw)
        : visited(token, ink, () => block(token, ink, depth + 1))}
    </Fragment>
  ));

function visited(
  token: Pick<Token, "raw" | "type">,
  ink: Ink,
  build: () => ComponentChildren,
): ComponentChildren {
  ink.begin?.(token);
  const built = build();
  ink.end?.(token);
  return built;
}

function block(token: Token, ink: Ink, depth: number): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return heading(token as Tokens.Heading, ink, depth);
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens, ink, depth)}</p>;
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, ink, depth)}</blockquote>;
    case "list":
      return list(token as Tokens.List, ink, depth);
    case "code":
      return codeBlock(ink.text((token as Tokens.Code).text));
    case "hr":
      return <hr />;
    case "table":
      return table(token as Tokens.Table, ink, depth);
    case "html":
      return <p class="as-written">{ink.text(token.raw.trim())}</p>;
    case "text":
      return inline((token as Tokens.Text).tokens ?? [token], ink, depth);
    default:
      return inlineOne(token, ink, depth);
  }
}

function heading(token: Tokens.Heading, ink: Ink, depth: number): ComponentChildren {
  const Heading = `h${levels.get(token) ?? heading_first}` as "h3";
  const rank = ranks.get(token);
  if (rank === undefined) return <Heading>{inline(token.tokens, ink, depth)}</Heading>;
  const Ranked = rank.tag;
  return <Ranked class={`rank-${rank.rank}`}>{inline(token.tokens, ink, depth)}</Ranked>;
}

/** A heading of a document: its element, and its visual level, starting at 1. */
export interface RankedHeading {
  readonly tag: "h2" | "h3" | "h4" | "h5" | "h6" | "p";
  readonly rank: number;
}
const ranks = new WeakMap<Token, RankedHeading>();

/** Assigns to each heading token, in order, the levels known from the whole document. */
export function rankHeadings(tokens: readonly Token[], known: readonly RankedHeading[]): void {
  const headings = tokens.filter(({ type }) => type === "heading");
  for (const [at, token] of headings.entries())
    ranks.set(token, known[at] ?? { tag: "p", rank: (token as Tokens.Heading).depth });
}

/** Answers are below the headings of the page. */
const heading_first = 3;
const heading_last = 6;
const levels = new WeakMap<Token, number>();

/** Levels start right below those of the page and skip none, whatever the text does. */
function levelHeadings(tokens: readonly Token[]): void {
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === "heading");
  const ranks = [...new Set(headings.map(({ depth }) => depth))].sort((a, b) => a - b);
  let last = heading_first - 1;
  for (const token of headings) {
    last = Math.min(heading_first + ranks.indexOf(token.depth), last + 1, heading_last);
    levels.set(token, last);
  }
}

function list({ ordered, start, items }: Tokens.List, ink: Ink, depth: number): ComponentChildren {
  const rows = items.map((item, at) => (
    <li key={at}>
      {item.task && (
        <span class="task" aria-label={item.checked ? "done" : "to do"}>
          {item.checked ? "☑ " : "☐ "}
        </span>
      )}
      {visited(item, ink, () =>
        blocks(
          item.tokens.filter(({ type }) => type !== "checkbox"),
          ink,
          depth,
        ),
      )}
    </li>
  ));
  return ordered ? <ol start={typeof start === "number" ? start : 1}>{rows}</ol> : <ul>{rows}</ul>;
}

const table = (
  { header, rows, raw, align }: Tokens.Table,
  ink: Ink,
  depth: number,
): ComponentChildren => (
  <div class="prose-table" tabIndex={0} role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          {header.map((cell, at) =>
            cell.text.trim() === "" ? (
              // Empty header cells count as no header.
              <td key={at} />
            ) : (
              <th key={at} scope="col" class={cellClass(cell.text, align[at])}>
                {inline(cell.tokens, ink, depth)}
              </th>
            ),
          )}
        </tr>
      </thead>
      {visited({ raw: raw.split("\n")[1] ?? "", type: "rule" }, ink, () => null)}
      <tbody>
        {rows.map((row, line) => (
          <tr key={line}>
            {row.map((cell, at) => (
              <td key={at} class={cellClass(cell.text, align[at])}>
                {inline(cell.tokens, ink, depth)}
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

const inline = (tokens: readonly Token[], ink: Ink, depth: number): ComponentChildren =>
  tokens.map((token, at) => (
    <Fragment key={at}>
      {depth > depth_max
        ? ink.text(token.raw)
        : visited(token, ink, () => inlineOne(token, ink, depth + 1))}
    </Fragment>
  ));

function inlineOne(token: Token, ink: Ink, depth: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens, ink, depth)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens, ink, depth)}</em>;
    case "del":
      return <del>{inline((token as Tokens.Del).tokens, ink, depth)}</del>;
    case "codespan":
      return <code>{ink.text((token as Tokens.Codespan).text)}</code>;
    case "br":
      return <br />;
    // The only way to break a line inside a table cell.
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : ink.text(token.raw);
    case "link":
      return link(token as Tokens.Link, ink, depth);
    // Loading an image would tell its host who reads this, so only its alternative text is shown.
    case "image":
      return ink.text((token as Tokens.Image).text);
    case "escape":
      return ink.text((token as Tokens.Escape).text);
    case "text":
      return "tokens" in token && token.tokens
        ? inline(token.tokens, ink, depth)
        : ink.text(token.raw);
    default:
      return ink.text(token.raw);
  }
}

const allowed = new Set(["http:", "https:", "mailto:"]);
/** The address if it is safe as a link: absolute, and of a scheme that runs no script. */
function safeAddress(href: string): string | null {
  try {
    return allowed.has(new URL(href).protocol) ? href : null;
  } catch {
    return null;
  }
}

function link({ href, tokens }: Tokens.Link, ink: Ink, depth: number): ComponentChildren {
  const address = safeAddress(href);
  const content = inline(tokens, ink, depth);
  return address ? (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {content}
    </a>
  ) : (
    content
  );
}

/** The text with its markers as elements; adjacent duplicates are shown once. */
function withMarkers(text: string, marker: Marker): ComponentChildren {
  if (!text.includes("[")) return text;
  const parts: ComponentChildren[] = [];
  let from = 0;
  let last = "";
  for (const match of text.matchAll(/\[(\d{1,3}|\?)\]/g)) {
    const element = marker(match[1] === "?" ? 0 : Number(match[1]));
    if (element === null) continue;
    const before = text.slice(from, match.index);
    from = match.index + match[0].length;
    if (before.trim() === "" && last === match[1]) continue;
    last = match[1]!;
    // Keeps a marker on the line of the preceding word.
    parts.push(before.replace(/ $/, "\u00a0"), element);
  }
  parts.push(text.slice(from));
  return parts.map((part, at) => <Fragment key={at}>{part}</Fragment>);
}
