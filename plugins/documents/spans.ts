/**
 * What is known about the stretches of a text, as it is stored and as it is used. Offsets are
 * UTF-16 indices into the text.
 */
import type { Extracted } from "../extraction/contract";
import type { VersionRow } from "./store";

export type Spans = Pick<Extracted, "pages" | "headings" | "times">;
type StoredSpans = Pick<VersionRow, "pages" | "headings" | "times">;

export const storedSpans = ({ pages, headings, times }: Spans): StoredSpans => ({
  pages: JSON.stringify(pages),
  headings: headings?.length ? JSON.stringify(headings) : null,
  times: times?.length ? JSON.stringify(times) : null,
});
export const spansOf = ({ pages, headings, times }: StoredSpans): Spans => ({
  pages: JSON.parse(pages),
  ...(headings === null ? {} : { headings: JSON.parse(headings) }),
  ...(times === null ? {} : { times: JSON.parse(times) }),
});
