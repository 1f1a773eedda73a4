/** One import: its progress, the result of each item, and cancelling or retrying it. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Page } from "../../api/types";
import type { PageParams } from "../../app/page";
import { forPeople } from "../../ui/sentence";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Select } from "../../ui/field";
import { formatDateTime, formatElapsed, formatNumber } from "../../ui/format";
import { Note } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { PagedTable } from "../../ui/paged-table";
import { RecordPage } from "../../ui/record-page";
import { Empty } from "../../ui/states";
import type { Column } from "../../ui/table";
import { Progress, Tag } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { import_strings as strings } from "../../strings/imports";
import { FolderLink } from "../folders/folder-link";
import {
  isRunning,
  item_tones,
  kindOf,
  sourceText,
  tones,
  type ImportItem,
  type ImportRun,
  type ItemStatus,
} from "./records";

const running_ms = 1_000;
const crumbs = [{ label: strings.title, href: "/imports" }];

export default function Import({ params }: { readonly params: PageParams }) {
  const id = params.id!;
  const run = useQuery({
    queryKey: [...keys.imports, "one", id],
    queryFn: () => api<ImportRun>(`/imports/${id}`),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? running_ms : false),
  });
  return (
    <RecordPage query={run} title={strings.one} crumbs={crumbs}>
      {(loaded) => (
        <>
          <PageHeader
            title={sourceText(loaded.source)}
            text={kindOf(loaded.source)}
            crumbs={crumbs}
            actions={<Actions run={loaded} />}
          />
          {loaded.error && (
            <Note tone="bad" title={strings.run_failed}>
              {forPeople(loaded.error.message)}
            </Note>
          )}
          <Summary run={loaded} />
          <Items run={loaded} />
        </>
      )}
    </RecordPage>
  );
}

function Actions({
  run: { id, status, folder_id, source, failed_item_count },
}: {
  readonly run: ImportRun;
}) {
  const [, navigate] = useLocation();
  const [cancelling, setCancelling] = useState(false);
  const runAndReport = async (work: () => Promise<string>) => {
    try {
      toast({ text: await work() });
    } catch (error) {
      toastError(error);
    }
    await refresh("import");
  };
  const retry = () =>
    runAndReport(async () => {
      await api(`/imports/${id}/retry`, { method: "POST" });
      return strings.retried;
    });
  const retryImport = () =>
    runAndReport(async () => {
      const started = await api<ImportRun>("/imports", {
        method: "POST",
        body: { folder_id, source },
      });
      navigate(`/imports/${started.id}`);
      return strings.again_started;
    });
  if (isRunning({ status })) {
    return (
      <>
        <Button kind="danger" icon="stop" onClick={() => setCancelling(true)}>
          {strings.cancel}
        </Button>
        {cancelling && (
          <ConfirmDialog
            title={strings.cancel_title}
            confirm_label={strings.cancel}
            onClose={() => setCancelling(false)}
            onConfirm={async () => {
              await api(`/imports/${id}/cancel`, { method: "POST" });
              toast({ text: strings.cancelled });
              await refresh("import");
            }}
          >
            <p>{strings.cancel_text}</p>
          </ConfirmDialog>
        )}
      </>
    );
  }
  return (
    <>
      {failed_item_count > 0 && status !== "cancelled" && (
        <Button kind="primary" icon="refresh" onClick={retry}>
          {strings.retry}
        </Button>
      )}
      {source.type !== "files" && (
        <Button icon="import" onClick={retryImport}>
          {strings.again}
        </Button>
      )}
    </>
  );
}

function Summary({ run }: { readonly run: ImportRun }) {
  const { total_item_count: total, completed_item_count: done, started_at, finished_at } = run;
  const numbers: readonly [label: string, value: number, bad?: boolean][] = [
    [strings.total, total],
    [strings.succeeded, run.succeeded_item_count - run.skipped_item_count],
    [strings.skipped, run.skipped_item_count],
    [strings.failed, run.failed_item_count, run.failed_item_count > 0],
  ];
  return (
    <section class="card card-body stack">
      <div class="row row-wrap row-between">
        <Tag tone={tones[run.status]}>{strings.states[run.status]}</Tag>
        <span class="muted small">
          {strings.folder}: <FolderLink id={run.folder_id} />
          {started_at !== null && (
            <>
              {" "}
              · {strings.started} {formatDateTime(started_at)}
            </>
          )}
          {started_at !== null && finished_at !== null && (
            <>
              {" "}
              · {strings.took}{" "}
              {formatElapsed(Math.max(0, Date.parse(finished_at) - Date.parse(started_at)) / 1_000)}
            </>
          )}
        </span>
      </div>
      {isRunning(run) && (
        <Progress
          label={strings.items}
          value={total === 0 ? undefined : done / total}
          text={strings.progress(done, total)}
        />
      )}
      <dl class="numbers">
        {numbers.map(([label, value, bad]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd class={bad ? "bad-text" : undefined}>{formatNumber(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const columns: readonly Column<ImportItem>[] = [
  {
    key: "item",
    header: strings.item,
    kind: "main",
    cell: ({ uri, error }) => (
      <span class="two-lines">
        <span class="wrap-anywhere">{uri}</span>
        {error && <span class="bad-text">{forPeople(error.message)}</span>}
      </span>
    ),
  },
  {
    key: "status",
    header: strings.status,
    kind: "tight",
    cell: ({ status, gone }) =>
      gone === true ? (
        <Tag tone="plain">{strings.item_gone}</Tag>
      ) : (
        <Tag tone={item_tones[status]}>{strings.item_states[status]}</Tag>
      ),
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: ({ uri, document_id }) =>
      document_id !== null && (
        <Link
          href={`/documents/${document_id}`}
          class="button button-ghost button-small"
          aria-label={strings.open_label(uri)}
        >
          {strings.open_document}
        </Link>
      ),
  },
];

type Filter = "" | ItemStatus;

function Items({ run }: { readonly run: ImportRun }) {
  const [page, setPage] = useState(1);
  const [status, setStatus] = useState<Filter>("");
  const items = useQuery({
    queryKey: [...keys.imports, "items", run.id, status, page],
    queryFn: () => api<Page<ImportItem>>(`/imports/${run.id}/items`, { query: { page, status } }),
    placeholderData: (previous) => previous,
    refetchInterval: isRunning(run) ? running_ms * 2 : false,
  });
  return (
    <section class="card">
      <div class="card-head">
        <h2>{strings.items}</h2>
        <Select
          label={strings.filter}
          label_hidden
          value={status}
          onValue={(value) => {
            setStatus(value as Filter);
            setPage(1);
          }}
          options={[
            { value: "", label: strings.all },
            ...Object.entries(strings.item_states).map(([value, label]) => ({ value, label })),
          ]}
        />
      </div>
      <PagedTable
        query={items}
        page={page}
        onPage={setPage}
        label={strings.items_label}
        columns={columns}
        empty={
          <Empty icon="import" title={strings.no_items}>
            {isRunning(run) && status === "" ? strings.no_items_yet : undefined}
          </Empty>
        }
      />
    </section>
  );
}
