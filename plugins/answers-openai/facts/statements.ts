/** Whether a sentence states anything, and which of its words are compared with the sources. */
import type { Claim, EvidenceFinder, TextAnalysis } from "../evidence";
import { isTableHead } from "../table-rows";
import { contentOf, contentWords } from "./function-words";
import { polarityOf } from "./polarity";
import { quantitiesIn, withoutQuantities } from "./quantities";

/** A question that asks for more than yes or no. */
const asks_what = new RegExp(
  String.raw`(?<!\p{L})(?:what|which|who|whom|whose|when|where|why|how|was|welche[nrsm]?|wer|wen|` +
    "wem|wann|wo|woher|wohin|warum|wieso|wie|wieviel|wozu|qui|que|quoi|quel(?:le)?s?|quand|où|" +
    "comment|pourquoi|combien|quién(?:es)?|qué|cuál(?:es)?|cuándo|dónde|cómo|cuánt[oa]s?)" +
    "(?!\\p{L})",
  "iu",
);
const asks_number = /(?<!\p{L})(?:how (?:many|much)|wie ?viele?n?|combien|cuánt[oa]s?)(?!\p{L})/iu;
/** A question that a number without a unit may answer, unlike how long or how often. */
const asks_bare_number = new RegExp(
  String.raw`${asks_number.source}|(?<!\p{L})(?:what|which|when|was|welche[nrsm]?|wann|que|quoi|` +
    "quel(?:le)?s?|quand|qué|cuál(?:es)?|cuándo)(?!\\p{L})",
  "iu",
);
/** How long: not for a number of something. */
const asks_duration = new RegExp(
  "(?<!\\p{L})(?:how much time|wie ?viel zeit|combien de temps|cuánto tiempo)(?!\\p{L})",
  "iu",
);
/** A word, or the sign of a currency or unit. */
const says_what = /[\p{L}\p{Sc}%°]/u;
/**
 * The minimum number of content words in a statement without a number, whose words may all be from
 * the question.
 */
const content_words_min = 2;

/** Judges the sentences of the answer to one question. */
export class Statements {
  private readonly question_terms: ReadonlySet<string>;
  private readonly asks_what: boolean;
  private readonly asks_number: boolean;
  private readonly asks_bare_number: boolean;
  private language: string | null;
  /** The sentences so far: a short one is not enough to detect the language. */
  private so_far = "";

  constructor(
    question: string,
    private readonly analysis: TextAnalysis,
  ) {
    this.question_terms = new Set(this.termsOf(contentOf(question)));
    this.asks_what = asks_what.test(question);
    this.asks_number = asks_number.test(question);
    this.asks_bare_number = asks_bare_number.test(question) && !asks_duration.test(question);
    this.language = analysis.languageOf(question, { is_question: true });
  }

  /**
   * Whether a true statement may be an answer: to a question for a number, it has one, or is a
   * denial; to how long or how often, it is not just a number.
   */
  mayAnswer(text: string): boolean {
    if (this.asks_what && !this.asks_bare_number && !says_what.test(text)) return false;
    return !this.asks_number || quantitiesIn(text).length > 0 || polarityOf(text).is_negated;
  }

  /**
   * Not a question, a heading without a measure, the head of a table, the beginning of a list, or a
   * repetition of the question.
   */
  states(written: string): boolean {
    const text = written.replace(/<[^>]{0,100}>/g, " ");
    if (isTableHead(text) || /[:?？؟][\s*_.]*$/.test(text)) return false;
    if (/^\s*#/.test(text)) return statesMeasure(text);
    if (quantitiesIn(text).some((quantity) => !quantity.is_weak)) return true;
    const words = contentWords(text);
    const terms = this.termsOf(contentOf(text));
    const is_new = terms.some((term) => !this.question_terms.has(term));
    return words.length > 0 && (is_new || (!this.asks_what && sizeOf(words) >= content_words_min));
  }

  /** What a source must share: the meaningful words, without the numbers. */
  claimOf(text: string, evidence: EvidenceFinder): Claim {
    return evidence.claimOf(contentOf(withoutQuantities(text)));
  }

  /** Null when undetected. */
  languageOf(text: string): string | null {
    const language = this.analysis.languageOf(text);
    if (language !== null) return language;
    this.so_far = `${this.so_far} ${text}`.slice(-2_000);
    return this.analysis.languageOf(this.so_far) ?? this.language;
  }

  private termsOf(text: string): string[] {
    return this.analysis.analyze(text).map(({ term }) => term);
  }
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Their number; where words are not separated, of their characters. */
const sizeOf = (words: readonly string[]): number =>
  words.reduce((sum, word) => sum + (unspaced.test(word) ? word.length : 1), 0);

/** `12 years`; a number without a unit may be that of a step or chapter. */
const statesMeasure = (heading: string): boolean =>
  quantitiesIn(heading).some(
    ({ unit, start }) => unit !== null && /\p{Nd}/u.test(heading.charAt(start)),
  );

/** A year, a code: a longer number is not that of a step or chapter. */
const code =
  /(?<![\p{L}\p{Nd}])(?:\p{Nd}{3,}|(?=[\p{L}-]*\p{Nd})\p{Lu}[\p{L}\p{Nd}-]*)(?![\p{L}\p{Nd}])/gu;
/** The years and codes in a heading, which must be those of a source: `1974`, `SI-450`. */
export const codesInHeading = (text: string): readonly string[] =>
  /^\s*#/.test(text) ? (text.match(code) ?? []) : [];
