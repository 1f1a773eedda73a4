/** Renders a page of Markdown as HTML: headings with anchors, resolved links, scrollable tables. */
import { posix } from "node:path";
import { Marked, type Token, type Tokens } from "marked";
import type { Page } from "./pages";

/** A heading; `id` is its anchor. */
export interface Heading {
  readonly id: string;
  readonly depth: number;
  readonly text: string;
}
/** A part of a page that the search finds. */
export interface Section extends Heading {
  /** The text below the heading, without markup. */
  readonly words: string;
}
/** A page as HTML, with what the frame and the search need. */
export interface RenderedPage extends Page {
  readonly title: string;
  /** The description of the page: its first paragraph. */
  readonly summary: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

/** `address` maps the path of a page in the project to its URL; null when it is not served. */
export function renderPage(page: Page, address: (path: string) => string | null): RenderedPage {
  const marked = new Marked();
  const tokens = marked.lexer(page.markdown);
  const headings = headingsOf(tokens);
  let next = 0;
  marked.use({
    renderer: {
      heading({ depth, tokens: inline }) {
        const { id } = headings[next++]!;
        const text = this.parser.parseInline(inline);
        // The title of the page is not a section.
        const anchor =
          depth === 1
            ? ""
            : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${id}">${text}${anchor}</h${depth}>\n`;
      },
      link({ href, tokens: inline }) {
        const text = this.parser.parseInline(inline);
        const target = targetOf(href, page.path, address);
        return target === null ? text : `<a href="${Bun.escapeHTML(target)}">${text}</a>`;
      },
      code({ text, lang }) {
        const shown = `<code>${Bun.escapeHTML(text)}</code>`;
        return `<pre tabindex="0" data-language="${Bun.escapeHTML(lang ?? "")}">${shown}</pre>\n`;
      },
      // HTML comments are notes for the tests of the page; pages contain no other HTML.
      html: () => "",
    },
  });
  const sections = sectionsOf(tokens, headings);
  return {
    ...page,
    title: headings[0]?.text ?? page.slug,
    summary: plainText(tokens.find(({ type }) => type === "paragraph")?.raw ?? ""),
    html: marked
      .parser(tokens)
      .replaceAll(
        "<table>",
        '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>',
      )
      .replaceAll("</table>", "</table></div>"),
    headings,
    sections,
  };
}

/** With the same ids that other Markdown renderers give them. */
function headingsOf(tokens: readonly Token[]): Heading[] {
  const used_ids = new Map<string, number>();
  return tokens
    .filter((token): token is Tokens.Heading => token.type === "heading")
    .map(({ text, depth }) => {
      const plain = plainText(text);
      const slug = plain
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-");
      const before = used_ids.get(slug) ?? 0;
      used_ids.set(slug, before + 1);
      return { id: before === 0 ? slug : `${slug}-${before}`, depth, text: plain };
    });
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const words: string[][] = [];
  for (const token of tokens) {
    if (token.type === "heading") words.push([]);
    else if (token.type !== "html") words.at(-1)?.push(plainText(token.raw));
  }
  return headings.map((heading, index) => ({ ...heading, words: words[index]!.join(" ") }));
}

/** Without Markdown markup. */
const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\|[\s|:-]*\||```\w*|[`*|]/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ([,.;:])/g, "$1")
    .trim();

/** The target of a link; null for a file that exists only in Dossier's source. */
function targetOf(
  href: string,
  from: string,
  address: (path: string) => string | null,
): string | null {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path = "", hash] = href.split("#");
  const target = address(posix.join(posix.dirname(from), path));
  return target === null ? null : target + (hash === undefined ? "" : `#${hash}`);
}
