/** Passages with what is known of their sentences before any is compared with a question. Pure. */
import type { FoundPassage, Span } from "../search/contract";
import { codeTest, isHeading, isQuestionAbove, numberLabel } from "./line-kinds";
import { cellSentences } from "./long-cells";
import { mailLines } from "./mail-lines";
import { optionEntries } from "./option-entries";
import type { weighQuestion, Word } from "./question-weights";
import { withWords, type TextAnalysis } from "./sentence-words";
import { tableRows, type TableRow } from "./table-row";

/** A passage. */
export interface Source {
  readonly text: string;
  readonly document_id: string;
  /** The name of its document. */
  readonly title: string;
  readonly heading: string | null;
  readonly score: number;
}
export const sourceOf = (passage: FoundPassage): Source => ({
  text: passage.quote,
  document_id: passage.document_id,
  title: passage.document_name,
  heading: passage.heading,
  score: passage.score,
});

/** A source with what is known of its sentences. */
export interface Passage extends Pick<Source, "heading"> {
  /** The question's terms in title and heading. */
  readonly title_terms: ReadonlySet<string>;
  /** Its score, relative to the best. */
  readonly score: number;
  readonly sentences: readonly AnalysedSentence[];
  /** The indices of those right below a line that asks what they answer. */
  readonly asked_above: ReadonlySet<number>;
  /** Rows of tables, by the indices of their sentences. */
  readonly rows: ReturnType<typeof tableRows>;
  /** Entries of options, likewise. */
  readonly entries: ReturnType<typeof optionEntries>;
  /** The indices of headers of mail, and of greetings. */
  readonly mail_lines: ReadonlySet<number>;
  readonly isCode: (span: Span) => boolean;
  /** It has sentences besides headings. */
  readonly has_more: boolean;
}
/** A sentence with its words. */
export interface AnalysedSentence extends Span {
  readonly text: string;
  readonly words: readonly Word[];
  /** The question's terms in it. */
  readonly own_terms: ReadonlySet<string>;
  /** Of a sentence in a long cell, the first cell of its row. */
  readonly label?: string;
}

/** What a passage is read for. */
export interface ReadingOptions {
  readonly analysis: TextAnalysis;
  /** The question's terms among words. */
  readonly questionTerms: ReturnType<typeof weighQuestion>["questionTerms"];
  /** The best score of the passages. */
  readonly score_max: number;
  readonly question: string;
  /** It names a section by its number. */
  readonly asks_section: boolean;
}

/** Splits a passage into its sentences. */
export function analysedPassage(source: Source, options: ReadingOptions): Passage {
  const { text, title, heading, score } = source;
  const { analysis, questionTerms, score_max, question } = options;
  const { sentences, rows } = sentencesAndRows(source, options);
  return {
    heading,
    title_terms: questionTerms([...analysis.analyze(title), ...analysis.analyze(heading ?? "")]),
    score: score_max === 0 ? 0 : score / score_max,
    sentences,
    asked_above: new Set(
      sentences.keys().filter((at) => isQuestionAbove(text, sentences[at - 1], sentences[at]!)),
    ),
    rows,
    entries: optionEntries(text, sentences),
    mail_lines: mailLines(
      sentences.map((sentence) => sentence.text),
      question,
    ),
    isCode: codeTest(text, heading),
    has_more: sentences.some((sentence) => !isHeading(sentence.text, heading)),
  };
}

/** Rows stay whole, except those with long cells. */
function sentencesAndRows(
  { text, heading }: Source,
  options: ReadingOptions,
): Pick<Passage, "sentences" | "rows"> {
  const { analysis } = options;
  const whole_sentences = withWords(text, analysis);
  const whole_rows = tableRows(text, whole_sentences, heading);
  const rows = new Map<number, TableRow>();
  const sentences: AnalysedSentence[] = [];
  for (const [at, { start, end, words }] of whole_sentences.entries()) {
    const row = whole_rows.get(at);
    const in_cells = row ? cellSentences(text.slice(start, end), analysis.sentences) : null;
    if (row && in_cells === null) rows.set(sentences.length, row);
    for (const part of in_cells ?? [{ start: 0, end: end - start, label: "" }]) {
      const span = { start: start + part.start, end: start + part.end };
      sentences.push(analysedSentence(text, span, words, part.label, options));
    }
  }
  return { sentences, rows };
}

function analysedSentence(
  text: string,
  { start, end }: Span,
  words: readonly Word[],
  label: string,
  { analysis, questionTerms, asks_section }: ReadingOptions,
): AnalysedSentence {
  const content = text.slice(start, end);
  const from = start + (asks_section ? 0 : numberLabel(content).length);
  const own_words = words.filter((word) => word.start >= start && word.start < end);
  const content_words = own_words.filter((word) => word.start >= from);
  const label_words = label === "" ? [] : analysis.analyze(label);
  return {
    start,
    end,
    text: content,
    words: own_words,
    own_terms: questionTerms([...content_words, ...label_words]),
    ...(label !== "" && { label }),
  };
}
