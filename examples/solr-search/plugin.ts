/**
 * Solr: Apache Solr, on machines of its own, selects where searches should look, by words and by
 * vectors. A complete plugin in one file; the directory also has the configuration of the core.
 * Create that core, add the plugin to every server, and restart them:
 *
 *     solr create -c dossier -d examples/solr-search/configset
 *     dossier plugin add examples/solr-search/plugin.ts
 *
 * The core is set by `[solr_search] url = "http://127.0.0.1:8983/solr/dossier"`. It contains only
 * numbers that stand for words, vectors and ids. A core serves one database of Dossier.
 */
import { definePlugin, every, fill, handle, job, Secret, t } from "dossier";
import {
  SearchBackends,
  type BackendAnswer,
  type BackendContents,
  type BackendQuery,
  type BackendSegment,
  type BackendState,
  type SearchBackend,
} from "dossier/contracts";

const config = t.Object({
  url: t.String({
    default: "http://127.0.0.1:8983/solr/dossier",
    description: "The address of the core.",
  }),
  authorization: t.Optional(
    Secret({ description: "The `Authorization` header that Solr requires, such as `Basic …`." }),
  ),
  expunge: t.String({
    default: "*/10 * * * *",
    description: "When deleted data is removed from the files of Solr: a cron expression in UTC.",
  }),
});
interface Settings {
  readonly url: string;
  readonly authorization?: string | undefined;
}

/** The message for the operator in the log, in health and in `dossier doctor`. */
class SolrFailure extends Error {}

// --- Requests ------------------------------------------------------------------------------------

class SolrCore {
  constructor(private readonly settings: Settings) {}

  /** Adds or deletes documents; searches see it after a commit. */
  async update(body: object, signal: AbortSignal, commit = ""): Promise<void> {
    await this.post(`/update${commit}`, body, signal);
  }
  query(body: object, signal: AbortSignal): Promise<Queried> {
    return this.post("/select", body, signal);
  }

  /** @throws SolrFailure with advice for the operator, without anything that was sent. */
  async post<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
    const { url, authorization } = this.settings;
    const answer = await fetch(url.replace(/\/+$/, "") + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(authorization && { authorization }) },
      body: JSON.stringify(body),
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new SolrFailure(`Solr can't be reached: ${codeOf(error)}`);
    });
    const answered = (await answer.json().catch(() => null)) as T | null;
    signal.throwIfAborted();
    if (!answer.ok)
      throw new SolrFailure(`Solr answered ${answer.status}${hints[answer.status] ?? its_log}`);
    if (typeof answered !== "object" || answered === null || !("responseHeader" in answered))
      throw new SolrFailure("the server at solr_search.url responds, but not as Solr would");
    return answered;
  }
}
const committed = "?commit=true";
const thorough = { expungeDeletes: true, waitSearcher: true };
interface Held {
  readonly index: { readonly deletedDocs: number };
}
interface Queried {
  readonly response: { readonly numFound: number; readonly docs: readonly { segment: number }[] };
  readonly facets?: Readonly<Record<string, Counted>>;
}

/** Solr's result includes the number of documents found. */
type Counted = number | { readonly count: number };
const countOf = (counted: Counted | undefined): number =>
  typeof counted === "object" ? counted.count : 0;

const hints: Readonly<Record<number, string>> = {
  401: ": correct solr_search.authorization",
  403: ": correct solr_search.authorization",
  404: ": create the core that solr_search.url names",
};
const its_log = ": see its log for the reason";
const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "no answer";

// --- Documents and filters -----------------------------------------------------------------------
// Every passage is a document of Solr, and so is each further vector of a long one (numbered by
// `part`), because a document of Solr has one vector. One document without a segment describes the
// state of the core.

const id_of_contents = "contents";

const documentsOf = (contents: string, segment: BackendSegment): object[] =>
  segment.passages.flatMap(({ terms, is_listing, vectors }, passage) =>
    Array.from({ length: Math.max(1, vectors.length) }, (_none, part) => ({
      id: `${segment.segment_id}-${passage}-${part}`,
      contents,
      segment: segment.segment_id,
      owner: segment.owner_id,
      folders: segment.folder_ids,
      part,
      listing: is_listing ? 1 : 0,
      ...(part === 0 && { words: terms.map(({ term, count }) => `${term}|${count}`).join(" ") }),
      ...(vectors[part] && { vector: [...vectors[part]] }),
    })),
  );

const other_contents = "Solr does not contain what was sent to it";

const whole_passages = "part:0";
const counting = (q: string): object => ({ type: "query", q });
/** Counts the document that describes the core, whatever else is searched. */
const markerOf = (contents: string): object => ({
  ...counting("*:*"),
  domain: { query: `{!term f=held}${contents}` },
});
const ofContents = (contents: string): string => `{!term f=contents}${contents}`;
const ofSegments = (ids: readonly number[]): string => `{!terms f=segment}${ids.join(",")}`;
const scopeOf = (contents: string, { owner_id, folder_ids }: BackendQuery): string[] => [
  ofContents(contents),
  `{!term f=owner}${owner_id}`,
  `{!terms f=folders}${folder_ids.join(",")}`,
];

// --- The backend ---------------------------------------------------------------------------------

class SolrBackend implements SearchBackend {
  readonly name = "Solr";
  private readonly core: SolrCore;

  constructor(settings: Settings) {
    this.core = new SolrCore(settings);
  }

