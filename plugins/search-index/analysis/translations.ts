/**
 * Translates the words of a query, so that documents in another language are found by words, too,
 * and knows their synonyms. The glossary is ours: a concept per line, in English, German, French
 * and Spanish.
 */
import glossary_text from "./glossary.tsv" with { type: "text" };
import { inflectionsOf } from "./inflections";
import { porter2 } from "./porter2";

/** The columns of the glossary, ISO 639-1. */
const languages = ["en", "de", "fr", "es"] as const;
type Language = (typeof languages)[number];
const isLanguage = (language: string | null): language is Language =>
  languages.includes(language as Language);

/** Other words for one in lower case: none if the glossary lacks it. */
export type Translate = (word: string) => readonly string[];

/**
 * For a query in the language `from`: translations for texts in other languages, and synonyms for
 * those in its own. Null when there is nothing to translate from or into.
 */
export function translatorFor(
  query: string,
  from: string | null,
  texts: readonly string[],
): Translate | null {
  if (!isLanguage(from)) return null;
  const into = texts.filter(isLanguage);
  if (into.length === 0) return null;
  const particle = from === "de" ? particleOf(query) : "";
  return (word) => glossary().translations(word, particle, from, into);
}

/** Whether a query in this language can be translated. */
export const isTranslatable = isLanguage;

/** German: the end of a separable verb, as in „Wie schaltet man den Ton ab?“. */
const particles = new RegExp(
  "(?<!\\p{L})(ab|an|auf|aus|bei|durch|ein|fest|frei|her|hin|los|mit|nach|um|vor|weg|weiter|" +
    "wieder|zu|zurück|zusammen)\\s*(?:[?!.,;:]|$)",
  "u",
);
const particleOf = (query: string): string => particles.exec(query.toLowerCase())?.[1] ?? "";

const has_accents = /[\u0080-\uffff]/;
/** Letters without accents. */
const plain = (word: string): string =>
  word.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss");

function ending(some: string): RegExp {
  return new RegExp(`(?<=...)(?:${some})$`);
}
/** Endings of inflected forms, without accents. */
const endings: Readonly<Record<Exclude<Language, "en">, RegExp>> = {
  de: /(?<=....)(?:e[mr]?|[nst])+$/,
  fr: ending(
    "aient|issent|eront|era|erait|ait|ant|ees?|er|ez|ent|ons|ir|it|re|i[es]?s?|ue?s?|es?|[sx]",
  ),
  es: ending("aban?|aron|ieron|iendo|ando|aran?|[ai]d[oa]s?|[aei]mos|ian|[aei]r|[aeo]n|[aeo]s?|s"),
};
/** Equal for the forms of a word, as far as their endings tell. */
const stemOf = (language: Language, word: string): string =>
  language === "en" ? porter2(word) : word.replace(endings[language], "");

/** Lines of the glossary by a word, its stem, and its stem without accents if it has any. */
type Lines = Map<string, number[]>;
interface Column {
  readonly by_word: Lines;
  readonly by_stem: Lines;
  readonly by_plain_stem: Lines;
}

/** Longer words are stemmed by the analyzer. */
const stemmed_min = 6;
/** The least letters of the parts of a German compound. */
const first_part_min = 3;
const last_part_min = 4;
/** No two words of the glossary make a longer one, and each division of it is looked up. */
const compound_max = 60;
/** What may join them. */
const joints = /(?:es|en|er|s|n|e)$/;

class Glossary {
  private readonly lines: readonly string[];
  private readonly columns = new Map<Language, Column>();

  constructor(text: string) {
    this.lines = text.trimEnd().split("\n");
  }

  private cell(line: string, language: Language): string[] {
    return line.split("\t")[languages.indexOf(language)]!.split(", ");
  }

  /** Made when its language is first asked for. */
  private column(language: Language): Column {
    const made = this.columns.get(language);
    if (made !== undefined) return made;
    const column: Column = { by_word: new Map(), by_stem: new Map(), by_plain_stem: new Map() };
    for (const [at, line] of this.lines.entries())
      for (const word of this.cell(line, language)) {
        addTo(column.by_word, word, at);
        addTo(column.by_stem, stemOf(language, word), at);
        if (has_accents.test(word)) addTo(column.by_plain_stem, stemOf(language, plain(word)), at);
      }
    this.columns.set(language, column);
    return column;
  }

  /**
   * Words in `into` that mean the same as `word`, with their irregular and short forms. The parts
   * of a compound are translated, but no synonyms of it.
   */
  translations(
    word: string,
    particle: string,
    from: Language,
    into: readonly Language[],
  ): string[] {
    const own_lines =
      (particle === "" ? undefined : this.find(from, particle + word)) ??
      this.find(from, word) ??
      this.inflected(from, word);
    const lines = own_lines ?? (from === "de" ? this.compound(word) : undefined) ?? [];
    const known_in = own_lines ? into : into.filter((language) => language !== from);
    const words = new Set(
      lines.flatMap((at) => known_in.flatMap((language) => this.cell(this.lines[at]!, language))),
    );
    words.delete(word);
    return [...words].flatMap((other) =>
      other.length > stemmed_min ? [other] : [other, ...inflectionsOf(other, into)],
    );
  }

  /** Lines with the word, or with another form of it. */
  private find(language: Language, word: string): readonly number[] | undefined {
    const { by_word, by_stem, by_plain_stem } = this.column(language);
    const stem = stemOf(language, word);
    if (by_word.has(word) || by_stem.has(stem)) return by_word.get(word) ?? by_stem.get(stem);
    const plain_stem = has_accents.test(word) ? stemOf(language, plain(word)) : stem;
    return by_stem.get(plain_stem) ?? by_plain_stem.get(plain_stem);
  }

  private inflected(language: Language, word: string): readonly number[] | undefined {
    const { by_word } = this.column(language);
    const lines = [...inflectionsOf(word, [language])].flatMap((form) => by_word.get(form) ?? []);
    return lines.length === 0 ? undefined : lines;
  }

  /** Both parts of a German compound, of which the last is as long as possible. */
  private compound(word: string): readonly number[] | undefined {
    if (word.length > compound_max) return undefined;
    for (let at = first_part_min; at <= word.length - last_part_min; at++) {
      const last = this.find("de", word.slice(at));
      if (last === undefined) continue;
      const first = word.slice(0, at);
      const lines = this.find("de", first) ?? this.find("de", first.replace(joints, ""));
      if (lines !== undefined) return [...lines, ...last];
    }
    return undefined;
  }
}

function addTo(lines: Lines, key: string, line: number): void {
  const existing = lines.get(key);
  if (existing === undefined) lines.set(key, [line]);
  else if (existing.at(-1) !== line) existing.push(line);
}

let loaded: Glossary | undefined;
const glossary = (): Glossary => (loaded ??= new Glossary(glossary_text));
