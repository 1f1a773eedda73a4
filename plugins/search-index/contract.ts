/** The search index for other plugins: documents in, passages out, ranked by exact BM25. */
import type { StoredText } from "../../core/lib/text-pieces";
import { service, shaped, slot, topic, type Db } from "../../core/sdk";
import type { HeadingSpan, PageSpan, TimeSpan } from "../extraction/contract";

export {
  segment_format,
  segmentFault,
  vector_layout,
  vectorBytesMax,
  vectorsFault,
} from "./worker-contract";

export interface IndexInput {
  /** Whose document it is: owners take turns. */
  readonly owner_id: string;
  readonly document_id: string;
  readonly version: number;
  readonly title: string;
  /** Null for a text that is stored: then it is read where it is encoded. */
  readonly text: string | null;
  /**
   * Where the text is stored: passages are read from there, as long as the document is published.
   * Without it the index keeps the text itself.
   */
  readonly stored?: StoredText | undefined;
  /** UTF-16 indices into `text`. */
  readonly pages: readonly PageSpan[];
  /** UTF-16 indices into `text`. Without any, lines that look like headings are taken. */
  readonly headings?: readonly HeadingSpan[] | undefined;
  /** UTF-16 indices into `text`. */
  readonly times?: readonly TimeSpan[] | undefined;
}
/** A document that is chunked and encoded, ready to be published in one short transaction. */
export interface Prepared {
  readonly document_id: string;
  readonly version: number;
  readonly language: string | null;
  /** The text holds nothing but white space. */
  readonly is_empty: boolean;
  /** For the index alone. */
  readonly parts: unknown;
}

/** By which vectors are told apart: only those of one set are compared. */
export interface VectorKind {
  readonly model: string;
  /** As asked for; 0: as many as the model gives. */
  readonly asked_dimensions: number;
  /** Numbers of each vector. */
  readonly dimensions: number;
}
/** The same, and how their bytes are laid out. */
export interface VectorCopyKind extends VectorKind {
  /** `vector_layout.layout`; absent: 32-bit floats, little-endian, one vector for each chunk. */
  readonly layout?: number;
}
/** How a document was encoded. Only what was encoded in the same way is taken over. */
export interface Encoding {
  readonly analyzer: number;
  readonly chunker: number;
  /** The layout of the bytes of a segment. */
  readonly segment_format: number;
}
/** Where a chunk lies in a text, UTF-16 units and code points, and what it stands under. */
export interface ChunkPlace {
  readonly start: number;
  readonly end: number;
  readonly start_point: number;
  readonly end_point: number;
  readonly page: number | null;
  readonly page_end: number | null;
  readonly heading: string | null;
  readonly time_start: number | null;
  readonly time_end: number | null;
}

/** A segment of what is published, so that another server can take it over. */
export interface SegmentCopy {
  /** Its chunks in their order; offsets into the text that they were made of. */
  readonly chunks: readonly ChunkPlace[];
  /** As `segment.ts` describes them. */
  readonly data: Uint8Array;
  /** As `vector-block.ts` describes them, or as `VectorKind.layout` says; null: there are none. */
  readonly vectors: Uint8Array | null;
}
export interface PublishedCopy {
  readonly version: number;
  readonly title: string;
  readonly encoding: Encoding;
  /** The numbers of chunks and of segments. */
  readonly chunks: number;
  readonly segments: number;
  /** Null when it has none. */
  readonly vectors: VectorCopyKind | null;
  /** @throws PublishedGone when it was replaced or deleted meanwhile. */
  readSegments(): AsyncGenerator<SegmentCopy, void>;
}
/** What was published is not there any more. */
export class PublishedGone extends Error {
  override readonly name = "PublishedGone";
}
/** Segments of another server for a document whose text is stored here. */
export interface TakenOver extends Pick<
  IndexInput,
  "owner_id" | "document_id" | "version" | "title" | "headings" | "times"
