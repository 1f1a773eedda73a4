/** The frame of a documentation page: list of pages, table of contents, search. */
import { counted } from "../../core/lib/counted";
import type { RenderedPage } from "./markdown";
import { findSections, wordsOf, type Hit } from "./search";

/** Content security policy: no scripts, and nothing from other hosts. */
export const page_policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** All pages, for the list and the search. */
export interface Site {
  readonly pages: readonly RenderedPage[];
  /** The path of the server's public address, which precedes each path; often empty. */
  readonly base: string;
}

const escape = (text: string): string => Bun.escapeHTML(text);

/** The address of a page; an empty slug is that of the first page. */
export const addressOf = (base: string, slug: string): string =>
  slug === "" ? `${base}/docs` : `${base}/docs/${slug}`;

/** A page with its frame. */
export const pageHtml = (site: Site, page: RenderedPage): string =>
  layout(site, {
    title: page.slug === "" ? "Dossier documentation" : `${page.title} · Dossier`,
    summary: page.summary,
    current: page.slug,
    contents: contentsOf(page),
    main: `<article>${page.html}</article>`,
  });

/** The results of a search; for an empty query, how to search. */
export function searchHtml(site: Site, query: string): string {
  const hits = findSections(site.pages, query);
  const status =
    query.trim() === ""
      ? "Type a word above."
      : hits.length === 0
        ? `Nothing has all of these words: ${wordsOf(query).join(" ")}.`
        : counted(hits.length, "section");
  return layout(site, {
    title: "Search · Dossier",
    summary: "",
    current: null,
    query,
    main:
      `<article><h1>Search</h1><p role="status">${escape(status)}</p>` +
      `<ol class="hits">${hits.map((hit) => hitHtml(site, hit)).join("")}</ol></article>`,
  });
}

/** The page for an address that does not exist. */
export const missingHtml = (site: Site): string =>
  layout(site, {
    title: "Not found · Dossier",
    summary: "",
    current: null,
    main:
      "<article><h1>There is no such page</h1><p>The pages are in the list; the search looks " +
      "through all of them.</p></article>",
  });

const hitHtml = ({ base }: Site, { page, section, excerpt }: Hit): string =>
  `<li><a href="${addressOf(base, page.slug)}#${section.id}">` +
  `${section.depth === 1 ? "" : `${escape(page.title)} › `}${escape(section.text)}</a>` +
  `<p>${escape(excerpt)}</p></li>`;

function contentsOf({ headings }: RenderedPage): string {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (listed.length < 2) return "";
  const items = listed.map(
    ({ id, depth, text }) => `<li class="depth-${depth}"><a href="#${id}">${escape(text)}</a></li>`,
  );
  const list = `<ul>${items.join("")}</ul>`;
  const title = "On this page";
  return (
    `<nav class="contents wide-only" aria-label="${title}"><p>${title}</p>${list}</nav>` +
    `<details class="contents narrow-only"><summary>${title}</summary>${list}</details>`
  );
}

interface PageContent {
  readonly title: string;
  readonly summary: string;
  /** The slug of the current page. */
  readonly current: string | null;
  readonly main: string;
  readonly contents?: string;
  readonly query?: string;
}

function layout(
  { base, pages }: Site,
  { title, summary, current, main, contents = "", query = "" }: PageContent,
): string {
  const items = pages
    .map(
      ({ slug, title: name }) =>
        `<li><a href="${addressOf(base, slug)}"${slug === current ? ' aria-current="page"' : ""}>` +
        `${escape(slug === "" ? "Overview" : name)}</a></li>`,
    )
    .join("");
  const about = summary && `<meta name="description" content="${escape(summary)}">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
${about}
<link rel="stylesheet" href="${base}/docs/style.css">
</head>
<body>
<a class="skip" href="#docs-main">To the text</a>
<header>
<a class="home" href="${base}/docs">Dossier</a>
<form action="${base}/docs/search" role="search">
<input type="search" name="q" value="${escape(query)}" maxlength="200"
  aria-label="Search the documentation" placeholder="Search">
</form>
<a class="narrow-only" href="#docs-pages">Pages</a>
<a href="${base}/console/">Console</a>
</header>
<div class="columns">
<main id="docs-main">
${contents}
${main}
</main>
<nav id="docs-pages" class="pages" aria-label="Documentation"><ul>${items}</ul></nav>
</div>
</body>
</html>
`;
}
