/** Numerical features of a sentence as the answer to a question. Pure. */
import type { Retrieval, Span } from "../search/contract";
import { codeBlocks } from "../../core/lib/code-blocks";
import { answerPattern } from "./answer-types";
import { optionEntries, type OptionEntry } from "./option-entries";
import { readsAsMarker } from "./quote-text";
import {
  isTableHead,
  sentenceOfRow,
  tableRows,
  type RowSentence,
  type TableRow,
} from "./table-row";

/** A passage. */
export interface Source {
  readonly text: string;
  /** The name of its document. */
  readonly title: string;
  readonly heading: string | null;
  readonly score: number;
}
/** A term with its weight: the rarer, the greater. */
export interface Weighted {
  readonly term: string;
  readonly idf: number;
}
/** A word of a text by its term. UTF-16 indices. */
export interface Word {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}
/** How texts are analysed. */
export interface TextAnalysis {
  readonly analyze: (text: string) => readonly Word[];
  readonly sentences: Retrieval["sentences"];
}

/** All from 0 to 1, except `passage` and `length`. */
export interface Features {
  /** The share of the question's words that it contains, weighted by rarity, then unweighted. */
  readonly coverage: number;
  readonly count: number;
  /** The share found only in the sentence before it, the one after it, or the title or heading. */
  readonly before: number;
  readonly after: number;
  readonly title: number;
  /** The score of its passage, relative to the best. */
  readonly passage: number;
  /** It contains what the question asks for: a number, a date, a name, an option … */
  readonly answer_type: number;
  /** The share of the question's numbers that it contains; they are seldom paraphrased. */
  readonly numbers: number;
  /** It has words that are not in the question. */
  readonly novelty: number;
  /** It is part of a sentence, or a line without an end. */
  readonly broken: number;
  /** It is nothing but code. */
  readonly code: number;
  /**
   * By how many hundreds of UTF-16 units it is longer than usual: it has more words of the question
   * by chance, and leaves no room for others.
   */
  readonly length: number;
}
/** A sentence of a source; UTF-16 indices into its text. */
export interface FoundSentence {
  readonly source: number;
  readonly start: number;
  readonly end: number;
  readonly features: Features;
  /** The start of the option's entry that it belongs to. */
  readonly entry?: number;
  /** For a row of a table: its text with its heads. */
  readonly row?: RowSentence;
  /** The term that it defines: a line of its own above it. */
  readonly term?: string;
}

/** A sentence up to this length is not long; UTF-16 units. */
const usual_chars = 100;
const lengthOf = (text: string): number => Math.max(0, text.length - usual_chars) / 100;
/** The number of novel words that count. */
const novel_words_max = 10;

/**
 * Returns a function for every sentence of a source that may be quoted, in order. `score_max`: the
 * best score of the sources; 0 when a reranker finds all of them irrelevant.
 */
export function sentenceReader(
  question: string,
  terms: readonly Weighted[],
  score_max: number,
  analysis: TextAnalysis,
): (source: Source, at: number) => FoundSentence[] {
  const { analyze } = analysis;
  const weights = weighQuestion(terms);
  const { idf, share, numberShare, questionTerms } = weights;
  const pattern = answerPattern(question);
  const hasType = (text: string, label = ""): boolean =>
    pattern !== null && (pattern.test(text.replace(list_number, "")) || pattern.test(label));

  return (source, at) => {
    const title_terms = questionTerms([...analyze(source.title), ...analyze(source.heading ?? "")]);
    const passage = score_max === 0 ? 0 : source.score / score_max;
    const blocks = codeBlocks(source.text);
    const isCode = ({ start, end }: Span) =>
      blocks.some((one) => one.start <= start && end <= one.end);
    const sentences = withWords(source.text, analysis).map((sentence) => ({
      ...sentence,
      own_terms: questionTerms(sentence.words),
      text: source.text.slice(sentence.start, sentence.end),
    }));
    const rows = tableRows(source.text, sentences, source.heading);
    const entries = optionEntries(source.text, sentences);
    // A passage of nothing but headings has no other sentences.
    const has_more = sentences.some(({ text }) => !isHeading(text, source.heading));
    return sentences.flatMap(({ start, end, words, own_terms, text }, i): FoundSentence[] => {
      const is_code = isCode({ start, end });
      const row = rows.get(i);
      const is_heading = has_more && !row && isHeading(text, source.heading);
      if (is_code ? readsAsMarker(text) : is_heading) return [];
      if (row !== undefined) {
        const has_type = pattern?.test(text) ?? false;
        const context = { title_terms, own_terms, passage, has_type };
        return [{ source: at, start, end, ...rowFeatures(row, context, weights, analyze) }];
      }
      const novel_words = words.filter((word) => !idf.has(word.term)).length;
      const below = sentences[i + 1];
      if (novel_words === 0 && below && isTerm(text, below.text)) return [];
      const line = sentences[i - 1];
      const defined = line && isTerm(line.text, text) ? line : undefined;
      const sentence_terms = defined ? new Set([...own_terms, ...defined.own_terms]) : own_terms;
      const entry = entries[i];
      const before = minus(neighbourTerms(sentences, entries, i, i - 1), sentence_terms);
      const after = minus(neighbourTerms(sentences, entries, i, i + 1), sentence_terms);
      const title = minus(title_terms, new Set([...sentence_terms, ...before, ...after]));
      const features = {
        coverage: share(sentence_terms),
        count: terms.length === 0 ? 0 : sentence_terms.size / terms.length,
        before: share(before),
        after: share(after),
        title: share(title),
        passage,
        answer_type: Number(hasType(text, entry?.label)),
        numbers: numberShare(sentence_terms),
        novelty: Math.min(1, novel_words / novel_words_max),
        broken: Number(isBroken(text)),
        code: Number(is_code),
        length: lengthOf(text),
      };
      const labels = {
        ...(entry && { entry: entry.start }),
        ...(defined && { term: defined.text }),
      };
      return [{ source: at, start, end, features, ...labels }];
    });
  };
}

