/** The stopwords of a query, and the language of a text. */
import type { ReadableText } from "../../../core/lib/text-window";
import { ascii_word, AsciiWords, hash_of_nothing, hashWith } from "./ascii-words";
import { stopwords } from "./stopwords";

/**
 * Interrogative phrases of scripts without spaces: Chinese, Japanese, Thai, Korean. Words that
 * overlap one count as stopwords.
 */
const phrases: readonly RegExp[] = [
  any(
    "(?:为|為)什[么麼]|什[么麼]时候|什麼時候|什[么麼]|怎[么麼样樣]+|如何|哪[里裡儿兒个個些年种種位一]?|[谁誰]",
    "何[时時处處地种種人]|多少|多[长長久大高远遠]",
    "[几幾](?=[个個年次种種名人位条條])|是否|[吗嗎呢]|是|的|了|(?:被|由)?(?:称|稱)[为為]",
  ),
  any(
    "何(?:ですか|でしたか|年|月|日|人|つ|度|回|世紀|歳|県|語|色|者|が|を|に|の|と|で)?|どこ|どちら|だれ|誰",
    "いつ|なぜ|どうして|どの(?:ような|ように|くらい|よう)?|どれ(?:くらい|ほど)?|どんな|どう|いくつ|いくら",
    "(?:でしょう|でした|です|ました|ます|だった|なの|であった|いった|された|した|る|た)か",
    "(?:は|が)?(?:何|なに)|という",
    "[はがをにのとで](?=[\u3041-\u3096]{0,2}[?？。]?$)",
  ),
  any(
    "อะไร(?:บ้าง)?|ใคร|เมื่อ(?:ไหร่|ไร|ใด)|ที่ไหน|ที่ใด|ไหน|ทำไม|อย่างไร|ยังไง|กี่",
    "เท่า(?:ไหร่|ไร|ใด)|ใด|หรือไม่|ชื่อว่า|เรียกว่า",
  ),
  any(
    "무엇(?:인가요|인가|입니까|을|이)?|누구(?:인가요|인가|입니까|의|를|가)?|언제(?:인가요|인가|입니까)?",
    "어디(?:인가요|인가|입니까|에서|에)?|어떤|어느|왜|어떻게|얼마(?:나)?|몇",
    "(?:인가요|입니까|합니까|습니까|했나요|나요|까)(?=[?？]|$)",
  ),
];
function any(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"), "g");
}

let languages_of_words: ReadonlyMap<string, readonly string[]> | undefined;
/** The languages that have this stopword, English first. */
const languagesOf = (word: string): readonly string[] | undefined => wordsWithLanguages().get(word);
const wordsWithLanguages = (): ReadonlyMap<string, readonly string[]> =>
  (languages_of_words ??= languagesOfWords());
function languagesOfWords(): Map<string, string[]> {
  const by_word = new Map<string, string[]>();
  for (const [language, list] of Object.entries(stopwords))
    for (const word of language === "el" ? withoutAccents(list) : list.split(" ")) {
      const languages = by_word.get(word);
      if (languages) languages.push(language);
      else by_word.set(word, [language]);
    }
  return by_word;
}
/** Greek is also written without accents, above all in capitals. */
const withoutAccents = (list: string): Set<string> =>
  new Set(`${list} ${list.normalize("NFD").replace(/\p{M}/gu, "")}`.split(" "));

const hyphen = /[-\u2010\u2011]/;
const words_of_text = /[\p{L}\p{M}]+/gu;
const beyond_ascii = /[\u0080-\uffff]/;

/** Stopwords of ASCII letters alone, and their languages by number. */
class AsciiStopwords {
  private readonly words: AsciiWords;
  private readonly languages: (readonly string[])[] = [[]];

  constructor(of_words: ReadonlyMap<string, readonly string[]>) {
    this.words = new AsciiWords(of_words.size);
    for (const [word, languages] of of_words) {
      if (!/^[a-z]+$/.test(word)) continue;
      let hash = hash_of_nothing;
      for (let at = 0; at < word.length; at++) hash = hashWith(hash, word.charCodeAt(at));
      this.words.add(word, 0, word.length, hash);
      this.languages.push(languages);
    }
  }

  /** Counts the words of a pure ASCII text. */
  count(text: string, counted: CountedStopwords): void {
    const { length } = text;
    for (let at = 0; at < length; at++) {
      const start = at;
      let hash = hash_of_nothing;
      for (; at < length; at++) {
        const lower = ascii_word[text.charCodeAt(at)]!;
        // A digit is not a letter.
        if (lower < 97) break;
        hash = hashWith(hash, lower);
      }
      if (at === start) continue;
      const word_number = this.words.find(text, start, at, hash);
      counted.add(at - start, word_number === 0 ? undefined : this.languages[word_number]);
    }
  }
}
let ascii_stopwords: AsciiStopwords | undefined;

/**
 * A single shorter stopword may be part of anything, and many may be units and codes: "1 l", "A-7".
 * They decide no language.
 */
const deciding_letters_min = 3;
const undecided = { min: 2, max: 3 } as const;

class CountedStopwords {
  words = 0;
  private readonly counts = new Map([["en", 0]]);
  private readonly decided = new Set<string>();

  add(letters: number, languages: readonly string[] = []): void {
    this.words++;
    for (const language of languages) {
      this.counts.set(language, (this.counts.get(language) ?? 0) + 1);
      if (letters >= deciding_letters_min) this.decided.add(language);
    }
  }

