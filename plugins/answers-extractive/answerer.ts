/** Answers with sentences of the documents themselves, each with the marker of its passage. */
import { evidence_max, type Answered, type Answerer, type Question } from "../chats/contract";
import {
  partOf,
  quote_points_max,
  type FoundPassage,
  type Retrieval,
  type RetrievedInConversation,
  type Span,
} from "../search/contract";
import { askedAbbreviation, spellsOut } from "./abbreviations";
import { overview_limits, overviewAnswer } from "./overview";
import { belowHeadings, isEnded, joinQuotes, withMarker } from "./quote-text";
import { findSentences, type FinderOptions } from "./sentence-finder";
import type { Sentence } from "./sentence-ranking";
import { abridged } from "./question-parts";
import { smallTalkOf } from "./small-talk";

/** Passages whose sentences are ranked. */
const passages_max = 8;
/** Passages that are looked at for an abbreviation, and how many that spell it out are ranked. */
const abbreviation_passages_max = 100;
const spelled_out_max = 4;
const nothing_found = "No passage in the selected folders answers this.";
const no_prompts =
  "Saved prompts apply only to answers written by a language model. This answer quotes the " +
  "documents, so they were not applied.";

const unmodelled: Pick<Answered, "model" | "prompts" | "usage"> = {
  model: "extractive",
  prompts: [],
  usage: null,
};

export class ExtractiveAnswerer implements Answerer {
  readonly name = "extractive";
  readonly rank = 0;
  readonly uses_prompts = false;

  constructor(
    private readonly options: FinderOptions,
    private readonly retrieval: Retrieval,
    private readonly now_ms: () => number,
  ) {}

  async answer(question: Question): Promise<Answered> {
    const { prompts, signal } = question;
    const text = abridged(question.text);
    const started_ms = this.now_ms();
    const small_talk = smallTalkOf(text);
    if (small_talk !== null) {
      const overview = await question.overview(overview_limits);
      return {
        ...overviewAnswer(small_talk, overview),
        ...unmodelled,
        timings: { retrieve_ms: this.now_ms() - started_ms, generate_ms: 0 },
      };
    }
    // Relevance is decided by sentences, because a long passage is far from each of its sentences.
    const found_passages = await this.findPassages(question, text);
    const retrieved_ms = this.now_ms();
    signal.throwIfAborted();
    const { passages } = found_passages;
    const { chosen, ranked } = await findSentences(
      { text, compare: question.compare },
      found_passages,
      this.options,
    );
    const answer_parts =
      chosen.length === 0
        ? { answer: nothing_found, outcome: "no_answer" as const, citations: [], related: [] }
        : await this.withEvidence(
            answerQuotes(chosen, passages, text, this.retrieval),
            ranked,
            passages,
          );
    return {
      ...answer_parts,
      ...unmodelled,
      grounded: true,
      timings: {
        retrieve_ms: retrieved_ms - started_ms,
        generate_ms: this.now_ms() - retrieved_ms,
      },
      warnings: prompts.length === 0 ? [] : [{ code: "prompts_not_applied", message: no_prompts }],
    };
  }

  /** An abbreviation is used in many passages, and spelled out in few of them. */
  private async findPassages(question: Question, text: string): Promise<RetrievedInConversation> {
    const abbreviation = askedAbbreviation(text);
    const limit = abbreviation === null ? passages_max : abbreviation_passages_max;
    const found = await this.retrieval.findInConversation(question, { limit, unlikely: true });
    if (abbreviation === null) return found;
    const places = [...found.passages.keys()];
    const spelled_out = places.filter((at) => spellsOut(found.passages[at]!.quote, abbreviation));
    const first = new Set([0, ...spelled_out.slice(0, spelled_out_max), ...places]);
    const chosen = [...first].slice(0, passages_max).toSorted((a, b) => a - b);
    return {
      ...found,
      passages: chosen.flatMap((at) => found.passages[at] ?? []),
      meanings: chosen.map((at) => found.meanings[at] ?? null),
    };
  }

  /** The quotes with their markers, and the best sentences of the passages that are not quoted. */
  private async withEvidence(
    answer_quotes: readonly AnswerQuote[],
    ranked: readonly Sentence[],
    passages: readonly FoundPassage[],
  ): Promise<Pick<Answered, "answer" | "outcome" | "citations" | "related">> {
    const quotes = answer_quotes.map(({ quote }) => quote);
    const cited = new Set(quotes.map(placeOf));
    const further = [...passages.entries()]
      .filter(([, passage]) => !cited.has(placeOf(passage)))
      .slice(0, Math.max(0, evidence_max - quotes.length))
      .map(([source, passage]) => {
        const best = ranked.find((sentence) => sentence.source === source);
        return best ? quoteOf(passage, best) : passage;
      });
    return {
      answer: joinQuotes(
        answer_quotes.map(({ text, is_code }, at) => withMarker(text, `[${at + 1}]`, is_code)),
      ),
      outcome: "answered",
      citations: (await this.retrieval.locate(quotes)).map((quote, at) => ({
        id: at + 1,
        ...quote,
      })),
      related: await this.retrieval.locate(further),
    };
  }
}

/** The passage that a quote comes from. */
const placeOf = ({ document_id, passage }: FoundPassage): string =>
  `${document_id} ${passage.start}`;

const quoteOf = (passage: FoundPassage, span: Span): FoundPassage =>
  partOf(passage, belowHeadings(passage.quote, span, passage.heading));

/** A quote, and its form in an answer: a row of a table is given with its heads. */
interface AnswerQuote {
  readonly quote: FoundPassage;
  readonly text: string;
  readonly is_code: boolean;
}

/** A quote for each of the sentences; two adjacent ones are merged as long as they fit. */
function answerQuotes(
  chosen: readonly Sentence[],
  passages: readonly FoundPassage[],
  question: string,
  retrieval: Retrieval,
): AnswerQuote[] {
  const spans: (Pick<Sentence, "source" | "start" | "end" | "row" | "entry" | "name"> & {
    readonly is_pair?: true;
    readonly is_code: boolean;
  })[] = [];
  for (const { source, start, end, row, entry, name, features } of chosen) {
    const last = spans.at(-1);
    const is_code = features.code > 0;
    const { quote } = passages[source]!;
    if (
      last?.source === source &&
      start !== entry &&
      // Lines without an end would read as one sentence.
      (is_code || (entry ?? -1) === last.entry || isEnded(quote.slice(last.start, last.end))) &&
      !last.is_pair &&
      !last.row &&
      !row &&
      start >= last.end &&
      quote.slice(last.end, start).trim() === "" &&
      end - last.start <= quote_points_max
    )
      spans[spans.length - 1] = { ...last, end, is_pair: true, is_code: last.is_code && is_code };
    else
      spans.push({
        source,
        start,
        end,
        is_code,
        ...(row && { row }),
        ...(entry !== undefined && { entry }),
        ...(name !== undefined && { name }),
      });
  }
  const named = new Set<string>();
  return spans.map(({ source, start, end, row, name, is_code }) => {
    const whole = quoteOf(passages[source]!, { start, end });
    const quote = end - start <= quote_points_max ? whole : retrieval.excerpt(whole, question);
    const is_named = name === undefined || is_code || named.has(name) || quote.quote.includes(name);
    named.add(name ?? "");
    const label = is_named ? "" : `${name}: `;
    return { quote, text: row?.text ?? `${label}${quote.quote}`, is_code };
  });
}
