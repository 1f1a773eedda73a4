/**
 * Runs in the child: extracts the main text of a web page, without what surrounds it on every page
 * of a site.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { HTMLElement, parse, TextNode } from "node-html-parser";
import { decodeText } from "./input";

/** A downloaded page. `charset` is that of the response, if it has one. */
export interface PageInput {
  readonly path: string;
  readonly charset: string | null;
  /** Where to write the rest, as HTML in UTF-8. */
  readonly output: string;
}
/** What was found in the page. */
export interface PageOutput {
  readonly title: string | null;
  /** The page's own address as declared in it. */
  readonly canonical: string | null;
  readonly base: string | null;
  /** False when the page can't be parsed, and nothing was written. */
  readonly written: boolean;
}

/** The content of an element. `text` and `linked` are characters, with white space collapsed. */
interface Stats {
  text: number;
  linked: number;
  links: number;
  heading: boolean;
  sections: number;
}

/** A part with a larger share of the page's text is not navigation, whatever its class says. */
const aside_share_max = 0.4;
/** A main part has at least this share of the rest, or this many characters. */
const main_share = 0.25;
const main_chars = 500;
const article_share = 0.5;
/** A block counts as a list of links when they are more than this share of its text, … */
const link_share = 0.6;
/** … and there are at least as many. */
const links_min = 3;
/** Lists of links stay when less than this share would be left: they are what the page is for. */
const without_links_min = 0.4;

/** Writes the main text to `output`. */
export async function readPage({ path, charset, output }: PageInput): Promise<PageOutput> {
  const text = decodeText(readFileSync(path), charset);
  const html = text === null ? null : withoutComments(text);
  if (html === null || isDeep(html))
    return { title: null, canonical: null, base: null, written: false };
  const root = parse(html, {
    comment: false,
    lowerCaseTagName: true,
    blockTextElements: { script: true, style: true },
  });
  const head = headOf(root);
  const body = root.querySelector("body") ?? root;
  const { parts, removed } = mainOf(body);
  const written = parts.map((part) => serialise(part, removed)).join("\n");
  const title =
    head.title !== null && !/<h1[\s>]/i.test(written)
      ? `<title>${escaped(head.title)}</title>`
      : "";
  writeFileSync(
    output,
    `<!doctype html><html><head><meta charset="utf-8">${title}</head>` +
      `<body>${written}</body></html>`,
  );
  return { ...head, written: true };
}

function headOf(root: HTMLElement): Pick<PageOutput, "title" | "canonical" | "base"> {
  const collapsed = (text: string | undefined): string | null =>
    text?.replace(/\s+/g, " ").trim() || null;
  const title = root.querySelectorAll("title").find((element) => element.closest("svg") === null);
  const link = root
    .querySelectorAll("link")
    .find((link) => /(?:^|\s)canonical(?:\s|$)/i.test(link.getAttribute("rel") ?? ""));
  return {
    title:
      collapsed(title?.text) ??
      collapsed(root.querySelector("meta[property=og:title]")?.getAttribute("content")) ??
      collapsed(root.querySelector("h1")?.text),
    canonical: collapsed(link?.getAttribute("href")),
    base: collapsed(root.querySelector("base")?.getAttribute("href")),
  };
}

/** The parts with the main text, and the elements inside them that do not belong to it. */
function mainOf(body: HTMLElement): {
  readonly parts: readonly HTMLElement[];
  readonly removed: ReadonlySet<HTMLElement>;
} {
  const ignored = new Set<HTMLElement>();
  const stats = measure(body, ignored, (element) => aside.never.has(element.rawTagName));
  const total_chars = stats.get(body)!.text;
  const removed = new Set(ignored);
  const content_stats = measure(
    body,
    removed,
    (element, inside) =>
      aside.never.has(element.rawTagName) ||
      isAside(element, inside, stats.get(element)!, total_chars),
  );
  const content_chars = content_stats.get(body)!.text;
  // Apparently nothing but navigation: then that is the page.
  if (content_chars === 0) return { parts: [body], removed: ignored };
  const parts = partsOf(body, removed, content_stats, content_chars);
  const linked = new Set(removed);
  const total = sum(parts, content_stats);
  const without_links = parts.map((part) =>
    measure(
      part,
      linked,
      (element) => linked.has(element) || isLinkList(element, content_stats.get(element)),
    ),
  );
  const remaining_text = without_links.reduce(
    (text, stats, index) => text + stats.get(parts[index]!)!.text,
    0,
  );
  return { parts, removed: remaining_text >= without_links_min * total ? linked : removed };
}

