/**
 * Several rows of a table, or all items of a list, as one answer: what is compared, counted or
 * listed. Pure.
 */
import { quote_points_max, type Span } from "../search/contract";
import type { GroupQuestion } from "./group-questions";
import { sentenceOfRow, type TableRow } from "./table-row";

/** A group as an answer; UTF-16 indices into its passage. */
export interface Group extends Span {
  readonly text: string;
  /** The question's terms in it, and in what is above it. */
  readonly terms: ReadonlySet<string>;
  /** All items of a list, which was found by what is above it. */
  readonly is_list?: true;
}
/** A question, as far as groups need it. */
export interface GroupReader {
  readonly group_question: GroupQuestion;
  /** The question's terms in a text. */
  readonly termsOf: (text: string) => ReadonlySet<string>;
  /** Those by which it names what it asks about, rather than what was asked about before. */
  readonly namesOf: (text: string) => ReadonlySet<string>;
  /** The share of the question in a text. */
  readonly weightOf: (text: string) => number;
}

const fits = ({ start, end }: Span): boolean => end - start <= quote_points_max;

const item_mark = "[ \\t]*(?:[-*+•●○■□▪◦‣▶–]|\\d{1,3}[.)])[ \\t]+";
const list = new RegExp(`(?:^${item_mark}\\S[^\\n]*(?:\\n|$)){2,}`, "gmu");
const item_start = new RegExp(`^${item_mark}`, "u");
const heading_line = /^#{1,6}[ \t]+(.*)$/;

/** The lists that have a word of the question above them: in their heading or introduction. */
export function listGroups(
  text: string,
  heading: string | null,
  { termsOf }: Pick<GroupReader, "termsOf">,
): Group[] {
  return [...text.matchAll(list)].flatMap(({ 0: block, index }) => {
    const span = { start: index + block.search(/\S/), end: index + block.trimEnd().length };
    const terms = termsOf(captionAbove(text.slice(0, index), heading));
    if (terms.size === 0 || !fits(span)) return [];
    const items = block
      .trim()
      .split("\n")
      .map((line) => line.replace(item_start, "").trim());
    return [{ ...span, terms, text: items.join("; "), is_list: true }];
  });
}

/** The heading of a list, and the line that introduces it. */
function captionAbove(before: string, heading: string | null): string {
  const lines = before.split("\n").filter((line) => line.trim() !== "");
  const introduction = /[:：]\s*$/.test(lines.at(-1) ?? "") ? lines.at(-1) : "";
  const marked = lines.findLast((line) => heading_line.test(line));
  const last_heading = marked?.replace(heading_line, "$1") ?? heading?.split(" › ").at(-1) ?? "";
  return `${last_heading}\n${introduction}`;
}

/** A row with its place. */
interface PlacedRow extends Span {
  readonly row: TableRow;
}

/** Rows of the tables of a passage that answer together. */
export function rowGroups(
  sentences: readonly Span[],
  rows: ReadonlyMap<number, TableRow>,
  heading: string | null,
  reader: GroupReader,
): Group[] {
  const tables: PlacedRow[][] = [];
  let last = -2;
  for (const [at, row] of rows) {
    const { start, end } = sentences[at]!;
    if (at === last + 1 && tables.at(-1)![0]!.row.heads === row.heads)
      tables.at(-1)!.push({ start, end, row });
    else tables.push([{ start, end, row }]);
    last = at;
  }
  return tables.flatMap((table) => groupOf(table, heading, reader) ?? []);
}

function groupOf(
  table: readonly PlacedRow[],
  heading: string | null,
  reader: GroupReader,
): Group | null {
  const by_first = rowsNamedBy(0, table, reader);
  const { lists, extremes, compares } = reader.group_question;
  // Behind numbers or codes, the names of rows are in the second column.
  const label = compares && by_first.length === 0 ? 1 : 0;
  const compared = label === 0 ? by_first : rowsNamedBy(label, table, reader);
  if (compared.length > 1) return groupFrom(compared, label, heading, reader);
  const is_whole = lists || extremes || asksWhich(table[0]!.row.heads, reader);
  return is_whole && compared.length === 0 && table.length > 1
    ? groupFrom(table, 0, heading, reader)
    : null;
}

/** Which of the rows has something: "Which formats …?", where the first head is "Format". */
const asksWhich = ([first, ...others]: readonly string[], { weightOf }: GroupReader): boolean =>
  weightOf(first ?? "") > 0 && others.some((head) => weightOf(head) > 0);

/** The rows that a question names, each by words of its own. `at`: among their filled cells. */
function rowsNamedBy(
  at: number,
  table: readonly PlacedRow[],
  { namesOf }: GroupReader,
): PlacedRow[] {
  const in_heads = namesOf(table[0]!.row.heads.join("\n"));
  const named = table.map((placed) => ({
    placed,
    names: namesOf(placed.row.cells.filter((cell) => cell !== "")[at] ?? "").difference(in_heads),
  }));
  return named
    .filter(
      ({ names }) =>
        names.size > 0 &&
        !named.some((other) => other.names.size > names.size && names.isSubsetOf(other.names)),
    )
    .map(({ placed }) => placed);
}

/** These rows: the asked column, or the names if the question is about these, or all cells. */
function groupFrom(
  rows: readonly PlacedRow[],
  label: number,
  heading: string | null,
  { group_question, termsOf, weightOf }: GroupReader,
): Group | null {
  const { heads, caption } = rows[0]!.row;
  const span = { start: rows[0]!.start, end: rows.at(-1)!.end };
  const above = termsOf([...heads, caption, heading?.split(" › ").at(-1) ?? ""].join("\n"));
  const names = termsOf(rows.map(({ row }) => row.cells[label]).join("\n"));
  const terms = above.union(names).union(termsOf(group_question.words));
  if (above.union(names).size === 0 || !fits(span)) return null;
  const is_by_column = heads.some((head, at) => at > 0 && weightOf(head) > 0);
  const are_names_asked =
    !group_question.extremes &&
    group_question.lists &&
    !is_by_column &&
    weightOf(heads[0] ?? "") > 0;
  const texts = rows.map(({ row }) =>
    are_names_asked ? row.cells[0]! : sentenceOfRow(row, weightOf).text,
  );
  return { ...span, terms, text: [...new Set(texts)].join("; ") };
}
