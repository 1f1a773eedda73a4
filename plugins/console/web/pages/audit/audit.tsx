/** The audit log, for administrators: filtered, paged, and as a download. */
import { useQuery } from "@tanstack/preact-query";
import { useLocation, useSearch } from "wouter-preact";
import { api, apiUrl } from "../../api/client";
import { keys } from "../../api/queries";
import type { Page, RowOf } from "../../api/types";
import { audit_strings as strings } from "../../strings/audit";
import { Button } from "../../ui/button";
import { Select, TextField } from "../../ui/field";
import { formatDateTime } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { PageHeader } from "../../ui/page-header";
import { PagedTable } from "../../ui/paged-table";
import { Empty } from "../../ui/states";
import type { Column } from "../../ui/table";
import { Tag } from "../../ui/tag";

type Entry = RowOf<"listAuditEntries">;
const fields = ["actor", "action", "record", "outcome", "since", "until"] as const;
type Fields = Record<(typeof fields)[number], string>;
type Filter = Fields & { readonly page: number };

const tones = { done: "ok", refused: "warn", failed: "bad" } as const;
/** Typing is not blocked while the list is fetched. */
const refresh_ms = 10_000;

/** The filter is part of the address, so that it can be shared. */
function useFilter(): readonly [Filter, (change: Partial<Filter>) => void] {
  const [path, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const page = Number(search.get("page") ?? 1);
  const filter = {
    ...(Object.fromEntries(fields.map((name) => [name, search.get(name) ?? ""])) as Fields),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
  const change = (changes: Partial<Filter>) => {
    const next = { ...filter, page: 1, ...changes };
    const query = new URLSearchParams(
      fields.filter((name) => next[name] !== "").map((name) => [name, next[name]]),
    );
    if (next.page > 1) query.set("page", String(next.page));
    navigate(query.size > 0 ? `${path}?${query}` : path, { replace: true });
  };
  return [filter, change];
}

/** Days become times: from the start of the first to the end of the last. */
function queryOf(filter: Filter): Readonly<Record<string, string>> {
  const { since, until, ...filters } = filter;
  const day_ms = 86_400_000;
  const query = {
    ...filters,
    action: operationOf(filters.action),
    page: "",
    since: since && new Date(`${since}T00:00:00`).toISOString(),
    until: until && new Date(new Date(`${until}T00:00:00`).getTime() + day_ms).toISOString(),
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}

export default function Audit() {
  const [filter, change] = useFilter();
  const query = queryOf(filter);
  const entries = useQuery({
    queryKey: [...keys.audit, query, filter.page],
    queryFn: () => api<Page<Entry>>("/audit", { query: { ...query, page: filter.page } }),
    refetchInterval: refresh_ms,
    placeholderData: (before) => before,
  });
  const is_filtered = Object.keys(query).length > 0;
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text}
        actions={
          <span class="row">
            <ExportLink format="csv" query={query} />
            <ExportLink format="json" query={query} />
          </span>
        }
      />
      <section class="card">
        <Filters filter={filter} onChange={change} />
        <PagedTable
          query={entries}
          page={filter.page}
          onPage={(page) => change({ page })}
          label={strings.label}
          columns={columns}
          empty={
            is_filtered ? (
              <Empty
                icon="filter"
                title={strings.none_title}
                actions={
                  <Button
                    onClick={() =>
                      change(Object.fromEntries(fields.map((name) => [name, ""])) as Fields)
                    }
                  >
                    {strings.clear}
                  </Button>
                }
              >
                {strings.none_text}
              </Empty>
            ) : (
              <Empty icon="shield" title={strings.empty_title}>
                {strings.empty_text}
              </Empty>
            )
          }
        />
      </section>
    </>
  );
}

/** A plain link, so that the browser streams the file to disk, however long it is. */
const ExportLink = ({
  format,
  query,
}: {
  readonly format: "csv" | "json";
  readonly query: Readonly<Record<string, string>>;
}) => (
  <a
    class="button"
    href={apiUrl("/audit/export", { ...query, format })}
    download={`audit.${format}`}
    aria-label={strings.export_label(strings[format])}
  >
    <Icon name="download" />
    {strings[format]}
  </a>
);

function Filters({
  filter,
  onChange,
}: {
  readonly filter: Filter;
  readonly onChange: (change: Partial<Filter>) => void;
}) {
  return (
    <div class="card-head audit-filters">
      {(["actor", "action", "record"] as const).map((name) => (
        <TextField
          key={name}
          label={strings[name]}
          placeholder={strings[`${name}_hint`]}
          value={filter[name]}
          onValue={(value) => onChange({ [name]: value.trim() })}
        />
      ))}
      <Select
        label={strings.outcome}
        value={filter.outcome}
        onValue={(outcome) => onChange({ outcome })}
        options={[
          { value: "", label: strings.any_outcome },
          ...Object.entries(strings.outcomes).map(([value, label]) => ({ value, label })),
        ]}
      />
      {(["since", "until"] as const).map((name) => (
        <TextField
          key={name}
          type="date"
          label={strings[name]}
          value={filter[name]}
          onValue={(value) => onChange({ [name]: value })}
        />
      ))}
    </div>
  );
}

/** `Delete folder` for `deleteFolder`, the name of an operation; commands are readable already. */
const labelOf = (action: string): string => {
  if (action.includes(" ")) return action;
  const words = action.replaceAll(/(?<=\p{Ll})\p{Lu}/gu, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
/** The name in the API, however it was typed: `Delete folder` is `deleteFolder`. */
const operationOf = (typed: string): string =>
  /^\p{Lu}/u.test(typed)
    ? typed.toLowerCase().replaceAll(/ +(\S)/g, (_, letter: string) => letter.toUpperCase())
    : typed;

const columns: readonly Column<Entry>[] = [
  {
    key: "what",
    header: strings.what,
    kind: "main",
    cell: ({ action, record }) => (
      <span class="two-lines">
        <span class="strong wrap-anywhere" title={action}>
          {labelOf(action)}
        </span>
        {record && <span class="mono wrap-anywhere">{record}</span>}
      </span>
    ),
  },
  {
    key: "who",
    header: strings.who,
    cell: ({ actor, actor_id }) => (
      <span class="audit-who" title={actor ?? actor_id ?? undefined}>
        {actor ?? actor_id ?? strings.nobody}
      </span>
    ),
  },
  {
    key: "where",
    header: strings.where,
    cell: ({ via, address }) => (
      <span class="two-lines as-wide">
        <span class="nowrap">{strings.via[via] ?? via}</span>
        {address && <span class="mono nowrap">{address}</span>}
      </span>
    ),
    roomy_only: true,
  },
  {
    key: "outcome",
    header: strings.outcome,
    kind: "tight",
    cell: ({ outcome }) => <Tag tone={tones[outcome]}>{strings.outcomes[outcome]}</Tag>,
  },
  {
    key: "when",
    header: strings.when,
    kind: "tight",
    cell: ({ at }) => (
      <time dateTime={at} class="nowrap num small">
        {formatDateTime(at)}
      </time>
    ),
  },
];
