/**
 * The index as other plugins use it: takes documents, in one short transaction each; returns
 * passages.
 */
import { AscendingIds } from "../../core/lib/ascending-ids";
import { textOfIds } from "../../core/lib/id-lists";
import { toNumber, type Context, type Db } from "../../core/sdk";
import { analyzer } from "./analysis/analyzer";
import { chunker_version } from "./chunks/chunker";
import {
  segment_format,
  type Encoding,
  type IndexInput,
  type Prepared,
  type Published,
  type PublishedCopy,
  type SearchIndex,
  type SearchRequest,
  type SearchResult,
  type Similarities,
  type SimilarityOptions,
  type VersionsByDocument,
  type TakenOver,
} from "./contract";
import type { BackendFeed } from "./backend/backend-feed";
import type { BackendSearch } from "./backend/backend-search";
import type { DocumentEmbedder } from "./embedding/document-embedder";
import {
  deleteDocuments,
  deleteSomeSegments,
  indexVersionsOf,
  storedVersions,
} from "./deletion-store";
import { DocumentPreparer, type IndexVersion, type PreparerContext } from "./indexing/preparer";
import { Packer } from "./segments/packer";
import { areLanguagesDifferent, languageOf } from "./analysis/languages";
import type { QueryEmbedder } from "./vectors/query-embedder";
import { countOutdated } from "./outdated";
import { findCopy } from "./published-copy";
import type { SearchProtocol } from "./ranking/search-handler";
import type { PgvectorCopy } from "./vectors/pgvector-copy";
import { isSound } from "./soundness";
import { StagedVersions, type StagedVersionsContext } from "./indexing/staged-versions";
import type { TextSimilarities } from "./vectors/similarities";
import { analysed } from "./analysis/spelling";
import * as store from "./store";
import type { WorkerClient } from "./workers/worker-client";

/** What the service needs besides `Context`. */
export interface IndexContext
  extends
    Pick<Context, "now_ms">,
    StagedVersionsContext,
    Omit<PreparerContext, "nextId" | "staged"> {
  readonly searcher: Pick<WorkerClient<SearchProtocol>, "ask">;
  /** Without it, search uses words alone. */
  readonly query_embedder?: Pick<QueryEmbedder, "vectorOf">;
  readonly similarities?: Pick<TextSimilarities, "of">;
  readonly pgvector?: Pick<PgvectorCopy, "request">;
  readonly backend?: {
    readonly feed: Pick<BackendFeed, "changed" | "enqueue" | "wake">;
    readonly search: Pick<BackendSearch, "find" | "settle">;
  };
  readonly document_embedder?: Pick<
    DocumentEmbedder,
    "add" | "lacking" | "link" | "remove" | "setFor" | "unlink"
  >;
  /** The version that `encoder` encodes with. */
  readonly analyzer_version?: number;
}

/** The index for other plugins. */
export class IndexService implements SearchIndex {
  private readonly ids: AscendingIds;
  private readonly staged: StagedVersions;
  private readonly preparer: DocumentPreparer;
  private readonly packer: Packer;
  private readonly analyzer_version: number;
  /** No document is outdated, nor will any published from now on be. */
  private is_current = false;

  constructor(private readonly ctx: IndexContext) {
    const { now_ms, node } = ctx;
    this.ids = new AscendingIds({ now_ms, lease: node.leaseNumbers, series: "index" });
    this.staged = new StagedVersions(ctx);
    this.preparer = new DocumentPreparer({
      ...ctx,
      nextId: this.ids.next,
      staged: this.staged,
    });
    node.onGone(() => this.staged.clearUp());
    this.packer = new Packer({ ...ctx, nextId: this.ids.next });
    this.analyzer_version = ctx.analyzer_version ?? analyzer.version;
  }

  /** Before the first request. */
  async start(): Promise<void> {
    await this.ids.continueAfter(await store.largestId(this.ctx.db));
    this.staged.start();
  }
  stop(): Promise<void> {
    return this.staged.stop();
  }