> {
  readonly stored: StoredText;
  readonly vectors: VectorCopyKind | null;
  /** Each without a fault (`segmentFault`), and within the text. */
  readonly segments: AsyncIterable<SegmentCopy>;
}

/** What is published of a document. Every publication has another `index_version`. */
export interface Published {
  readonly index_version: number;
  readonly title: string;
}

/** Why a passage was found: it holds words of the query, it means much the same, or both. */
export type Matched = "words" | "meaning" | "both";

/**
 * A passage of a document version. `start` and `end` are code points into the document's content,
 * end exclusive; `text` is exactly what lies between.
 */
export interface Passage {
  readonly document_id: string;
  readonly version: number;
  /** A folder of the scope that links the document. */
  readonly folder_id: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly page: number | null;
  readonly page_end: number | null;
  readonly heading: string | null;
  /** Seconds into the recording that the document is a transcript of; null for any other. */
  readonly time_start: number | null;
  readonly time_end: number | null;
  /** The document's title as it was indexed. */
  readonly title: string;
  /** 0 to 1; it orders the passages of one search, and says nothing across searches. */
  readonly score: number;
  readonly matched: Matched;
  /**
   * How near it is to the query in meaning, on a scale that is the same for every model: 0 is no
   * nearer than unrelated texts are, or not among the nearest; 1 as near as a question and its
   * answer in one language. Null when there is no vector of the query to tell.
   */
  readonly meaning: number | null;
}
export interface SearchRequest {
  /** Who searches: owners take turns. */
  readonly owner_id: string;
  readonly query: string;
  /** An earlier query of the same conversation: its words weigh less. */
  readonly context?: string;
  /** Folders to search; nothing outside them is found or counted. */
  readonly folder_ids: readonly string[];
  /** Only these documents of those folders, when given. */
  readonly document_ids?: readonly string[];
  readonly limit: number;
  /** Also what chance may have brought near in meaning: the caller judges. */
  readonly unlikely?: boolean;
}
export interface SearchResult {
  readonly passages: readonly Passage[];
  /** The terms of the query with their rarity in this scope, by which answers weigh sentences. */
  readonly terms: readonly { readonly term: string; readonly idf: number }[];
}

export interface SimilarityOptions {
  /** Whose question it is. */
  readonly owner_id: string;
  readonly signal?: AbortSignal | undefined;
  /** What has no vector by then has none. */
  readonly timeout_ms: number;
}
/**
 * How near each text is in meaning to the question, on the scale of `Passage.meaning`, not cut off
 * at its ends; null for a text without a vector in time. None at all when nothing tells.
 */
export type Similarities = readonly (number | null)[];