  likeliest(): { readonly language: string; readonly stopwords: number } {
    let likeliest = "en";
    let count_max = 0;
    for (const [language, count] of this.counts)
      if (count > count_max && (this.decided.has(language) || mayDecide(count))) {
        likeliest = language;
        count_max = count;
      }
    return { language: likeliest, stopwords: count_max };
  }
}

const mayDecide = (short_stopwords: number): boolean =>
  short_stopwords >= undecided.min && short_stopwords <= undecided.max;

/**
 * The language with the most stopwords in `text`, English in case of a tie. A word with a letter of
 * one language counts as a stopword of that language.
 */
function likeliestLanguage(text: string): {
  readonly language: string;
  readonly stopwords: number;
  readonly words: number;
} {
  const counted = new CountedStopwords();
  if (beyond_ascii.test(text))
    for (const word of text.toLowerCase().match(words_of_text) ?? [])
      counted.add(word.length, languagesOf(word) ?? languagesByLetters(word));
  else (ascii_stopwords ??= new AsciiStopwords(wordsWithLanguages())).count(text, counted);
  return { ...counted.likeliest(), words: counted.words };
}

/** Alphabets that determine a language, the more specific first. */
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
/** Letters of one language. */
const letters_of: readonly (readonly [RegExp, string])[] = [
  [/[ğışĞİŞ]/u, "tr"],
  [/[ơưƠƯ\u1ea0-\u1ef9]/u, "vi"],
];
const sample_chars = 2_500;
const stopwords_min = 4;
const question_stopwords_min = 2;
const stopwords_share_min = 0.1;
const alphabet_share_min = 0.2;

/**
 * The ISO 639-1 code of a text's language, from its alphabet and its stopwords; null when they
 * don't determine it. For a question two stopwords are enough, or a letter of its own.
 */
export function languageOf(
  text: Pick<ReadableText, "slice">,
  { is_question = false }: { readonly is_question?: boolean } = {},
): string | null {
  const sample = text.slice(0, sample_chars);
  if (beyond_ascii.test(sample)) {
    const letters = sample.match(/\p{L}/gu)?.length ?? 0;
    for (const [alphabet, language] of alphabets)
      if ((sample.match(alphabet)?.length ?? 0) > letters * alphabet_share_min) return language;
  }
  const { language, stopwords, words } = likeliestLanguage(sample);
  const stopwords_required = is_question ? question_stopwords_min : stopwords_min;
  if (stopwords >= stopwords_required && stopwords >= words * stopwords_share_min) return language;
  return is_question ? (languagesByLetters(sample)[0] ?? null) : null;
}
/** The languages that are alone in having some of its letters. */
function languagesByLetters(text: string): string[] {
  const composed = text.normalize("NFC");
  return letters_of.filter(([letters]) => letters.test(composed)).map(([, language]) => language);
}

/** From words of Chinese; a question of other Han characters may be Japanese, too. */
const chinese_alone = /[吗嗎呢么麼们們这這哪你您说說谁没为]/u;
/** Whether a question and a text are in different languages, as far as that can be detected. */
export function areLanguagesDifferent(question: string, text: string): boolean {
  const question_language = languageOfQuestion(question);
  const written = languageOf(text);
  if (question_language === "zh" && written === "ja") return chinese_alone.test(question);
  if (question_language !== null && written !== null) return question_language !== written;
  // Turkish and others have few stopwords, too few to determine their language by themselves.
  const { language, stopwords } = likeliestLanguage(text.slice(0, sample_chars));
  if (question_language === language && stopwords > 0) return false;
  const words = new Set(text.toLowerCase().match(words_of_text));
  return !(question.toLowerCase().match(words_of_text) ?? []).some((word) => words.has(word));
}
/** The language of a question by its alphabet, or else by its stopwords or letters. */
export function languageOfQuestion(question: string): string | null {
  const letters = question.match(/\p{L}/gu)?.length ?? 0;
  for (const [alphabet, language] of alphabets)
    if ((question.match(alphabet)?.length ?? 0) > letters * alphabet_share_min) return language;
  return languageOfWords(question);
}

/** The language of the stopwords in a short text, or of its letters; null when it has neither. */
export function languageOfWords(text: string): string | null {
  const { language, stopwords } = likeliestLanguage(text);
  return stopwords > 0 ? language : (languagesByLetters(text)[0] ?? null);
}

/** Whether a query could be in any of the languages that share its alphabet. */
export const isUndetermined = (query: string): boolean =>
  /\p{Script=Latin}/u.test(query) && languageOfWords(query) === null;

/**
 * A predicate for words of the query, given by UTF-16 indices, that are stopwords: in the query's
 * language, with each part of a compound (`est-il`), or as part of an interrogative phrase.
 */
export function stopwordsOf(query: string): (start: number, end: number) => boolean {
  const { language } = likeliestLanguage(query);
  const in_phrase = new Uint8Array(query.length);
  for (const phrase of phrases)
    for (const match of query.matchAll(phrase))
      in_phrase.fill(1, match.index, match.index + match[0].length);
  const isStopword = (word: string) => languagesOf(word)?.includes(language) === true;
  return (start, end) =>
    query.slice(start, end).toLowerCase().split(hyphen).every(isStopword) ||
    in_phrase.subarray(start, end).includes(1);
}
