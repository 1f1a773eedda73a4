/** The runs of imports, newest first. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../../api/client";
import { keys } from "../../api/queries";
import type { Page } from "../../api/types";
import { ButtonLink } from "../../ui/button";
import { PagedTable } from "../../ui/paged-table";
import { Empty } from "../../ui/states";
import type { Column } from "../../ui/table";
import { Progress, Tag } from "../../ui/tag";
import { Time } from "../../ui/time";
import { import_strings as strings } from "../../strings/imports";
import { FolderLink } from "../folders/folder-link";
import { isRunning, kindOf, sourceText, tones, type ImportRun } from "./records";

/** Events announce most changes; the counts of a run change faster than that. */
const running_ms = 1_500;

/** The list of runs with their progress. */
export function ImportRuns() {
  const [page, setPage] = useState(1);
  const runs = useQuery({
    queryKey: [...keys.imports, "list", page],
    queryFn: () => api<Page<ImportRun>>("/imports", { query: { page } }),
    placeholderData: (previous) => previous,
    refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? running_ms : false),
  });
  return (
    <section class="card">
      <PagedTable
        query={runs}
        page={page}
        onPage={setPage}
        label={strings.label}
        columns={columns}
        empty={
          <Empty
            icon="import"
            title={strings.empty_title}
            actions={
              <ButtonLink kind="primary" icon="plus" href="/imports/new">
                {strings.create}
              </ButtonLink>
            }
          >
            {strings.empty_text}
          </Empty>
        }
      />
    </section>
  );
}

const columns: readonly Column<ImportRun>[] = [
  {
    key: "source",
    header: strings.source,
    kind: "main",
    cell: ({ id, source, total_item_count }) => (
      <span class="two-lines">
        <Link href={`/imports/${id}`} class="title-link clip">
          {sourceText(source, total_item_count)}
        </Link>
        <span>{kindOf(source)}</span>
      </span>
    ),
  },
  {
    key: "folder",
    header: strings.folder,
    cell: ({ folder_id }) => <FolderLink id={folder_id} />,
  },
  {
    key: "status",
    header: strings.status,
    kind: "tight",
    cell: ({ status }) => <Tag tone={tones[status]}>{strings.states[status]}</Tag>,
  },
  { key: "items", header: strings.items, cell: (run) => <Count run={run} /> },
  {
    key: "started",
    header: strings.started,
    kind: "tight",
    cell: ({ started_at, created_at }) => <Time value={started_at ?? created_at} />,
  },
];

function Count({ run }: { readonly run: ImportRun }) {
  const { completed_item_count: done, total_item_count: total, failed_item_count: failed } = run;
  if (isRunning(run))
    return (
      <Progress
        label={strings.items}
        value={total === 0 ? undefined : done / total}
        text={strings.progress(done, total)}
      />
    );
  return (
    <span class="num nowrap">
      {done}
      {failed > 0 && (
        <span class="bad-text">
          {" "}
          · {failed} {strings.failed.toLowerCase()}
        </span>
      )}
    </span>
  );
}
