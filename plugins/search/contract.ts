/**
 * What other plugins may know about search: passages as they go over the wire, and where they come
 * from.
 */
import {
  OneOf,
  named,
  Nullable,
  codePoints,
  service,
  shaped,
  slot,
  t,
  type Db,
  type Static,
} from "../../core/sdk";
import { PageLabel } from "../extraction/contract";
import type { SearchedTerm, SearchIndex, SearchRequest } from "../search-index/contract";

/** The longest quote of a citation, code points. */
export const quote_points_max = 500;

const passageFields = {
  document_id: t.String(),
  document_name: t.String(),
  document_version: t.Integer(),
  folder_id: t.String({ description: "A folder of the scope that holds the document." }),
  quote: t.String({ description: "Exactly `content[start:end]` of that document version." }),
  start: t.Integer({ description: "First code point of the quote in the document's content." }),
  end: t.Integer({ description: "Code point after the last one of the quote." }),
  passage: named(
    "PassagePlace",
    t.Object(
      { start: t.Integer({ minimum: 0 }), end: t.Integer({ minimum: 0 }) },
      {
        description:
          "Where the surroundings of the quote lie in the same version, code points; the quote's " +
          "own place when they are not known.",
      },
    ),
  ),
  page: Nullable(t.Integer()),
  page_end: Nullable(t.Integer()),
  page_label: PageLabel,
  time_start: Nullable(
    t.Number(),
    "Of a transcript: where in the recording the quote begins, seconds.",
  ),
  time_end: Nullable(
    t.Number(),
    "Of a transcript: where in the recording the quote ends, seconds.",
  ),
  heading: Nullable(t.String()),
  score: t.Number({
    description: "0 to 1. It orders the passages of one search, and says nothing across searches.",
  }),
  verified: t.Boolean({
    description: "The quote was compared with the stored text when the answer was made.",
  }),
  stale: t.Boolean({ description: "The passage no longer exists." }),
  url: t.String({ description: "Where the document is fetched." }),
};
/** A search result: its quote is the whole passage. */
export const FoundPassage = named(
  "FoundPassage",
  t.Object({
    ...passageFields,
    matched: OneOf(["words", "meaning", "both"], {
      description: "Why it was found: it holds words of the query, its meaning is near, or both.",
    }),
  }),
);
export type FoundPassage = Static<typeof FoundPassage>;
/**
 * The sentence or two of a passage that are worth reading beside an answer, at most 500 code
 * points.
 */
export const RelatedPassage = named("RelatedPassage", t.Object(passageFields));
export type RelatedPassage = Static<typeof RelatedPassage>;
/** The same, cited by the answer; `id` is the number in its marker. */
export const Citation = named(
  "Citation",
  t.Object({ id: t.Integer({ minimum: 1 }), ...passageFields }),
);
export type Citation = Static<typeof Citation>;

/**
 * The pages of a passage in words: `page 3`, `pages 3–4`, `page iv`, `from Slide 4 · Risks on`;
 * null when it is on none.
 */
export function pagesOf({
  page,
  page_end,
  page_label,
}: Pick<RelatedPassage, "page" | "page_end" | "page_label">): string | null {
  if (page === null) return null;
  const is_one = page_end === null || page_end === page;
  if (page_label === null) return is_one ? `page ${page}` : `pages ${page}–${page_end}`;
  const first = /^(?:Sheet|Slide) /.test(page_label) ? page_label : `page ${page_label}`;
  return is_one ? first : `from ${first} on`;
}

/**
 * A part of a passage as a quote of its own: `span` are UTF-16 indices into the quote. Its pages
 * and times are those of the whole until `Retrieval.locate`.
 */
export function partOf<Q extends RelatedPassage>(passage: Q, span: Span): Q {
  const quote = passage.quote.slice(span.start, span.end);
  const start = passage.start + codePoints(passage.quote.slice(0, span.start));
  return { ...passage, quote, start, end: start + codePoints(quote) };
}

