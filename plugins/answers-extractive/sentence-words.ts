/** The sentences of a text with their words. Pure. */
import type { Retrieval } from "../search/contract";
import type { Word } from "./question-weights";

/** How texts are analysed. */
export interface TextAnalysis {
  readonly analyze: (text: string) => readonly Word[];
  readonly sentences: Retrieval["sentences"];
}

/** The sentences of a text, each with its words. */
export function withWords(
  text: string,
  { analyze, sentences }: TextAnalysis,
): { readonly start: number; readonly end: number; readonly words: readonly Word[] }[] {
  const words = analyze(text);
  let at = 0;
  return sentences(text).map(({ start, end }) => {
    while (at < words.length && words[at]!.start < start) at++;
    const from = at;
    while (at < words.length && words[at]!.start < end) at++;
    return { start, end, words: words.slice(from, at) };
  });
}
