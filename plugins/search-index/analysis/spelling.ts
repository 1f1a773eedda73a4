/**
 * Words with several spellings, which are treated as the same word: British and American ones,
 * those of Hindi (`devanagari-spelling.ts`), Vietnamese (`vietnamese-spelling.ts`) and Thai
 * (`thai-spelling.ts`).
 */
import { detached } from "../../../core/lib/detached-text";
import { hashOf, type Analyzer } from "./analyzer";
import { plainSpelling, spellingsOf } from "./devanagari-spelling";
import { thaiSpellings } from "./thai-spelling";
import { syllableSpellings } from "./vietnamese-spelling";

/**
 * The beginning of a word, its letters in British and in American English, its possible endings.
 */
type Rule = readonly [string, string, string, string];

/** Beginnings of words in -our and -or, in -re and -er, in -ogue and -og. */
const our =
  "arb|ard|arm|behavi|cand|clam|col|demean|endeav|fav|ferv|flav|glam|harb|hon|hum|lab|neighb|" +
  "od|parl|ranc|rig|rum|sav|savi|splend|succ|tum|val|vap|vig";
const re = "calib|cent|fib|lit|lust|meag|met|mit|och|sab|scept|sepulch|somb|spect|theat";
const ogue = "anal|dial|epil|monol|prol";
/** Words before -ise and the like that never have -ize: they have a noun in -ision, -ice or -is. */
const never_ize =
  "adv|advert|circumc|conc|dev|exc|improv|inc|metropol|pract|prec|rev|superv|telev|trell";

/**
 * Several may apply to a word ("colourise"). The result need not be a word: then it occurs nowhere.
 * Words that would collide with one of another meaning (tyre, cheque, storey) are left out, as are
 * those whose spellings share one stem (travelling, catalogue).
 */
const rules: readonly Rule[] = [
  [
    `(?!(?:${never_ize})i[sz])[a-z]{3,}`,
    "is",
    "iz",
    "able|ably|ation|ational|ations|e|ed|edly|er|ers|es|ing|ingly",
  ],
  ["(?:anal|catal|dial|electrol|hydrol|paral)", "ys", "yz", "e|ed|er|ers|es|ing"],
  [
    `[a-z]*(?:${our})`,
    "our",
    "or",
    "|able|ably|al|ally|ation|ed|er|ers|ful|fully|hood|hoods|i[sz][a-z]+|ing|ings|ism|ist|ite|" +
      "ites|less|ly|s|y",
  ],
  [`[a-z]*(?:${re})`, "re", "er", "|s"],
  [`[a-z]*(?:${re})`, "red", "ered", ""],
  [`[a-z]*(?:${re})`, "ring", "ering", ""],
  ["(?:def|lic|off|pret)", "enc", "ens", "able|e|ed|ee|ees|eless|es|ing|or|ors"],
  ["practi", "s", "c", "e|ed|es|ing"],
  [`(?:${ogue})`, "ogue", "og", "|s"],
  ["gr", "ey", "ay", "|ed|er|ing|ish|s|scale"],
  ["(?:abridg|acknowledg|judg|misjudg)", "ement", "ment", "|s"],
  ["(?:distil|enrol|fulfil|instal)", "", "l", "|ment|ments|s"],
  ["(?:skil|wil)", "ful", "lful", "|ly|ness"],
  ["jewel", "lery", "ry", ""],
  ["alumin", "ium", "um", ""],
  ["art", "e", "i", "fact|facts"],
  ["s", "c", "k", "eptic|eptical|eptically|epticism|eptics"],
  ["[a-z]*sul", "ph", "f", "[a-z]*"],
  ["", "e", "i", "nquir(?:e|ed|er|ers|es|ies|ing|y)"],
  ["man", "oeuvre", "euver", "|d|s"],
  ["man", "oeuvr", "euver", "able|ing"],
  ["pl", "ough", "ow", "|ed|ing|s"],
  ["m", "ould", "old", "|ed|ing|ings|s|y"],
  ["ag", "eing", "ing", ""],
  ["encyclop", "ae", "e", "dia|dias|dic"],
  ["(?:an|syn)?", "ae", "e", "sth[a-z]+"],
  ["[a-z]*h", "ae", "e", "m[ao][a-z]+"],
  ["[a-z]+", "ae", "e", "mi(?:a|as|c)"],
  ["(?:ortho)?p", "ae", "e", "di[a-z]+"],
  ["(?:arch|c|f|gyn)", "ae", "e", "[co][a-z]+"],
  ["f", "oe", "e", "t(?:al|us|uses)"],
  ["", "oe", "e", "(?:dema|sophag|str)[a-z]*"],
  ["[a-z]+rrh", "oe", "e", "a|al|ic"],
];