/**
 * Walks through the tree, whose depth is limited. Elements for which `isRemoved` returns true are
 * left out with their content, and added to `removed`.
 */
function measure(
  root: HTMLElement,
  removed: Set<HTMLElement>,
  isRemoved: (element: HTMLElement, inside: boolean) => boolean,
): Map<HTMLElement, Stats> {
  const stats = new Map<HTMLElement, Stats>();
  const walk = (element: HTMLElement, inside: boolean): Stats => {
    const own_stats: Stats = {
      text: 0,
      linked: 0,
      links: 0,
      heading: element.rawTagName === "h1",
      sections: sectioning.has(element.rawTagName) ? 1 : 0,
    };
    stats.set(element, own_stats);
    for (const child of element.childNodes) {
      if (child instanceof TextNode) {
        own_stats.text += child.rawText.replace(/\s+/g, " ").trim().length;
        continue;
      }
      if (!(child instanceof HTMLElement)) continue;
      if (isRemoved(child, inside)) {
        removed.add(child);
        continue;
      }
      const inner = walk(child, inside || sectioning.has(child.rawTagName));
      own_stats.text += inner.text;
      own_stats.linked += child.rawTagName === "a" ? inner.text : inner.linked;
      own_stats.links += inner.links + (child.rawTagName === "a" ? 1 : 0);
      own_stats.heading ||= inner.heading;
      own_stats.sections += inner.sections;
    }
    return own_stats;
  };
  walk(root, false);
  return stats;
}

/** Judges by tag, role, class and id. `inside`: within the main part or an article. */
function isAside(
  element: HTMLElement,
  inside: boolean,
  { text, sections }: Stats,
  total_chars: number,
): boolean {
  const name = element.rawTagName;
  if (element.getAttribute("aria-hidden") === "true" && text < aside_share_max * total_chars)
    return true;
  if (name === "main" || name === "article" || name === "body") return false;
  const small = text <= aside_share_max * total_chars && sections === 0;
  if (aside.tags.has(name)) return small || name === "nav";
  if (name === "header") return !inside && small;
  if (!small) return false;
  if (aside.roles.has((element.getAttribute("role") ?? "").toLowerCase())) return true;
  if (/^h[1-6]$/.test(name)) return false;
  const names = `${element.getAttribute("class") ?? ""} ${element.getAttribute("id") ?? ""}`.slice(
    0,
    1_000,
  );
  return names.trim() !== "" && aside.names.test(names.replace(/([a-z])([A-Z])/g, "$1-$2"));
}

function isLinkList(element: HTMLElement, stats: Stats | undefined): boolean {
  return (
    stats !== undefined &&
    blocks.has(element.rawTagName) &&
    !stats.heading &&
    stats.links >= links_min &&
    stats.linked > link_share * stats.text
  );
}

/** The `main` elements, otherwise the articles, if they have enough text; otherwise the body. */
function partsOf(
  body: HTMLElement,
  removed: ReadonlySet<HTMLElement>,
  stats: ReadonlyMap<HTMLElement, Stats>,
  content_chars: number,
): HTMLElement[] {
  const mains = outermost(
    body,
    removed,
    (element) => element.rawTagName === "main" || element.getAttribute("role") === "main",
  );
  const main_text = sum(mains, stats);
  if (main_text >= main_share * content_chars || main_text >= main_chars) return mains;
  const articles = outermost(body, removed, (element) => element.rawTagName === "article");
  return articles.length > 0 && sum(articles, stats) >= article_share * content_chars
    ? articles
    : [body];
}
const sum = (parts: readonly HTMLElement[], stats: ReadonlyMap<HTMLElement, Stats>): number =>
  parts.reduce((text, part) => text + (stats.get(part)?.text ?? 0), 0);

