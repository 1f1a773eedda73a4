/**
 * The documents of a folder: filter, search, pages of fifty, and what can be done with one or many.
 */
import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { apiUrl } from "../../api/client";
import { listDocuments, restoreDocument } from "../../api/documents";
import { keys } from "../../api/queries";
import type { Document } from "../../api/types";
import { Button, IconButton } from "../../ui/button";
import { Select, TextField } from "../../ui/field";
import { formatBytes, Time } from "../../ui/format";
import { Menu } from "../../ui/menu";
import { Pager } from "../../ui/pager";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { toast } from "../../ui/toast";
import { folder_strings } from "../../strings/folders";
import { applyToEach, reindex, removeFromFolder } from "./document-actions";
import { PlaceDialog, RenameDialog } from "./document-dialogs";
import { useFilter, type Filter } from "./filter";
import { Hits } from "./hits";
import { DocumentStatus } from "./status";

const strings = folder_strings.page;
const acts = folder_strings.actions_of_document;
const typing_ms = 250;
/** Shorter words find too much. */
const search_from = 2;

type Asked =
  | { readonly what: "rename"; readonly document: Document }
  | { readonly what: "place"; readonly documents: readonly Document[] };
const none: ReadonlySet<string> = new Set();

export function Documents({
  folder_id,
  empty,
}: {
  readonly folder_id: string;
  readonly empty: ComponentChildren;
}) {
  const [filter, change] = useFilter();
  const [selected, setSelected] = useState<ReadonlySet<string>>(none);
  const [asked, setAsked] = useState<Asked | null>(null);
  const { page, query, status, removed } = filter;
  const wanted = { page, name: query, status, deleted: removed };
  const documents = useQuery({
    queryKey: keys.documents(folder_id, wanted),
    queryFn: ({ signal }) => listDocuments(folder_id, wanted, signal),
    placeholderData: keepPreviousData,
  });
  useEffect(() => setSelected(none), [page, query, status, removed, folder_id]);
  const filtered = query !== "" || status !== "";
  const chosen = documents.data?.data.filter(({ id }) => selected.has(id)) ?? [];
  if (
    documents.data?.pagination.total === 0 &&
    !filtered &&
    !removed &&
    page === 1 &&
    !documents.isPlaceholderData
  )
    return (
      <>
        {empty}
        <RemovedLink folder_id={folder_id} onShow={() => change({ removed: true })} />
      </>
    );
  return (
    <>
      <Toolbar filter={filter} change={change} />
      {query.trim().length >= search_from && !removed && (
        <Hits query={query.trim()} folder_id={folder_id} />
      )}
      <section class="card" aria-busy={documents.isFetching}>
        {chosen.length > 0 && (
          <Bulk
            documents={chosen}
            folder_id={folder_id}
            removed={removed}
            onPlace={() => setAsked({ what: "place", documents: chosen })}
            onClear={() => setSelected(none)}
          />
        )}
        <Loading query={documents} rows={6}>
          {({ data, pagination }) =>
            data.length === 0 && page === 1 ? (
              <NothingShown filter={filter} onAll={() => change({ query: "", status: "" })} />
            ) : (
              <>
                <Table
                  label={removed ? strings.removed_table : strings.table}
                  columns={removed ? removedColumns(folder_id) : liveColumns(folder_id, setAsked)}
                  rows={data}
                  row_key={({ id }) => id}
                  selection={{
                    selected,
                    onSelected: setSelected,
                    label: ({ name }) => strings.select(name),
                  }}
                />
                <Pager
                  page={page}
                  pagination={pagination}
                  onPage={(next) => change({ page: next })}
                />
              </>
            )
          }
        </Loading>
      </section>
      {asked?.what === "rename" && (
        <RenameDialog document={asked.document} onClose={() => setAsked(null)} />
      )}
      {asked?.what === "place" && (
        <PlaceDialog
          documents={asked.documents}
          folder_id={folder_id}
          onClose={() => setAsked(null)}
          onDone={() => setSelected(none)}
        />
      )}
    </>
  );
}

