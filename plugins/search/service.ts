/**
 * The rules of search: which folders a question may see, and which of the index's passages may be
 * shown.
 */
import { nextTurn, StepPauses } from "../../core/lib/chunked-work";
import { requiredText, type Context, type Db } from "../../core/sdk";
import type { Documents } from "../documents/contract";
import type { Folders } from "../folders/contract";
import type { Passage, SearchIndex, SearchRequest } from "../search-index/contract";
import { SearchAdmission } from "./admission";
import {
  partOf,
  type AnswerScorer,
  type FindOptions,
  type FollowUp,
  type FoundPassage,
  type RelatedPassage,
  type Reranker,
  type Retrieval,
  type Retrieved,
  type RetrievedInConversation,
  type Span,
} from "./contract";
import { withAnswersFirst } from "./answer-order";
import { findInConversation } from "./conversation";
import { excerptOf } from "./excerpt";
import { placeBetween, type Place } from "./quote-position";
import { reranked } from "./reranked-passages";
import { containsPhrases, phrasesOf } from "./phrases";
import { sentencesOf } from "./sentences";

/** The longest query, in characters. */
export const query_length_max = 32_000;
/** Passages of a search that names no limit. */
export const limit_default = 10;
/** The most passages of a search. */
export const limit_max = 50;
/** Folders that a search can name. */
export const folders_max = 200;
/** Documents that a search can name. */
export const documents_max = 200;
/** Concurrent searches; those for answers in chats are limited with the answers. */
const concurrent_max = { per_owner: 50, total: 500 };
/** A phrase is looked for in this many of the passages that have its words. */
const phrase_candidates_max = 500;
/** After this many, other requests get a turn: each takes some hundredths of a millisecond. */
const phrase_part_size = 50;

/** Absent and null mean the same. */
export interface SearchInput {
  readonly query: string;
  readonly folder_ids?: readonly string[] | null | undefined;
  readonly document_ids?: readonly string[] | null | undefined;
  /** At least 1. */
  readonly limit?: number | null | undefined;
}
/** What the service needs besides `Context`. */
export interface SearchContext extends Pick<Context, "db"> {
  readonly folders: Folders;
  readonly documents: Documents;
  readonly index: SearchIndex;
  /** Complete once every plugin is set up. */
  readonly rerankers: () => readonly Reranker[];
  readonly answer_scorers: () => readonly AnswerScorer[];
}

/** Search for the routes, and for other plugins. */
export class SearchService implements Retrieval {
  private readonly admission = new SearchAdmission(concurrent_max);

  constructor(private readonly ctx: SearchContext) {}

  /**
   * The best passages for a question; words in quotes must stand in them as they are, except in a
   * question. Without `folder_ids` every folder of the owner is searched; an empty list selects
   * nothing.
   * @throws HttpError 400 on a blank or too long query; 404 / 403 on a folder or document that is
   * missing or another user's; 429 or 503 when too many searches are under way.
   */
  async search(
    owner_id: string,
    input: SearchInput,
    signal?: AbortSignal,
  ): Promise<FoundPassage[]> {
    return this.admission.run(owner_id, () => this.searchFolders(owner_id, input, signal));
  }

  private async searchFolders(
    owner_id: string,
    input: SearchInput,
    signal: AbortSignal | undefined,
  ): Promise<FoundPassage[]> {
    const { db, documents, folders } = this.ctx;
    const query = requiredText(input.query, "/query", query_length_max);
    const limit = Math.min(input.limit ?? limit_default, limit_max);
    const document_ids = input.document_ids ?? undefined;
    const folder_ids = input.folder_ids
      ? await folders.requireWithSubfolders(db, owner_id, input.folder_ids, "/folder_ids")
      : await folders.listIds(db, owner_id);
    if (document_ids) await documents.requireAll(db, owner_id, document_ids, "/document_ids");
    const phrases = phrasesOf(query);
    const request = {
      owner_id,
      query,
      folder_ids,
      ...(document_ids && { document_ids }),
      limit: phrases.length === 0 ? limit : phrase_candidates_max,
    };
    if (phrases.length === 0) return this.findAnswers(db, request, signal);
    const { passages } = await this.find(db, request, signal);
    return withPhrases(passages, phrases, { limit, signal });
  }

