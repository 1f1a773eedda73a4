/** The search index for other plugins: takes documents, returns passages, ranked by exact BM25. */
import type { StoredText } from "../../core/lib/text-pieces";
import { service, shaped, slot, topic, type Db } from "../../core/sdk";
import type { HeadingSpan, PageSpan } from "../extraction/contract";
import type { SegmentCopy, VectorCopyKind } from "./worker-contract";

export {
  segment_format,
  segmentFault,
  vector_layout,
  vectorBytesMax,
  vectorsFault,
} from "./worker-contract";
export type { ChunkPlace, SegmentCopy, VectorCopyKind, VectorKind } from "./worker-contract";

export interface IndexInput {
  /** The document's owner: owners take turns. */
  readonly owner_id: string;
  readonly document_id: string;
  readonly version: number;
  readonly title: string;
  /** Null for a stored text: it is read where it is encoded. */
  readonly text: string | null;
  /**
   * Where the text is stored: passages are read from there as long as the document is published.
   * Without it, the index stores the text itself.
   */
  readonly stored?: StoredText | undefined;
  /** UTF-16 indices into `text`. */
  readonly pages: readonly PageSpan[];
  /** UTF-16 indices into `text`. Without any, lines that look like headings are used. */
  readonly headings?: readonly HeadingSpan[] | undefined;
  /**
   * JSON of `TimeSpan`s, UTF-16 indices into `text`; null for a text that is not spoken. Captions
   * may have a hundred thousand.
   */
  readonly times?: string | null;
}
/** A chunked and encoded document, ready to be published in one short transaction. */
export interface Prepared {
  readonly document_id: string;
  readonly version: number;
  readonly language: string | null;
  /** The text is empty or only white space. */
  readonly is_empty: boolean;
  /** Private to the index. */
  readonly encoded: unknown;
}

/** How a document was encoded. A server only takes over what was encoded in the same way. */
export interface Encoding {
  readonly analyzer: number;
  readonly chunker: number;
  /** The layout of a segment's bytes. */
  readonly segment_format: number;
}
export interface PublishedCopy {
  readonly version: number;
  readonly title: string;
  readonly encoding: Encoding;
  /** The number of chunks and of segments. */
  readonly chunks: number;
  readonly segments: number;
  /** Null when it has none. */
  readonly vectors: VectorCopyKind | null;
  /** @throws PublishedGone when it was replaced or deleted meanwhile. */
  readSegments(): AsyncGenerator<SegmentCopy, void>;
}
/** What was published no longer exists. */
export class PublishedGone extends Error {
  override readonly name = "PublishedGone";
}
/** Segments from another server, for a document whose text is stored here. */
export interface TakenOver extends Pick<
  IndexInput,
  "owner_id" | "document_id" | "version" | "title" | "headings" | "times"
> {
  readonly stored: StoredText;
  readonly vectors: VectorCopyKind | null;
  /** All valid (`segmentFault`), and within the text. */
  readonly segments: AsyncIterable<SegmentCopy>;
}

/** The published state of a document. Every publication has a new `index_version`. */
export interface Published {
  readonly index_version: number;
  readonly title: string;
}

/** Why a passage was found: it contains words of the query, it is similar in meaning, or both. */
export type Matched = "words" | "meaning" | "both";

/**
 * A passage of a document version. `start` and `end` are code points in the document's content, end
 * exclusive; `text` is exactly the text between them.
 */