  prepare(input: IndexInput, signal?: AbortSignal): Promise<Prepared> {
    return this.preparer.prepare(input, signal);
  }

  get encoding(): Encoding {
    return { analyzer: this.analyzer_version, chunker: chunker_version, segment_format };
  }

  findCopy(db: Db, document_id: string): Promise<PublishedCopy | undefined> {
    return findCopy(db, document_id);
  }

  async inOrder(db: Db, document_ids: readonly string[], signal: AbortSignal): Promise<string[]> {
    const editions = await store.editionsOf(db, document_ids, signal);
    const orderOf = (id: string): number => editions.get(id) ?? Number.MAX_SAFE_INTEGER;
    return [...document_ids].sort((one, other) => orderOf(one) - orderOf(other));
  }

  async takeOver(input: TakenOver, signal?: AbortSignal): Promise<Prepared> {
    const set_id = input.vectors && (await this.ctx.document_embedder?.setFor(input.vectors));
    return this.preparer.takeOver(input, set_id ?? null, signal);
  }

  async publish(tx: Db, prepared: Prepared, folder_ids: readonly string[]): Promise<void> {
    const { document_id } = prepared;
    const { id, owner_id } = prepared.encoded as IndexVersion;
    const before = await store.findDocument(tx, document_id);
    if (before) await this.ctx.document_embedder?.remove(tx, [document_id]);
    await this.insertSegments(tx, prepared);
    await this.staged.release(tx, document_id);
    if (before && before.edition !== id) await this.staged.replace(tx, before);
    await this.upsertDocument(tx, prepared);
    await store.insertScopes(tx, folder_ids, id);
    await this.announce(tx, prepared, folder_ids, before?.owner_id ?? owner_id);
  }

  async publishFirst(tx: Db, prepared: Prepared, folder_ids: readonly string[]): Promise<void> {
    const { id, owner_id, segments } = prepared.encoded as IndexVersion;
    await this.insertSegments(tx, prepared);
    await this.upsertDocument(tx, prepared);
    const segment_ids = segments?.map(({ row }) => row.id);
    if (segment_ids)
      for (const folder_id of folder_ids) await store.insertNewScope(tx, folder_id, segment_ids);
    else await store.insertScopes(tx, folder_ids, id);
    await this.announce(tx, prepared, folder_ids, owner_id);
  }

  /** Segments of a long text are stored before, and only become visible. */
  private async insertSegments(tx: Db, { document_id, encoded }: Prepared): Promise<void> {
    const { id, segments } = encoded as IndexVersion;
    if (segments === null) await this.staged.end(tx, id, document_id);
    else for (const segment of segments) await store.insertSegment(tx, segment);
  }

  private async upsertDocument(tx: Db, { document_id, version, encoded }: Prepared): Promise<void> {
    const { id, owner_id, title, chunks, headings, times } = encoded as IndexVersion;
    await store.upsertDocument(tx, {
      document_id,
      edition: id,
      version,
      title,
      analyzer: this.analyzer_version,
      chunker: chunker_version,
      chunks,
      headings,
      times,
      owner_id,
    });
  }

  /** Tells those that keep something about each published version. */
  private async announce(
    tx: Db,
    { document_id, encoded }: Prepared,
    folder_ids: readonly string[],
    embedding_owner_id: string,
  ): Promise<void> {
    const { document_embedder, backend, afterCommit } = this.ctx;
    const index_version = encoded as IndexVersion;
    const { id, owner_id, chunks } = index_version;
    await document_embedder?.add(tx, document_id, embedding_owner_id, index_version, folder_ids);
    await backend?.feed.changed(tx, [document_id]);
    afterCommit(() => this.packer.published(owner_id, folder_ids, { id, chunks }));
  }

  async publishedVersion(db: Db, document_id: string): Promise<number | undefined> {
    return (await store.findDocument(db, document_id))?.version;
  }

  isSound(db: Db, document_id: string): Promise<boolean> {
    return isSound(db, document_id);
  }

