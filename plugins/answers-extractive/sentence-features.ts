/** Numerical features of a sentence as the answer to a question. Pure. */
import { analysedPassage, type AnalysedSentence, type Passage, type Source } from "./passages";
import { answerPattern, asksForName, countedAt, requiresType } from "./answer-types";
import { hasCounted } from "./counted";
import type { Asked } from "./follow-up";
import { groupQuestion } from "./group-questions";
import { listGroups, rowGroups, type Group, type GroupReader } from "./groups";
import { beginsWithKey, hasKeyCell, questionKeys } from "./question-keys";
import { weighQuestion, type Weighted, type Word } from "./question-weights";
import type { OptionEntry } from "./option-entries";
import { asks_how_to } from "./how-to";
import { asksSection } from "./sections";
import { asksYesOrNo, beginsWithYesOrNo } from "./yes-or-no";
import {
  captionLabel,
  isBroken,
  isHeading,
  isHeadingOf,
  isQuestion,
  isTerm,
  namingHeading,
  numberLabel,
} from "./line-kinds";
import { isEnded, readsAsMarker } from "./quote-text";
import type { TextAnalysis } from "./sentence-words";
import { sentenceOfRow, type RowSentence, type TableRow } from "./table-row";

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
  /** It has a number of what the question counts: "three pages". */
  readonly counted: number;
  /** The share of the question's numbers that it contains; they are seldom paraphrased. */
  readonly numbers: number;
  /** It is an entry of a list, or a row, whose key the question names. */
  readonly key: number;
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
  /** The question's terms in it. */
  readonly terms: readonly string[];
  /** The start of the option's entry that it belongs to. */
  readonly entry?: number;
  /** For a row of a table: its text with its heads. */
  readonly row?: RowSentence;
  /** The term that it defines, or its heading: a line of its own right above it. */
  readonly above?: string;
  /** Its heading, when the question asks for the name that this is; or the label of its row. */
  readonly name?: string;
}

/** A sentence up to this length is not long; UTF-16 units. */
const usual_chars = 100;
const lengthOf = (text: string): number => Math.max(0, text.length - usual_chars) / 100;
/**
 * Most instructions of a manual are about something else: one hardly makes a sentence likelier, but
 * completes an answer without any.
 */
const instruction_share = 0.1;
/** The number of novel words that count. */
const novel_words_max = 10;

/** A question and the words that count. */
export interface AskedTerms extends Pick<Asked, "own" | "typed" | "names"> {
  readonly terms: readonly Weighted[];
  /** Those of the question itself, not of the earlier ones that it continues. */
  readonly own_terms: ReadonlySet<string>;
  /** The best score of the sources; 0 when a reranker finds all of them irrelevant. */
  readonly score_max: number;
  /** Of the question and the sources (ISO 639-1), as far as detected. */
  readonly languages: readonly string[];
}

/** Reads the sentences of sources that may be quoted, and compares them with a question. */
export class SentenceReader {
  private readonly weights: ReturnType<typeof weighQuestion>;
  private readonly pattern: ReturnType<typeof answerPattern>;
  /** What its match counts: how much it tells. */
  private readonly type_share: number;
  private readonly group_reader: GroupReader;
  private readonly keys: ReadonlySet<string>;
  private readonly asks_name: boolean;
  /** It names a section by its number, which otherwise says nothing of what is below. */
  private readonly asks_section: boolean;
  /** The term of what the question counts. */
  private readonly counted: string | undefined;

  constructor(
    private readonly asked: AskedTerms,
    private readonly analysis: TextAnalysis,
  ) {
    this.weights = weighQuestion(asked.terms);
    this.pattern = answerPattern(asked.typed, asked.languages);
    this.type_share = asks_how_to.test(asked.typed) ? instruction_share : 1;
    this.asks_name = asksForName(asked.typed);
    this.asks_section = asksSection(asked.typed);
    this.keys = questionKeys(asked.own);
    const counted_at = countedAt(asked.typed, asked.languages[0] ?? "en");
    this.counted = analysis.analyze(asked.typed).find(({ start }) => start === counted_at)?.term;
    const { share, questionTerms } = this.weights;
    const termsOf = (text: string) => questionTerms(analysis.analyze(text));
    this.group_reader = {
      group_question: groupQuestion(asked.typed, requiresType(asked.typed)),
      termsOf,
      namesOf: (text) =>
        asked.names === "attribute" ? termsOf(text) : termsOf(text).intersection(asked.own_terms),
      weightOf: (text) => share(termsOf(text)),
    };
  }

