/** The numbers and names of a question, and which of them passages have. Pure. */
import { countedAt } from "./answer-types";
import type { TextAnalysis } from "./sentence-words";
import { dimensionOf } from "./unit-names";
import { asksYesOrNo, existenceAskedAt } from "./yes-or-no";

/** A word that is seldom paraphrased. */
export interface NamedWord {
  readonly term: string;
  readonly text: string;
  /**
   * `number`: a code, too; `foreign`: a Latin word in a question of another script; `counted`: what
   * "how many" counts; `thing`: what "is there" asks for.
   */
  readonly kind: "number" | "name" | "foreign" | "counted" | "thing";
}
/** Which of them the passages have. */
export interface NameEvidence {
  /** One of the numbers and names is missing, whatever the script. */
  readonly is_missing: boolean;
  /** One of the numbers is in no passage; is in the passage of the sentence. */
  readonly is_number_missing: boolean;
  readonly is_number_found: boolean;
  /**
   * The same of names. One is missing only if the passages are in its script and have its accented
   * letters: without them it is spelled differently.
   */
  readonly is_name_missing: boolean;
  readonly is_name_found: boolean;
  /** What is counted is not in the passage of the sentence. */
  readonly is_counted_missing: boolean;
  /** What might be there is not in the passage of the sentence. */
  readonly is_thing_missing: boolean;
  /** One of the years is in no passage; none of the versions, like 3.0, is. */
  readonly is_year_missing: boolean;
  readonly is_version_missing: boolean;
}

/** Not 1.000, nor 2.5 of something. */
const version = /^\p{Nd}{1,2}(?:\.\p{Nd}{1,2}){1,3}$/u;
const section_numbers = /^\p{Nd}{1,2}(?:\.\p{Nd}{1,2})+\.?[ \t](?=\p{Lu})/gmu;
const year = /^(?:1[89]|20)\p{Nd}{2}$/u;
const number = /\p{Nd}/u;
/** Abbreviations, and names with capitals inside. */
const abbreviation = /^\p{Lu}{2,}$|\p{Ll}\p{Lu}/u;
/** So are other names, which begin with a capital. */
const capitalized = /^\p{Lu}\p{L}/u;
/**
 * What precedes the first word of a sentence, read backwards from that word to the one before it:
 * the whole text before each word would take cubic time.
 */
