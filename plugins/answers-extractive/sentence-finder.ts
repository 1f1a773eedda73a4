/** Finds the sentences in passages that answer a question: by words, then by similarity. */
import { StepPauses } from "../../core/lib/chunked-work";
import type { Question } from "../chats/contract";
import { askedOf, type Asked } from "./follow-up";
import { coordinatedTerms } from "./coordinated-terms";
import type { SearchedTerm } from "../search-index/contract";
import type { Retrieved, RetrievedInConversation } from "../search/contract";
import { nameEvidence, namedIn } from "./question-names";
import { questionParts, withoutQuoted } from "./question-parts";
import { missingCompounds, withoutAsking } from "./question-terms";
import { weighQuestion, type Weighted } from "./question-weights";
import { isRelevant, type RelevanceContext } from "./relevance";
import { withRequired } from "./required-sentences";
import { chooseSentences, type RankedAnswer } from "./sentence-choice";
import { groupsByLanguage, type LanguageDetection } from "./passage-languages";
import { sourceOf, type Source } from "./passages";
import { SentenceReader, type FoundSentence } from "./sentence-features";
import type { TextAnalysis } from "./sentence-words";
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
/**
 * The weight of the other question's words, which may name the common subject: less for a question
 * that has this many words of its own.
 */
const other_part = { weight: 0.5, own_terms_min: 3, weight_beside_own: 0.1 } as const;

/**
 * Passages in another language may be this much less similar than those in the question's, where
 * nothing answers: what is only near the subject is not looked for elsewhere.
 */
const other_language_margin = 0.1;

/** How texts are analysed. */
export interface FinderOptions extends LanguageDetection {
  readonly analysis: TextAnalysis;
}
/** The sentences of an answer, and all candidates. */
export interface FoundSentences {
  /** Empty when nothing answers. */
  readonly chosen: readonly Sentence[];
  /** All sentences, for the first question. */
  readonly ranked: readonly Sentence[];
}

/** A text with one or two questions, and the passages that were found for it. */
interface FinderContext {
  readonly compare: Question["compare"];
  /** Its questions. */
  readonly parts: readonly Asked[];
  /** The terms of all of them. */
  readonly terms: readonly Weighted[];
  readonly analysis: TextAnalysis;
  readonly sources: readonly Source[];
  /** The terms of each. */
  readonly source_terms: readonly ReadonlySet<string>[];
  readonly groups: readonly PassageGroup[];
  readonly meanings: Retrieved["meanings"];
  readonly lead: Retrieved["lead"];
  /** Each step takes some milliseconds. */
  readonly pauses: StepPauses;
}
/** Passages in the question's language, or in others: compared differently, so never mixed. */
interface PassageGroup extends Pick<RelevanceContext, "is_other_language" | "languages"> {
  /** Their indices. */
  readonly sources: readonly number[];
  readonly text: string;
  readonly terms: ReadonlySet<string>;
}
interface Ranking extends Pick<RelevanceContext, "are_by_tokens" | "alignment"> {
  /** Most likely first. */
  readonly ranked: readonly Sentence[];
}

/** For each question of a text, the sentences that answer it. */
export async function findSentences(
  question: Pick<Question, "text" | "compare">,
  retrieved: Retrieved & Partial<RetrievedInConversation>,
  options: FinderOptions,
): Promise<FoundSentences> {
  const context = await contextOf(question, retrieved, options);
  const answers = await Promise.all(context.parts.map((part) => answerTo(part, context)));
  return { ranked: answers[0]!.ranked, chosen: chooseSentences(answers, context.sources) };
}

async function contextOf(
  { text, compare }: Pick<Question, "text" | "compare">,
  {
    passages,
    meanings,
    terms,
    lead,
    context = null,
    names_subject = false,
  }: Retrieved & Partial<RetrievedInConversation>,
  options: FinderOptions,
): Promise<FinderContext> {
  const sources = passages.map(sourceOf);
  const pauses = new StepPauses();
  const analysis = withForms(options.analysis, terms);
  const source_terms = await termsIn(sources, analysis, pauses);
  const all_terms = unionOf(source_terms);
  await pauses.pause();
  const missing_compounds = missingCompounds(text, all_terms, analysis);
  await pauses.pause();
  const parts = questionParts(text).map((part) => askedOf(part, { context, names_subject }));
  const with_earlier = context === null ? text : `${context}\n${text}`;
  const own_words = withoutQuoted(with_earlier);
  const question_language = options.languageOf(own_words, { is_question: true });
  await pauses.pause();
  const groups = await groupsByLanguage(own_words, sources, options, pauses);
  await pauses.pause();
  return {
    compare,
    parts,
    terms: withoutAsking(terms, with_earlier, analysis.analyze).filter(
      ({ term }) => !missing_compounds.has(term),
    ),
    analysis,
    sources,
    source_terms,
    groups: groups.map(({ is_other_language, of }) => {
      const group_text = of.map((at) => sources[at]!.text).join("\n");
      return {
        sources: of,
        is_other_language,
        languages: { question: question_language, texts: options.languageOf(group_text) },
        text: group_text,
        terms: unionOf(of.map((at) => source_terms[at]!)),
      };
    }),
    meanings,
    lead,
    pauses,
  };
}

