/** The toolbar of a folder: search, filters, sort order, and the removed documents. */
import { useEffect, useState } from "preact/hooks";
import { Select, TextField } from "../../ui/field";
import { file_type_names } from "../../ui/file-type";
import { folder_strings } from "../../strings/folders";
import type { Filter } from "./filter";

const strings = folder_strings.page;
const typing_ms = 250;

/** The filter of a list, and how to change it. */
export interface FilterProps {
  readonly filter: Filter;
  readonly change: (change: Partial<Filter>) => void;
}

const options = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** The address follows the field after a pause, so that not every letter causes a request. */
export function Toolbar({ filter, change }: FilterProps) {
  const [typed, setTyped] = useState(filter.query);
  useEffect(() => {
    setTyped(filter.query);
  }, [filter.query]);
  useEffect(() => {
    if (typed === filter.query) return;
    const timer = setTimeout(() => change({ query: typed }), typing_ms);
    return () => clearTimeout(timer);
  }, [typed]);
  const { all, ...statuses } = strings.statuses;
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
      <Select
        label={strings.type_label}
        label_hidden
        value={filter.type}
        onValue={(type) => change({ type })}
        options={[{ value: "", label: strings.all_types }, ...options(file_type_names)]}
      />
      {!filter.removed && (
        <Select
          label={strings.status_label}
          label_hidden
          value={filter.status}
          onValue={(status) => change({ status })}
          options={[{ value: "", label: all }, ...options(statuses)]}
        />
      )}
      <div class="sort-select">
        <Select
          label={strings.sort_label}
          label_hidden
          value={filter.sort}
          onValue={(sort) => change({ sort, order: "" })}
          options={options(strings.sorts)}
        />
      </div>
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