  listPublished(db: Db, after: string, limit: number): Promise<string[]> {
    return store.documentIds(db, after, limit);
  }

  async findPublished(db: Db, document_id: string): Promise<Published | undefined> {
    const document = await store.findDocument(db, document_id);
    return document && { index_version: toNumber(document.edition), title: document.title };
  }

  discard(prepared: Prepared): void {
    this.staged.discard((prepared.encoded as IndexVersion).id);
  }

  async link(tx: Db, document_id: string, folder_id: string): Promise<void> {
    const document = await store.findDocument(tx, document_id);
    if (!document) return;
    await this.ctx.document_embedder?.link(tx, document_id, folder_id);
    await store.insertScopes(tx, [folder_id], document.edition);
    await this.ctx.backend?.feed.changed(tx, [document_id]);
  }

  async unlink(tx: Db, document_ids: readonly string[], folder_id: string): Promise<void> {
    await this.ctx.document_embedder?.unlink(tx, document_ids, folder_id);
    await store.deleteScope(tx, document_ids, folder_id);
    await this.ctx.backend?.feed.changed(tx, document_ids);
  }

  async lackingVectors(
    db: Db,
    document_ids: readonly string[],
  ): Promise<ReadonlySet<string> | null> {
    return (await this.ctx.document_embedder?.lacking(db, document_ids)) ?? null;
  }

  async remove(
    tx: Db,
    document_ids: readonly string[],
    stored: ReadonlySet<number> = new Set(),
  ): Promise<boolean> {
    for (const document_id of document_ids) this.preparer.abort(document_id);
    await this.ctx.document_embedder?.remove(tx, document_ids);
    const named_versions = await indexVersionsOf(tx, document_ids);
    const is_all = await deleteSomeSegments(tx, [...stored.union(new Set(named_versions))]);
    if (is_all) await deleteDocuments(tx, document_ids);
    await this.ctx.backend?.feed.wake(tx);
    return is_all;
  }

  storedVersions(db: Db, document_ids: ReadonlySet<string>): Promise<VersionsByDocument> {
    return storedVersions(db, document_ids);
  }

  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchResult> {
    if (request.folder_ids.length === 0 || request.limit < 1 || request.document_ids?.length === 0)
      return { passages: [], terms: [], lead: null };
    const { backend, query_embedder } = this.ctx;
    const vector = await query_embedder?.vectorOf(request, signal);
    const among = await backend?.search.find(request, vector, signal);
    const { owner_id, folder_ids } = request;
    const search = {
      ...request,
      folder_ids: textOfIds(folder_ids),
      ...(vector && { vector }),
      ...(among && { among }),
    };
    const searched = await this.ctx.searcher.ask({ search }, { owner: owner_id, signal });
    const { passages, terms, lead, loose_chunks, is_beyond_memory, is_short } = searched!;
    if (among) backend?.search.settle(is_short);
    if (is_beyond_memory) this.ctx.pgvector?.request();
    this.packer.searched(owner_id, folder_ids, loose_chunks);
    return { passages, terms, lead };
  }

  async similarities(
    question: string,
    texts: readonly string[],
    options: SimilarityOptions,
  ): Promise<Similarities | null> {
    return (await this.ctx.similarities?.of(question, texts, options)) ?? null;
  }

  areLanguagesDifferent(question: string, text: string): boolean {
    return areLanguagesDifferent(question, text);
  }

  analyze(text: string): { term: string; start: number; end: number }[] {
    return analysed(text, analyzer);
  }

  languageOf(text: string, options?: { readonly is_question?: boolean }): string | null {
    return languageOf(text, options);
  }

  /**
   * Documents indexed by an analyzer or chunker other than the current ones; counts no further than
   * `limit`.
   */
  async countOutdated(limit: number): Promise<number> {
    if (this.is_current) return 0;
    const { db } = this.ctx;
    const count = await countOutdated(db, this.encoding, limit);
    this.is_current = count === 0;
    return count;
  }
}
