/** Runs in the child: HTML elements by their effect on text. All others are inline. */

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Elements that never have content. */
export const void_elements = words(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source " +
    "track wbr",
);
/** Elements whose content is raw text that is not shown. */
export const hidden_raw_text = words("script style iframe noembed noframes xmp");
/** Elements whose content is markup that is not shown as text. */
export const hidden_elements = words(
  "head template noscript datalist audio video object canvas rp rt metadata desc",
);
/** Any other element ends an open head. */
export const head_elements = words("head title meta link base script style noscript template");

/** Elements that begin and end a paragraph. */
export const block_elements = words(
  "p div section article aside header footer main nav figure figcaption blockquote address ul ol " +
    "menu dir dl dt dd li pre hr form fieldset legend details summary dialog caption h1 h2 h3 " +
    "h4 h5 h6 hgroup body html " +
    "center search option optgroup textarea listing plaintext frameset",
);
/** Parts of tables that begin and end a line. */
export const table_elements = words("table tr td th");
/** Elements that contain rows. */
const row_parents = "table thead tbody tfoot";

interface ImpliedEnd {
  /** The open elements that are closed. */
  readonly of: ReadonlySet<string>;
  /** Boundaries: nothing outside of these is closed. */
  readonly within: ReadonlySet<string>;
}
const list_parents = words("ul ol menu dir table td th");
/** Elements whose start tag implies the end tags of others. */
export const implied_ends: ReadonlyMap<string, ImpliedEnd> = new Map<string, ImpliedEnd>([
  ["li", { of: words("li p"), within: list_parents }],
  ["dt", { of: words("dt dd p"), within: words("dl table td th") }],
  ["dd", { of: words("dt dd p"), within: words("dl table td th") }],
  ["td", { of: words("td th p"), within: words(`tr ${row_parents}`) }],
  ["th", { of: words("td th p"), within: words(`tr ${row_parents}`) }],
  ["tr", { of: words("tr td th p"), within: words(row_parents) }],
  ...["thead", "tbody", "tfoot"].map((name): [string, ImpliedEnd] => [
    name,
    { of: words("thead tbody tfoot tr td th caption p"), within: words("table") },
  ]),
  ["option", { of: words("option"), within: words("select") }],
  ...["h1", "h2", "h3", "h4", "h5", "h6"].map((name): [string, ImpliedEnd] => [
    name,
    { of: words("h1 h2 h3 h4 h5 h6 p"), within: words("div section article table td th li") },
  ]),
]);
/** An end tag closes nothing outside the innermost of these, unless it is one of the others. */
export const cells = words("td th caption");
/** Elements that end a cell that was left open. */
export const cell_closers = words(`${row_parents} tr td th caption body html`);