export interface SearchIndex {
  /**
   * Chunks and encodes off the main thread. A very large document is written ahead, invisible until
   * it is published. @throws HttpError 507 when the disk is full.
   */
  prepare(input: IndexInput, signal?: AbortSignal): Promise<Prepared>;
  /** How this server encodes. */
  readonly encoding: Encoding;
  /**
   * What is published of a document, to be taken over elsewhere. Undefined when nothing is, or when
   * its text is not stored apart.
   */
  findCopy(db: Db, document_id: string): Promise<PublishedCopy | undefined>;
  /** These documents in the order in which equal passages are found; what is not published last. */
  inOrder(db: Db, document_ids: readonly string[]): Promise<string[]>;
  /**
   * As `prepare`, with what another server has encoded in the same way. Vectors are kept when they
   * are of the kind that this server compares. @throws HttpError 507 when the disk is full.
   */
  takeOver(input: TakenOver, signal?: AbortSignal): Promise<Prepared>;
  /** Replaces what is published of the document, and makes it visible in these folders. */
  publish(tx: Db, prepared: Prepared, folder_ids: readonly string[]): Promise<void>;
  /** The same for a new document, of which there is nothing to replace. */
  publishFirst(tx: Db, prepared: Prepared, folder_ids: readonly string[]): Promise<void>;
  /** What was prepared will not be published. */
  discard(prepared: Prepared): void;
  findPublished(db: Db, document_id: string): Promise<Published | undefined>;
  /** The version of the document that is published; undefined when none is. */
  publishedVersion(db: Db, document_id: string): Promise<number | undefined>;
  /** Ids of documents that are published, ascending, after `after`: the first `limit`. */
  listPublished(db: Db, after: string, limit: number): Promise<readonly string[]>;
  /** Makes a published document visible in a folder. */
  link(tx: Db, document_id: string, folder_id: string): Promise<void>;
  /** Hides documents from a folder. */
  unlink(tx: Db, document_ids: readonly string[], folder_id: string): Promise<void>;
  /**
   * Deletes documents from the index, as much of them as should go in one transaction. False when
   * there is more: call it again in the next.
   */
  remove(tx: Db, document_ids: readonly string[]): Promise<boolean>;
  /**
   * Those of these documents that are published and wait for their vectors; all others that are
   * published have them. Null when there are none, because there is no embedder.
   */
  lackingVectors(db: Db, document_ids: readonly string[]): Promise<ReadonlySet<string> | null>;
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResult>;
  /** How near texts are in meaning to a question. */
  similarities(
    question: string,
    texts: readonly string[],
    options: SimilarityOptions,
  ): Promise<Similarities | null>;
  /** Whether a question is in another language than a text, as far as that can be told. */
  areLanguagesDifferent(question: string, text: string): boolean;
  /**
   * The terms of a text, in order, with their UTF-16 indices: by the analyzer that indexes. All
   * spellings of an English word have one term.
   */
  analyze(
    text: string,
  ): readonly { readonly term: string; readonly start: number; readonly end: number }[];
  /** ISO 639-1; null when the text does not tell. A short question tells sooner, less surely. */
  languageOf(text: string, options?: { readonly is_question?: boolean }): string | null;
}
export const SearchIndex = service<SearchIndex>("index");

