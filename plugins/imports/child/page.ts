/**
 * The child's part of reading a web page: leaves its main text, without what surrounds it on every
 * page of a site.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { HTMLElement, parse, TextNode } from "node-html-parser";
import { decodeText } from "./text-encoding";

export interface PageInput {
  readonly path: string;
  readonly charset: string | null;
  /** Where what is left goes, as HTML in UTF-8. */
  readonly output: string;
}
export interface PageOutput {
  readonly title: string | null;
  /** What the page says its address is, as it is written there. */
  readonly canonical: string | null;
  readonly base: string | null;
  /** False when the page can't be taken apart, and nothing was written. */
  readonly written: boolean;
}

/** What an element holds. Lengths in characters, white space squeezed. */
interface Held {
  text: number;
  linked: number;
  links: number;
  heading: boolean;
  sections: number;
}

/** A part with as much of the page's text is no navigation, whatever it is called. */
const too_much = 0.4;
/** A main part has at least so much of what is left, or so many characters. */
const main_share = 0.25;
const main_chars = 500;
const article_share = 0.5;
/** A block whose text is links for the most part, and has several of them, leads elsewhere. */
const link_share = 0.6;
const links_min = 3;
/** Unless that is what the page is for. */
const kept_share = 0.4;

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
  const { kept, gone } = mainOf(body);
  const written = kept.map((part) => serialised(part, gone)).join("\n");
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
  const squeezed = (text: string | undefined): string | null =>
    text?.replace(/\s+/g, " ").trim() || null;
  const title = root.querySelectorAll("title").find((one) => one.closest("svg") === null);
  const link = root
    .querySelectorAll("link")
    .find((one) => /(?:^|\s)canonical(?:\s|$)/i.test(one.getAttribute("rel") ?? ""));
  return {
    title:
      squeezed(title?.text) ??
      squeezed(root.querySelector("meta[property=og:title]")?.getAttribute("content")) ??
      squeezed(root.querySelector("h1")?.text),
    canonical: squeezed(link?.getAttribute("href")),
    base: squeezed(root.querySelector("base")?.getAttribute("href")),
  };
}

/** The parts that hold the main text, and the elements inside them that do not belong to it. */
function mainOf(body: HTMLElement): {
  readonly kept: readonly HTMLElement[];
  readonly gone: ReadonlySet<HTMLElement>;
} {
  const never = new Set<HTMLElement>();
  const held = measured(body, never, (element) => aside.never.has(element.rawTagName));
  const all = held.get(body)!.text;
  const gone = new Set(never);
  const rest = measured(
    body,
    gone,
    (element, inside) =>
      aside.never.has(element.rawTagName) || isAside(element, inside, held.get(element)!, all),
  );
  const left = rest.get(body)!.text;
  // Nothing but navigation, as it seems: then that is the page.
  if (left === 0) return { kept: [body], gone: never };
  const parts = partsOf(body, gone, rest, left);
  const linked = new Set(gone);
  const total = sum(parts, rest);
  const after = parts.map((part) =>
    measured(
      part,
      linked,
      (element) => linked.has(element) || leadsElsewhere(element, rest.get(element)),
    ),
  );
  const kept_text = after.reduce((text, one, index) => text + one.get(parts[index]!)!.text, 0);
  return { kept: parts, gone: kept_text >= kept_share * total ? linked : gone };
}

/**
 * Walks through the tree, whose depth is limited; `leave` tells which elements go, with all they
 * hold. They are added to `gone`.
 */
function measured(
  root: HTMLElement,
  gone: Set<HTMLElement>,
  leave: (element: HTMLElement, inside: boolean) => boolean,
): Map<HTMLElement, Held> {
  const held = new Map<HTMLElement, Held>();
  const walk = (element: HTMLElement, inside: boolean): Held => {
    const mine: Held = {
      text: 0,
      linked: 0,
      links: 0,
      heading: element.rawTagName === "h1",
      sections: sectioning.has(element.rawTagName) ? 1 : 0,
    };
    held.set(element, mine);
    for (const child of element.childNodes) {
      if (child instanceof TextNode) {
        mine.text += child.rawText.replace(/\s+/g, " ").trim().length;
        continue;
      }
      if (!(child instanceof HTMLElement)) continue;
      if (leave(child, inside)) {
        gone.add(child);
        continue;
      }
      const theirs = walk(child, inside || sectioning.has(child.rawTagName));
      mine.text += theirs.text;
      mine.linked += child.rawTagName === "a" ? theirs.text : theirs.linked;
      mine.links += theirs.links + (child.rawTagName === "a" ? 1 : 0);
      mine.heading ||= theirs.heading;
      mine.sections += theirs.sections;
    }
    return mine;
  };
  walk(root, false);
  return held;
}

