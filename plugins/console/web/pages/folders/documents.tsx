/**
 * The documents of a folder: filter, search, sort order, pages of fifty, and actions on one or
 * many.
 */
import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { listDocuments } from "../../api/documents";
import { keys } from "../../api/queries";
import type { Document, Page } from "../../api/types";
import { Button } from "../../ui/button";
import { Pager } from "../../ui/pager";
import { Empty, Loading, type Loaded } from "../../ui/states";
import { Table, type Selection } from "../../ui/table";
import { folder_strings } from "../../strings/folders";
import { BulkActions } from "./bulk-actions";
import { BulkPanel } from "./bulk-panel";
import { selectionOfFilter, selectionOf, type DocumentSelection } from "./selection";
import { documentColumns, removedColumns } from "./document-columns";
import { PlaceDialog } from "./document-dialogs";
import type { Renaming } from "./document-name";
import { dragAttributes, FolderDock } from "./dragging";
import { directionOf, sortedBy, useFilter, type Filter } from "./filter";
import { Hits } from "./hits";
import { Toolbar, type FilterProps } from "./toolbar";

const strings = folder_strings.page;
/** Shorter queries match too much. */
const search_from = 2;

/** Rows of this page, or all that match the filter. */
type Selected = ReadonlySet<string> | "all";
const no_selection: Selected = new Set<string>();

/** The list of a folder's documents with everything that acts on it. */
export function Documents({
  folder_id,
  empty,
}: {
  readonly folder_id: string;
  /** Shown instead of the list when the folder has no documents. */
  readonly empty: ComponentChildren;
}) {
  const [filter, change] = useFilter();
  const [selected, setSelected] = useSelected(folder_id, filter);
  const [placing, setPlacing] = useState<DocumentSelection | null>(null);
  const { page, query, status, type, removed } = filter;
  const documents = useFolderDocuments(folder_id, filter);
  const clear = () => setSelected(no_selection);
  const close = () => setPlacing(null);
  const { rows, total } = rowsOf(documents.data);
  const unfiltered = !query && !status && !type && !removed && page === 1;
  if (unfiltered && documents.data && total === 0 && !documents.isPlaceholderData)
    return (
      <>
        <BulkPanel />
        {empty}
        <RemovedLink folder_id={folder_id} onShow={() => change({ removed: true })} />
      </>
    );
  const is_all = selected === "all";
  const on_page = is_all ? rows : rows.filter(({ id }) => selected.has(id));
  const chosen = is_all ? selectionOfFilter(folder_id, filter, total) : selectionOf(on_page);
  const can_select_all =
    !is_all && !removed && on_page.length === rows.length && total > rows.length;
  return (
    <>
      <AboveTable folder_id={folder_id} filter={filter} change={change} />
      <section class="card" aria-busy={documents.isFetching}>
        {chosen.count > 0 && on_page.length > 0 && (
          <BulkActions
            chosen={chosen}
            folder_id={folder_id}
            removed={removed}
            all={is_all}
            total={total}
            onAll={can_select_all ? () => setSelected("all") : undefined}
            onPlace={() => setPlacing(chosen)}
            onClear={clear}
          />
        )}
        <DocumentTable
          query={documents}
          folder_id={folder_id}
          filter={filter}
          change={change}
          selection={{
            selected: is_all ? new Set(rows.map(({ id }) => id)) : selected,
            onSelected: setSelected,
            label: ({ name }) => strings.select(name),
          }}
          dragged={(row) => (on_page.some(({ id }) => id === row.id) ? chosen : selectionOf([row]))}
          onPlace={setPlacing}
        />
      </section>
      <FolderDock onDone={clear} />
      {placing && (
        <PlaceDialog chosen={placing} folder_id={folder_id} onClose={close} onDone={clear} />
      )}
    </>
  );
}

const rowsOf = (page: Page<Document> | undefined) => ({
  rows: page?.data ?? [],
  total: page?.pagination.total ?? 0,
});

