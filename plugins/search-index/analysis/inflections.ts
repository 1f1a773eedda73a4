/**
 * Other forms of a word: plurals, cases, with an article, irregular ones. A query finds them too.
 * Long words are stemmed by the analyzer, which cuts them; most of these are for the short ones.
 */
import { anusvara, chandrabindu, plainSpelling } from "./devanagari-spelling";
import { germanForms, irregularEnglish } from "./irregular-forms";
import { paradigms as written_paradigms } from "./paradigms";
import { turkishForms } from "./turkish-forms";

/** A list of endings that replace each other. */
type Paradigm = readonly string[];

/** The minimum letters of a stem; fewer before an ending that only replaces another one. */
const stem_min = 3;
const word_max = 24;

/** In the spelling that paradigms are compared in: in most scripts without accents. */
const plain = (written: string): string =>
  plainSpelling(written) ?? written.normalize("NFKD").replace(/\p{M}/gu, "");

const paradigms = new Map<string, readonly Paradigm[]>(
  Object.entries(written_paradigms).map(([language, lists]) => [
    language,
    lists.map((list) => list.split(" ").map((ending) => (ending === "-" ? "" : plain(ending)))),
  ]),
);

/** The language whose endings are used for all words in an alphabet. */
const alphabets: readonly (readonly [RegExp, string])[] = [
  [/^\p{Script=Greek}+$/u, "el"],
  [/^\p{Script=Devanagari}+$/u, "hi"],
  [/^\p{Script=Hebrew}+$/u, "he"],
  [/^\p{Script=Arabic}+$/u, "ar"],
];

/**
 * The other forms of a word in lower case. `languages` are those that its query may be in, for
 * letters that several share.
 */
export function inflectionsOf(word: string, languages: readonly string[]): Set<string> {
  const forms = new Set<string>();
  if (word.length > word_max || !/^[\p{L}\p{M}]+$/u.test(word)) return forms;
  const letters = plain(word);
  for (const language of languagesOf(letters, languages))
    for (const form of formsIn(language, word, letters)) forms.add(form);
  forms.delete(word);
  return forms;
}

function languagesOf(letters: string, languages: readonly string[]): readonly string[] {
  if (/^\p{Script=Latin}+$/u.test(letters)) return languages;
  if (/^\p{Script=Cyrillic}+$/u.test(letters))
    return languages.includes("uk") || /[іїєґ]/.test(letters) ? ["uk"] : ["ru"];
  return alphabets.filter(([alphabet]) => alphabet.test(letters)).map(([, language]) => language);
}

function formsIn(language: string, word: string, letters: string): string[] {
  if (language === "tr") return turkishForms(word);
  if (language === "he") return hebrewForms(letters);
  if (language === "en") return [...irregularEnglish(word)];
  const of_language = paradigms.get(language);
  if (of_language === undefined) return [];
  const formsOf = (written: string): string[] =>
    of_language.flatMap((endings) =>
      stemsOf(written, endings).flatMap((stem) => endings.map((ending) => stem + ending)),
    );
  if (language === "de") return [...formsOf(letters), ...germanForms(word)];
  if (language !== "hi") return formsOf(letters);
  const forms = [...formsOf(letters), ...formsOf(word.normalize("NFKC"))];
  return [...forms, ...forms.map((form) => form.replaceAll(anusvara, chandrabindu))];
}

/** The word without each of these endings that it has. */
function stemsOf(word: string, endings: Paradigm): string[] {
  const is_optional = endings.includes("");
  return endings
    .filter((ending) => {
      const length_min = is_optional ? stemMin(word) : Math.max(1, stem_min - ending.length);
      return word.endsWith(ending) && word.length - ending.length >= length_min;
    })
    .map((ending) => word.slice(0, word.length - ending.length));
}
/** A letter of Devanagari is a syllable. */
const stemMin = (word: string): number =>
  /\p{Script=Devanagari}/u.test(word) ? stem_min - 1 : stem_min;

const hebrew_prefixes = ["", "ה", "ב", "ל", "מ", "ש", "כ", "ו", "וה", "שה"];
/** Prefixes of a form that the query does not have. */
const hebrew_prefixes_of_others = ["", "ה", "ב", "ל"];
function hebrewForms(word: string): string[] {
  const bare = /^(?:[ושמ]ה|[הבלמשכו])(?=...)/.exec(word);
  const bases = bare ? [word, word.slice(bare[0].length)] : [word];
  return bases.flatMap((base) => {
    const ending = /(?:ים|ות|ה)$/.exec(base);
    const stem = ending && ending.index > 1 ? base.slice(0, ending.index) : base;
    const other_forms = ["", "ה", "ים", "ות"].map((other) => stem + other);
    return [
      ...hebrew_prefixes.map((prefix) => prefix + base),
      ...other_forms.flatMap((other) => hebrew_prefixes_of_others.map((prefix) => prefix + other)),
    ];
  });
}