/** The passages of a search, best first. */
export interface Retrieved {
  readonly passages: readonly FoundPassage[];
  /** The similarity in meaning of each passage, 0 to 1 (`Passage.meaning` of the index). */
  readonly meanings: readonly (number | null)[];
  readonly terms: readonly SearchedTerm[];
  /** As of `SearchResult` of the index. */
  readonly lead: number | null;
}
/** The passages for a question of a conversation. */
export interface RetrievedInConversation extends Retrieved {
  /** The earlier questions that it continues; null when it is understood alone. */
  readonly context: string | null;
  /** Whether it names something itself, which an answer must be about: "And for students?" */
  readonly names_subject: boolean;
}
/** A question of a conversation. */
export interface FollowUp {
  readonly text: string;
  /** The earlier questions, oldest first. */
  readonly history: readonly { readonly question: string }[];
  /** Searches the scope of the conversation. */
  readonly find: (
    query: string,
    options: FindOptions & { readonly context?: string },
  ) => Promise<Retrieved>;
}
/** `unlikely` as of `SearchRequest`. */
export type FindOptions = Pick<SearchRequest, "limit" | "unlikely">;
/** UTF-16 indices, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
/** Search for other plugins. */
export interface Retrieval {
  /**
   * The best passages of the scope (`Folders.scope`, subfolders already included), checked against
   * live links and stored names.
   */
  find(db: Db, request: SearchRequest, signal?: AbortSignal): Promise<Retrieved>;
  /** The best passages for a question, found with the earlier questions where it needs them. */
  findInConversation(question: FollowUp, options: FindOptions): Promise<RetrievedInConversation>;
  /**
   * The same quotes with their own pages and times: those of a passage are too wide for a part of
   * it.
   */
  locate<Q extends RelatedPassage>(quotes: readonly Q[]): Promise<Q[]>;
  /**
   * The one or two sentences of a passage that say most of a statement, as its quote: at most
   * `quote_points_max` code points.
   */
  excerpt<Q extends RelatedPassage>(passage: Q, statement: string): Q;
  /** How near texts are in meaning to a question: see `SearchIndex.similarities`. */
  similarities: SearchIndex["similarities"];
  /**
   * The sentences of a text in any language, trimmed, in order; only white space lies between them.
   */
  sentences(text: string): readonly Span[];
}
export const Retrieval = service<Retrieval>("search");

/** Options of one call. */
export interface RerankOptions {
  readonly signal?: AbortSignal | undefined;
}
/** Reads passages together with the question, and says how relevant each one is. */
export interface Reranker {
  /** How many of the first passages it is given. */
  readonly passages_max: number;
  /**
   * The relevance of each text, 0 to 1, in their order; null when it is not known in time: then
   * they keep their order. @throws only the reason of the signal.
   */
  rerank(
    query: string,
    texts: readonly string[],
    options: RerankOptions,
  ): Promise<readonly number[] | null>;
}
/** The first one is used; without one, passages keep the order of the index. */
export const Rerankers = slot<Reranker>("search.rerankers", {
  check: shaped<Reranker>({ passages_max: "number", rerank: "function" }),
  otherwise: { rerank: async () => null },
});

/**
 * Says how well passages answer a question. `POST /search` shows those that do first; a reranker
 * does without.
 */
export interface AnswerScorer {
  /** How many of the first passages it is given. */
  readonly passages_max: number;
  /**
   * For each passage 0 to 1, in their order; null, or none at all, when it is not known: such a
   * passage keeps its place.
   */
  score(query: string, found: Retrieved): Promise<readonly (number | null)[]>;
}
/** The last one is used, so that a plugin's comes before the built-in one. */
export const AnswerScorers = slot<AnswerScorer>("search.answer_scorers", {
  check: shaped<AnswerScorer>({ passages_max: "number", score: "function" }),
  otherwise: { score: async () => [] },
});