const sentence_start = /(?<=(?:^|[.!?…:]["'”’»)]*\s)[^\p{L}\p{N}]*)/uy;
/** In these languages a capital marks every noun. */
const languages_with_capitals = new Set(["de", "lb"]);
/** The scripts with capitals. */
const scripts = [
  /\p{Script=Latin}/gu,
  /\p{Script=Greek}/gu,
  /\p{Script=Cyrillic}/gu,
  /\p{Script=Armenian}/gu,
];
const latin_word = /^\p{Script=Latin}{3,}$/u;
/** A single digit is found in any passage. */
const number_length_min = 2;

/** Those of a question, in order. */
export function namedIn(
  question: string,
  { analysis, language }: { readonly analysis: TextAnalysis; readonly language: string | null },
): NamedWord[] {
  const words = analysis.analyze(question).map(({ term, start, end }) => ({
    term,
    start,
    text: question.slice(start, end),
  }));
  // A capital at the beginning of a sentence marks nothing.
  const isFirst = (start: number): boolean => {
    sentence_start.lastIndex = start;
    return sentence_start.test(question);
  };
  // In a question written in capitals only, or with one on each word, these mark nothing.
  const is_mixed = words.some(({ text }) => /^\p{Ll}/u.test(text));
  const marks_names = language !== null && !languages_with_capitals.has(language);
  const has_names = marks_names && is_mixed;
  const has_lower_case = /\p{Ll}/u.test(question);
  const is_latin = isMostlyIn(scripts[0]!, question);
  const counted_at = countedAt(question, language ?? "en");
  const thing_at = existenceAskedAt(question);
  // "May I stay for 5 days?" is answered by "up to 14 days".
  const asks_limit = asksYesOrNo(question);
  const isAmount = (text: string, start: number): boolean =>
    (asks_limit ? /^\p{Nd}+(?:[.,]\p{Nd}+)?$/u : version).test(text) &&
    dimensionOf(question.slice(start + text.length).replace(/^[\s-]+/, ""), [language ?? "en"]) !==
      null;
  const kindOf = (text: string, start: number): NamedWord["kind"] | null => {
    if (start === counted_at) return "counted";
    if (start === thing_at) return "thing";
    if (number.test(text)) return isAmount(text, start) ? null : "number";
    if (has_lower_case && abbreviation.test(text)) return "name";
    const is_command = question[start - 1] === "\\";
    if (has_names && capitalized.test(text) && !isFirst(start) && !is_command) return "name";
    return !is_latin && latin_word.test(text) ? "foreign" : null;
  };
  let kind: NamedWord["kind"] | null = null;
  return words.flatMap(({ term, start, text }, at) => {
    const last = words[at - 1];
    // Many terms can have the place of the same run of rare characters.
    if (last?.start !== start || last.text.length !== text.length) kind = kindOf(text, start);
    return kind === null ? [] : [{ term, text, kind }];
  });
}

/** `passage_terms`: of all passages; `own_terms`: of that of the sentence. */
export function nameEvidence(
  named: readonly NamedWord[],
  {
    text,
    titles = "",
    passage_terms,
    own_terms,
  }: {
    readonly text: string;
    /** The titles and headings of the passages. */
    readonly titles?: string;
    readonly passage_terms: ReadonlySet<string>;
    readonly own_terms: ReadonlySet<string>;
  },
): NameEvidence {
  const isMissing = ({ term }: NamedWord): boolean => !passage_terms.has(term);
  const isFound = ({ term }: NamedWord): boolean => own_terms.has(term);
  const numbers = named.filter(
    ({ kind, text }) => kind === "number" && text.length >= number_length_min,
  );
  const versions = numbers.filter((one) => version.test(one.text));
  // Sections may have the same numbers.
  const versioned = versions.length === 0 ? "" : `${titles}\n${text}`.replace(section_numbers, "");
  const names = named.filter(({ kind }) => kind === "name" || kind === "foreign");
  const script = scripts.find((one) => isMostlyIn(one, text));
  const hasItsScript = (name: NamedWord): boolean =>
    script !== undefined && name.text.search(script) === 0 && hasAccents(name.text, text);
  return {
    is_missing: named.some(
      (one) => (one.kind === "name" || one.kind === "number") && isMissing(one),
    ),
    is_number_missing: numbers.some(isMissing),
    is_number_found: numbers.some(isFound),
    is_name_missing: names.some((name) => hasItsScript(name) && isMissing(name)),
    is_name_found: names.some(isFound),
    is_counted_missing: named.some((one) => one.kind === "counted" && !isFound(one)),
    is_thing_missing: named.some((one) => one.kind === "thing" && !isFound(one)),
    is_version_missing: versions.length > 0 && !versions.some((one) => has(one.text, versioned)),
    is_year_missing: numbers.some((one) => year.test(one.text) && isMissing(one)),
  };
}

/** As a term, 3.0 is the same as 30. */
const has = (number: string, text: string): boolean =>
  new RegExp(`(?<![\\p{Nd}.])${number.replaceAll(".", "\\.")}(?![\\p{Nd}]|\\.\\p{Nd})`, "u").test(
    text,
  );
/** Whether a text has the letters of a name that are not in ASCII. */
const hasAccents = (name: string, text: string): boolean => {
  const accented = name.toLowerCase().match(/[^\p{ASCII}]/gu) ?? [];
  return accented.every((letter) => text.includes(letter) || text.includes(letter.toUpperCase()));
};
const isMostlyIn = (script: RegExp, text: string): boolean =>
  (text.match(script)?.length ?? 0) * 2 > (text.match(/\p{L}/gu)?.length ?? 0);
