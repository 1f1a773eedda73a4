/**
 * The English stemmer "Porter2" (Snowball English) for lower-case words of a to z. Removes endings
 * that carry no meaning.
 */
const vowel = (word: string, at: number): boolean => "aeiouy".includes(word[at]!);
const has_vowel = /[aeiouy]/;
const doubled = /(bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;

const exceptions = new Map(
  Object.entries({
    skis: "ski",
    skies: "sky",
    dying: "die",
    lying: "lie",
    tying: "tie",
    idly: "idl",
    gently: "gentl",
    ugly: "ugli",
    early: "earli",
    only: "onli",
    singly: "singl",
    sky: "sky",
    news: "news",
    howe: "howe",
    atlas: "atlas",
    cosmos: "cosmos",
    bias: "bias",
    andes: "andes",
  }),
);
const finished_after_plural = new Set([
  "inning",
  "outing",
  "canning",
  "herring",
  "earring",
  "proceed",
  "exceed",
  "succeed",
]);

/** Ending → its replacement, longest first; applied in the region after the first syllable. */
const second: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["fulness", "ful"],
  ["iveness", "ive"],
  ["ization", "ize"],
  ["ousness", "ous"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["tional", "tion"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ation", "ate"],
  ["entli", "ent"],
  ["fulli", "ful"],
  ["iviti", "ive"],
  ["ousli", "ous"],
  ["abli", "able"],
  ["alli", "al"],
  ["anci", "ance"],
  ["ator", "ate"],
  ["enci", "ence"],
  ["izer", "ize"],
  ["bli", "ble"],
];
const third: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];
const fourth = [
  "ement",
  "able",
  "ance",
  "ence",
  "ible",
  "ment",
  "ant",
  "ate",
  "ent",
  "ion",
  "ism",
  "iti",
  "ive",
  "ize",
  "ous",
  "al",
  "er",
  "ic",
] as const;

/** The start of the region after the first vowel followed by a non-vowel, from `from` on. */
function regionAfter(word: string, from: number): number {
  for (let i = from + 1; i < word.length; i++)
    if (!vowel(word, i) && vowel(word, i - 1)) return i + 1;
  return word.length;
}
const firstRegion = (word: string): number =>
  /^(gener|arsen)/.test(word) ? 5 : word.startsWith("commun") ? 6 : regionAfter(word, 0);

/**
 * Ends in a short syllable: a vowel, then a non-vowel other than w, x, Y, after a non-vowel; or two
 * letters, vowel first.
 */
function endsShort(word: string): boolean {
  const n = word.length;
  if (n === 2) return vowel(word, 0) && !vowel(word, 1);
  return (
    n > 2 &&
    !vowel(word, n - 1) &&
    !"wxY".includes(word[n - 1]!) &&
    vowel(word, n - 2) &&
    !vowel(word, n - 3)
  );
}

function withoutPlural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (word.endsWith("ied") || word.endsWith("ies")) return word.slice(0, word.length > 4 ? -2 : -1);
  if (word.endsWith("us") || word.endsWith("ss") || !word.endsWith("s")) return word;
  return has_vowel.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function withoutPast(word: string, r1: number): string {
  const eed = word.endsWith("eedly") ? 5 : word.endsWith("eed") ? 3 : 0;
  if (eed > 0) return word.length - eed >= r1 ? word.slice(0, word.length - eed) + "ee" : word;
  const ending = ["ingly", "edly", "ing", "ed"].find((suffix) => word.endsWith(suffix));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  if (!has_vowel.test(stem)) return word;
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (doubled.test(stem)) return stem.slice(0, -1);
  return r1 >= stem.length && endsShort(stem) ? `${stem}e` : stem;
}

function replaced(
  word: string,
  endings: readonly (readonly [string, string])[],
  r1: number,
): string | undefined {
  const rule = endings.find(([ending]) => word.endsWith(ending));
  if (rule === undefined) return undefined;
  return word.length - rule[0].length >= r1
    ? word.slice(0, word.length - rule[0].length) + rule[1]
    : word;
}

function shortened(word: string, r1: number): string {
  const result = replaced(word, second, r1);
  if (result !== undefined) return result;
  if (word.endsWith("ogi"))
    return word.length - 3 >= r1 && word.at(-4) === "l" ? word.slice(0, -1) : word;
  if (word.endsWith("li"))
    return word.length - 2 >= r1 && "cdeghkmnrt".includes(word.at(-3) ?? " ")
      ? word.slice(0, -2)
      : word;
  return word;
}

function withoutSuffix(word: string, r2: number): string {
  const ending = fourth.find((suffix) => word.endsWith(suffix));
  if (ending === undefined || word.length - ending.length < r2) return word;
  const stem = word.slice(0, -ending.length);
  return ending === "ion" && !/[st]$/.test(stem) ? word : stem;
}

function withoutLast(word: string, r1: number, r2: number): string {
  const stem = word.slice(0, -1);
  if (word.endsWith("e"))
    return stem.length >= r2 || (stem.length >= r1 && !endsShort(stem)) ? stem : word;
  return word.endsWith("ll") && stem.length >= r2 ? stem : word;
}

/**
 * The stem of a lower-case English word: `relational` → `relat`. Anything else is returned
 * unharmed.
 */
export function porter2(raw: string): string {
  if (raw.length <= 2) return raw;
  const exception = exceptions.get(raw);
  if (exception !== undefined) return exception;
  // A consonant y is written Y while the rules run.
  let word = raw.includes("y") ? raw.replace(/^y|(?<=[aeiouy])y/g, "Y").replace(/YY/g, "Yy") : raw;
  const r1 = firstRegion(word);
  const r2 = regionAfter(word, r1);
  word = withoutPlural(word);
  if (finished_after_plural.has(word)) return word;
  word = withoutPast(word, r1);
  if (/[yY]$/.test(word) && word.length > 2 && !vowel(word, word.length - 2))
    word = `${word.slice(0, -1)}i`;
  word = shortened(word, r1);
  if (word.endsWith("ative")) word = word.length - 5 >= r2 ? word.slice(0, -5) : word;
  else word = replaced(word, third, r1) ?? word;
  word = withoutLast(withoutSuffix(word, r2), r1, r2);
  return word.replaceAll("Y", "y");
}