  /** Those of a source, in order. `at`: its index. */
  read(source: Source, at: number): FoundSentence[] {
    const passage = analysedPassage(source, {
      analysis: this.analysis,
      questionTerms: this.weights.questionTerms,
      score_max: this.asked.score_max,
      question: this.asked.typed,
      asks_section: this.asks_section,
    });
    const sentences = passage.sentences.flatMap((sentence, i): FoundSentence[] => {
      const { start, end, text } = sentence;
      const row = passage.rows.get(i);
      const is_heading = passage.has_more && !row && isHeading(text, passage.heading);
      if (passage.isCode(sentence) ? readsAsMarker(text) : is_heading) return [];
      if (passage.mail_lines.has(i)) return [];
      const found = row ? this.ofRow(row, sentence, passage) : this.ofText(i, passage);
      const is_reply = passage.asked_above.has(i) && beginsWithYesOrNo(text);
      const from = is_reply ? passage.sentences[i - 1]!.start : start;
      return found ? [{ source: at, start: from, end, ...found }] : [];
    });
    return [...sentences, ...this.groupsOf(source, at, passage)];
  }

  private groupsOf(
    { text, heading }: Source,
    source: number,
    { sentences, rows, title_terms, score }: Passage,
  ): FoundSentence[] {
    const { group_reader } = this;
    return [
      ...listGroups(text, heading, group_reader),
      ...rowGroups(sentences, rows, heading, group_reader),
    ].flatMap((group) => {
      if (!this.isAboutSubject(group.terms, title_terms)) return [];
      if (group.is_list && !this.mayBeList(group.text)) return [];
      return [{ source, ...this.ofGroup(group, title_terms, score) }];
    });
  }

  /** A list has no more than its heading in common with a question for a date, or for a yes. */
  private mayBeList(text: string): boolean {
    const { lists, extremes, compares } = this.group_reader.group_question;
    if (lists || extremes || compares) return true;
    const { typed } = this.asked;
    if (asksYesOrNo(typed)) return false;
    return this.pattern === null || asks_how_to.test(typed) || this.hasType(text);
  }

  private ofGroup(
    { start, end, text, terms }: Group,
    title_terms: ReadonlySet<string>,
    passage: number,
  ): Omit<FoundSentence, "source"> {
    const { share, numberShare } = this.weights;
    const is_asked = this.group_reader.group_question.words !== "" || this.hasType(text);
    const features = {
      coverage: share(terms),
      count: terms.size / Math.max(1, this.asked.terms.length),
      before: 0,
      after: 0,
      title: share(minus(title_terms, terms)),
      passage,
      answer_type: Number(is_asked),
      counted: 0,
      numbers: numberShare(terms),
      key: 0,
      novelty: 1,
      broken: 0,
      code: 0,
      length: 0,
    };
    return { start, end, features, terms: [...terms], row: { text, is_exact: true } };
  }

