/**
 * Search over the user's documents; a result opens its document at the passage. The query is part
 * of the address.
 */
import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import { useFolders } from "../../api/queries";
import { search } from "../../api/search";
import type { FoundPassage, Passage } from "../../api/types";
import { LocationLabel } from "../../reader/location-label";
import { furtherHeadings } from "../../reader/location";
import { SourcePanel } from "../../reader/source-panel";
import { Button } from "../../ui/button";
import { Select, TextField } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { PageHeader } from "../../ui/page-header";
import { Empty, Loading } from "../../ui/states";
import { search_strings as strings } from "../../strings/search";
import { folderOptions } from "../folders/tree";
import { Terms, termsOf } from "./terms";

const limit = 20;
const excerpt_chars = 320;

/** Identifies a passage in the address: the document's id and the start of the passage. */
export const passageKey = ({
  document_id,
  start,
}: Pick<Passage, "document_id" | "start">): string => `${document_id}:${start}`;

interface SearchFields {
  readonly q: string;
  readonly folder: string;
  /** The key of the passage that is open. */
  readonly show: string | null;
}

/** The query of the address, and a function to change it. */
function useSearchFields() {
  const [, navigate] = useLocation();
  const params = new URLSearchParams(useSearch());
  const fields: SearchFields = {
    q: params.get("q") ?? "",
    folder: params.get("folder") ?? "",
    show: params.get("show"),
  };
  const change = ({ show = null, ...changes }: Partial<SearchFields>, replace = false) => {
    const next = new URLSearchParams();
    for (const [key, value] of Object.entries({ ...fields, ...changes, show }))
      if (value) next.set(key, value);
    navigate(`/search?${next}`, { replace });
  };
  return { ...fields, change };
}

export default function SearchPage() {
  const { q: query, folder, show, change } = useSearchFields();
  const blank = query.trim() === "";
  const found = useQuery({
    queryKey: ["search", query, folder],
    enabled: !blank,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      search({ query, limit, ...(folder && { folder_ids: [folder] }) }, signal),
  });
  const passages = blank || show === null ? [] : (found.data ?? []);
  const at = passages.findIndex((passage) => passageKey(passage) === show);
  const open = (key: string) => change({ show: key }, true);
  const close = () => {
    change({}, true);
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-passage="${CSS.escape(show!)}"]`)?.focus(),
    );
  };
  return (
    <div class={at >= 0 ? "chat-page chat-open" : "chat-page"}>
      <div class="chat-column search-column">
        <div class="wrap search-wrap">
          <PageHeader title={strings.title} text={strings.text} />
          <SearchForm
            key={`${query} ${folder}`}
            query={query}
            folder={folder}
            onSearch={(q, in_folder) => change({ q, folder: in_folder })}
          />
          {blank ? (
            <div class="card">
              <Empty icon="search" title={strings.start_title}>
                {strings.start_text}
              </Empty>
            </div>
          ) : (
            <Loading query={found} rows={6}>
              {(results) => <Results passages={results} query={query} shown={show} onOpen={open} />}
            </Loading>
          )}
        </div>
      </div>
      {at >= 0 && (
        <SourcePanel
          passages={passages}
          at={at}
          onAt={(next) => open(passageKey(passages[next]!))}
          onClose={close}
        />
      )}
    </div>
  );
}

function SearchForm({
  query,
  folder,
  onSearch,
}: {
  readonly query: string;
  readonly folder: string;
  readonly onSearch: (query: string, folder: string) => void;
}) {
  const [text, setText] = useState(query);
  const folders = useFolders();
  useEffect(() => {
    if (query === "") document.querySelector<HTMLElement>("[data-shortcut='/']")?.focus();
  }, []);
  const send = (event: Event) => {
    event.preventDefault();
    onSearch(text.trim(), folder);
  };
  return (
    <form role="search" class="search-form" onSubmit={send}>
      <div class="grow">
        <TextField
          label={strings.query}
          label_hidden
          type="search"
          icon="search"
          placeholder={strings.placeholder}
          value={text}
          onValue={setText}
          data-shortcut="/"
          maxLength={32_000}
        />
      </div>
      <Select
        label={strings.folder}
        label_hidden
        value={folder}
        onValue={(id) => onSearch(text.trim(), id)}
        options={[{ value: "", label: strings.all_folders }, ...folderOptions(folders.data ?? [])]}
      />
      <Button type="submit" kind="primary">
        {strings.search}
      </Button>
    </form>
  );
}

function Results({
  passages,
  query,
  shown,
  onOpen,
}: {
  readonly passages: readonly FoundPassage[];
  readonly query: string;
  readonly shown: string | null;
  readonly onOpen: (key: string) => void;
}) {
  const terms = termsOf(query);
  if (passages.length === 0)
    return (
      <div class="card">
        <Empty icon="search" title={strings.none_title}>
          {strings.none_text}
        </Empty>
      </div>
    );
  return (
    <section class="stack-small" aria-label={strings.list}>
      <p class="label" aria-live="polite">
        {passages.length === limit ? strings.best(limit) : strings.results(passages.length)}
      </p>
      <ol class="results">
        {passages.map((passage) => {
          const key = passageKey(passage);
          const headings = furtherHeadings(passage);
          return (
            <li key={key}>
              <button
                type="button"
                class="passage-card"
                data-passage={key}
                aria-pressed={key === shown}
                onClick={() => onOpen(key)}
              >
                <span class="passage-place">
                  <Icon name="file-text" size={14} />
                  <span class="strong place-name">
                    <LocationLabel passage={passage} />
                  </span>
                  {headings && <span class="clip">· {headings}</span>}
                  {passage.matched === "meaning" && (
                    <span class="nowrap muted" title={strings.by_meaning_why}>
                      · {strings.by_meaning}
                    </span>
                  )}
                </span>
                <span class="passage-text">
                  <Terms text={passage.quote} terms={terms} length={excerpt_chars} />
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
