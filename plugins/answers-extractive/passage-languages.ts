/** Which passages are in the question's language, and which in another. */
import type { StepPauses } from "../../core/lib/chunked-work";
import type { SearchIndex } from "../search-index/contract";
import type { Source } from "./passages";

/** How languages are told apart. */
export type LanguageDetection = Pick<SearchIndex, "areLanguagesDifferent" | "languageOf">;
/** Passages in the question's language, or in others. */
export interface LanguageGroup {
  readonly is_other_language: boolean;
  /** Their indices. */
  readonly of: readonly number[];
}

/** All passages in one group, unless they are in several languages. The question's comes first. */
export async function groupsByLanguage(
  question: string,
  sources: readonly Source[],
  { areLanguagesDifferent, languageOf }: LanguageDetection,
  pauses: StepPauses,
): Promise<readonly LanguageGroup[]> {
  const textOf = (some: readonly Source[]): string => some.map(({ text }) => text).join("\n");
  const all = [...sources.keys()];
  // A passage may be a table, which shows its language less than the rest of its document.
  const documents: { text: string; language: string | null; of: readonly number[] }[] = [];
  for (const of of Map.groupBy(all, (at) => sources[at]!.document_id).values()) {
    await pauses.pause();
    const text = textOf(of.map((at) => sources[at]!));
    const language = languageOf(text) ?? languageOf(text, { is_question: true });
    documents.push({ text, language, of });
  }
  const languages = new Set(documents.flatMap(({ language }) => language ?? []));
  if (languages.size < 2)
    return [{ is_other_language: areLanguagesDifferent(question, textOf(sources)), of: all }];
  const other = new Set<number>();
  for (const { text, language, of } of documents) {
    await pauses.pause();
    if (language !== null && areLanguagesDifferent(question, text))
      for (const at of of) other.add(at);
  }
  return [false, true]
    .map((is_other_language) => ({
      is_other_language,
      of: all.filter((at) => other.has(at) === is_other_language),
    }))
    .filter(({ of }) => of.length > 0);
}
