/** Finds the sentences in passages that answer a question: by words, then by similarity. */
import { StepPauses } from "../../core/lib/chunked-work";
import type { Question } from "../chats/contract";
import type { SearchedTerm, SearchIndex } from "../search-index/contract";
import type { Retrieved } from "../search/contract";
import { nameEvidence, namedIn } from "./question-names";
import { questionParts } from "./question-parts";
import { isRelevant, type RelevanceContext } from "./relevance";
import { chooseSentences, type RankedAnswer } from "./sentence-choice";
import {
  SentenceReader,
  type FoundSentence,
  type Source,
  type TextAnalysis,
  type Weighted,
  type Word,
} from "./sentence-features";
import { rankByMeaning, rankSentences, type Sentence } from "./sentence-ranking";

/** How long an answer waits for the similarities of its sentences. */
const meaning_timeout_ms = 300;
/**
 * How many sentences are compared. In another language more of them, because words don't tell
 * which.
 */
const candidates_max = 10;
const candidates_in_other_language_max = 40;
/** About how many tokens are read for a question: a processor reads some 1,200 a second. */
const tokens_max = 400;
/** Only the beginning of a longer sentence is compared; UTF-16 units. */
const compared_chars_max = 400;
/** The weight of the other question's words, which may name the common subject. */
const other_part_weight = 0.5;

/** How texts are analysed. */
export interface FinderOptions {
  readonly analysis: TextAnalysis;
  readonly areLanguagesDifferent: SearchIndex["areLanguagesDifferent"];
  readonly languageOf: SearchIndex["languageOf"];
}
/** The sentences of an answer, and all candidates. */
export interface FoundSentences {
  /** Empty when nothing answers. */
  readonly chosen: readonly Sentence[];
  /** All sentences, for the first question. */
  readonly ranked: readonly Sentence[];
}

/** A text with one or two questions, and the passages that were found for it. */
interface FinderContext extends Pick<RelevanceContext, "is_other_language" | "languages"> {
  readonly compare: Question["compare"];
  /** Its questions. */
  readonly parts: readonly string[];
  /** The terms of all of them. */
  readonly terms: readonly Weighted[];
  readonly analysis: TextAnalysis;
  readonly sources: readonly Source[];
  /** The texts of all passages. */
  readonly passages_text: string;
  readonly passage_terms: ReadonlySet<string>;
  readonly meanings: Retrieved["meanings"];
  readonly lead: Retrieved["lead"];
  /** Each step takes some milliseconds. */
  readonly pauses: StepPauses;
}
interface Ranking extends Pick<RelevanceContext, "are_by_tokens" | "alignment"> {
  /** Most likely first. */
  readonly ranked: readonly Sentence[];
}

/** For each question of a text, the sentences that answer it. */
export async function findSentences(
  question: Pick<Question, "text" | "compare">,
  retrieved: Retrieved,
  options: FinderOptions,
): Promise<FoundSentences> {
  const context = await contextOf(question, retrieved, options);
  const answers = await Promise.all(context.parts.map((part) => answerTo(part, context)));
  return { ranked: answers[0]!.ranked, chosen: chooseSentences(answers, context.sources) };
}

async function contextOf(
  { text, compare }: Pick<Question, "text" | "compare">,
  { passages, meanings, terms, lead }: Retrieved,
  options: FinderOptions,
): Promise<FinderContext> {
  const sources = passages.map((passage): Source => ({
    text: passage.quote,
    title: passage.document_name,
    heading: passage.heading,
    score: passage.score,
  }));
  const pauses = new StepPauses();
  const analysis = withForms(options.analysis, terms);
  const passages_text = sources.map((source) => source.text).join("\n");
  const passage_terms = await termsIn(sources, analysis, pauses);
  await pauses.pause();
  const missing_compounds = missingCompounds(text, passage_terms, analysis);
  await pauses.pause();
  const is_other_language = options.areLanguagesDifferent(text, passages_text);
  await pauses.pause();
  const languages = {
    question: options.languageOf(text, { is_question: true }),
    texts: options.languageOf(passages_text),
  };
  await pauses.pause();
  return {
    compare,
    parts: questionParts(text),
    terms: terms.filter(({ term }) => !missing_compounds.has(term)),
    analysis,
    sources,
    passages_text,
    passage_terms,
    meanings,
    lead,
    is_other_language,
    languages,
    pauses,
  };
}

async function answerTo(part: string, context: FinderContext): Promise<RankedAnswer> {
  const terms = termsOf(part, context);
  await context.pauses.pause();
  const ranking = await rank(part, terms, context);
  const { ranked } = ranking;
  await context.pauses.pause();
  const [best] = ranked;
  const is_answer =
    best !== undefined && isRelevant(best, relevanceContext(part, terms, best, ranking, context));
  return { ranked, is_answer };
}

async function rank(
  question: string,
  terms: readonly Weighted[],
  { compare, parts, analysis, sources, is_other_language, languages, pauses }: FinderContext,
): Promise<Ranking> {
  const reader = new SentenceReader(question, terms, sources[0]?.score ?? 1, analysis);
  const sentences: FoundSentence[] = [];
  for (const [at, source] of sources.entries()) {
    await pauses.pause();
    sentences.push(...reader.read(source, at));
  }
  const by_words = rankSentences(sentences);
  const compared_max =
    (is_other_language ? candidates_in_other_language_max : candidates_max) / parts.length;
  const texts = comparedTexts(by_words.slice(0, compared_max), sources);
  const options = {
    timeout_ms: meaning_timeout_ms,
    tokens_max,
    by_tokens: is_other_language,
    languages,
  };
  const similarities = await compare?.(question, texts, options);
  return {
    ranked: rankByMeaning(by_words, similarities?.of_texts ?? []),
    are_by_tokens: similarities?.are_by_tokens ?? false,
    alignment: similarities?.alignment ?? null,
  };
}

