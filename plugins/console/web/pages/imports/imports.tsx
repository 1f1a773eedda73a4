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
import { import_words as words } from "../../words/imports";
import { isUnderWay, kindOf, sourceText, tones, type ImportRun, type Schedule } from "./records";

export default function Imports() {
  const [part, setPart] = useState("runs");
  return (
    <>
      <PageHeader
        title={words.title}
        text={words.text}
        actions={
          <ButtonLink kind="primary" icon="plus" href="/imports/new">
            {words.create}
          </ButtonLink>
        }
      />
      <Tabs
        label={words.parts}
        items={[
          { key: "runs", label: words.runs },
          { key: "schedules", label: words.schedules },
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
  return (id) => names.get(id) ?? (folders.data ? words.gone_folder : "");
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
      header: words.source,
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
      header: words.folder,
      cell: ({ folder_id }) => <Link href={`/folders/${folder_id}`}>{folderName(folder_id)}</Link>,
    },
    {
      key: "status",
      header: words.status,
      kind: "tight",
      cell: ({ status }) => <Tag tone={tones[status]}>{words.states[status]}</Tag>,
    },
    { key: "items", header: words.items, cell: (run) => <Count run={run} /> },
    {
      key: "started",
      header: words.started,
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
              title={words.empty_title}
              actions={
                <ButtonLink kind="primary" icon="plus" href="/imports/new">
                  {words.create}
                </ButtonLink>
              }
            >
              {words.empty_text}
            </Empty>
          ) : (
            <>
              <Table label={words.label} columns={columns} rows={data} row_key={({ id }) => id} />
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
        label={words.items}
        value={total === 0 ? undefined : done / total}
        text={words.progress(done, total)}
      />
    );
  return (
    <span class="num nowrap">
      {done}
      {failed > 0 && (
        <span class="bad-text">
          {" "}
          · {failed} {words.failed.toLowerCase()}
        </span>
      )}
    </span>
  );
}

function Schedules() {
  const [page, setPage] = useState(1);
  const [ending, setEnding] = useState<Schedule | null>(null);
  const folderName = useFolderNames();
  const schedules = useQuery({
    queryKey: [...keys.imports, "schedules", page],
    queryFn: () => api<Page<Schedule>>("/import-schedules", { query: { page } }),
    placeholderData: (before) => before,
  });
  const columns: readonly Column<Schedule>[] = [
    {
      key: "source",
      header: words.source,
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
      header: words.folder,
      cell: ({ folder_id }) => <Link href={`/folders/${folder_id}`}>{folderName(folder_id)}</Link>,
    },
    {
      key: "every",
      header: words.every,
      kind: "tight",
      cell: ({ every }) =>
        words.repeats[every as keyof typeof words.repeats] ?? <code>{every}</code>,
    },
    {
      key: "next",
      header: words.next_run,
      kind: "tight",
      cell: ({ next_run_at }) => <Time value={next_run_at} />,
    },
    {
      key: "actions",
      header: words.actions,
      kind: "actions",
      cell: (schedule) => (
        <Button
          small
          kind="ghost"
          class="bad-text"
          aria-label={words.remove_schedule_label(sourceText(schedule.source))}
          onClick={() => setEnding(schedule)}
        >
          {words.remove_schedule}
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
              title={words.no_schedules_title}
              actions={
                <ButtonLink icon="plus" href="/imports/new">
                  {words.create}
                </ButtonLink>
              }
            >
              {words.no_schedules_text}
            </Empty>
          ) : (
            <>
              <Table
                label={words.schedules}
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
          title={words.remove_schedule_title}
          confirm_label={words.remove_schedule}
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await api(`/import-schedules/${ending.id}`, { method: "DELETE" });
            toast({ text: words.schedule_removed });
            await refresh("import");
          }}
        >
          <p class="mono">{sourceText(ending.source)}</p>
          <p>{words.remove_schedule_text}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