/** The field is ahead of the address by a moment, so that not every letter asks the server. */
function Toolbar({
  filter,
  change,
}: {
  readonly filter: Filter;
  readonly change: (change: Partial<Filter>) => void;
}) {
  const [typed, setTyped] = useState(filter.query);
  useEffect(() => {
    setTyped(filter.query);
  }, [filter.query]);
  useEffect(() => {
    if (typed === filter.query) return;
    const timer = setTimeout(() => change({ query: typed }), typing_ms);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div class="toolbar" role="search">
      <div class="grow">
        <TextField
          label={strings.search}
          label_hidden
          icon="search"
          type="search"
          placeholder={strings.search}
          value={typed}
          onValue={setTyped}
          data-shortcut="/"
        />
      </div>
      {!filter.removed && (
        <Select
          label={strings.status_label}
          label_hidden
          value={filter.status}
          onValue={(status) => change({ status })}
          options={[
            { value: "", label: strings.statuses.all },
            { value: "synced", label: strings.statuses.synced },
            { value: "syncing", label: strings.statuses.syncing },
            { value: "sync_failed", label: strings.statuses.sync_failed },
          ]}
        />
      )}
      <Select
        label={strings.tabs}
        label_hidden
        value={filter.removed ? "removed" : "documents"}
        onValue={(value) => change({ removed: value === "removed", status: "" })}
        options={[
          { value: "documents", label: strings.tab_documents },
          { value: "removed", label: strings.tab_removed },
        ]}
      />
    </div>
  );
}

/** The way to what was removed, when something was. */
function RemovedLink({
  folder_id,
  onShow,
}: {
  readonly folder_id: string;
  readonly onShow: () => void;
}) {
  const wanted = { page: 1, deleted: true };
  const removed = useQuery({
    queryKey: keys.documents(folder_id, wanted),
    queryFn: ({ signal }) => listDocuments(folder_id, wanted, signal),
  });
  return (
    (removed.data?.pagination.total ?? 0) > 0 && (
      <p class="small">
        <button type="button" class="link-button" onClick={onShow}>
          {strings.removed_table}
        </button>
      </p>
    )
  );
}

/** Beside passages that were found, a line is enough. */
const NothingShown = ({
  filter: { removed, query, status },
  onAll,
}: {
  readonly filter: Filter;
  readonly onAll: () => void;
}) =>
  removed ? (
    <Empty icon="restore" title={strings.empty_removed}>
      {strings.empty_removed_text}
    </Empty>
  ) : status === "" && query.trim().length >= search_from ? (
    <p class="card-body muted" role="status">
      {strings.none_named(query)}
    </p>
  ) : (
    <Empty
      icon="search"
      title={strings.empty_filter}
      actions={<Button onClick={onAll}>{strings.show_all}</Button>}
    >
      {strings.empty_filter_text}
    </Empty>
  );

/** Name, and below it what it is, or why it failed. */
function Name({
  document,
  folder_id,
}: {
  readonly document: Document;
  readonly folder_id: string;
}) {
  const { name, size_bytes, page_count, warnings, status, error, id } = document;
  const facts = [
    formatBytes(size_bytes),
    page_count === null ? "" : strings.pages(page_count),
    warnings.length > 0 ? strings.warnings(warnings.length) : "",
  ]
    .filter(Boolean)
    .join(" · ");
  return (
    <span class="two-lines">
      <Link href={`/documents/${id}?folder=${folder_id}`} class="title-link clip">
        {name}
      </Link>
      <span class="document-facts">
        {status === "sync_failed" && error ? (
          <>
            <span class="nowrap">{formatBytes(size_bytes)} · </span>
            <span class="bad-text">{error.message}</span>
          </>
        ) : (
          facts
        )}
      </span>
    </span>
  );
}

const liveColumns = (
  folder_id: string,
  ask: (asked: Asked) => void,
): readonly Column<Document>[] => [
  {
    key: "document",
    header: strings.document,
    kind: "main",
    cell: (document) => <Name document={document} folder_id={folder_id} />,
  },
  {
    key: "status",
    header: strings.status,
    cell: (document) => (
      <span class="row">
        <DocumentStatus document={document} />
        {document.status === "sync_failed" && (
          <Button
            small
            aria-label={acts.retry_label(document.name)}
            onClick={() => void reindex([document])}
          >
            {acts.retry}
          </Button>
        )}
      </span>
    ),
  },
  {
    key: "updated",
    header: strings.updated,
    cell: ({ updated_at }) => <Time value={updated_at} />,
    wide_only: true,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (document) => (
      <Menu
        label={folder_strings.actions_of(document.name)}
        items={[
          { label: acts.rename, icon: "edit", run: () => ask({ what: "rename", document }) },
          {
            label: acts.place,
            icon: "folder",
            run: () => ask({ what: "place", documents: [document] }),
          },
          { label: acts.reindex, icon: "refresh", run: () => void reindex([document]) },
          {
            label: acts.download,
            icon: "download",
            href: apiUrl(`/documents/${document.id}/file`),
            download: true,
          },
          "separator",
          {
            label: acts.remove,
            icon: "remove",
            danger: true,
            run: () => void removeFromFolder([document], folder_id),
          },
        ]}
      />
    ),
  },
];

async function restore(documents: readonly Document[], folder_id: string): Promise<void> {
  for (const { name } of await applyToEach(documents, ({ id }) => restoreDocument(id, folder_id)))
    toast({ text: strings.restored(name) });
}

const removedColumns = (folder_id: string): readonly Column<Document>[] => [
  {
    key: "document",
    header: strings.document,
    kind: "main",
    cell: (document) => <Name document={document} folder_id={folder_id} />,
  },
  {
    key: "updated",
    header: strings.updated,
    cell: ({ updated_at }) => <Time value={updated_at} />,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (document) => (
      <Button
        small
        icon="restore"
        aria-label={strings.restore_label(document.name)}
        onClick={() => void restore([document], folder_id)}
      >
        {strings.restore}
      </Button>
    ),
  },
];

/** What can be done with all that are chosen. */
function Bulk({
  documents,
  folder_id,
  removed,
  onPlace,
  onClear,
}: {
  readonly documents: readonly Document[];
  readonly folder_id: string;
  readonly removed: boolean;
  readonly onPlace: () => void;
  readonly onClear: () => void;
}) {
  const then = (work: Promise<void>) => void work.then(onClear);
  return (
    <div class="bulk" role="region" aria-label={acts.bulk}>
      <span class="strong nowrap" aria-live="polite">
        {acts.selected(documents.length)}
      </span>
      <span class="row row-wrap grow">
        {removed ? (
          <Button small icon="restore" onClick={() => then(restore(documents, folder_id))}>
            {strings.restore}
          </Button>
        ) : (
          <>
            <Button small icon="folder" onClick={onPlace}>
              {acts.place}
            </Button>
            <Button small icon="refresh" onClick={() => then(reindex(documents))}>
              {acts.reindex}
            </Button>
            <Button
              small
              kind="danger"
              icon="remove"
              onClick={() => then(removeFromFolder(documents, folder_id))}
            >
              {acts.remove}
            </Button>
          </>
        )}
      </span>
      <IconButton label={acts.clear} icon="close" small onClick={onClear} />
    </div>
  );
}
