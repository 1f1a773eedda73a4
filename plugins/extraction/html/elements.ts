/**
 * The elements of HTML by what they do to text. Whatever is not named here stands within a line.
 */

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Never have content. */
export const empty = words(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source " +
    "track wbr",
);
/** What they hold is no markup, and none of it is shown. */
export const unseen_raw = words("script style iframe noembed noframes xmp");
/** What they hold is markup, but none of it is shown beside the text. */
export const unseen = words(
  "head template noscript datalist audio video object canvas rp rt metadata desc",
);
/** What may stand in a head that somebody forgot to close. */
export const of_head = words("head title meta link base script style noscript template");

/** Begin and end a paragraph. */
export const paragraphs = words(
  "p div section article aside header footer main nav figure figcaption blockquote address ul ol " +
    "menu dir dl dt dd li pre hr form fieldset legend details summary dialog caption h1 h2 h3 " +
    "h4 h5 h6 hgroup body html " +
    "center search option optgroup textarea listing plaintext frameset",
);
/** Parts of tables. */
export const table_parts = words("table tr td th");
/** Tables, and the parts of them that hold rows. */
const rows_of = "table thead tbody tfoot";

interface Ending {
  readonly of: ReadonlySet<string>;
  readonly within: ReadonlySet<string>;
}
const listed = words("ul ol menu dir table td th");
/** Which open elements end where this one begins, and the elements beyond which it ends nothing. */
export const endings: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ["li", { of: words("li p"), within: listed }],
  ["dt", { of: words("dt dd p"), within: words("dl table td th") }],
  ["dd", { of: words("dt dd p"), within: words("dl table td th") }],
  ["td", { of: words("td th p"), within: words(`tr ${rows_of}`) }],
  ["th", { of: words("td th p"), within: words(`tr ${rows_of}`) }],
  ["tr", { of: words("tr td th p"), within: words(rows_of) }],
  ...["thead", "tbody", "tfoot"].map((name): [string, Ending] => [
    name,
    { of: words("thead tbody tfoot tr td th caption p"), within: words("table") },
  ]),
  ["option", { of: words("option"), within: words("select") }],
  ...["h1", "h2", "h3", "h4", "h5", "h6"].map((name): [string, Ending] => [
    name,
    { of: words("h1 h2 h3 h4 h5 h6 p"), within: words("div section article table td th li") },
  ]),
]);
/** A closing tag reaches no farther than to these, unless it is a part of a table itself. */
export const cells = words("td th caption");
export const closes_cells = words(`${rows_of} tr td th caption body html`);
