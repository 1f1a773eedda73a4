/** Which words of a question carry no subject, and which language a text is in. */
import { small_words } from "./stopwords";

/**
 * By language: words that ask, in scripts without spaces. What overlaps them is no subject either.
 */
const phrases: readonly RegExp[] = [
  any(
    "(?:为|為)什[么麼]|什[么麼]时候|什麼時候|什[么麼]|怎[么麼样樣]+|如何|哪[里裡儿兒个個些年种種位一]?|[谁誰]|何[时時处處地种種人]|多少|多[长長久大高远遠]",
    "[几幾](?=[个個年次种種名人位条條])|是否|[吗嗎呢]|是|的|了|(?:被|由)?(?:称|稱)[为為]",
  ),
  any(
    "何(?:ですか|でしたか|年|月|日|人|つ|度|回|世紀|歳|県|語|色|者|が|を|に|の|と|で)?|どこ|どちら|だれ|誰|いつ|なぜ|どうして|どの(?:ような|ように|くらい|よう)?",
    "どれ(?:くらい|ほど)?|どんな|どう|いくつ|いくら|(?:でしょう|でした|です|ました|ます|だった|なの|であった|いった|された|した|る|た)か|(?:は|が)?(?:何|なに)|という",
    "[はがをにのとで](?=[\u3041-\u3096]{0,2}[?？。]?$)",
  ),
  any(
    "อะไร(?:บ้าง)?|ใคร|เมื่อ(?:ไหร่|ไร|ใด)|ที่ไหน|ที่ใด|ไหน|ทำไม|อย่างไร|ยังไง|กี่|เท่า(?:ไหร่|ไร|ใด)|ใด|หรือไม่|ชื่อว่า|เรียกว่า",
  ),
  any(
    "무엇(?:인가요|인가|입니까|을|이)?|누구(?:인가요|인가|입니까|의|를|가)?|언제(?:인가요|인가|입니까)?|어디(?:인가요|인가|입니까|에서|에)?|어떤|어느|왜|어떻게|얼마(?:나)?|몇",
    "(?:인가요|입니까|합니까|습니까|했나요|나요|까)(?=[?？]|$)",
  ),
];
function any(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"), "g");
}

/** A small word → the languages that have it, English first. */
const languages_of = new Map<string, string[]>();
for (const [language, list] of Object.entries(small_words))
  for (const one of list.split(" "))
    languages_of.set(one, [...(languages_of.get(one) ?? []), language]);
const word = /[\p{L}\p{M}]+/gu;

/** A single word so short may be part of anything: it makes no language. */
const telling_letters = 3;
/** The language whose small words `text` uses most, English among equals, and how many it uses. */
function nearest(text: string): {
  readonly language: string;
  readonly small: number;
  readonly words: number;
} {
  const found = text.toLowerCase().match(word) ?? [];
  const counts = new Map([["en", 0]]),
    telling = new Set<string>();
  for (const one of found)
    for (const language of languages_of.get(one) ?? []) {
      counts.set(language, (counts.get(language) ?? 0) + 1);
      if (one.length >= telling_letters) telling.add(language);
    }
  let language = "en",
    small = 0;
  for (const [one, count] of counts)
    if (count > small && (count > 1 || telling.has(one))) {
      language = one;
      small = count;
    }
  return { language, small, words: found.length };
}

/** Alphabets that one language is known by, the more telling first. */
const alphabets: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, "ja"],
  [/\p{Script=Hangul}/gu, "ko"],
  [/\p{Script=Han}/gu, "zh"],
  [/\p{Script=Thai}/gu, "th"],
  [/\p{Script=Lao}/gu, "lo"],
  [/\p{Script=Khmer}/gu, "km"],
  [/\p{Script=Myanmar}/gu, "my"],
  [/\p{Script=Hebrew}/gu, "he"],
  [/\p{Script=Greek}/gu, "el"],
  [/\p{Script=Devanagari}/gu, "hi"],
  [/\p{Script=Bengali}/gu, "bn"],
  [/\p{Script=Tamil}/gu, "ta"],
  [/\p{Script=Telugu}/gu, "te"],
  [/\p{Script=Armenian}/gu, "hy"],
  [/\p{Script=Georgian}/gu, "ka"],
];
const sampled_chars = 2_500,
  small_words_least = 4,
  small_share_least = 0.1,
  alphabet_share_least = 0.2;

/**
 * ISO 639-1 code of the language of a text, by its alphabet and its small words; null when they
 * don't tell.
 */
export function languageOf(text: string): string | null {
  const sample = text.slice(0, sampled_chars);
  if (/[\u0080-\uffff]/.test(sample)) {
    const letters = sample.match(/\p{L}/gu)?.length ?? 0;
    for (const [alphabet, language] of alphabets)
      if ((sample.match(alphabet)?.length ?? 0) > letters * alphabet_share_least) return language;
  }
  const { language, small, words } = nearest(sample);
  return small >= small_words_least && small >= words * small_share_least ? language : null;
}

/**
 * Tells which places of a question carry no subject: a small word of its language, or a part of a
 * phrase that asks.
 */
export function subjectless(question: string): (start: number, end: number) => boolean {
  const { language } = nearest(question);
  const asked = new Uint8Array(question.length);
  for (const phrase of phrases)
    for (const match of question.matchAll(phrase))
      asked.fill(1, match.index, match.index + match[0].length);
  return (start, end) =>
    languages_of.get(question.slice(start, end).toLowerCase())?.includes(language) === true ||
    asked.subarray(start, end).includes(1);
}