export interface Passage {
  readonly document_id: string;
  readonly version: number;
  /** A folder of the scope that contains the document. */
  readonly folder_id: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly page: number | null;
  readonly page_end: number | null;
  readonly heading: string | null;
  /** Seconds into the recording of which the document is a transcript; null for any other. */
  readonly time_start: number | null;
  readonly time_end: number | null;
  /** The document's title when it was indexed. */
  readonly title: string;
  /** 0 to 1; orders the passages of one search, and can't be compared across searches. */
  readonly score: number;
  readonly matched: Matched;
  /**
   * Its similarity to the query, on the same scale for every model: 0 is no more than that of
   * unrelated texts, or outside the most similar ones; 1 is that of a question and its answer in
   * one language. Null when the query has no vector.
   */
  readonly meaning: number | null;
}
export interface SearchRequest {
  /** The searching user: owners take turns. */
  readonly owner_id: string;
  readonly query: string;
  /** An earlier query of the same conversation: its words have less weight. */
  readonly context?: string;
  /** Folders to search; nothing outside them is found or counted. */
  readonly folder_ids: readonly string[];
  /** Only these documents of those folders, if given. */
  readonly document_ids?: readonly string[];
  readonly limit: number;
  /** Includes passages that may be similar by chance: the caller decides. */
  readonly unlikely?: boolean;
}
/** A term of a query, its rarity in the scope, and the terms of its other forms and spellings. */
export type SearchedTerm = Readonly<{ term: string; idf: number; others: readonly string[] }>;
/** The passages of a search, best first. */
export interface SearchResult {
  readonly passages: readonly Passage[];
  readonly terms: readonly SearchedTerm[];
  /** By how much the most similar passage exceeds the tenth, about 0 to 1; null when unknown. */
  readonly lead: number | null;
}
export interface SimilarityOptions {
  /** The user who asks. */
  readonly owner_id: string;
  readonly signal?: AbortSignal | undefined;
  /** Texts without a vector by then are skipped. */
  readonly timeout_ms: number;
  /** So are texts beyond about this many tokens, the first ones first; known texts don't count. */
  readonly tokens_max?: number;
  /** Compares tokens instead, if the embedder has vectors of these. */
  readonly by_tokens?: boolean;
  /** ISO 639-1; null when undetected. */
  readonly languages?: { readonly question: string | null; readonly texts: string | null };
}
/** Missing altogether when unavailable. */
export interface Similarities {
  /** Of each text: 0 for unrelated ones, about 1 for answers; null without a vector in time. */
  readonly of_texts: readonly (number | null)[];
  /** Tokens were compared. */
  readonly are_by_tokens: boolean;
  /**
   * How well the model relates the two languages: 1 for a typical pair, more for closer ones; null
   * when unknown.
   */
  readonly alignment: number | null;
}

/** Index versions by the id of their document. */
export type VersionsByDocument = ReadonlyMap<string, ReadonlySet<number>>;

export interface SearchIndex {
  /**
   * Chunks and encodes off the main thread. A very large document is written ahead, invisible until
   * it is published. @throws HttpError 507 when the disk is full.
   */
  prepare(input: IndexInput, signal?: AbortSignal): Promise<Prepared>;
  /** How this server encodes. */
  readonly encoding: Encoding;
  /**
   * The published state of a document, for another server. Undefined when there is none, or when
   * its text is not stored separately.
   */
  findCopy(db: Db, document_id: string): Promise<PublishedCopy | undefined>;
  /** These documents in the order in which equal passages are found; unpublished ones last. */
  inOrder(db: Db, document_ids: readonly string[], signal: AbortSignal): Promise<string[]>;
  /**
   * Like `prepare`, with what another server has encoded in the same way. Vectors are kept if they
   * are of the kind that this server uses. @throws HttpError 507 when the disk is full.
   */
  takeOver(input: TakenOver, signal?: AbortSignal): Promise<Prepared>;
  /** Replaces the published state of the document, and makes it visible in these folders. */
  publish(tx: Db, prepared: Prepared, folder_ids: readonly string[]): Promise<void>;
  /** The same for a new document, which has nothing to replace. */
  publishFirst(tx: Db, prepared: Prepared, folder_ids: readonly string[]): Promise<void>;
  /** The prepared document will not be published. */
  discard(prepared: Prepared): void;
  findPublished(db: Db, document_id: string): Promise<Published | undefined>;
  /** The published version of the document; undefined when there is none. */
  publishedVersion(db: Db, document_id: string): Promise<number | undefined>;
  /** Whether what is stored of its index is what its text yields: encodes it again. */
  isSound(db: Db, document_id: string): Promise<boolean>;
  /** Ids of published documents, ascending, after `after`: the first `limit`. */
  listPublished(db: Db, after: string, limit: number): Promise<readonly string[]>;
  /** Makes a published document visible in a folder. */
  link(tx: Db, document_id: string, folder_id: string): Promise<void>;
  /** Hides documents from a folder. */
  unlink(tx: Db, document_ids: readonly string[], folder_id: string): Promise<void>;
  /**
   * Deletes as many as fit into one transaction, with these stored index versions. False: call it
   * again in the next one.
   */
  remove(tx: Db, document_ids: readonly string[], stored?: ReadonlySet<number>): Promise<boolean>;
  /** What is stored of documents, even if no row names it: for `remove`. Reads all, in parts. */
  storedVersions(db: Db, document_ids: ReadonlySet<string>): Promise<VersionsByDocument>;
  /**
   * The documents among these that are published and wait for vectors; all other published ones
   * have them. Null without an embedder, when none have.
   */
  lackingVectors(db: Db, document_ids: readonly string[]): Promise<ReadonlySet<string> | null>;
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResult>;
  /** The similarities of texts to a question. */
  similarities(
    question: string,
    texts: readonly string[],
    options: SimilarityOptions,
  ): Promise<Similarities | null>;
  /** Whether a question and a text are in different languages, as far as that can be detected. */
  areLanguagesDifferent(question: string, text: string): boolean;
  /** The terms of a text as indexed, in order, with UTF-16 indices. Spellings share a term. */
  analyze(
    text: string,
  ): readonly { readonly term: string; readonly start: number; readonly end: number }[];
  /** ISO 639-1; null when undetected. A short question needs less evidence, and is less certain. */
  languageOf(text: string, options?: { readonly is_question?: boolean }): string | null;
}
export const SearchIndex = service<SearchIndex>("index");

