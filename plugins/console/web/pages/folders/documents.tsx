/**
 * The documents of a folder: filter, search, pages of fifty, and what can be done with one or many.
 */
import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { listDocuments } from "../../api/documents";
import { keys } from "../../api/queries";
import type { Document, Page } from "../../api/types";
import { Button, IconButton } from "../../ui/button";
import { Select, TextField } from "../../ui/field";
import { Pager } from "../../ui/pager";
import { Empty, Loading, type Loaded } from "../../ui/states";
import { Table, type Selection } from "../../ui/table";
import { folder_strings } from "../../strings/folders";
import { reindex, removeFromFolder, restore } from "./document-actions";
import { documentColumns, removedColumns, type OpenDialog } from "./document-columns";
import { PlaceDialog, RenameDialog } from "./document-dialogs";
import { useFilter, type Filter } from "./filter";
import { Hits } from "./hits";

const strings = folder_strings.page;
const action_strings = folder_strings.actions_of_document;
const typing_ms = 250;
/** Shorter queries find too much. */
const search_from = 2;

const none: ReadonlySet<string> = new Set();

export function Documents({
  folder_id,
  empty,
}: {
  readonly folder_id: string;
  /** Shown in place of the list when the folder has no documents. */
  readonly empty: ComponentChildren;
}) {
  const [filter, change] = useFilter();
  const [selected, setSelected] = useState<ReadonlySet<string>>(none);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const { page, query, status, removed } = filter;
  const documents = useFolderDocuments(folder_id, filter);
  useEffect(() => setSelected(none), [page, query, status, removed, folder_id]);
  const unfiltered = query === "" && status === "" && !removed && page === 1;
  const none_at_all = documents.data?.pagination.total === 0 && !documents.isPlaceholderData;
  if (unfiltered && none_at_all)
    return (
      <>
        {empty}
        <RemovedLink folder_id={folder_id} onShow={() => change({ removed: true })} />
      </>
    );
  const chosen = documents.data?.data.filter(({ id }) => selected.has(id)) ?? [];
  return (
    <>
      <Toolbar filter={filter} change={change} />
      {query.trim().length >= search_from && !removed && (
        <Hits query={query.trim()} folder_id={folder_id} />
      )}
      <section class="card" aria-busy={documents.isFetching}>
        {chosen.length > 0 && (
          <BulkActions
            documents={chosen}
            folder_id={folder_id}
            removed={removed}
            onPlace={() => setDialog({ kind: "place", documents: chosen })}
            onClear={() => setSelected(none)}
          />
        )}
        <DocumentTable
          query={documents}
          folder_id={folder_id}
          filter={filter}
          change={change}
          selection={{
            selected,
            onSelected: setSelected,
            label: ({ name }) => strings.select(name),
          }}
          onDialog={setDialog}
        />
      </section>
      {dialog?.kind === "rename" && (
        <RenameDialog document={dialog.document} onClose={() => setDialog(null)} />
      )}
      {dialog?.kind === "place" && (
        <PlaceDialog
          documents={dialog.documents}
          folder_id={folder_id}
          onClose={() => setDialog(null)}
          onDone={() => setSelected(none)}
        />
      )}
    </>
  );
}

function useFolderDocuments(folder_id: string, { page, query, status, removed }: Filter) {
  const wanted = { page, name: query, status, deleted: removed };
  return useQuery({
    queryKey: keys.documents(folder_id, wanted),
    queryFn: ({ signal }) => listDocuments(folder_id, wanted, signal),
    placeholderData: keepPreviousData,
  });
}

interface FilterProps {
  readonly filter: Filter;
  readonly change: (change: Partial<Filter>) => void;
}

function DocumentTable({
  query,
  folder_id,
  filter,
  change,
  selection,
  onDialog,
}: FilterProps & {
  readonly query: Loaded<Page<Document>>;
  readonly folder_id: string;
  readonly selection: Selection<Document>;
  readonly onDialog: (dialog: OpenDialog) => void;
}) {
  const { page, removed } = filter;
  return (
    <Loading query={query} rows={6}>
      {({ data, pagination }) =>
        data.length === 0 && page === 1 ? (
          <NothingShown filter={filter} onAll={() => change({ query: "", status: "" })} />
        ) : (
          <>
            <Table
              label={removed ? strings.removed_table : strings.table}
              columns={removed ? removedColumns(folder_id) : documentColumns(folder_id, onDialog)}
              rows={data}
              row_key={({ id }) => id}
              selection={selection}
            />
            <Pager page={page} pagination={pagination} onPage={(next) => change({ page: next })} />
          </>
        )
      }
    </Loading>
  );
}

/** The address follows the field after a pause, so that not every letter asks the server. */
function Toolbar({ filter, change }: FilterProps) {
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

/** A link to the removed documents, when there are some. */
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

/** A single line while passages found in the text stand above it. */
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

/** What can be done with all selected documents. */
function BulkActions({
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
    <div class="bulk" role="region" aria-label={action_strings.bulk}>
      <span class="strong nowrap" aria-live="polite">
        {action_strings.selected(documents.length)}
      </span>
      <span class="row row-wrap grow">
        {removed ? (
          <Button small icon="restore" onClick={() => then(restore(documents, folder_id))}>
            {strings.restore}
          </Button>
        ) : (
          <>
            <Button small icon="folder" onClick={onPlace}>
              {action_strings.place}
            </Button>
            <Button small icon="refresh" onClick={() => then(reindex(documents))}>
              {action_strings.reindex}
            </Button>
            <Button
              small
              kind="danger"
              icon="remove"
              onClick={() => then(removeFromFolder(documents, folder_id))}
            >
              {action_strings.remove}
            </Button>
          </>
        )}
      </span>
      <IconButton label={action_strings.clear} icon="close" small onClick={onClear} />
    </div>
  );
}