  async state(signal: AbortSignal): Promise<BackendState | null> {
    const marker_response = await this.core.query(
      { query: `id:${id_of_contents}`, limit: 1, fields: "held" },
      signal,
    );
    const [marker] = marker_response.response.docs as readonly { readonly held?: string }[];
    if (marker?.held === undefined) return null;
    const { response } = await this.core.query(
      { query: whole_passages, filter: ofContents(marker.held), limit: 0 },
      signal,
    );
    return { contents: marker.held, passages: response.numFound };
  }

  async begin({ contents, dimensions }: BackendContents, signal: AbortSignal): Promise<void> {
    await this.core.update({ delete: { query: "*:*" } }, signal, committed);
    if (dimensions > 0) await this.setDimensions(dimensions, signal);
    await this.core.update([{ id: id_of_contents, held: contents }], signal, committed);
  }

  async put(
    contents: string,
    segments: readonly BackendSegment[],
    signal: AbortSignal,
  ): Promise<void> {
    await this.mustHold(contents, signal);
    const ids = segments.map(({ segment_id }) => segment_id);
    // Uncommitted changes are invisible, so these are one change.
    await this.core.update({ delete: { query: ofSegments(ids) } }, signal);
    const documents = segments.flatMap((segment) => documentsOf(contents, segment));
    await this.core.update(documents, signal, committed);
  }

  async remove(contents: string, ids: readonly number[], signal: AbortSignal): Promise<void> {
    await this.mustHold(contents, signal);
    await this.core.update({ delete: { query: ofSegments(ids) } }, signal, committed);
  }

  /**
   * Rewrites the files that contain deleted documents, with their vector graphs: for large cores
   * that takes long, so it is not done at each deletion.
   */
  async expunge(signal: AbortSignal): Promise<void> {
    const { index } = await this.core.post<Held>("/admin/luke?numTerms=0", {}, signal);
    if (index.deletedDocs > 0) await this.core.update({ commit: thorough }, signal);
  }

  async find(contents: string, query: BackendQuery, signal: AbortSignal): Promise<BackendAnswer> {
    const [counted, by_words, by_vector] = await Promise.all([
      this.count(contents, query, signal),
      this.byWords(contents, query, signal),
      this.byVector(contents, query, signal),
    ]);
    return { segment_ids: [...new Set([...by_words, ...by_vector])], ...counted };
  }

  /**
   * The number of passages in scope, and of those with each term. @throws SolrFailure as `find`
   * does
   */
  private async count(
    contents: string,
    query: BackendQuery,
    signal: AbortSignal,
  ): Promise<Omit<BackendAnswer, "segment_ids">> {
    const of_terms = query.terms.map(({ term }, at) => [`term${at}`, counting(`words:${term}`)]);
    const { response, facets } = await this.core.query(
      {
        query: whole_passages,
        filter: scopeOf(contents, query),
        limit: 0,
        facet: { ...Object.fromEntries(of_terms), marker: markerOf(contents) },
      },
      signal,
    );
    if (countOf(facets?.marker) === 0) throw new SolrFailure(other_contents);
    return {
      passages: response.numFound,
      frequencies: query.terms.map((_term, at) => countOf(facets?.[`term${at}`])),
    };
  }

  private byWords(
    contents: string,
    query: BackendQuery,
    signal: AbortSignal,
  ): Promise<readonly number[]> {
    if (query.terms.length === 0) return Promise.resolve([]);
    const terms = query.terms.map(({ term, weight }) => `${term}^${weight}`);
    return this.segments(
      {
        query: `words:(${terms.join(" ")})`,
        filter: [whole_passages, ...scopeOf(contents, query)],
        sort: "listing asc, score desc",
        limit: query.limit,
      },
      signal,
    );
  }

  /**
   * The filters apply before the nearest neighbours are searched, so these are the nearest in
   * scope.
   */
  private byVector(
    contents: string,
    query: BackendQuery,
    signal: AbortSignal,
  ): Promise<readonly number[]> {
    if (query.vector === null) return Promise.resolve([]);
    return this.segments(
      {
        query: `{!knn f=vector topK=${query.limit}}[${query.vector.join(",")}]`,
        filter: scopeOf(contents, query),
        limit: query.limit,
      },
      signal,
    );
  }

  private async segments(search: object, signal: AbortSignal): Promise<readonly number[]> {
    const { response } = await this.core.query({ ...search, fields: "segment" }, signal);
    return response.docs.map(({ segment }) => segment);
  }

  private async mustHold(contents: string, signal: AbortSignal): Promise<void> {
    const { response } = await this.core.query(
      { query: `{!term f=held}${contents}`, limit: 0 },
      signal,
    );
    if (response.numFound === 0) throw new SolrFailure(other_contents);
  }

  /** While the core is empty. */
  private async setDimensions(dimensions: number, signal: AbortSignal): Promise<void> {
    const type = {
      name: "vector",
      class: "solr.DenseVectorField",
      vectorDimension: dimensions,
      similarityFunction: "dot_product",
    };
    await this.core.post("/schema", { "replace-field-type": type }, signal);
  }
}

const Expunge = job("solr_search.expunge", t.Object({}));
const expunge_ms_max = 6 * 60 * 60_000;

export default definePlugin({
  name: "solr-search",
  version: "1.0.0",
  config,
  setup({ config: settings }) {
    const solr = new SolrBackend(settings);
    return {
      fills: [fill(SearchBackends, solr)],
      jobs: [
        handle(Expunge, (_payload, { signal }) => solr.expunge(signal), {
          attempts_max: 1,
          concurrency: 1,
          timeout_ms: expunge_ms_max,
          io_bound: true,
        }),
      ],
      schedules: [every(settings.expunge, Expunge, {})],
    };
  },
});