/**
 * By what it is, says it is for, and is called. `inside`: it lies in the main part or in an
 * article.
 */
function isAside(
  element: HTMLElement,
  inside: boolean,
  { text, sections }: Held,
  all: number,
): boolean {
  const name = element.rawTagName;
  if (element.getAttribute("aria-hidden") === "true" && text < too_much * all) return true;
  if (name === "main" || name === "article" || name === "body") return false;
  const small = text <= too_much * all && sections === 0;
  if (aside.tags.has(name)) return small || name === "nav";
  if (name === "header") return !inside && small;
  if (!small) return false;
  if (aside.roles.has((element.getAttribute("role") ?? "").toLowerCase())) return true;
  if (/^h[1-6]$/.test(name)) return false;
  const called = `${element.getAttribute("class") ?? ""} ${element.getAttribute("id") ?? ""}`.slice(
    0,
    1_000,
  );
  return called.trim() !== "" && aside.names.test(called.replace(/([a-z])([A-Z])/g, "$1-$2"));
}

function leadsElsewhere(element: HTMLElement, held: Held | undefined): boolean {
  return (
    held !== undefined &&
    blocks.has(element.rawTagName) &&
    !held.heading &&
    held.links >= links_min &&
    held.linked > link_share * held.text
  );
}

/** `main`, or else the articles, where they hold enough; or else all of it. */
function partsOf(
  body: HTMLElement,
  gone: ReadonlySet<HTMLElement>,
  held: ReadonlyMap<HTMLElement, Held>,
  left: number,
): HTMLElement[] {
  const mains = outermost(
    body,
    gone,
    (element) => element.rawTagName === "main" || element.getAttribute("role") === "main",
  );
  const main_text = sum(mains, held);
  if (main_text >= main_share * left || main_text >= main_chars) return mains;
  const articles = outermost(body, gone, (element) => element.rawTagName === "article");
  return articles.length > 0 && sum(articles, held) >= article_share * left ? articles : [body];
}
const sum = (parts: readonly HTMLElement[], held: ReadonlyMap<HTMLElement, Held>): number =>
  parts.reduce((text, part) => text + (held.get(part)?.text ?? 0), 0);

function outermost(
  root: HTMLElement,
  gone: ReadonlySet<HTMLElement>,
  wanted: (element: HTMLElement) => boolean,
): HTMLElement[] {
  return root.childNodes.flatMap((child) =>
    !(child instanceof HTMLElement) || gone.has(child)
      ? []
      : wanted(child)
        ? [child]
        : outermost(child, gone, wanted),
  );
}

function serialised(element: HTMLElement, gone: ReadonlySet<HTMLElement>): string {
  const pieces: string[] = [];
  const write = (node: HTMLElement): void => {
    if (gone.has(node)) return;
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

export const void_elements = words(
  "area base br col embed hr img input link meta param source track wbr",
);
/** Parts that hold an own text. */
export const sectioning = words("main article");
export const blocks = words("div section ul ol dl table p td nav");

/** What is not of the main text. */
export const aside = {
  never: words(
    "script style noscript template iframe svg canvas dialog button select datalist object embed",
  ),
  tags: words("nav footer aside form menu"),
  roles: words(
    "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar " +
      "tablist",
  ),
  /** In classes and ids, as words of their own. */
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

/** Deeper pages are not taken apart: the walks through their tree nest as deep as they do. */
const depth_max = 800;
/** Elements whose end is often left out: they do not nest, however many there are. */
const unclosed = words("p li dt dd td th tr thead tbody tfoot option html head body");

/** Whether elements nest deeper than any honest page's, counted without a tree. */
export function isDeep(html: string): boolean {
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
 * In linear time, which the parser that comes after would not take for comments that never end.
 * Those hide nothing.
 */
export function withoutComments(html: string): string {
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
