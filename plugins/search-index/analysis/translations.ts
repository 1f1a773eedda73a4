/**
 * Translates the words of a query by the glossary, so that documents in another language are found
 * by words, too, and gives their synonyms.
 */
import { glossaryColumn, type GlossaryColumn, type Lines } from "./glossary";
import { glossary_files, type GlossaryLanguage } from "./glossary-files";
import { inflectionsOf } from "./inflections";
import { areWordsLongerThanTerms, lookedUpAs, wordsByFirstTerm } from "./words-of-terms";

/** Only so many words of a query are looked up, none that are longer; UTF-16 units. */
const looked_up_max = 200;
const word_chars_max = 60;
/** Words of several terms are only looked for in the beginning of a query; UTF-16 units. */
const beginning_max = 2_000;

/** Other words for one in lower case: none if the glossary lacks it. */
export type Translate = (word: string) => readonly string[];

/** Whether a query in this language can be translated. */
export const isTranslatable = (language: string | null): language is GlossaryLanguage =>
  language !== null && Object.hasOwn(glossary_files, language);

/**
 * For a query in the language `from`: translations for texts in other languages, and synonyms for
 * those in its own. Null when there is nothing to translate from or into.
 */
export function translatorFor(
  query: string,
  from: string | null,
  texts: readonly string[],
): Translate | null {
  if (!isTranslatable(from)) return null;
  const into = texts.filter(isTranslatable);
  if (into.length === 0) return null;
  const beginning = query.slice(0, beginning_max);
  const linesOf = from === "de" ? germanLines(beginning) : linesIn(beginning, from);
  let looked_up = 0;
  return (word) => {
    if (word.length > word_chars_max || ++looked_up > looked_up_max) return [];
    const { lines, is_compound } = linesOf(word);
    // The parts of a compound are translated, but no synonyms of it.
    const known_in = is_compound ? into.filter((language) => language !== from) : into;
    return otherWords(word, lines, known_in);
  };
}

/** What the glossary has of a word of the query. */
interface Found {
  readonly lines: Lines;
  readonly is_compound: boolean;
}
const found = (lines: Lines | undefined): Found => ({ lines: lines ?? [], is_compound: false });

function linesIn(query: string, from: GlossaryLanguage): (word: string) => Found {
  const column = glossaryColumn(from);
  if (!areWordsLongerThanTerms(from)) return (word) => found(column.find(word));
  const by_first_term = wordsByFirstTerm(query, from, column);
  return (word) => found(by_first_term.get(word));
}

/** German: the end of a separable verb, as in „Wie schaltet man den Ton ab?“. */
const particles = new RegExp(
  "(?<!\\p{L})(ab|an|auf|aus|bei|durch|ein|fest|frei|her|hin|los|mit|nach|um|vor|weg|weiter|" +
    "wieder|zu|zurück|zusammen)\\s*(?:[?!.,;:]|$)",
  "u",
);

function germanLines(query: string): (word: string) => Found {
  const column = glossaryColumn("de");
  const particle = particles.exec(query.toLowerCase())?.[1] ?? "";
  return (word) => {
    const whole = (particle && column.withForm(particle + word)) || column.find(word);
    if (whole !== undefined) return found(whole);
    return { lines: compound(column, word) ?? [], is_compound: true };
  };
}

/** The least letters of the parts of a German compound. */
const first_part_min = 3;
const last_part_min = 4;
/** What may join them. */
const joints = /(?:es|en|er|s|n|e)$/;

/** Both parts of a German compound, of which the last is as long as possible. */
function compound(column: GlossaryColumn, word: string): Lines | undefined {
  for (let at = first_part_min; at <= word.length - last_part_min; at++) {
    const last = column.withForm(word.slice(at));
    if (last === undefined) continue;
    const first = word.slice(0, at);
    const lines = column.withForm(first) ?? column.withForm(first.replace(joints, ""));
    if (lines !== undefined) return [...lines, ...last];
  }
  return undefined;
}

/** Longer words are stemmed by the analyzer. */
const stemmed_min = 6;

/** The words of these lines, with their irregular and short forms. */
function otherWords(word: string, lines: Lines, languages: readonly GlossaryLanguage[]): string[] {
  if (lines.length === 0) return [];
  const words = new Set(languages.flatMap((language) => glossaryColumn(language).words(lines)));
  words.delete(word);
  return [...words]
    .map(lookedUpAs)
    .filter((other) => other !== null)
    .flatMap((other) =>
      other.length > stemmed_min ? [other] : [other, ...inflectionsOf(other, languages)],
    );
}
