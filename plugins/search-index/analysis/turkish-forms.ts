/**
 * Forms of Turkish words: endings follow one another, and their vowels follow that of the stem
 * (`evlerimizde`, `odalarımızda`). The analyzer keeps seven letters, so that the last endings of
 * most words make no difference.
 */

/**
 * Endings after any stem, after a consonant, after a vowel: `A` is a or e, `I` one of ı, i, u, ü,
 * `D` is d or t, `C` is c or ç; `-` is none.
 */
const endings = "- lAr lArI lArA lArIn lArDA lArImI lArlA DA DAn DAki lI sIz lIk CI".split(" ");
const endings_after = {
  consonant: "I A In lA Im ImI ImA ImD InI InA InD InIn".split(" "),
  vowel: "yI yA nIn ylA m mI mA mD n sI sInI sInA sInD".split(" "),
};

const plural =
  "l[ae]r(?:[ıiuü]m[ıiuü]z|[ıiuü]n[ıiuü]z|[ıi][mn]?)?(?:n?d[ae]n?|n[ae]|n?[ıi]n?|[ae]|l[ae])?";
const case_ending = "(?:[ıiuü]m[ıiuü]z|s[ıiuü])?(?:n?[dt][ae]n?(?:ki)?|n[ıiuü]n)";
const after_vowel = "(?<=[aeıioöuü])(?:y[ıiuüae]|yl[ae]|s[ıiuü])";
const short_endings = "[ıiuü][mn]?|[ae]";
/** A word with endings: after its stem, those that are unmistakable, or those that are not. */
const inflected = new RegExp(
  `^(.*?)(?:(${plural}|${case_ending}|${after_vowel})|(?:${short_endings}))$`,
);
const vowel = /[aeıioöuü]/g;
const stem_min = 2;
/** The same before an ending that may be part of the stem. */
const long_stem_min = 4;
const soft_letters: Readonly<Record<string, string>> = { p: "b", ç: "c", t: "d", k: "ğ" };
const hard_letters: Readonly<Record<string, string>> = { b: "p", c: "ç", d: "t", ğ: "k" };

/** `word` is in lower case. */
export const turkishForms = (word: string): string[] =>
  word.length < stem_min ? [] : stemsOf(word).flatMap(formsOf);

/** The word itself, and without its endings; before a vowel, the last letter may be a soft one. */
function stemsOf(word: string): string[] {
  const match = inflected.exec(word);
  const stem = match?.[1] ?? "";
  const length_min = match?.[2] === undefined ? long_stem_min : stem_min;
  if (stem.length < length_min || !/[aeıioöuü]/.test(stem)) return [word];
  const hard = stem.length < 4 ? stem : stem.replace(/[bcdğ]$/, (last) => hard_letters[last]!);
  return [word, hard];
}

function formsOf(stem: string): string[] {
  const last = stem.match(vowel)?.at(-1) ?? "e";
  const a = "aıou".includes(last) ? "a" : "e";
  const i = { a: "ı", ı: "ı", e: "i", i: "i", o: "u", u: "u", ö: "ü", ü: "ü" }[last]!;
  const is_open = /[aeıioöuü]$/.test(stem);
  const d = /[çfhkpsşt]$/.test(stem) ? "t" : "d";
  const c = d === "t" ? "ç" : "c";
  const soft = softened(stem);
  const after = endings_after[is_open ? "vowel" : "consonant"];
  return [...endings, ...after].map((ending) => {
    const base = /^[IA]/.test(ending) ? soft : stem;
    const after_plural = ending.startsWith("lAr");
    const written = ending
      .replace("-", "")
      .replace(/A/g, a)
      .replace(/I/g, after_plural ? (a === "a" ? "ı" : "i") : i)
      .replace(/D/g, after_plural ? "d" : d)
      .replace(/C/g, c);
    return base + written;
  });
}

/** Before a vowel: `kitap`, `kitabı`. */
const softened = (stem: string): string =>
  stem.length < 4 ? stem : stem.replace(/[pçtk]$/, (last) => soft_letters[last]!);
