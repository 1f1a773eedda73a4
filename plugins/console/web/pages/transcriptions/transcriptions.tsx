/** The transcriptions of the user, with their progress and errors. */
import { useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { api } from "../../api/client";
import { keys, useFolders } from "../../api/queries";
import type { Page } from "../../api/types";
import { forPeople } from "../../ui/sentence";
import { Button, ButtonLink } from "../../ui/button";
import { formatDuration, formatPercent } from "../../ui/format";
import { PageHeader } from "../../ui/page-header";
import { PagedTable } from "../../ui/paged-table";
import { Empty } from "../../ui/states";
import type { Column } from "../../ui/table";
import { Progress, Tag } from "../../ui/tag";
import { Time } from "../../ui/time";
import { transcription_strings as strings } from "../../strings/transcriptions";
import { FolderLink } from "../folders/folder-link";
import { NewTranscription } from "./new-transcription";
import { isRunning, tones, type TranscriptionRun } from "./records";

const running_ms = 2_000;

export default function Transcriptions() {
  const [, navigate] = useLocation();
  const [page, setPage] = useState(1);
  // `?new=` with a folder opens the dialog for a new one.
  const new_folder_id = new URLSearchParams(useSearch()).get("new");
  const [creating, setCreating] = useState(new_folder_id !== null);
  const folders = useFolders();
  const runs = useQuery({
    queryKey: [...keys.transcriptions, "list", page],
    queryFn: () => api<Page<TranscriptionRun>>("/transcriptions", { query: { page } }),
    placeholderData: (previous) => previous,
    refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? running_ms : false),
  });
  const create = (
    <Button kind="primary" icon="plus" data-shortcut="n" onClick={() => setCreating(true)}>
      {strings.create}
    </Button>
  );
  const no_folders = folders.data?.length === 0;
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text}
        actions={no_folders || runs.data?.pagination.total === 0 ? undefined : create}
      />
      <section class="card">
        <PagedTable
          query={runs}
          page={page}
          onPage={setPage}
          label={strings.label}
          columns={columns}
          empty={<NoTranscriptions no_folders={no_folders} create={create} />}
        />
      </section>
      {creating && folders.data && folders.data.length > 0 && (
        <NewTranscription
          folders={folders.data}
          preselected={new_folder_id}
          onClose={() => setCreating(false)}
          onStarted={({ id }) => navigate(`/transcriptions/${id}`)}
        />
      )}
    </>
  );
}

const columns: readonly Column<TranscriptionRun>[] = [
  {
    key: "name",
    header: strings.name,
    kind: "main",
    cell: ({ id, name, error }) => (
      <span class="two-lines">
        <Link href={`/transcriptions/${id}`} class="title-link clip">
          {name ?? strings.unnamed}
        </Link>
        {error && <span class="bad-text">{forPeople(error.message)}</span>}
      </span>
    ),
  },
  {
    key: "folder",
    header: strings.folder,
    cell: ({ folder_id }) => <FolderLink id={folder_id} />,
  },
  { key: "status", header: strings.status, kind: "tight", cell: (run) => <State run={run} /> },
  {
    key: "length",
    header: strings.length,
    kind: "end",
    cell: ({ duration_s }) => (duration_s === null ? "–" : formatDuration(duration_s)),
  },
  {
    key: "created",
    header: strings.created,
    kind: "tight",
    cell: ({ created_at }) => <Time value={created_at} />,
  },
];

function NoTranscriptions({
  no_folders,
  create,
}: {
  readonly no_folders: boolean;
  readonly create: ComponentChildren;
}) {
  return no_folders ? (
    <Empty
      icon="folder"
      title={strings.no_folder_title}
      actions={<ButtonLink href="/folders">{strings.to_folders}</ButtonLink>}
    >
      {strings.no_folder_text}
    </Empty>
  ) : (
    <Empty icon="transcription" title={strings.empty_title} actions={create}>
      {strings.empty_text}
    </Empty>
  );
}

function State({ run: { status, progress } }: { readonly run: TranscriptionRun }) {
  if (status !== "running") return <Tag tone={tones[status]}>{strings.states[status]}</Tag>;
  return (
    <Progress
      label={strings.progress_label}
      value={progress > 0 ? progress : undefined}
      text={progress > 0 ? strings.progress(formatPercent(progress)) : strings.states.running}
    />
  );
}