function outermost(
  root: HTMLElement,
  removed: ReadonlySet<HTMLElement>,
  accepts: (element: HTMLElement) => boolean,
): HTMLElement[] {
  return root.childNodes.flatMap((child) =>
    !(child instanceof HTMLElement) || removed.has(child)
      ? []
      : accepts(child)
        ? [child]
        : outermost(child, removed, accepts),
  );
}

function serialise(element: HTMLElement, removed: ReadonlySet<HTMLElement>): string {
  const pieces: string[] = [];
  const write = (node: HTMLElement): void => {
    if (removed.has(node)) return;
    const name = node.rawTagName;
    const named = name !== null && name !== "" && name !== "body";
    if (named) pieces.push(`<${name}${node.rawAttrs === "" ? "" : ` ${node.rawAttrs}`}>`);
    for (const child of node.childNodes) {
      if (child instanceof HTMLElement) write(child);
      else if (child instanceof TextNode) pieces.push(child.rawText);
    }
    if (named && !void_elements.has(name)) pieces.push(`</${name}>`);
  };
  write(element);
  return pieces.join("");
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const void_elements = words("area base br col embed hr img input link meta param source track wbr");
/** Elements with a text of their own. */
const sectioning = words("main article");
const blocks = words("div section ul ol dl table p td nav");

/** What does not belong to the main text. */
const aside = {
  never: words(
    "script style noscript template iframe svg canvas dialog button select datalist object embed",
  ),
  tags: words("nav footer aside form menu"),
  roles: words(
    "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar " +
      "tablist",
  ),
  /** Whole words in classes and ids. */
  names: new RegExp(
    `(?:^|[^a-z0-9])(?:${[
      "nav|navbar|navigation|menu|sidebar|footer|breadcrumbs?|pagination|pager|toolbar",
      "masthead|skip|(?:site|page|global)-header",
      "cookies?|consent|gdpr|banner|adverts?|advertisement|ads?|promo|sponsored|popup|modal",
      "newsletter|subscribe|signup",
      "share|sharing|social|related|recommended|comments?|widget",
    ].join("|")})(?:$|[^a-z0-9])`,
    "i",
  ),
} as const;

/** Deeper pages are not parsed, because the walks through their tree are recursive. */
const depth_max = 800;
/** Elements whose end tag is often omitted: they do not nest, however many there are. */
const unclosed = words("p li dt dd td th tr thead tbody tfoot option html head body");

/** Whether elements nest deeper than in any real page, determined without a tree. */
function isDeep(html: string): boolean {
  let depth = 0;
  for (const [, closing, name] of html.matchAll(/<(\/?)([a-z][a-z0-9-]{0,30})/gi)) {
    const tag = name!.toLowerCase();
    if (void_elements.has(tag) || unclosed.has(tag)) continue;
    depth = Math.max(0, depth + (closing === "/" ? -1 : 1));
    if (depth > depth_max) return true;
  }
  return false;
}

/**
 * Removes comments in linear time: the parser would take quadratic time for many unclosed ones. An
 * unclosed comment hides nothing.
 */
function withoutComments(html: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < html.length;) {
    const start = html.indexOf("<!--", at);
    const end = start < 0 ? -1 : html.indexOf("-->", start + 2);
    if (end < 0) {
      pieces.push(html.slice(at).replaceAll("<!--", ""));
      break;
    }
    pieces.push(html.slice(at, start));
    at = Math.max(end + 3, start + 5);
  }
  return pieces.join("");
}
