/** Imports: the runs, newest first, and the schedules. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../../api/client";
import { keys, refresh, useFolders } from "../../api/queries";
import type { Page } from "../../api/types";
import { Button, ButtonLink } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Time } from "../../ui/format";
import { PageHeader } from "../../ui/page-header";
import { Pager } from "../../ui/pager";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Progress, Tag } from "../../ui/tag";
import { toast } from "../../ui/toast";
import { import_strings as strings } from "../../strings/imports";
import {
  isUnderWay,
  kindOf,
  sourceText,
  tones,
  type ImportRun,
  type ImportSchedule,
} from "./records";

export default function Imports() {
  const [part, setPart] = useState("runs");
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text}
        actions={
          <ButtonLink kind="primary" icon="plus" href="/imports/new">
            {strings.create}
          </ButtonLink>
        }
      />
      <Tabs
        label={strings.parts}
        items={[
          { key: "runs", label: strings.runs },
          { key: "schedules", label: strings.schedules },
        ]}
        active={part}
        onActive={setPart}
      >
        {part === "runs" ? <Runs /> : <Schedules />}
      </Tabs>
    </>
  );
}

/** Names of folders by id. */
function useFolderNames(): (id: string) => string {
  const folders = useFolders();
  const names = new Map((folders.data ?? []).map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? (folders.data ? strings.gone_folder : "");
}

/** Live events tell most changes; the counts of a run move faster than that. */
const running_ms = 1_500;

function Runs() {
  const [page, setPage] = useState(1);
  const folderName = useFolderNames();
  const runs = useQuery({
    queryKey: [...keys.imports, "list", page],
    queryFn: () => api<Page<ImportRun>>("/imports", { query: { page } }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? running_ms : false),
  });
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
      cell: ({ folder_id }) => <Link href={`/folders/${folder_id}`}>{folderName(folder_id)}</Link>,
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
  return (
    <section class="card">
      <Loading query={runs}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
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
          ) : (
            <>
              <Table label={strings.label} columns={columns} rows={data} row_key={({ id }) => id} />
              <Pager page={page} pagination={pagination} onPage={setPage} />
            </>
          )
        }
      </Loading>
    </section>
  );
}

function Count({ run }: { readonly run: ImportRun }) {
  const { completed_item_count: done, total_item_count: total, failed_item_count: failed } = run;
  if (isUnderWay(run))
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

function Schedules() {
  const [page, setPage] = useState(1);
  const [ending, setEnding] = useState<ImportSchedule | null>(null);
  const folderName = useFolderNames();
  const schedules = useQuery({
    queryKey: [...keys.imports, "schedules", page],
    queryFn: () => api<Page<ImportSchedule>>("/import-schedules", { query: { page } }),
    placeholderData: (before) => before,
  });
  const columns: readonly Column<ImportSchedule>[] = [
    {
      key: "source",
      header: strings.source,
      kind: "main",
      cell: ({ source }) => (
        <span class="two-lines">
          <span class="strong clip">{sourceText(source)}</span>
          <span>{kindOf(source)}</span>
        </span>
      ),
    },
    {
      key: "folder",
      header: strings.folder,
      cell: ({ folder_id }) => <Link href={`/folders/${folder_id}`}>{folderName(folder_id)}</Link>,
    },
    {
      key: "every",
      header: strings.every,
      kind: "tight",
      cell: ({ every }) =>
        strings.repeats[every as keyof typeof strings.repeats] ?? <code>{every}</code>,
    },
    {
      key: "next",
      header: strings.next_run,
      kind: "tight",
      cell: ({ next_run_at }) => <Time value={next_run_at} />,
    },
    {
      key: "actions",
      header: strings.actions,
      kind: "actions",
      cell: (schedule) => (
        <Button
          small
          kind="ghost"
          class="bad-text"
          aria-label={strings.remove_schedule_label(sourceText(schedule.source))}
          onClick={() => setEnding(schedule)}
        >
          {strings.remove_schedule}
        </Button>
      ),
    },
  ];
  return (
    <section class="card">
      <Loading query={schedules}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <Empty
              icon="clock"
              title={strings.no_schedules_title}
              actions={
                <ButtonLink icon="plus" href="/imports/new">
                  {strings.create}
                </ButtonLink>
              }
            >
              {strings.no_schedules_text}
            </Empty>
          ) : (
            <>
              <Table
                label={strings.schedules}
                columns={columns}
                rows={data}
                row_key={({ id }) => id}
              />
              <Pager page={page} pagination={pagination} onPage={setPage} />
            </>
          )
        }
      </Loading>
      {ending && (
        <ConfirmDialog
          title={strings.remove_schedule_title}
          confirm_label={strings.remove_schedule}
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await api(`/import-schedules/${ending.id}`, { method: "DELETE" });
            toast({ text: strings.schedule_removed });
            await refresh("import");
          }}
        >
          <p class="mono">{sourceText(ending.source)}</p>
          <p>{strings.remove_schedule_text}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