interface Pattern {
  readonly british: RegExp;
  readonly to_british: string;
  readonly american: RegExp;
  readonly to_american: string;
}
const patterns = rules.map(([before, british, american, after]): Pattern => ({
  british: new RegExp(`^(${before})${british}(${after})$`),
  to_british: `$1${british}$2`,
  american: new RegExp(`^(${before})${american}(${after})$`),
  to_american: `$1${american}$2`,
}));

const letters = { min: 4, max: 64 };
const plain_word = /^[a-z]+$/;
const isEnglish = (word: string): boolean =>
  word.length >= letters.min && word.length <= letters.max && plain_word.test(word);

const cached_words_max = 60_000;
const american_words = new Map<string, string>();

/** The American spelling of a word in lower case; the word itself when it has no other. */
function americanSpelling(word: string): string {
  if (!isEnglish(word)) return word;
  const cached = american_words.get(word);
  if (cached !== undefined) return cached;
  const known = detached(word);
  const american = patterns.reduce(
    (written, { british, to_american }) => written.replace(british, to_american),
    known,
  );
  if (american_words.size >= cached_words_max) american_words.clear();
  american_words.set(known, american);
  return american;
}

/** The other spellings of a word in lower case, analysed by this analyzer. */
export function otherSpellings(
  word: string,
  analyzer: Analyzer,
): { readonly word: string; readonly term: string; readonly hash: number }[] {
  const thai = thaiSpellings(word);
  if (thai.length > 0) return thai.map((term) => ({ word: term, term, hash: hashOf(term) }));
  const plain = plainSpelling(word);
  const spellings =
    plain === undefined
      ? new Set(syllableSpellings(word) ?? englishSpellings(word))
      : spellingsOf(plain);
  spellings.delete(word);
  return [...spellings].map((other) => ({ word: other, ...termOf(other, analyzer) }));
}

function englishSpellings(word: string): Set<string> {
  const spellings = new Set([word]);
  if (!isEnglish(word)) return spellings;
  for (const { british, to_british, american, to_american } of patterns)
    for (const written of [...spellings]) {
      spellings.add(written.replace(american, to_british));
      spellings.add(written.replace(british, to_american));
    }
  return spellings;
}

/**
 * The common term of all spellings of a word: that of the American one, the plain one, or the one
 * with `i`. Undefined when the word is that itself.
 */
export function commonTerm(written: string, analyzer: Analyzer): string | undefined {
  const word = written.toLowerCase();
  const common = plainSpelling(word) ?? syllableSpellings(word)?.[0] ?? americanSpelling(word);
  return common === word ? undefined : termOf(common, analyzer).term;
}

/** A text as terms, each by its common spelling. UTF-16 indices. */
export function analysed(
  text: string,
  analyzer: Analyzer,
): { term: string; start: number; end: number }[] {
  const terms: { term: string; start: number; end: number }[] = [];
  // Many terms can have the place of the same run of rare characters.
  let last = { start: -1, end: -1, written: "", common: undefined as string | undefined };
  analyzer.tokenize(text, (_hash, start, end, term) => {
    if (last.start !== start || last.end !== end) {
      const written = text.slice(start, end);
      last = { start, end, written, common: commonTerm(written, analyzer) };
    }
    terms.push({ term: last.common ?? term ?? last.written, start, end });
  });
  return terms;
}

/** The term of a word: of the whole if it is one term or has a hyphen, else of its last part. */
export function termOf(
  word: string,
  analyzer: Analyzer,
): { readonly term: string; readonly hash: number } {
  const whole: { term: string; hash: number }[] = [];
  let last: { term: string; hash: number } | undefined;
  analyzer.tokenize(word, (hash, start, end, term) => {
    last = { term: term ?? word.slice(start, end), hash };
    if (start === 0 && end === word.length) whole.push(last);
  });
  return whole[0] ?? last ?? { term: word, hash: 0 };
}
