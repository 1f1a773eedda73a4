/** One page of a list: loading, failed, empty, or a table with a pager. */
import type { ComponentChildren } from "preact";
import type { Page } from "../api/types";
import { Pager } from "./pager";
import { Loading, type Loaded } from "./states";
import { Table, type Column } from "./table";

interface PagedTableProps<T> {
  readonly query: Loaded<Page<T>>;
  readonly page: number;
  readonly onPage: (page: number) => void;
  /** A caption for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** Shown if the list has no records at all. */
  readonly empty: ComponentChildren;
}

/** One page of records as a table. The caller keeps the number of the page. */
export function PagedTable<T extends { readonly id: string }>({
  query,
  page,
  onPage,
  label,
  columns,
  empty,
}: PagedTableProps<T>) {
  return (
    <Loading query={query}>
      {({ data, pagination }) =>
        pagination.total === 0 ? (
          empty
        ) : (
          <>
            <Table label={label} columns={columns} rows={data} row_key={({ id }) => id} />
            <Pager page={page} pagination={pagination} onPage={onPage} />
          </>
        )
      }
    </Loading>
  );
}
