/** What the elements of a page are for, as far as its main text is concerned. */

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
      "nav|navbar|navigation|menu|sidebar|footer|breadcrumbs?|pagination|pager|toolbar|masthead|skip|(?:site|page|global)-header",
      "cookies?|consent|gdpr|banner|adverts?|advertisement|ads?|promo|sponsored|popup|modal|newsletter|subscribe|signup",
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
