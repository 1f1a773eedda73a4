/** One import: how far it is, what came of each item, and what can be done about it. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { api, problemOf } from "../../api/client";
import { keys, refresh, useFolders } from "../../api/queries";
import type { Page } from "../../api/types";
import type { PageParams } from "../../app/pages";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Select } from "../../ui/field";
import { formatDateTime, formatElapsed, formatNumber } from "../../ui/format";
import { Note } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { Pager } from "../../ui/pager";
import { RecordPage } from "../../ui/record-page";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Progress, Tag } from "../../ui/tag";
import { toast } from "../../ui/toast";
import { import_words as words } from "../../words/imports";
import {
  isUnderWay,
  item_tones,
  kindOf,
  sourceText,
  tones,
  type ImportItem,
  type ImportRun,
  type ItemStatus,
} from "./records";

const running_ms = 1_000;
const crumbs = [{ label: words.title, href: "/imports" }];

export default function Import({ params }: { readonly params: PageParams }) {
  const id = params.id!;
  const run = useQuery({
    queryKey: [...keys.imports, "one", id],
    queryFn: () => api<ImportRun>(`/imports/${id}`),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? running_ms : false),
  });
  return (
    <RecordPage query={run} title={words.one} crumbs={crumbs}>
      {(shown) => (
        <>
          <PageHeader
            title={sourceText(shown.source)}
            text={kindOf(shown.source)}
            crumbs={crumbs}
            actions={<Actions run={shown} />}
          />
          {shown.error && (
            <Note tone="bad" title={words.run_failed}>
              {shown.error.message}
            </Note>
          )}
          <Summary run={shown} />
          <Items run={shown} />
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
  const attempt = async (work: () => Promise<string>) => {
    try {
      toast({ text: await work() });
    } catch (error) {
      toast({ text: problemOf(error).sentence, tone: "bad" });
    }
    await refresh("import");
  };
  const retry = () =>
    attempt(async () => {
      await api(`/imports/${id}/retry`, { method: "POST" });
      return words.retried;
    });
  const again = () =>
    attempt(async () => {
      const started = await api<ImportRun>("/imports", {
        method: "POST",
        body: { folder_id, source },
      });
      navigate(`/imports/${started.id}`);
      return words.again_started;
    });
  if (isUnderWay({ status })) {
    return (
      <>
        <Button kind="danger" icon="stop" onClick={() => setCancelling(true)}>
          {words.cancel}
        </Button>
        {cancelling && (
          <ConfirmDialog
            title={words.cancel_title}
            confirm_label={words.cancel}
            onClose={() => setCancelling(false)}
            onConfirm={async () => {
              await api(`/imports/${id}/cancel`, { method: "POST" });
              toast({ text: words.cancelled });
              await refresh("import");
            }}
          >
            <p>{words.cancel_text}</p>
          </ConfirmDialog>
        )}
      </>
    );
  }
  return (
    <>
      {failed_item_count > 0 && status !== "cancelled" && (
        <Button kind="primary" icon="refresh" onClick={retry}>
          {words.retry}
        </Button>
      )}
      {source.type !== "files" && (
        <Button icon="import" onClick={again}>
          {words.again}
        </Button>
      )}
    </>
  );
}

function Summary({ run }: { readonly run: ImportRun }) {
  const folders = useFolders();
  const { total_item_count: total, completed_item_count: done, started_at, finished_at } = run;
  const numbers: readonly [label: string, value: number, bad?: boolean][] = [
    [words.total, total],
    [words.succeeded, run.succeeded_item_count - run.skipped_item_count],
    [words.skipped, run.skipped_item_count],
    [words.failed, run.failed_item_count, run.failed_item_count > 0],
  ];
  return (
    <section class="card card-body stack">
      <div class="row row-wrap row-between">
        <Tag tone={tones[run.status]}>{words.states[run.status]}</Tag>
        <span class="muted small">
          {words.folder}:{" "}
          <Link href={`/folders/${run.folder_id}`}>
            {folders.data?.find(({ id }) => id === run.folder_id)?.name ?? words.gone_folder}
          </Link>
          {started_at !== null && (
            <>
              {" "}
              · {words.started} {formatDateTime(started_at)}
            </>
          )}
          {started_at !== null && finished_at !== null && (
            <>
              {" "}
              · {words.took}{" "}
              {formatElapsed(Math.max(0, Date.parse(finished_at) - Date.parse(started_at)) / 1_000)}
            </>
          )}
        </span>
      </div>
      {isUnderWay(run) && (
        <Progress
          label={words.items}
          value={total === 0 ? undefined : done / total}
          text={words.progress(done, total)}
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
    header: words.item,
    kind: "main",
    cell: ({ uri, error }) => (
      <span class="two-lines">
        <span class="wrap-anywhere">{uri}</span>
        {error && <span class="bad-text">{error.message}</span>}
      </span>
    ),
  },
  {
    key: "status",
    header: words.status,
    kind: "tight",
    cell: ({ status }) => <Tag tone={item_tones[status]}>{words.item_states[status]}</Tag>,
  },
  {
    key: "actions",
    header: words.actions,
    kind: "actions",
    cell: ({ uri, document_id }) =>
      document_id !== null && (
        <Link
          href={`/documents/${document_id}`}
          class="button button-ghost button-small"
          aria-label={words.open_label(uri)}
        >
          {words.open_document}
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
    placeholderData: (before) => before,
    refetchInterval: isUnderWay(run) ? running_ms * 2 : false,
  });
  return (
    <section class="card">
      <div class="card-head">
        <h2>{words.items}</h2>
        <Select
          label={words.filter}
          label_hidden
          value={status}
          onValue={(value) => {
            setStatus(value as Filter);
            setPage(1);
          }}
          options={[
            { value: "", label: words.all },
            ...Object.entries(words.item_states).map(([value, label]) => ({ value, label })),
          ]}
        />
      </div>
      <Loading query={items}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <Empty icon="import" title={words.no_items}>
              {isUnderWay(run) && status === "" ? words.no_items_yet : undefined}
            </Empty>
          ) : (
            <>
              <Table
                label={words.items_label}
                columns={columns}
                rows={data}
                row_key={({ id }) => id}
              />
              <Pager page={page} pagination={pagination} onPage={setPage} />
            </>
          )
        }
      </Loading>
    </section>
  );
}
