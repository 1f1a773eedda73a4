/** The languages of a scope, for a query that does not tell its own. */
import { languageOf, languageOfWords } from "../analysis/languages";
import type { ChunkKey, SegmentReader } from "../segments/segment-reader";
import type { Scope } from "./scope";

const sampled_texts = 5;

/** The languages of some texts in scope, evenly spread. */
export async function languagesIn(
  { ids }: Scope,
  reader: Pick<SegmentReader, "texts">,
): Promise<string[]> {
  const length = Math.min(ids.length, sampled_texts);
  const keys = Array.from({ length }, (_, at): ChunkKey => ({
    segment_id: ids[Math.floor((at * ids.length) / length)]!,
    ordinal: 0,
  }));
  const texts = await reader.texts(keys);
  const languages = texts
    .filter((text) => text !== null)
    .map((text) => languageOf(text) ?? languageOfWords(text));
  return [...new Set(languages.filter((language) => language !== null))];
}
