/** Lists of records: a table, which becomes one card per row on a narrow screen. */
import type { ComponentChildren, JSX } from "preact";
import { common_strings as strings } from "../strings/common";
import { Icon } from "./icons";

/** A column: its header and the content of its cells. */
export interface Column<T> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: T) => ComponentChildren;
  /**
   * `main`: takes the remaining width and is the card's title; `end`: numbers; `tight`: as narrow
   * as its content; `actions`: buttons at the end, with a hidden header.
   */
  readonly kind?: "main" | "end" | "tight" | "actions";
  /** The sort field of the header. */
  readonly sort?: string;
  /** Left out of cards. */
  readonly wide_only?: boolean;
  /** Left out of tables of medium width, but not of cards. */
  readonly roomy_only?: boolean;
}

/** Which rows are selected, by key. */
export interface Selection<T> {
  readonly selected: ReadonlySet<string>;
  readonly onSelected: (selected: ReadonlySet<string>) => void;
  /** The label of the row's checkbox. */
  readonly label: (row: T) => string;
}

/** The current sort order. */
export interface Sorting {
  readonly by: string;
  readonly direction: "asc" | "desc";
  /** Called when a header is pressed; reverses the order if the list is sorted by it already. */
  readonly onSort: (by: string) => void;
}

interface TableProps<T> {
  /** A caption for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly row_key: (row: T) => string;
  readonly selection?: Selection<T> | undefined;
  readonly sorting?: Sorting | undefined;
  /** Attributes of a row, for example to make it draggable. */
  readonly rowAttributes?: (row: T) => JSX.HTMLAttributes<HTMLTableRowElement>;
}

const classOf = <T,>({ kind, wide_only, roomy_only }: Column<T>): string | undefined =>
  [kind && `cell-${kind}`, wide_only && "hide-narrow", roomy_only && "hide-medium"]
    .filter(Boolean)
    .join(" ") || undefined;

function SelectAll({
  keys,
  selected,
  onSelected,
}: {
  readonly keys: readonly string[];
  readonly selected: ReadonlySet<string>;
  readonly onSelected: (selected: ReadonlySet<string>) => void;
}) {
  const selected_count = keys.filter((key) => selected.has(key)).length;
  return (
    <label class="checkbox-cell">
      <span class="vh">{strings.select_all}</span>
      <input
        type="checkbox"
        checked={selected_count > 0 && selected_count === keys.length}
        ref={(input) => {
          if (input) input.indeterminate = selected_count > 0 && selected_count < keys.length;
        }}
        onChange={() => onSelected(selected_count === keys.length ? new Set() : new Set(keys))}
      />
    </label>
  );
}

function Header<T>({
  column,
  sorting,
}: {
  readonly column: Column<T>;
  readonly sorting: Sorting | undefined;
}) {
  const { kind, header, sort } = column;
  const direction = sorting && sort === sorting.by ? sorting.direction : undefined;
  return (
    <th
      role="columnheader"
      scope="col"
      class={classOf(column)}
      aria-sort={direction && (direction === "asc" ? "ascending" : "descending")}
    >
      {kind === "actions" ? (
        <span class="vh">{header}</span>
      ) : sorting && sort ? (
        <button type="button" class="sort-button" onClick={() => sorting.onSort(sort)}>
          {header}
          <Icon name={direction === "asc" ? "chevron-up" : "chevron-down"} size={14} />
        </button>
      ) : (
        header
      )}
    </th>
  );
}

/** The roles are explicit because the cards change `display`, which removes the implicit ones. */
export function Table<T>({
  label,
  columns,
  rows,
  row_key,
  selection,
  sorting,
  rowAttributes,
}: TableProps<T>) {
  const toggle = ({ selected, onSelected }: Selection<T>, key: string) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    onSelected(next);
  };
  return (
    <table class="table" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {selection && (
            <th role="columnheader" scope="col" class="cell-select">
              <SelectAll keys={rows.map(row_key)} {...selection} />
            </th>
          )}
          {columns.map((column) => (
            <Header key={column.key} column={column} sorting={sorting} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => {
          const key = row_key(row);
          const is_selected = selection?.selected.has(key) ?? false;
          return (
            <tr
              key={key}
              role="row"
              data-selected={is_selected || undefined}
              {...rowAttributes?.(row)}
            >
              {selection && (
                <td role="cell" class="cell-select">
                  <label class="checkbox-cell">
                    <span class="vh">{selection.label(row)}</span>
                    <input
                      type="checkbox"
                      checked={is_selected}
                      onChange={() => toggle(selection, key)}
                    />
                  </label>
                </td>
              )}
              {columns.map((column) => (
                <td
                  key={column.key}
                  role="cell"
                  class={classOf(column)}
                  data-label={column.kind === "actions" ? undefined : column.header}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
