/** Backups, for administrators: listing, creating, downloading and test-restoring them. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, apiUrl } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Answer } from "../../api/types";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Secret } from "../../ui/copy";
import { formatBytes, formatDateTime } from "../../ui/format";
import { Menu } from "../../ui/menu";
import { Note } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { RecordPage } from "../../ui/record-page";
import { Empty } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Progress, Tag } from "../../ui/tag";
import { toast, toastError } from "../../ui/toast";
import { Time } from "../../ui/time";
import { backup_strings as strings } from "../../strings/backups";

type State = Answer<"listBackups">;
type Backup = State["data"][number];

const refresh_ms = 5_000;
const refresh_busy_ms = 1_000;
/** Without a schedule, a warning appears after this time. */
const warn_after_ms = 30 * 86_400_000;

async function startJob(path: string): Promise<void> {
  try {
    await api(path, { method: "POST", body: {} });
    toast({ text: strings.begun });
  } catch (error) {
    toastError(error);
  }
  await refresh(...keys.backups);
}

export default function Backups() {
  const [deleting, setDeleting] = useState<string | null>(null);
  const backups = useQuery({
    queryKey: keys.backups,
    queryFn: () => api<State>("/backups"),
    refetchInterval: ({ state: { data } }) => (data?.current ? refresh_busy_ms : refresh_ms),
  });
  return (
    <RecordPage query={backups} title={strings.title}>
      {(state) => (
        <>
          <PageHeader
            title={strings.title}
            text={strings.text(state.schedule, state.keep, state.directory)}
            actions={<MakeButton busy={state.current !== null} />}
          />
          <Warning state={state} />
          {state.current && <RunningBackup current={state.current} />}
          <section class="card">
            {state.data.length === 0 ? (
              <Empty icon="archive" title={strings.empty_title}>
                {strings.empty_text}
              </Empty>
            ) : (
              <Table
                label={strings.label}
                columns={columnsOf(setDeleting)}
                rows={state.data}
                row_key={({ name }) => name}
              />
            )}
          </section>
          {deleting !== null && <DeleteDialog name={deleting} onClose={() => setDeleting(null)} />}
          <section class="card card-body stack-small">
            <h2>{strings.restore_title}</h2>
            <p class="muted">{strings.restore_text}</p>
            <Secret label={strings.restore_title} text={restoreCommand(state)} />
          </section>
        </>
      )}
    </RecordPage>
  );
}

function DeleteDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  return (
    <ConfirmDialog
      title={strings.delete_title(name)}
      confirm_label={strings.remove}
      onClose={onClose}
      onConfirm={async () => {
        await api(`/backups/${name}`, { method: "DELETE" });
        toast({ text: strings.deleted });
        await refresh(...keys.backups);
      }}
    >
      <p>{strings.delete_text}</p>
    </ConfirmDialog>
  );
}

function MakeButton({ busy }: { readonly busy: boolean }) {
  const [is_starting, setStarting] = useState(false);
  return (
    <Button
      kind="primary"
      icon="plus"
      data-shortcut="n"
      busy={busy || is_starting}
      onClick={async () => {
        setStarting(true);
        await startJob("/backups");
        setStarting(false);
      }}
    >
      {strings.make}
    </Button>
  );
}

const restoreCommand = ({ directory, data: [newest] }: State): string =>
  `dossier restore ${directory}/${newest?.name ?? "FILE"} --data NEW`;

function Warning({ state }: { readonly state: State }) {
  const { failure, overdue, last_success_at } = state;
  const last_success = last_success_at && formatDateTime(last_success_at);
  if (failure)
    return (
      <Note tone="bad" title={strings.failed_title}>
        {failure.error}.
      </Note>
    );
  if (overdue)
    return (
      <Note tone="bad" title={strings.overdue_title}>
        {strings.overdue_text(last_success)}
      </Note>
    );
  if (last_success_at && last_success && Date.now() - Date.parse(last_success_at) > warn_after_ms)
    return (
      <Note tone="warn" title={strings.old_title}>
        {strings.old_text(last_success)}
      </Note>
    );
  return null;
}

function RunningBackup({ current }: { readonly current: NonNullable<State["current"]> }) {
  const { kind, stage, done, total } = current;
  return (
    <Note title={strings.under_way[kind]}>
      {stage && <p>{strings.stages[stage]}</p>}
      {total !== null && total > 0 && (
        <Progress value={Math.min(1, done / total)} label={strings.under_way[kind]} />
      )}
    </Note>
  );
}

function download(name: string): void {
  const href = apiUrl(`/backups/${name}/file`);
  Object.assign(document.createElement("a"), { href, download: name }).click();
}

const columnsOf = (onDelete: (name: string) => void): readonly Column<Backup>[] => [
  {
    key: "name",
    header: strings.name,
    kind: "main",
    cell: ({ name, originals, originals_elsewhere, made_by, with_secrets, problem }) => (
      <span class="two-lines">
        <span class="strong wrap-anywhere">{name}</span>
        {problem === null ? (
          <span class="small muted">
            {strings.contents(originals ?? 0, originals_elsewhere ?? 0, made_by ?? "")}
            {with_secrets && `, ${strings.with_secrets}`}
          </span>
        ) : (
          <span class="bad-text wrap-anywhere">{problem}</span>
        )}
      </span>
    ),
  },
  {
    key: "status",
    header: strings.status,
    kind: "tight",
    cell: ({ problem }) => (
      <Tag tone={problem === null ? "ok" : "bad"}>
        {problem === null ? strings.good : strings.bad}
      </Tag>
    ),
  },
  {
    key: "size",
    header: strings.size,
    kind: "tight",
    cell: ({ bytes }) => <span class="num nowrap">{formatBytes(bytes)}</span>,
  },
  {
    key: "made",
    header: strings.made_at,
    kind: "tight",
    cell: ({ made_at }) => <Time value={made_at} />,
  },
  {
    key: "rehearsed",
    header: strings.rehearsed,
    kind: "tight",
    // A backup counts only after it was verified the first time.
    cell: ({ made_at, rehearsed_at }) => <Time value={rehearsed_at ?? made_at} />,
    wide_only: true,
  },
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: ({ name }) => (
      <Menu
        label={strings.actions_of(name)}
        items={[
          { label: strings.download, icon: "download", run: () => download(name) },
          {
            label: strings.rehearse,
            icon: "refresh",
            run: () => void startJob(`/backups/${name}/rehearse`),
          },
          { label: strings.remove, icon: "trash", danger: true, run: () => onDelete(name) },
        ]}
      />
    ),
  },
];
