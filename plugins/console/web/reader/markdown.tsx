/**
 * Markdown as elements: parsed by marked's lexer and built as vnodes, so that no text becomes HTML.
 */
/** @jsxImportSource preact */
import { Marked, type Token, type Tokens } from "marked";
import { Fragment, type ComponentChildren } from "preact";

export interface MarkdownProps {
  readonly text: string;
  /**
   * Makes the element for the marker `[n]`, and with 0 for `[?]`; null leaves the marker as it is
   * written.
   */
  readonly marker?: (number: number) => ComponentChildren | null;
  /** Shows the text as it is, line by line: for text of a document, which is no Markdown. */
  readonly plain?: boolean;
}
type Marker = NonNullable<MarkdownProps["marker"]>;

/** `[1]: address` would turn markers into links, so there are no definitions. */
const reader = new Marked({ gfm: true, breaks: true, tokenizer: { def: () => undefined } });
/** The lexer is recursive: what is nested deeper or longer is shown as it is written. */
const chars_max = 60_000,
  depth_max = 24;

export function Markdown({ text, marker = () => null, plain = false }: MarkdownProps) {
  const tokens = plain || text.length > chars_max ? null : tokensOf(text);
  return <div class="prose">{tokens ? blocks(tokens, marker, 0) : paragraphs(text, marker)}</div>;
}

function tokensOf(text: string): Token[] | null {
  try {
    const tokens = reader.lexer(text);
    levelHeadings(tokens);
    return tokens;
  } catch {
    return null;
  }
}

const paragraphs = (text: string, marker: Marker): ComponentChildren =>
  text.split(/\n{2,}/).map((one, at) => (
    <p key={at} class="as-written">
      {withMarkers(one, marker)}
    </p>
  ));

const blocks = (tokens: readonly Token[], marker: Marker, depth: number): ComponentChildren =>
  tokens.map((token, at) => (
    <Fragment key={at}>{depth > depth_max ? token.raw : block(token, marker, depth + 1)}</Fragment>
  ));

function block(token: Token, marker: Marker, depth: number): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return heading(token as Tokens.Heading, marker, depth);
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens, marker, depth)}</p>;
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, marker, depth)}</blockquote>;
    case "list":
      return list(token as Tokens.List, marker, depth);
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case "hr":
      return <hr />;
    case "table":
      return table(token as Tokens.Table, marker, depth);
    case "html":
      return <p class="as-written">{withMarkers(token.raw.trim(), marker)}</p>;
    case "text":
      return inline((token as Tokens.Text).tokens ?? [token], marker, depth);
    default:
      return inlineOne(token, marker, depth);
  }
}

function heading(token: Tokens.Heading, marker: Marker, depth: number): ComponentChildren {
  const Heading = `h${levels.get(token) ?? heading_first}` as "h3";
  return <Heading>{inline(token.tokens, marker, depth)}</Heading>;
}

/** The page has its own headings above those of an answer. */
const heading_first = 3,
  heading_last = 6;
const levels = new WeakMap<Token, number>();

/** Headings begin right below those of the page and skip no level, whatever the text does. */
function levelHeadings(tokens: readonly Token[]): void {
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === "heading");
  const ranks = [...new Set(headings.map(({ depth }) => depth))].sort((a, b) => a - b);
  let last = heading_first - 1;
  for (const token of headings) {
    last = Math.min(heading_first + ranks.indexOf(token.depth), last + 1, heading_last);
    levels.set(token, last);
  }
}

function list(
  { ordered, start, items }: Tokens.List,
  marker: Marker,
  depth: number,
): ComponentChildren {
  const rows = items.map((item, at) => (
    <li key={at}>
      {item.task && (
        <span class="task" aria-label={item.checked ? "done" : "to do"}>
          {item.checked ? "☑ " : "☐ "}
        </span>
      )}
      {blocks(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        marker,
        depth,
      )}
    </li>
  ));
  return ordered ? <ol start={typeof start === "number" ? start : 1}>{rows}</ol> : <ul>{rows}</ul>;
}

const table = (
  { header, rows }: Tokens.Table,
  marker: Marker,
  depth: number,
): ComponentChildren => (
  <div class="prose-table" tabIndex={0} role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at} scope="col">
              {inline(cell.tokens, marker, depth)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, line) => (
          <tr key={line}>
            {row.map((cell, at) => (
              <td key={at}>{inline(cell.tokens, marker, depth)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const inline = (tokens: readonly Token[], marker: Marker, depth: number): ComponentChildren =>
  tokens.map((token, at) => (
    <Fragment key={at}>
      {depth > depth_max ? token.raw : inlineOne(token, marker, depth + 1)}
    </Fragment>
  ));

function inlineOne(token: Token, marker: Marker, depth: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens, marker, depth)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens, marker, depth)}</em>;
    case "del":
      return <del>{inline((token as Tokens.Del).tokens, marker, depth)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token as Tokens.Link, marker, depth);
    // Loading a picture would tell its host who reads this: only its alternative text is shown.
    case "image":
      return (token as Tokens.Image).text;
    case "escape":
      return (token as Tokens.Escape).text;
    case "text":
      return "tokens" in token && token.tokens
        ? inline(token.tokens, marker, depth)
        : withMarkers(token.raw, marker);
    default:
      return withMarkers(token.raw, marker);
  }
}

const allowed = new Set(["http:", "https:", "mailto:"]);
/** The address when it may be a link: absolute, and of a scheme that runs no script. */
export function safeAddress(href: string): string | null {
  try {
    return allowed.has(new URL(href).protocol) ? href : null;
  } catch {
    return null;
  }
}

function link({ href, tokens }: Tokens.Link, marker: Marker, depth: number): ComponentChildren {
  const address = safeAddress(href);
  const content = inline(tokens, marker, depth);
  return address ? (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {content}
    </a>
  ) : (
    content
  );
}

/** The text with its markers as elements; a marker that repeats right away is shown once. */
function withMarkers(text: string, marker: Marker): ComponentChildren {
  if (!text.includes("[")) return text;
  const parts: ComponentChildren[] = [];
  let from = 0,
    last = "";
  for (const match of text.matchAll(/\[(\d{1,3}|\?)\]/g)) {
    const element = marker(match[1] === "?" ? 0 : Number(match[1]));
    if (element === null) continue;
    const before = text.slice(from, match.index);
    from = match.index + match[0].length;
    if (before.trim() === "" && last === match[1]) continue;
    last = match[1]!;
    // A marker stays on the line of the word it follows.
    parts.push(before.replace(/ $/, "\u00a0"), element);
  }
  parts.push(text.slice(from));
  return parts.map((part, at) => <Fragment key={at}>{part}</Fragment>);
}
