/**
 * The rules of search: which folders a question may see, and what of the index's answer may be
 * shown.
 */
import { requiredText, type Db } from "../../core/sdk";
import type { Documents } from "../documents/contract";
import type { Folders } from "../folders/contract";
import type { Passage, SearchIndex } from "../search-index/contract";
import type { FoundPassage, Retrieval } from "./contract";
import { holdsPhrases, phrasesOf } from "./phrases";

export const query_length_max = 32_000;
export const limit_default = 10;
export const limit_max = 50;
export const folders_max = 200;
export const documents_max = 200;
/** A phrase is looked for in so many passages that hold its words. */
const phrase_candidates_max = 500;

/** Absent and null mean the same. */
export interface SearchInput {
  readonly query: string;
  readonly folder_ids?: readonly string[] | null | undefined;
  readonly document_ids?: readonly string[] | null | undefined;
  /** At least 1. */
  readonly limit?: number | null | undefined;
}
export interface SearchParts {
  readonly db: Db<any>;
  readonly folders: Folders;
  readonly documents: Documents;
  readonly index: SearchIndex;
}

export function createSearch({ db, folders, documents, index }: SearchParts) {
  const find: Retrieval["find"] = async (from, request, signal) => {
    if (request.folder_ids.length === 0 || request.document_ids?.length === 0 || request.limit < 1)
      return { passages: [], terms: [] };
    const { passages, terms } = await index.search(request, signal);
    return { passages: await shown(from, passages), terms };
  };

  /**
   * The index answers from its own snapshot: what was unlinked, deleted or replaced since is left
   * out here.
   */
  async function shown(from: Db<any>, passages: readonly Passage[]): Promise<FoundPassage[]> {
    const document_ids = [...new Set(passages.map((passage) => passage.document_id))];
    if (document_ids.length === 0) return [];
    // The folders of the hits, not of the scope: an owner may have more folders than a statement
    // takes parameters.
    const linked = await documents.linked(from, document_ids, [
      ...new Set(passages.map((passage) => passage.folder_id)),
    ]);
    const names = await documents.names(from, document_ids);
    return passages.flatMap((passage) => {
      const document = names.get(passage.document_id);
      return document && linked.has(document.id) && document.current_version === passage.version
        ? [found(passage, document.name)]
        : [];
    });
  }

  return {
    retrieval: { find } satisfies Retrieval,

    /**
     * The best passages for a question; words in quotes must stand in them as they are, except in a
     * question. Without `folder_ids` every folder of the owner is searched; an empty list selects
     * nothing.
     * @throws HttpError 400 on a blank or too long query; 404 / 403 on a folder or document that is
     * missing or another user's.
     */
    async search(owner_id: string, input: SearchInput): Promise<FoundPassage[]> {
      const query = requiredText(input.query, "/query", query_length_max);
      const limit = Math.min(input.limit ?? limit_default, limit_max);
      const document_ids = input.document_ids ?? undefined;
      const folder_ids = input.folder_ids
        ? await folders.scope(db, owner_id, input.folder_ids, "/folder_ids")
        : await folders.all(db, owner_id);
      if (document_ids) await documents.requireAll(db, owner_id, document_ids, "/document_ids");
      const phrases = phrasesOf(query);
      const { passages } = await find(db, {
        query,
        folder_ids,
        ...(document_ids && { document_ids }),
        limit: phrases.length === 0 ? limit : phrase_candidates_max,
      });
      return passages.filter(({ quote }) => holdsPhrases(quote, phrases)).slice(0, limit);
    },
  };
}

/**
 * Every passage is text that the index cut out of the stored version itself, so its quote is
 * verified by construction.
 */
const found = (passage: Passage, document_name: string): FoundPassage => ({
  document_id: passage.document_id,
  document_name,
  document_version: passage.version,
  folder_id: passage.folder_id,
  quote: passage.text,
  start: passage.start,
  end: passage.end,
  page: passage.page,
  page_end: passage.page_end,
  time_start: passage.time_start,
  time_end: passage.time_end,
  heading: passage.heading,
  score: passage.score,
  verified: true,
  stale: false,
  url: `/api/dev/v1/documents/${passage.document_id}`,
});