/** The search field, running actions, and matches in the text. */
const AboveTable = ({
  folder_id,
  filter,
  change,
}: FilterProps & { readonly folder_id: string }) => (
  <>
    <Toolbar filter={filter} change={change} />
    <BulkPanel />
    {filter.query.trim().length >= search_from && !filter.removed && (
      <Hits query={filter.query.trim()} folder_id={folder_id} />
    )}
  </>
);

/** The selection depends on the filter: "all" stays selected on other pages of the same list. */
function useSelected(
  folder_id: string,
  { page, query, status, type, removed, sort, order }: Filter,
) {
  const state = useState<Selected>(no_selection);
  const [selected, setSelected] = state;
  useEffect(() => setSelected(no_selection), [query, status, type, removed, folder_id]);
  useEffect(() => {
    if (selected !== "all") setSelected(no_selection);
  }, [page, sort, order]);
  return state;
}

function useFolderDocuments(
  folder_id: string,
  { page, query, status, type, removed, sort, order }: Filter,
) {
  const parameters = { page, name: query, status, type, deleted: removed, sort, order };
  return useQuery({
    queryKey: keys.documents(folder_id, parameters),
    queryFn: ({ signal }) => listDocuments(folder_id, parameters, signal),
    placeholderData: keepPreviousData,
  });
}

/** The document being renamed in place. */
function useRenaming(): Renaming {
  const [id, setId] = useState<string | null>(null);
  return { id, begin: setId, end: () => setId(null) };
}

/** Names that occur more than once: for these the origin is shown. */
const clashingIn = (rows: readonly Document[]): ReadonlySet<string> =>
  new Set(
    [...Map.groupBy(rows, ({ name }) => name)].flatMap(([name, { length }]) =>
      length > 1 ? [name] : [],
    ),
  );

function DocumentTable({
  query,
  folder_id,
  filter,
  change,
  selection,
  dragged,
  onPlace,
}: FilterProps & {
  readonly query: Loaded<Page<Document>>;
  readonly folder_id: string;
  readonly selection: Selection<Document>;
  /** What dragging this row drags. */
  readonly dragged: (row: Document) => DocumentSelection;
  readonly onPlace: (chosen: DocumentSelection) => void;
}) {
  const renaming = useRenaming();
  const { page, removed, sort } = filter;
  const clashing = useMemo(() => clashingIn(query.data?.data ?? []), [query.data]);
  const options = { folder_id, renaming, clashing, onPlace };
  return (
    <Loading query={query} rows={6}>
      {({ data, pagination }) =>
        data.length === 0 && page === 1 ? (
          <NoMatches filter={filter} onAll={() => change({ query: "", status: "", type: "" })} />
        ) : (
          <>
            <Table
              label={removed ? strings.removed_table : strings.table}
              columns={removed ? removedColumns(options) : documentColumns(options)}
              rows={data}
              row_key={({ id }) => id}
              selection={selection}
              sorting={{
                by: sort,
                direction: directionOf(filter),
                onSort: (by) => change(sortedBy(filter, by)),
              }}
              rowAttributes={(row) =>
                removed || renaming.id === row.id
                  ? {}
                  : dragAttributes(folder_id, () => dragged(row))
              }
            />
            <Pager page={page} pagination={pagination} onPage={(next) => change({ page: next })} />
          </>
        )
      }
    </Loading>
  );
}

/** A link to the removed documents, if there are some. */
function RemovedLink({
  folder_id,
  onShow,
}: {
  readonly folder_id: string;
  readonly onShow: () => void;
}) {
  const parameters = { page: 1, deleted: true };
  const removed = useQuery({
    queryKey: keys.documents(folder_id, parameters),
    queryFn: ({ signal }) => listDocuments(folder_id, parameters, signal),
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

/** A single line while matches in the text are shown above it. */
const NoMatches = ({
  filter: { removed, query, status, type },
  onAll,
}: {
  readonly filter: Filter;
  readonly onAll: () => void;
}) =>
  removed ? (
    <Empty icon="restore" title={strings.empty_removed}>
      {strings.empty_removed_text}
    </Empty>
  ) : status === "" && type === "" && query.trim().length >= search_from ? (
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
