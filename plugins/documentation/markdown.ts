/** A page of Markdown as HTML: headings with anchors, links that lead somewhere, wide tables. */
import { posix } from "node:path";
import { Marked, type Token, type Tokens } from "marked";
import type { Page } from "./pages";

export interface Heading {
  readonly id: string;
  readonly depth: number;
  readonly text: string;
}
export interface Section extends Heading {
  /** What stands below it, as words. */
  readonly words: string;
}
export interface RenderedPage extends Page {
  readonly title: string;
  /** What the page is for: its first paragraph. */
  readonly summary: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

/** `address` is that of a page, by its path in the project; null when it is not served. */
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
        // The name of the page is no section of it.
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
      // Notes for those who try the page out; there is no other HTML.
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

/** With the ids that other readers of Markdown give them, too. */
function headingsOf(tokens: readonly Token[]): Heading[] {
  const taken = new Map<string, number>();
  return tokens
    .filter((token): token is Tokens.Heading => token.type === "heading")
    .map(({ text, depth }) => {
      const plain = plainText(text);
      const slug = plain
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-");
      const before = taken.get(slug) ?? 0;
      taken.set(slug, before + 1);
      return { id: before === 0 ? slug : `${slug}-${before}`, depth, text: plain };
    });
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const words: string[][] = [];
  for (const token of tokens) {
    if (token.type === "heading") words.push([]);
    else if (token.type !== "html") words.at(-1)?.push(plainText(token.raw));
  }
  return headings.map((heading, place) => ({ ...heading, words: words[place]!.join(" ") }));
}

/** Without the marks of Markdown. */
const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\|[\s|:-]*\||```\w*|[`*|]/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ([,.;:])/g, "$1")
    .trim();

/** Where a link leads; null when that is a file that only the source of Dossier has. */
function targetOf(
  href: string,
  from: string,
  address: (path: string) => string | null,
): string | null {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path = "", hash] = href.split("#");
  const found = address(posix.join(posix.dirname(from), path));
  return found === null ? null : found + (hash === undefined ? "" : `#${hash}`);
}
