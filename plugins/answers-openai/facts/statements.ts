/** Whether a sentence says anything, and what of it is compared with the sources. */
import type { Claim, EvidenceFinder, TextAnalysis } from "../evidence";
import { contentOf, contentWords } from "./function-words";
import { polarityOf } from "./polarity";
import { quantitiesIn, withoutQuantities } from "./quantities";

/** A question that wants more than yes or no. */
const asks_what = new RegExp(
  String.raw`(?<!\p{L})(?:what|which|who|whom|whose|when|where|why|how|was|welche[nrsm]?|wer|wen|` +
    "wem|wann|wo|woher|wohin|warum|wieso|wie|wieviel|wozu|qui|que|quoi|quel(?:le)?s?|quand|où|" +
    "comment|pourquoi|combien|quién(?:es)?|qué|cuál(?:es)?|cuándo|dónde|cómo|cuánt[oa]s?)" +
    "(?!\\p{L})",
  "iu",
);
const asks_number = /(?<!\p{L})(?:how (?:many|much)|wie ?viele?n?|combien|cuánt[oa]s?)(?!\p{L})/iu;
/** Words of a statement that has no number and whose words may all be those of the question. */
const content_words_min = 2;

export class Statements {
  private readonly asked: ReadonlySet<string>;
  private readonly asks_what: boolean;
  private readonly asks_number: boolean;
  private language: string | null;
  /** Of the sentences so far: a short one does not tell its language. */
  private so_far = "";

  constructor(
    question: string,
    private readonly analysis: TextAnalysis,
  ) {
    this.asked = new Set(this.termsOf(contentOf(question)));
    this.asks_what = asks_what.test(question);
    this.asks_number = asks_number.test(question);
    this.language = analysis.languageOf(question, { is_question: true });
  }

  /** Whether a true statement may answer: of a question for a number, it has one, or denies. */
  mayAnswer(text: string): boolean {
    return !this.asks_number || quantitiesIn(text).length > 0 || polarityOf(text).is_negated;
  }

  /** Not a question, a heading or the beginning of a list, nor what only repeats the question. */
  states(written: string): boolean {
    const text = written.replace(/<[^>]{0,100}>/g, " ");
    if (/^\s*#/.test(text) || /[:?？؟][\s*_.]*$/.test(text)) return false;
    if (quantitiesIn(text).some((one) => !one.is_weak)) return true;
    const words = contentWords(text);
    const terms = this.termsOf(contentOf(text));
    const is_new = terms.some((term) => !this.asked.has(term));
    return words.length > 0 && (is_new || (!this.asks_what && words.length >= content_words_min));
  }

  /** What a source must share: the words that state something, not the numbers. */
  claimOf(text: string, evidence: EvidenceFinder): Claim {
    return evidence.claimOf(contentOf(withoutQuantities(text)));
  }

  /** Null when nothing tells. */
  languageOf(text: string): string | null {
    const own = this.analysis.languageOf(text);
    if (own !== null) return own;
    this.so_far = `${this.so_far} ${text}`.slice(-2_000);
    return this.analysis.languageOf(this.so_far) ?? this.language;
  }

  private termsOf(text: string): string[] {
    return this.analysis.analyze(text).map(({ term }) => term);
  }
}
