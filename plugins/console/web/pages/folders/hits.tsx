/** Matches of the search field in the text of a folder's documents. */
import { useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { search } from "../../api/search";
import type { Passage } from "../../api/types";
import { Icon } from "../../ui/icons";
import { Problem } from "../../ui/note";
import { folder_strings } from "../../strings/folders";
import { escapeRegExp } from "../../reader/find";
import { pageName } from "../../reader/location";
import { plainText } from "../../reader/plain-text";

const strings = folder_strings.page;
const hits_max = 6;

/** The address of a document with this passage highlighted. */
function passageHref({ document_id, start, end, page }: Passage, folder_id: string): string {
  const fields = new URLSearchParams({
    folder: folder_id,
    start: String(start),
    end: String(end),
    ...(page === null ? {} : { page: String(page) }),
  });
  return `/documents/${document_id}?${fields}`;
}

/** Highlights the words of the query, also inside longer words. */
function withMatches(quote: string, query: string): ComponentChildren {
  const terms = query.split(/[^\p{L}\p{N}]+/u).filter(({ length }) => length > 1);
  if (terms.length === 0) return quote;
  return quote
    .split(new RegExp(`(${terms.map(escapeRegExp).join("|")})`, "giu"))
    .map((part, index) => (index % 2 === 1 ? <b key={index}>{part}</b> : part));
}

/** Up to six passages of the folder that match the query. */
export function Hits({ query, folder_id }: { readonly query: string; readonly folder_id: string }) {
  const results = useQuery({
    queryKey: ["search", folder_id, query],
    queryFn: ({ signal }) => search({ query, folder_ids: [folder_id], limit: hits_max }, signal),
    staleTime: 30_000,
    placeholderData: (previous) => previous,
  });
  const passages = results.data;
  return (
    <section class="card" aria-label={strings.hits} aria-busy={results.isFetching}>
      <div class="card-head hits-head">
        <h2>{strings.hits}</h2>
      </div>
      {results.error && (
        <div class="card-body">
          <Problem error={results.error} />
        </div>
      )}
      {!passages && !results.error && (
        <p class="card-body muted" role="status">
          {strings.searching}
        </p>
      )}
      {passages?.length === 0 && (
        <p class="card-body muted" role="status">
          {strings.no_hits}
        </p>
      )}
      {passages && passages.length > 0 && (
        <ul class="hits">
          {passages.map((passage) => (
            <li key={`${passage.document_id} ${passage.start}`}>
              <Link href={passageHref(passage, folder_id)} class="hit">
                <span class="hit-quote">{withMatches(plainText(passage.quote), query)}</span>
                <span class="hit-source">
                  <Icon name="file-text" size={14} />
                  <span class="clip">{passage.document_name}</span>
                  {passage.page !== null && (
                    <span class="nowrap">· {pageName(passage.page, passage.page_label)}</span>
                  )}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
