/**
 * Numbers written as words, in English, German, French, Spanish, Italian, Portuguese, Dutch and
 * Russian. Left out are words that mean something else in one of these: `due`, `sei`, `dez`.
 */

import { folded } from "../../../core/lib/folded";

/**
 * Every table is a map: in an object, words of a text such as `constructor` would find what objects
 * inherit.
 */
type Values = ReadonlyMap<string, number>;

const small: Values = valuesOf(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen " +
    "fifteen " +
    "sixteen seventeen eighteen nineteen",
  "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn " +
    "funfzehn " +
    "sechzehn siebzehn achtzehn neunzehn",
  "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
  "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince " +
    "dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres " +
    "veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve",
  "- - - tre quattro cinque - sette - nove dieci undici dodici tredici quattordici quindici " +
    "sedici diciassette diciotto diciannove",
  "- - dois tres quatro cinco seis sete oito nove - onze - treze quatorze quinze dezasseis " +
    "dezassete dezoito dezanove",
  "- - duas - - - - - - - - - - - catorze - dezesseis dezessete - dezenove",
  "nul - twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien " +
    "zestien zeventien achttien negentien",
  "ноль - два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать " +
    "четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать",
  "- - двух трех четырех пяти шести семи восьми девяти десяти одиннадцати двенадцати тринадцати " +
    "четырнадцати пятнадцати шестнадцати семнадцати восемнадцати девятнадцати",
  "- - две",
);
const tens: Values = tensOf(
  "twenty thirty forty fifty sixty seventy eighty ninety",
  "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
  "vingt trente quarante cinquante soixante septante huitante nonante",
  "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
  "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
  "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
  "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
  "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто",
  "двадцати тридцати сорока пятидесяти шестидесяти семидесяти восьмидесяти девяноста",
);
const hundreds: Values = new Map(
  [
    "- doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos " +
      "novecientos",
    "- doscientas trescientas cuatrocientas quinientas seiscientas setecientas ochocientas " +
      "novecientas",
    "сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот",
    "ста двухсот трехсот четырехсот пятисот шестисот семисот восьмисот девятисот",
  ].flatMap((list) => list.split(" ").map((word, at) => [word, (at + 1) * 100] as const)),
);
/** Words that multiply the number before them. */
const scales: Values = new Map([
  ...scaled(100, "hundred hundreds hundert cent cents cien ciento cento honderd"),
  ...scaled(12, "dozen dutzend douzaine docena"),
  ...scaled(1e3, "thousand tausend mille mil duizend тысяча тысячи тысяч"),
  ...scaled(1e6, "million millions millionen millon millones miljoen миллион миллиона миллионов"),
  ...scaled(1e9, "billion milliarde milliarden milliard milliards"),
]);
/** Equally often articles: they count only within a number. */
const article_words = "one un une uno una ein eine einen einem один одна одну одного одной";
const articles: ReadonlySet<string> = new Set(article_words.split(" "));

/** `-`: the word of this number is left out. */
function valuesOf(...lists: readonly string[]): Values {
  return new Map(lists.flatMap((list) => list.split(" ").map((word, at) => [word, at] as const)));
}
function tensOf(...lists: readonly string[]): Values {
  return new Map(
    lists.flatMap((list) => list.split(" ").map((word, at) => [word, (at + 2) * 10] as const)),
  );
}
function scaled(factor: number, words: string): (readonly [string, number])[] {
  return words.split(" ").map((word) => [word, factor] as const);
}

/** `funfundzwanzig`, `zweihundertdrei`; undefined for any other word. */
function germanValue(word: string): number | undefined {
  if (word === "ein" || word === "eine") return 1;
  const simple = small.get(word) ?? tens.get(word);
  if (simple !== undefined) return simple;
  for (const [scale, factor] of [
    ["tausend", 1_000],
    ["hundert", 100],
  ] as const) {
    const at = word.indexOf(scale);
    if (at < 0) continue;
    const before = at === 0 ? 1 : germanValue(word.slice(0, at));
    const remainder = word.slice(at + scale.length).replace(/^und/, "");
    const after = remainder === "" ? 0 : germanValue(remainder);
    return before === undefined || after === undefined ? undefined : before * factor + after;
  }
  const and = word.indexOf("und", 2);
  if (and < 0) return undefined;
  const unit = germanValue(word.slice(0, and));
  const ten = tens.get(word.slice(and + 3));
  return unit === undefined || ten === undefined || unit > 9 ? undefined : unit + ten;
}

interface NumberWord {
  readonly value: number;
  readonly is_scale: boolean;
  readonly is_article: boolean;
}
function numberWordOf(word: string): NumberWord | undefined {
  const key = folded(word);
  const scale = scales.get(key);
  if (scale !== undefined) return { value: scale, is_scale: true, is_article: false };
  if (key === "vingts") return { value: 20, is_scale: false, is_article: false };
  const value =
    hundreds.get(key) ??
    small.get(key) ??
    tens.get(key) ??
    (articles.has(key) ? 1 : germanValue(key));
  return value === undefined
    ? undefined
    : { value, is_scale: false, is_article: articles.has(key) };
}

/** A number in a list of words: `words[from]` to `words[to - 1]`. */
export interface SpelledNumber {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  /** It is a single word that may be an article. */
  readonly is_article: boolean;
}

/** Whether `value` may follow `current` within one number: `twenty` + `five`, `sixty` + `ten`. */
const continues = (current: number, value: number): boolean =>
  current === 0 ||
  (current % 100 === 0 && value < 100) ||
  (current % 10 === 0 && current % 100 >= 20 && value < 10) ||
  ([60, 80].includes(current % 100) && value < 20);
const connectors: ReadonlySet<string> = new Set(["and", "et", "y", "und", "e"]);

/** The numbers among these words, from the first to the last. */
export function spelledNumbers(words: readonly string[]): SpelledNumber[] {
  const numbers: SpelledNumber[] = [];
  for (let at = 0; at < words.length;) {
    const number = numberAt(words, at);
    if (number) numbers.push(number);
    at = number?.to ?? at + 1;
  }
  return numbers;
}
function numberAt(words: readonly string[], from: number): SpelledNumber | undefined {
  const first = numberWordOf(words[from]!);
  if (!first) return undefined;
  let total = 0;
  let current = 0;
  let to = from;
  for (let at = from; at < words.length; at++) {
    const is_connector = at > from && connectors.has(folded(words[at]!));
    const next = is_connector ? at + 1 : at;
    const word = words[next] === undefined ? undefined : numberWordOf(words[next]!);
    if (!word || (is_connector && (word.is_scale || current === 0))) break;
    // `quatre-vingts`
    if (current % 100 === 4 && word.value === 20 && !is_connector) current += 76;
    else if (word.is_scale && word.value === 100) current = Math.max(1, current) * 100;
    else if (word.is_scale) {
      total += Math.max(1, current) * word.value;
      current = 0;
    } else if (continues(current, word.value)) current += word.value;
    else break;
    at = next;
    to = next + 1;
  }
  return {
    from,
    to,
    value: total + current,
    is_article: first.is_article && to === from + 1,
  };
}

/** The factor of this word after a number in digits; otherwise undefined. */
export const scaleOf = (word: string): number | undefined => scales.get(folded(word));