/** Other languages are read if nothing in the question's answers. */
async function answerTo(part: Asked, context: FinderContext): Promise<RankedAnswer> {
  const terms = termsOf(part.own, context);
  const about = {
    share: weighQuestion(terms).share,
    coordinated: coordinatedTerms(
      part.own,
      context.analysis.analyze,
      new Set(terms.map(({ term }) => term)),
    ),
  };
  let first: RankedAnswer | undefined;
  for (const group of context.groups) {
    if (first !== undefined && !isAsClose(group, context)) break;
    await context.pauses.pause();
    const ranking = await rank(part, terms, group, context);
    await context.pauses.pause();
    const { ranked, is_certain } = withRequired(part.typed, ranking.ranked, context.sources);
    const [best] = ranked;
    const is_answer =
      best !== undefined &&
      (is_certain ||
        isRelevant(best, {
          ...relevanceContext(part, terms, best, ranking, group, context),
          is_likeliest: best === ranking.ranked[0],
        }));
    const answer = { ranked, is_answer, ...about };
    if (is_answer) return answer;
    first ??= answer;
  }
  return first ?? { ranked: [], is_answer: false, ...about };
}

/** Whether its passages are about as similar to the question as those in its language. */
function isAsClose({ sources }: PassageGroup, { groups, meanings }: FinderContext): boolean {
  const closest = (of: readonly number[]): number =>
    Math.max(0, ...of.map((at) => meanings[at] ?? 0));
  return closest(sources) >= closest(groups[0]!.sources) - other_language_margin;
}

async function rank(
  asked: Asked,
  terms: readonly Weighted[],
  { sources: of, is_other_language, languages }: PassageGroup,
  { compare, parts, analysis, sources, pauses }: FinderContext,
): Promise<Ranking> {
  const known_languages = Object.values(languages).filter((one) => one !== null);
  const score_max = sources[0]?.score ?? 1;
  const own_terms = new Set(analysis.analyze(asked.own).map(({ term }) => term));
  const reader = new SentenceReader(
    { ...asked, own_terms, terms, score_max, languages: known_languages },
    analysis,
  );
  const sentences: FoundSentence[] = [];
  for (const at of of) {
    await pauses.pause();
    sentences.push(...reader.read(sources[at]!, at));
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
  const similarities = await compare?.(asked.whole, texts, options);
  return {
    ranked: rankByMeaning(by_words, similarities?.of_texts ?? []),
    are_by_tokens: similarities?.are_by_tokens ?? false,
    alignment: similarities?.alignment ?? null,
  };
}

/** How sentences are compared: with what they say something about. */
const comparedTexts = (ranked: readonly Sentence[], sources: readonly Source[]): string[] =>
  ranked.map(({ source, start, end, row, above: line }) => {
    const { text: whole, heading, title } = sources[source]!;
    const above = row ? (heading ?? title) : line;
    const content = row?.text ?? whole.slice(start, end);
    return (above === undefined ? content : `${above}: ${content}`)
      .slice(0, compared_chars_max)
      .toWellFormed();
  });

/** What decides whether the best sentence answers this question. */
function relevanceContext(
  asked: Asked,
  terms: readonly Weighted[],
  best: Sentence,
  { ranked, are_by_tokens, alignment }: Ranking,
  { text, terms: passage_terms, languages, is_other_language }: PassageGroup,
  context: FinderContext,
): Omit<RelevanceContext, "is_likeliest"> {
  const { analysis } = context;
  const own_terms = new Set(analysis.analyze(asked.own).map(({ term }) => term));
  const language = languages.question ?? (is_other_language ? null : languages.texts);
  const named = namedIn(asked.whole, { analysis, language }).filter(({ term }) =>
    own_terms.has(term),
  );
  return {
    question: asked.typed,
    is_new_subject: asked.names === "subject",
    names_share: coveredShare(
      terms,
      new Set(named.flatMap(({ kind, term }) => (kind === "name" ? term : []))),
    ),
    passages_coverage: coveredShare(terms, passage_terms),
    document_coverage: coveredShare(terms, documentTerms(best, context)),
    names: nameEvidence(named, {
      text,
      titles: context.sources.map(({ title, heading }) => `${title}\n${heading ?? ""}`).join("\n"),
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

/** The terms in the passages of the sentence's document: those of others say nothing about it. */
function documentTerms(
  { source }: Sentence,
  { sources, source_terms }: FinderContext,
): ReadonlySet<string> {
  const { document_id } = sources[source]!;
  return unionOf(source_terms.filter((_terms, at) => sources[at]!.document_id === document_id));
}

/** Other forms of the question's words count as these words. */
export function withForms(analysis: TextAnalysis, terms: readonly SearchedTerm[]): TextAnalysis {
  const term_of = new Map(
    terms.flatMap(({ term, others }) => others.map((other) => [other, term] as const)),
  );
  for (const { term } of terms) term_of.delete(term);
  if (term_of.size === 0) return analysis;
  const analyze: TextAnalysis["analyze"] = (text) =>
    analysis.analyze(text).map((word) => ({ ...word, term: term_of.get(word.term) ?? word.term }));
  return { ...analysis, analyze };
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
  const own_terms = terms.filter(({ term }) => part_terms.has(term));
  const is_complete = own_terms.length >= other_part.own_terms_min;
  const weight = is_complete ? other_part.weight_beside_own : other_part.weight;
  return terms.map(({ term, idf }) => ({ term, idf: part_terms.has(term) ? idf : idf * weight }));
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
): Promise<ReadonlySet<string>[]> {
  const terms: Set<string>[] = [];
  for (const source of sources) {
    await pauses.pause();
    terms.push(new Set(termsOfSource(source, analysis)));
  }
  return terms;
}

const unionOf = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(sets.flatMap((one) => [...one]));

/** The share of the question that occurs in any of the passages, weighted by rarity. */
function coveredShare(terms: readonly Weighted[], passage_terms: ReadonlySet<string>): number {
  const total = terms.reduce((sum, { idf }) => sum + idf, 0);
  return total === 0
    ? 0
    : terms.reduce((sum, { term, idf }) => sum + (passage_terms.has(term) ? idf : 0), 0) / total;
}
