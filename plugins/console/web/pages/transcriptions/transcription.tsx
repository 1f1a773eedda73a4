/** One transcription: its progress or error, and the transcript beside its recording. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, ApiProblem, apiUrl } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import type { Document } from "../../api/types";
import type { PageParams } from "../../app/page";
import { SourceView } from "../../reader/source-view";
import { forPeople } from "../../ui/sentence";
import { Button, ButtonLink } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { formatDateTime, formatDuration, formatElapsed, formatPercent } from "../../ui/format";
import { Menu } from "../../ui/menu";
import { Note } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { RecordPage } from "../../ui/record-page";
import { Loading } from "../../ui/states";
import { Progress, Tag } from "../../ui/tag";
import { toast } from "../../ui/toast";
import { transcription_strings as strings } from "../../strings/transcriptions";
import { FolderLink } from "../folders/folder-link";
import { isRunning, tones, type TranscriptionRun } from "./records";

const running_ms = 1_000;
const crumbs = [{ label: strings.title, href: "/transcriptions" }];
const formats = ["txt", "vtt", "srt", "json"] as const;

export default function Transcription({ params }: { readonly params: PageParams }) {
  const id = params.id!;
  const run = useQuery({
    queryKey: [...keys.transcriptions, "one", id],
    queryFn: () => api<TranscriptionRun>(`/transcriptions/${id}`),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? running_ms : false),
  });
  return (
    <RecordPage query={run} title={strings.one} crumbs={crumbs}>
      {(loaded) => (
        <>
          <PageHeader
            title={loaded.name ?? strings.unnamed}
            crumbs={crumbs}
            actions={<Actions run={loaded} />}
          />
          {loaded.error && (
            <Note tone="bad" title={strings.failed_title}>
              {forPeople(loaded.error.message)}
            </Note>
          )}
          <Summary run={loaded} />
          {loaded.status === "completed" &&
            (loaded.document_id === null ? (
              <Note tone="info">{strings.gone_document}</Note>
            ) : (
              <Transcript document_id={loaded.document_id} />
            ))}
        </>
      )}
    </RecordPage>
  );
}

function Actions({ run }: { readonly run: TranscriptionRun }) {
  const [cancelling, setCancelling] = useState(false);
  if (isRunning(run)) {
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
              await api(`/transcriptions/${run.id}/cancel`, { method: "POST" });
              toast({ text: strings.cancelled });
              await refresh("transcription");
            }}
          >
            <p>{strings.cancel_text}</p>
          </ConfirmDialog>
        )}
      </>
    );
  }
  if (run.status !== "completed")
    return (
      <ButtonLink href={`/transcriptions?new=${run.folder_id}`} kind="primary" icon="plus">
        {strings.another}
      </ButtonLink>
    );
  return (
    <>
      {run.document_id !== null && (
        <ButtonLink href={`/documents/${run.document_id}`} icon="file-text">
          {strings.document}
        </ButtonLink>
      )}
      <Menu
        label={strings.downloads}
        text={strings.downloads}
        icon="download"
        small={false}
        items={formats.map((format) => ({
          label: strings.formats[format],
          href: apiUrl(`/transcriptions/${run.id}/result`, { format }),
          download: true,
        }))}
      />
    </>
  );
}

function Summary({ run }: { readonly run: TranscriptionRun }) {
  const { started_at, finished_at, duration_s, language, folder_id } = run;
  return (
    <section class="card card-body stack">
      <div class="row row-wrap row-between">
        <Tag tone={tones[run.status]}>{strings.states[run.status]}</Tag>
        <span class="muted small">
          {strings.folder}: <FolderLink id={folder_id} />
          {started_at !== null && (
            <>
              {" "}
              · {strings.created} {formatDateTime(started_at)}
            </>
          )}
          {started_at !== null && finished_at !== null && (
            <>
              {" "}
              · {strings.took}{" "}
              {formatElapsed(Math.max(0, Date.parse(finished_at) - Date.parse(started_at)) / 1_000)}
            </>
          )}
          {duration_s !== null && (
            <>
              {" "}
              · {strings.length} {formatDuration(duration_s)}
            </>
          )}
          {language !== null && (
            <>
              {" "}
              · {strings.language} {language}
            </>
          )}
        </span>
      </div>
      {isRunning(run) && (
        <Progress
          label={strings.progress_label}
          value={run.progress > 0 ? run.progress : undefined}
          text={
            run.status === "pending"
              ? strings.waiting
              : strings.progress(formatPercent(run.progress))
          }
        />
      )}
    </section>
  );
}

const syncing_ms = 1_000;
const isNotFound = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404;

function Transcript({ document_id }: { readonly document_id: string }) {
  const document = useQuery({
    queryKey: keys.document(document_id),
    queryFn: () => api<Document>(`/documents/${document_id}`, { query: { content: false } }),
    refetchInterval: ({ state }) => (state.data?.status === "syncing" ? syncing_ms : false),
  });
  if (isNotFound(document.error)) return <Note tone="info">{strings.gone_document}</Note>;
  return (
    <Loading query={document}>
      {(loaded) =>
        loaded.status === "syncing" && loaded.synced_at === null ? (
          <Note tone="info" live>
            {strings.indexing}
          </Note>
        ) : (
          <section class="card document-view" aria-label={strings.transcript}>
            <SourceView document={loaded} />
          </section>
        )
      }
    </Loading>
  );
}
