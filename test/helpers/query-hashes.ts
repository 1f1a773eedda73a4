/** What a query looks up in the index, and what a word is indexed as. */
import { analyzer, analyzers } from "../../plugins/search-index/analysis/analyzer";
import { parseQuery } from "../../plugins/search-index/analysis/query";

/** The hashes of a query's words in all their forms, in texts of these languages. */
export const queryHashes = (query: string, languages: readonly string[] = []): number[] =>
  parseQuery(query, undefined, analyzers, analyzer.version, languages)
    .hashes.get(analyzer.version)!
    .map(({ hash }) => hash);

/** The hash of a word in a text: of the whole if it is one term, else of the last one. */
export const indexedAs = (word: string): number => {
  let last = -1;
  let whole: number | undefined;
  analyzer.tokenize(word, (hash, start, end) => {
    last = hash;
    if (start === 0 && end === word.length) whole ??= hash;
  });
  return whole ?? last;
};