  private async findAnswers(
    db: Db,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<FoundPassage[]> {
    const { rerankers, answer_scorers } = this.ctx;
    const scorer = rerankers().length === 0 ? answer_scorers().at(-1) : undefined;
    const limit = Math.max(request.limit, scorer?.passages_max ?? 0);
    const found = await this.find(db, { ...request, limit }, signal);
    const scores = await scorer?.score(request.query, firstOf(found, scorer.passages_max));
    return withAnswersFirst(found.passages, scores ?? []).slice(0, request.limit);
  }

  async find(db: Db, request: SearchRequest, signal?: AbortSignal): Promise<Retrieved> {
    if (request.folder_ids.length === 0 || request.document_ids?.length === 0 || request.limit < 1)
      return { passages: [], meanings: [], terms: [], lead: null };
    const [reranker] = this.ctx.rerankers();
    const limit = Math.max(request.limit, reranker?.passages_max ?? 0);
    const { passages, terms, lead } = await this.ctx.index.search({ ...request, limit }, signal);
    const current = await this.stillCurrent(db, passages);
    const shown = reranker
      ? (await reranked(reranker, request, current, signal)).slice(0, request.limit)
      : current;
    const labels = await this.labelsOf(db, shown);
    return {
      passages: shown.map(({ passage, name }) => toFoundPassage(passage, name, labels(passage))),
      meanings: shown.map(({ passage }) => passage.meaning),
      terms,
      lead,
    };
  }

  findInConversation(question: FollowUp, options: FindOptions): Promise<RetrievedInConversation> {
    return findInConversation(this.ctx.index.analyze, question, options);
  }

  async locate<Q extends RelatedPassage>(quotes: readonly Q[]): Promise<Q[]> {
    // What lies on one page, and in no recording, can't be narrowed.
    const wide = quotes.filter(
      (quote) => quote.page !== quote.page_end || quote.time_start !== null,
    );
    const by_version = Map.groupBy(
      wide,
      (quote) => `${quote.document_id} ${quote.document_version}`,
    );
    const places = new Map<Q, Place>();
    const pauses = new StepPauses();
    for (const of_version of by_version.values()) {
      const { document_id, document_version: version } = of_version[0]!;
      const { db, documents } = this.ctx;
      const spans = await documents.findSpans(db, { document_id, version }, of_version);
      for (const [at, { start, end, ...within }] of (spans ?? []).entries())
        places.set(of_version[at]!, placeBetween(within, start, end));
      // Long documents have megabytes of times.
      await pauses.pause();
    }
    return quotes.map((quote) => ({ ...quote, ...places.get(quote) }));
  }

  excerpt<Q extends RelatedPassage>(passage: Q, statement: string): Q {
    const { analyze } = this.ctx.index;
    return partOf(passage, excerptOf(passage.quote, statement, analyze));
  }

  similarities(
    ...input: Parameters<SearchIndex["similarities"]>
  ): ReturnType<SearchIndex["similarities"]> {
    return this.ctx.index.similarities(...input);
  }

  sentences(text: string): readonly Span[] {
    return sentencesOf(text);
  }

  /** Returns a function that finds the label of the page on which a passage begins. */
  private async labelsOf(
    db: Db,
    shown: readonly { readonly passage: Passage }[],
  ): Promise<(passage: Passage) => string | null> {
    const paged = shown.flatMap(({ passage }) =>
      passage.page === null ? [] : [passage.document_id],
    );
    if (paged.length === 0) return () => null;
    const labels = await this.ctx.documents.findPageLabels(db, [...new Set(paged)]);
    return ({ document_id, page }) =>
      page === null ? null : (labels.get(document_id)?.get(page) ?? null);
  }

  /**
   * The index answers from its own snapshot: what was unlinked, deleted or replaced since is left
   * out here.
   */
  private async stillCurrent(
    db: Db,
    passages: readonly Passage[],
  ): Promise<{ readonly passage: Passage; readonly name: string }[]> {
    const { documents } = this.ctx;
    const document_ids = [...new Set(passages.map((passage) => passage.document_id))];
    if (document_ids.length === 0) return [];
    // The folders of the hits, not of the scope: an owner may have more folders than a statement
    // takes parameters.
    const folder_ids = [...new Set(passages.map((passage) => passage.folder_id))];
    const linked = await documents.findLinked(db, document_ids, folder_ids);
    return passages.flatMap((passage) => {
      const document = linked.get(passage.document_id);
      return document?.current_version === passage.version
        ? [{ passage, name: document.name }]
        : [];
    });
  }
}

const firstOf = (found: Retrieved, count: number): Retrieved => ({
  ...found,
  passages: found.passages.slice(0, count),
  meanings: found.meanings.slice(0, count),
});

/**
 * The first `limit` passages that contain the phrases, looked for in parts. @throws the reason of
 * the signal
 */
async function withPhrases(
  passages: readonly FoundPassage[],
  phrases: readonly string[],
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal | undefined },
): Promise<FoundPassage[]> {
  const matching: FoundPassage[] = [];
  for (const [at, passage] of passages.entries()) {
    if (matching.length === limit) break;
    if (at > 0 && at % phrase_part_size === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    if (containsPhrases(passage.quote, phrases)) matching.push(passage);
  }
  return matching;
}

/**
 * Every passage is text that the index cut out of the stored version itself, so its quote is
 * verified by construction.
 */
const toFoundPassage = (
  passage: Passage,
  document_name: string,
  page_label: string | null,
): FoundPassage => ({
  document_id: passage.document_id,
  document_name,
  document_version: passage.version,
  folder_id: passage.folder_id,
  quote: passage.text,
  start: passage.start,
  end: passage.end,
  passage: { start: passage.start, end: passage.end },
  page: passage.page,
  page_end: passage.page_end,
  page_label,
  time_start: passage.time_start,
  time_end: passage.time_end,
  heading: passage.heading,
  score: passage.score,
  matched: passage.matched,
  verified: true,
  stale: false,
  url: `/api/dev/v1/documents/${passage.document_id}`,
});
