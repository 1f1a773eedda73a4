/** The languages of a scope: a query may be translated into them, or not tell its own. */
import {
  isUndetermined,
  languageOf,
  languageOfQuestion,
  languageOfWords,
} from "../analysis/languages";
import { isTranslatable } from "../analysis/translations";
import type { ChunkKey, SegmentReader } from "../segments/segment-reader";
import type { Scope } from "./scope";

const sampled_texts = 5;
/** Segments whose language is remembered: their texts never change. */
const remembered_max = 2_000;

/** Remembers the language of each segment that was examined. */
export class ScopeLanguages {
  /** By segment; null when it could not be detected. */
  private readonly languages = new Map<number, string | null>();

  constructor(private readonly reader: Pick<SegmentReader, "texts">) {}

  /** The languages of some texts in scope, evenly spread; none if the query needs none. */
  async forQuery(query: string, { ids }: Scope): Promise<string[]> {
    if (!isUndetermined(query) && !isTranslatable(languageOfQuestion(query))) return [];
    const length = Math.min(ids.length, sampled_texts);
    const sampled = Array.from({ length }, (_, at) => ids[Math.floor((at * ids.length) / length)]!);
    await this.detect(sampled.filter((id) => !this.languages.has(id)));
    const languages = new Set(sampled.map((id) => this.languages.get(id) ?? null));
    return [...languages].filter((language) => language !== null);
  }

  private async detect(segment_ids: readonly number[]): Promise<void> {
    if (segment_ids.length === 0) return;
    const keys = segment_ids.map((segment_id): ChunkKey => ({ segment_id, ordinal: 0 }));
    const texts = await this.reader.texts(keys);
    for (const [at, text] of texts.entries())
      if (text !== null) this.remember(segment_ids[at]!, languageOf(text) ?? languageOfWords(text));
  }

  private remember(segment_id: number, language: string | null): void {
    this.languages.set(segment_id, language);
    if (this.languages.size > remembered_max)
      this.languages.delete(this.languages.keys().next().value!);
  }
}