/** How sentences are compared: with what they say something about. */
const comparedTexts = (ranked: readonly Sentence[], sources: readonly Source[]): string[] =>
  ranked.map(({ source, start, end, row, term }) => {
    const { text: whole, heading, title } = sources[source]!;
    const above = row ? (heading ?? title) : term;
    const content = row?.text ?? whole.slice(start, end);
    return (above === undefined ? content : `${above}: ${content}`)
      .slice(0, compared_chars_max)
      .toWellFormed();
  });

/** What decides whether the best sentence answers this question. */
function relevanceContext(
  question: string,
  terms: readonly Weighted[],
  best: Sentence,
  { ranked, are_by_tokens, alignment }: Ranking,
  context: FinderContext,
): RelevanceContext {
  const { analysis, passages_text, passage_terms, languages, is_other_language } = context;
  const named = namedIn(question, { analysis, language: languages.question });
  return {
    question,
    passages_coverage: coveredShare(terms, passage_terms),
    names: nameEvidence(named, {
      text: passages_text,
      passage_terms,
      own_terms: new Set(termsOfSource(context.sources[best.source]!, analysis)),
    }),
    passage_meaning: context.meanings[best.source] ?? null,
    lead: context.lead ?? 0,
    others_meaning: meanOf(ranked.slice(1).map(({ similarity }) => similarity)),
    is_other_language,
    languages,
    are_by_tokens,
    alignment,
  };
}

/** Other forms of the question's words count as these words. */
function withForms(analysis: TextAnalysis, terms: readonly SearchedTerm[]): TextAnalysis {
  const term_of = new Map(
    terms.flatMap(({ term, others }) => others.map((other) => [other, term] as const)),
  );
  for (const { term } of terms) term_of.delete(term);
  if (term_of.size === 0) return analysis;
  const analyze: TextAnalysis["analyze"] = (text) =>
    analysis.analyze(text).map((word) => ({ ...word, term: term_of.get(word.term) ?? word.term }));
  return { ...analysis, analyze };
}

/** Compounds of the question that no passage has: their parts are terms, too, and count instead. */
function missingCompounds(
  question: string,
  passage_terms: ReadonlySet<string>,
  { analyze }: TextAnalysis,
): ReadonlySet<string> {
  const words = analyze(question);
  const isPart = (part: Word, { start, end }: Word): boolean =>
    part.start >= start && part.end <= end && part.end - part.start < end - start;
  // Words are in the order of their starts, so the parts of one are next to it.
  const hasParts = (word: Word, at: number): boolean => {
    for (let i = at - 1; i >= 0 && words[i]!.start >= word.start; i--)
      if (isPart(words[i]!, word)) return true;
    for (let i = at + 1; i < words.length && words[i]!.start < word.end; i++)
      if (isPart(words[i]!, word)) return true;
    return false;
  };
  const compounds = new Set<string>();
  let has_parts = false;
  for (const [at, word] of words.entries()) {
    const last = words[at - 1];
    // Many terms can have the place of the same run of rare characters.
    if (last?.start !== word.start || last.end !== word.end) has_parts = hasParts(word, at);
    if (has_parts && !passage_terms.has(word.term)) compounds.add(word.term);
  }
  return compounds;
}

/** The mean of the similarities that are known; 0 when none is. */
function meanOf(similarities: readonly (number | null)[]): number {
  const known = similarities.filter((one) => one !== null);
  return known.reduce((sum, one) => sum + one, 0) / Math.max(1, known.length);
}

/** The terms of a part, and those of the other parts with less weight. */
function termsOf(part: string, { parts, terms, analysis }: FinderContext): readonly Weighted[] {
  if (parts.length === 1) return terms;
  const part_terms = new Set(analysis.analyze(part).map(({ term }) => term));
  return terms.map(({ term, idf }) => ({
    term,
    idf: part_terms.has(term) ? idf : idf * other_part_weight,
  }));
}

/** The terms in a passage, its title and heading. */
const termsOfSource = (
  { text, title, heading }: Source,
  { analyze }: TextAnalysis,
): readonly string[] =>
  [text, title, heading ?? ""].flatMap((one) => analyze(one).map(({ term }) => term));

async function termsIn(
  sources: readonly Source[],
  analysis: TextAnalysis,
  pauses: StepPauses,
): Promise<ReadonlySet<string>> {
  const terms = new Set<string>();
  for (const source of sources) {
    await pauses.pause();
    for (const term of termsOfSource(source, analysis)) terms.add(term);
  }
  return terms;
}

/** The share of the question that occurs in any of the passages, weighted by rarity. */
function coveredShare(terms: readonly Weighted[], passage_terms: ReadonlySet<string>): number {
  const total = terms.reduce((sum, { idf }) => sum + idf, 0);
  return total === 0
    ? 0
    : terms.reduce((sum, { term, idf }) => sum + (passage_terms.has(term) ? idf : 0), 0) / total;
}