export interface EmbedOptions {
  readonly kind: "document" | "query";
  /** The embedder's own model, or the one before it while its vectors still answer. */
  readonly model: string;
  /** Numbers of a vector to ask for; null: as many as the model gives. */
  readonly dimensions: number | null;
  /** Whose text it is, when there are turns to be taken. */
  readonly owner_id?: string;
  /** Somebody waits for it: it goes before what is embedded in the background. */
  readonly urgent?: boolean;
  /** Called with those of each text as they are made, by an embedder that makes one by one. */
  readonly onVectors?: ((text: string, vectors: readonly Float32Array[]) => void) | undefined;
  readonly signal: AbortSignal;
}
/** Turns texts into vectors, so that a passage is found that shares no word with the query. */
export interface Embedder {
  /**
   * Only vectors of one model and length are compared. When the name or length has changed,
   * everything is embedded again, while the old vectors answer.
   */
  readonly model: string;
  readonly dimensions: number | null;
  /** The most texts in one call. */
  readonly texts_max: number;
  /**
   * Whether it makes vectors of another model too, as far as it knows. Those that nothing can be
   * compared with any more don't answer until its own are complete.
   */
  has?(model: string): boolean;
  /**
   * The vectors of each text, in their order and all of one length.
   * @throws Error whose message the operator reads: it holds no key, address or text.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly TextVectors[]>;
}
/**
 * One vector, or one for each part of a text that the model can't take at once: the passage is as
 * near to a question as the nearest of them. Null for a text that the model can't take at all.
 */
export type TextVectors = Float32Array | readonly Float32Array[] | null;
/** The first one is used; without one, search goes by words alone. */
export const Embedders = slot<Embedder>("index.embedders", {
  check: shaped<Embedder>({ model: "text", texts_max: "number", embed: "function" }),
});
/** Where the documents stand that wait for their vectors. */
export interface EmbeddingState {
  /** `none`: there is no embedder; `ready`: nothing waits; `failing`: it stands still. */
  readonly state: "none" | "ready" | "pending" | "paused" | "failing";
  /** How many wait, and about how many passages of them. */
  readonly documents: number;
  readonly passages: number;
  /** Passages, since the server started, and in a second of work: null before there were any. */
  readonly made: number;
  readonly per_second: number | null;
  /** Seconds that are left, and why it stands still; null when that is not known, or not so. */
  readonly left_s: number | null;
  readonly failing: string | null;
}
/** How the vectors of documents come along; `pause_setting` pauses it. */
export type Embedding = Readonly<{ state: () => EmbeddingState }>;
export const pause_setting = "index.pause_vectors";
export const Embedding = service<Embedding>("index.embedding");
/** Another embedder is to be used from now on, or none: whoever fills the slot says so. */
export const EmbedderChanged = topic<null>("index.embedder_changed");

/**
 * Another engine that finds what a search should look at, such as one on machines of its own. The
 * index stays complete beside it: it cuts, ranks and shows what the engine names, only within the
 * scope of the search, and answers alone whenever the engine can't.
 *
 * Every call may be made again, by another process too, and ends by `signal`. What one throws is of
 * a class of its own, with a message that the operator reads: it holds no key, address or text.
 */
export interface SearchBackend {
  /** In words of the operator: `OpenSearch`. When it has changed, everything is told anew. */
  readonly name: string;
  /** What it holds now; null when that is nothing that `begin` has made. */
  state(signal: AbortSignal): Promise<BackendState | null>;
  /** Drops all that it holds, and holds `contents` from now on. */
  begin(contents: BackendContents, signal: AbortSignal): Promise<void>;
  /** Takes segments in, in place of what it has of them: then they are found. */
  put(contents: string, segments: readonly BackendSegment[], signal: AbortSignal): Promise<void>;
  /** Forgets segments, also such as it never had: then nothing of them is left to be read. */
  remove(contents: string, segment_ids: readonly number[], signal: AbortSignal): Promise<void>;
  /** @throws Error also when it does not hold `contents`. */
  find(contents: string, query: BackendQuery, signal: AbortSignal): Promise<BackendAnswer>;
}
export interface BackendState {
  /** As `begin` was told. */
  readonly contents: string;
  /** That can be found. */
  readonly passages: number;
}
export interface BackendContents {
  /** Letters and digits: by them the engine knows what it holds, also after a restart. */
  readonly contents: string;
  /** Numbers of each vector; 0: no passage has one. */
  readonly dimensions: number;
}
/** Up to 256 passages of one version of a document. It never changes but in where it lies. */
export interface BackendSegment {
  readonly segment_id: number;
  readonly owner_id: string;
  readonly folder_ids: readonly string[];
  readonly passages: readonly BackendPassage[];
}
export interface BackendPassage {
  /**
   * Its words as the index counts them: 32-bit numbers that stand for their stems, and how often
   * each occurs. Only equal ones are compared.
   */
  readonly terms: readonly { readonly term: number; readonly count: number }[];
  /** It lists, as a table of contents does: everything that says something goes before it. */
  readonly is_listing: boolean;
  /** Of length 1; none before it was embedded, several for a long passage. */
  readonly vectors: readonly Float32Array[];
}
/** A passage is in scope that has this owner, and one of these folders. */
export interface BackendQuery {
  readonly owner_id: string;
  readonly folder_ids: readonly string[];
  /** Any of them may be missing from a passage; other spellings of a word are terms, too. */
  readonly terms: readonly { readonly term: number; readonly weight: number }[];
  /** Null: only the words are asked for. */
  readonly vector: Float32Array | null;
  /** Passages to find by words, and as many by the vector. */
  readonly limit: number;
}
export interface BackendAnswer {
  /** Where the best passages lie. What is not in scope, or gone, is passed over. */
  readonly segment_ids: readonly number[];
  /** Passages in scope, and those of them that hold each term of the query, in its order. */
  readonly passages: number;
  readonly frequencies: readonly number[];
}
/** Without one, the index finds by itself. */
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