  /** Undefined for a line that is the term defined below it, and for what is about another. */
  private ofText(
    i: number,
    { heading, sentences, asked_above, entries, title_terms, score, isCode }: Passage,
  ): Pick<FoundSentence, "features" | "terms" | "entry" | "above" | "name"> | undefined {
    const { idf, share, numberShare } = this.weights;
    const sentence = sentences[i]!;
    const { text, start, words, own_terms } = sentence;
    const novel_words = words.filter((word) => !idf.has(word.term)).length;
    if (this.repeatsQuestion(text, start, words)) return undefined;
    const below = sentences[i + 1];
    if (novel_words === 0 && below && isTerm(text, below.text)) return undefined;
    if (asked_above.has(i + 1)) return undefined;
    const line = sentences[i - 1];
    const defined = line && (isTerm(line.text, text) || asked_above.has(i)) ? line : undefined;
    const above = line && (defined ?? (isHeadingOf(line.text, text, heading) ? line : undefined));
    const sentence_terms = defined ? new Set([...own_terms, ...defined.own_terms]) : own_terms;
    const entry = entries[i];
    const naming = this.asks_name && !entry ? namingHeading(heading) : "";
    const name = sentence.label ?? naming;
    // Such a line is a label, whatever belongs to it.
    if (novel_words === 0 && !entry && !isEnded(text) && !isCode(sentence)) return undefined;
    const before = minus(neighbourTerms(sentences, entries, i, i - 1), sentence_terms);
    const after = minus(neighbourTerms(sentences, entries, i, i + 1), sentence_terms);
    const around = new Set([...sentence_terms, ...before, ...after]);
    if (!this.isAboutSubject(around, title_terms)) return undefined;
    const features = {
      coverage: share(sentence_terms),
      count: sentence_terms.size / Math.max(1, this.asked.terms.length),
      before: share(before),
      after: share(after),
      title: share(minus(title_terms, around)),
      passage: score,
      answer_type:
        this.type_share *
        Number(naming !== "" || this.hasType(text, entry?.label ?? sentence.label)),
      counted: Number(hasCounted(text, start, words, this.counted)),
      numbers: numberShare(sentence_terms),
      key: Number(beginsWithKey(text, this.keys)),
      novelty: Math.min(1, novel_words / novel_words_max),
      broken: Number(isBroken(text)),
      code: Number(isCode(sentence)),
      length: lengthOf(text),
    };
    return {
      features,
      terms: [...sentence_terms],
      ...(entry && { entry: entry.start }),
      ...(above && { above: above.text }),
      ...(name !== "" && { name }),
    };
  }

  /**
   * A row, whose heads count as its own words if it has any of the question's, with its text with
   * them.
   */
  private ofRow(
    row: TableRow,
    { own_terms }: AnalysedSentence,
    { title_terms, score }: Passage,
  ): Pick<FoundSentence, "features" | "terms" | "row"> | undefined {
    const { analyze } = this.analysis;
    const { idf, share, numberShare, questionTerms } = this.weights;
    const heads = own_terms.size > 0 ? questionTerms(row.heads.flatMap(analyze)) : [];
    const row_terms = new Set([...own_terms, ...heads]);
    const around = minus(questionTerms(analyze(row.caption)), row_terms);
    if (!this.isAboutSubject(row_terms, around, title_terms)) return undefined;
    // What was asked before is asked of the same thing, but now something else is.
    const isAsked = (term: string): boolean =>
      this.asked.names !== "attribute" || this.asked.own_terms.has(term);
    const weightOf = (part: string): number => share(questionTerms(analyze(part)));
    const sentence = sentenceOfRow(row, weightOf, (head) =>
      share([...questionTerms(analyze(head))].filter(isAsked)),
    );
    const features = {
      coverage: share(row_terms),
      count: row_terms.size / Math.max(1, idf.size),
      before: share(around),
      after: 0,
      title: share(minus(title_terms, new Set([...row_terms, ...around]))),
      passage: score,
      answer_type: this.type_share * Number(this.pattern?.test(sentence.text) ?? false),
      counted: 0,
      numbers: numberShare(row_terms),
      key: Number(hasKeyCell(row.cells, this.keys)),
      novelty: 1,
      broken: 0,
      code: 0,
      length: lengthOf(sentence.text),
    };
    return { features, terms: [...row_terms], row: sentence };
  }

  /** Whether it is a question, or the caption of a picture, in no other words than the question. */
  private repeatsQuestion(text: string, start: number, words: readonly Word[]): boolean {
    const from = start + captionLabel(text).length;
    const isAsked = ({ term, start: at }: Word) => at < from || this.asked.own_terms.has(term);
    return (from > start || isQuestion(text)) && words.every(isAsked);
  }

  /** Whether one of these has a word for the new subject of a question that continues others. */
  private isAboutSubject(...of: readonly Iterable<string>[]): boolean {
    const { names, own_terms } = this.asked;
    return names !== "subject" || of.some((terms) => [...terms].some((one) => own_terms.has(one)));
  }

  /** Whether a sentence, or the label of its option, has what the question asks for. */
  private hasType(text: string, label = ""): boolean {
    const { pattern } = this;
    const content = text.slice(numberLabel(text).length);
    return pattern !== null && (pattern.test(content) || pattern.test(label));
  }
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