/**
 * The features of a row, whose heads count as its own words if it has any of the question's, and
 * its text with them.
 */
function rowFeatures(
  row: TableRow,
  {
    title_terms,
    own_terms,
    passage,
    has_type,
  }: {
    /** The question's words in title and heading, and in the row. */
    readonly title_terms: ReadonlySet<string>;
    readonly own_terms: ReadonlySet<string>;
    readonly passage: number;
    /** Whether it has what the question asks for. */
    readonly has_type: boolean;
  },
  { share, numberShare, questionTerms, idf }: ReturnType<typeof weighQuestion>,
  analyze: TextAnalysis["analyze"],
): { readonly features: Features; readonly row: RowSentence } {
  const heads = own_terms.size > 0 ? questionTerms(row.heads.flatMap(analyze)) : [];
  const row_terms = new Set([...own_terms, ...heads]);
  const around = minus(questionTerms(analyze(row.caption)), row_terms);
  const sentence = sentenceOfRow(row, (part) => share(questionTerms(analyze(part))));
  const features = {
    coverage: share(row_terms),
    count: idf.size === 0 ? 0 : row_terms.size / idf.size,
    before: share(around),
    after: 0,
    title: share(minus(title_terms, new Set([...row_terms, ...around]))),
    passage,
    answer_type: Number(has_type),
    numbers: numberShare(row_terms),
    novelty: 1,
    broken: 0,
    code: 0,
    length: lengthOf(sentence.text),
  };
  return { features, row: sentence };
}

/** A single digit is in any text. */
const any_number = /\p{Nd}.*\p{Nd}/u;
/**
 * The rarity of the question's terms, and functions: the share of the question that some of these
 * terms make up, that of its numbers, and the terms of the question among some words.
 */
function weighQuestion(terms: readonly Weighted[]) {
  const idf = new Map(terms.map((term) => [term.term, term.idf]));
  const total = terms.reduce((sum, term) => sum + term.idf, 0);
  const share = (subset: Iterable<string>): number => {
    let sum = 0;
    for (const term of subset) sum += idf.get(term)!;
    return total === 0 ? 0 : sum / total;
  };
  const numbers = terms.map(({ term }) => term).filter((term) => any_number.test(term));
  const numberShare = (subset: ReadonlySet<string>): number =>
    numbers.filter((number) => subset.has(number)).length / Math.max(1, numbers.length);
  const questionTerms = (words: readonly Word[]): Set<string> =>
    new Set(words.map((word) => word.term).filter((term) => idf.has(term)));
  return { idf, share, numberShare, questionTerms };
}

/** The question's terms in a neighbouring sentence, unless it explains another option. */
function neighbourTerms(
  sentences: readonly { readonly own_terms: ReadonlySet<string> }[],
  entries: readonly (OptionEntry | undefined)[],
  at: number,
  other: number,
): ReadonlySet<string> | undefined {
  const entry = entries[at];
  const other_entry = entries[other];
  return entry && other_entry && entry !== other_entry ? undefined : sentences[other]?.own_terms;
}

const minus = (terms: ReadonlySet<string> | undefined, others: ReadonlySet<string>): string[] =>
  [...(terms ?? [])].filter((term) => !others.has(term));

/** The sentences of a text, each with its words. */
function withWords(
  text: string,
  { analyze, sentences }: TextAnalysis,
): { readonly start: number; readonly end: number; readonly words: readonly Word[] }[] {
  const words = analyze(text);
  let at = 0;
  return sentences(text).map(({ start, end }) => {
    while (at < words.length && words[at]!.start < start) at++;
    const from = at;
    while (at < words.length && words[at]!.start < end) at++;
    return { start, end, words: words.slice(from, at) };
  });
}

/** The number of a list item, which is not a number in an answer. */
const list_number = /^\(?\d{1,3}[.)]\s+/;
const numbered = /^(?:\d+(?:\.\d+)+\.?|[A-Z](?:\.\d+)+\.?)\s+\S/;
const heading_words_max = 14;
const ended = /[.!?。！？．।۔؟։።…:：;]["'”’»)\]]*$/u;
const marked_heading = /^\s*#{1,6}[ \t]+\S[^\n]*$/;
const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
/** A heading names a subject but says nothing about it. */
function isHeading(text: string, heading: string | null): boolean {
  if (isTableHead(text) || marked_heading.test(text)) return true;
  if (ended.test(text)) return false;
  if (numbered.test(text) && text.split(/\s+/).length < heading_words_max) return true;
  const heading_letters = letters(text);
  return heading_letters !== "" && heading !== null && letters(heading).endsWith(heading_letters);
}
const term = /^\p{Lu}[\p{L}\p{M}\p{N} ()/,.’'-]*$/u;
const term_words_max = 6;
/** Whether a line is a term whose definition begins below it. */
const isTerm = (line: string, below: string): boolean =>
  term.test(line) &&
  !ended.test(line) &&
  line.split(/\s+/).length <= term_words_max &&
  below.length > line.length &&
  /^\p{Lu}/u.test(below) &&
  ended.test(below);
/** Whether a sentence is incomplete; one that introduces code is not. */
function isBroken(text: string): boolean {
  const code = codeBlocks(text)[0];
  const prose = code !== undefined && code.start > 0 ? text.slice(0, code.start).trimEnd() : text;
  return /^[\p{Ll},;)]/u.test(prose) || !ended.test(prose);
}
