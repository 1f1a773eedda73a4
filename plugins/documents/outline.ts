/** The pages and headings of a text as they go over the wire: their places in code points. */
import { t, type Static } from "../../core/sdk";
import { spansOf } from "./spans";
import type { VersionRow } from "./store";

const Place = t.Integer({ minimum: 0, description: "A code point of the content." });
export const Outline = t.Object({
  version: t.Integer({
    minimum: 0,
    description: "The version whose text this is; 0 before there is any.",
  }),
  pages: t.Array(t.Object({ page: t.Integer({ minimum: 1 }), start: Place }), {
    description: "Where pages, slides or sheets begin, in order; empty for a format without them.",
  }),
  headings: t.Array(
    t.Object({
      start: Place,
      end: Place,
      level: t.Integer({ minimum: 1, description: "1 is the highest." }),
    }),
    { description: "In order; `end` is exclusive." },
  ),
});
export type Outline = Static<typeof Outline>;
export const no_outline: Outline = { version: 0, pages: [], headings: [] };
export const outline_example: Outline = {
  version: 1,
  pages: [
    { page: 1, start: 0 },
    { page: 2, start: 1_840 },
  ],
  headings: [{ start: 0, end: 16, level: 1 }],
};

export function outlineOf(
  row: Pick<VersionRow, "version" | "content" | "pages" | "headings" | "times">,
): Outline {
  const { pages, headings = [] } = spansOf(row);
  const text = row.content ?? "";
  const ofPage = counter(text),
    ofHeading = counter(text);
  return {
    version: row.version,
    pages: pages.map(({ page, start }) => ({ page, start: ofPage(start) })),
    headings: headings.map(({ start, end, level }) => ({
      start: ofHeading(start),
      end: ofHeading(end),
      level,
    })),
  };
}

/** UTF-16 indices to code points, for indices that never go back. */
function counter(text: string): (index: number) => number {
  let at = 0,
    count = 0;
  return (index) => {
    for (; at < index; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
    return count;
  };
}
