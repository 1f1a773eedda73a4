/** The HTTP API of search. */
import { route, t, type HandlersOf, named, RequiredText } from "../../core/sdk";
import { FoundPassage } from "./contract";
import {
  documents_max,
  folders_max,
  limit_default,
  limit_max,
  query_length_max,
  type SearchService,
} from "./service";

const SearchBody = named(
  "SearchQuery",
  t.Object({
    query: RequiredText(
      "What to look for: a question or words, in any language. A phrase in quotes must stand " +
        "in the passage word for word, unless the query ends with a question mark. Not blank, at " +
        "most 32,000 characters.",
      query_length_max,
    ),
    folder_ids: t.Optional(
      t.Union([t.Array(t.String(), { maxItems: folders_max }), t.Null()], {
        description:
          `Folders to search, subfolders included; at most ${folders_max}. Absent: every folder ` +
          "of the caller. An empty list selects no folder and finds nothing.",
      }),
    ),
    document_ids: t.Optional(
      t.Union([t.Array(t.String(), { maxItems: documents_max }), t.Null()], {
        description:
          `Only these documents of those folders; at most ${documents_max}. An empty list finds ` +
          "nothing.",
      }),
    ),
    limit: t.Optional(
      t.Union([t.Integer({ minimum: 1 }), t.Null()], {
        description:
          `Passages to return, at least 1; ${limit_default} unless given, above ${limit_max} ` +
          `means ${limit_max}.`,
      }),
    ),
  }),
);

const passage_example: FoundPassage = {
  document_id: "doc_01JB2M4T9V6W8X3Y5Z7A1C2E4G",
  document_name: "handbook.pdf",
  document_version: 1,
  folder_id: "fld_01JB2M3R8S5T7V9W1X3Y5Z7A2C",
  quote: "Full-time employees accrue 25 days of leave a year.",
  start: 18_204,
  end: 18_255,
  passage: { start: 18_204, end: 18_255 },
  page: 12,
  page_end: 12,
  page_label: "iv",
  time_start: null,
  time_end: null,
  heading: "Leave",
  score: 0.93,
  matched: "both",
  verified: true,
  stale: false,
  url: "/api/dev/v1/documents/doc_01JB2M4T9V6W8X3Y5Z7A1C2E4G",
};

export const routes = {
  search: route.post("/search", {
    summary: "Search passages",
    description:
      "The passages that match best, best first, from the texts that answer now. Offsets count " +
      "Unicode code points of the document's content, end exclusive. A key with the scope " +
      "`read` may search.",
    tag: "Search",
    operation: "search",
    scope: "read",
    body: SearchBody,
    example: {
      query: "How many days of leave do employees get?",
      folder_ids: [passage_example.folder_id],
      limit: 5,
    },
    answers: {
      200: {
        description: "The passages found; empty when nothing matches.",
        schema: named(
          "SearchResult",
          t.Object({ data: t.Array(FoundPassage, { maxItems: limit_max }) }),
        ),
        example: { data: [passage_example] },
      },
    },
    errors: {
      404: "A folder or document that is named could not be found.",
      429: { too_many_searches: "Too many searches of this account are under way." },
      503: "Too many searches are under way.",
    },
  }),
};

export const searchHandlers = (search: SearchService): HandlersOf<typeof routes> => ({
  search: async ({ caller, client, body, request }) => {
    const passages = await search.search(caller.owner_id, body, request.signal);
    return {
      data: passages.map((passage) => ({ ...passage, url: client.base_path + passage.url })),
    };
  },
});