/** What the vectors are for, and how to make them. */
export interface EmbedOptions {
  readonly kind: "document" | "query";
  /** The embedder's own model, or the previous one while its vectors are still in use. */
  readonly model: string;
  /** The requested length of vectors; null: as the model returns them. */
  readonly dimensions: number | null;
  /** The owner of the text, if owners take turns. */
  readonly owner_id?: string;
  /** Somebody is waiting: it has priority over background work. */
  readonly urgent?: boolean;
  /**
   * Called with the vectors of each text as they are made, if the embedder makes one at a time;
   * also with those of its tokens, one after another, if it has them and somebody is waiting.
   */
  readonly onVectors?:
    | ((text: string, vectors: readonly Float32Array[], tokens?: Float32Array) => void)
    | undefined;
  readonly signal: AbortSignal;
}
/** Turns texts into vectors, to find passages that share no word with the query. */
export interface Embedder {
  /**
   * Only vectors of one model and length are compared. When the name or length changes, everything
   * is embedded again, while the old vectors stay in use.
   */
  readonly model: string;
  readonly dimensions: number | null;
  /** The maximum number of texts per call. */
  readonly texts_max: number;
  /** Whether it passes the vectors of tokens to `onVectors`. */
  readonly has_tokens?: boolean;
  /**
   * Whether it can also make vectors of another model, as far as it knows. Vectors with which
   * nothing can be compared any more are abandoned before its own are complete.
   */
  has?(model: string): boolean;
  /**
   * The vectors of each text, in order and all of one length. @throws Error whose message is for
   * the operator: it contains no key, address or text.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly TextVectors[]>;
}
/**
 * One vector, or one for each part of a text that is too long for the model: the passage's
 * similarity is that of the most similar part. Null for a text that the model can't take at all.
 */
export type TextVectors = Float32Array | readonly Float32Array[] | null;
/** The first one is used; without one, search uses words alone. */
export const Embedders = slot<Embedder>("index.embedders", {
  check: shaped<Embedder>({ model: "text", texts_max: "number", embed: "function" }),
});
/** The state of documents that wait for their vectors. */
export interface EmbeddingState {
  /** `none`: there is no embedder; `ready`: nothing waits; `failing`: no progress. */
  readonly state: "none" | "ready" | "pending" | "paused" | "failing";
  /** The number of waiting documents, and about how many passages they have. */
  readonly documents: number;
  readonly passages: number;
  /** Passages since the server started, and per second of work: null before there were any. */
  readonly made: number;
  readonly per_second: number | null;
  /** The estimated seconds left, and why there is no progress; null when unknown or unused. */
  readonly left_s: number | null;
  readonly failing: string | null;
}
/** The progress of embedding documents; the setting `pause_setting` pauses it. */
export type Embedding = Readonly<{ state: () => EmbeddingState }>;
export const pause_setting = "index.pause_vectors";
export const Embedding = service<Embedding>("index.embedding");
/**
 * Published in each process by the plugin that fills the slot when another embedder is used there.
 */
export const EmbedderChanged = topic<null>("index.embedder_changed");

/**
 * Another engine that finds where a search should look, such as one on separate machines. The index
 * stays complete beside it: it cuts, ranks and shows what the engine names, only within the scope
 * of the search, and searches alone whenever the engine can't.
 *
 * Every call may be repeated, also by another process, and ends with `signal`. Errors have a class
 * of their own, with a message for the operator: it contains no key, address or text.
 */
export interface SearchBackend {
  /** For the operator: `OpenSearch`. When it changes, everything is sent again. */
  readonly name: string;
  /** Its current content; null when it is not something made by `begin`. */
  state(signal: AbortSignal): Promise<BackendState | null>;
  /** Drops all its content, and uses `contents` from now on. */
  begin(contents: BackendContents, signal: AbortSignal): Promise<void>;
  /** Adds or replaces segments: afterwards they are found. */
  put(contents: string, segments: readonly BackendSegment[], signal: AbortSignal): Promise<void>;
  /** Deletes segments, including ones it never had: afterwards nothing of them can be read. */
  remove(contents: string, segment_ids: readonly number[], signal: AbortSignal): Promise<void>;
  /** @throws Error, also when it does not have `contents`. */
  find(contents: string, query: BackendQuery, signal: AbortSignal): Promise<BackendAnswer>;
}
export interface BackendState {
  /** As passed to `begin`. */
  readonly contents: string;
  /** The number of passages that can be found. */
  readonly passages: number;
}
export interface BackendContents {
  /** Letters and digits that identify its content for the engine, also after a restart. */
  readonly contents: string;
  /** The length of each vector; 0: no passage has one. */
  readonly dimensions: number;
}
/** Up to 256 passages of one version of a document. Only its folders can change. */
export interface BackendSegment {
  readonly segment_id: number;
  readonly owner_id: string;
  readonly folder_ids: readonly string[];
  readonly passages: readonly BackendPassage[];
}
export interface BackendPassage {
  /**
   * Its words as the index counts them: 32-bit numbers that stand for stems, with their frequency.
   * They can only be compared for equality.
   */
  readonly terms: readonly { readonly term: number; readonly count: number }[];
  /** It is a list, such as a table of contents: it ranks behind everything else. */
  readonly is_listing: boolean;
  /** Of length 1; none before it was embedded, several for a long passage. */
  readonly vectors: readonly Float32Array[];
}
/** A passage is in scope if it has this owner, and one of these folders. */
export interface BackendQuery {
  readonly owner_id: string;
  readonly folder_ids: readonly string[];
  /** A passage need not contain all of them; other spellings of a word are included as terms. */
  readonly terms: readonly { readonly term: number; readonly weight: number }[];
  /** Null: search for words only. */
  readonly vector: Float32Array | null;
  /** Passages to find by words, and as many by the vector. */
  readonly limit: number;
}
export interface BackendAnswer {
  /** The segments of the best passages. Those out of scope, or deleted, are skipped. */
  readonly segment_ids: readonly number[];
  /** The number of passages in scope, and of those with each query term, in order. */
  readonly passages: number;
  readonly frequencies: readonly number[];
}
/** Without one, the index searches by itself. */
export const SearchBackends = slot<SearchBackend>("index.backends", {
  arity: "one",
  check: shaped<SearchBackend>({
    name: "text",
    state: "function",
    begin: "function",
    put: "function",
    remove: "function",
    find: "function",
  }),
});
