/**
 * Search over the user's documents; a result opens its document at the passage. The query stands in
 * the address.
 */
import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import { search } from "../../api/chats";
import { useFolders } from "../../api/queries";
import type { Passage } from "../../api/types";
import { LocationLabel } from "../../reader/location-label";
import { SourcePanel } from "../../reader/source-panel";
import { Button } from "../../ui/button";
import { Select, TextField } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { PageHeader } from "../../ui/page-header";
import { Empty, Loading } from "../../ui/states";
import { search_strings as strings } from "../../strings/search";
import { folderOptions } from "../folders/tree";
import { Terms, termsOf } from "./terms";

const limit = 20,
  excerpt_chars = 320;

export const passageKey = ({
  document_id,
  start,
}: Pick<Passage, "document_id" | "start">): string => `${document_id}:${start}`;

export default function SearchPage() {
  const [, navigate] = useLocation();
  const asked = new URLSearchParams(useSearch());
  const query = asked.get("q") ?? "",
    folder = asked.get("folder") ?? "",
    shown = asked.get("show");
  const go = (
    next: { readonly q?: string; readonly folder?: string; readonly show?: string | null },
    replace = false,
  ) => {
    const to = new URLSearchParams();
    for (const [key, value] of Object.entries({ q: query, folder, ...next }))
      if (value) to.set(key, value);
    navigate(`/search?${to}`, { replace });
  };
  const found = useQuery({
    queryKey: ["search", query, folder],
    enabled: query.trim() !== "",
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      search({ query, limit, ...(folder && { folder_ids: [folder] }) }, signal),
  });
  const at =
    shown === null || query.trim() === ""
      ? -1
      : (found.data?.findIndex((passage) => passageKey(passage) === shown) ?? -1);
  const close = () => {
    go({ show: null }, true);
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-passage="${CSS.escape(shown!)}"]`)?.focus(),
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
            onSearch={(q, in_folder) => go({ q, folder: in_folder })}
          />
          {query.trim() === "" ? (
            <div class="card">
              <Empty icon="search" title={strings.start_title}>
                {strings.start_text}
              </Empty>
            </div>
          ) : (
            <Loading query={found} rows={6}>
              {(passages) => (
                <Results
                  passages={passages}
                  query={query}
                  shown={shown}
                  onOpen={(key) => go({ show: key }, true)}
                />
              )}
            </Loading>
          )}
        </div>
      </div>
      {at >= 0 && (
        <SourcePanel
          passages={found.data!}
          at={at}
          onAt={(next) => go({ show: passageKey(found.data![next]!) }, true)}
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
  readonly passages: readonly Passage[];
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
                  {passage.heading && <span class="clip">· {passage.heading}</span>}
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
