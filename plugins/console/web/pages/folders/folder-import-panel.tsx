/** Imports of folder archives: progress and result. */
import { useQuery } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import type { RefObject } from "preact";
import { Link } from "wouter-preact";
import { api } from "../../api/client";
import { keys, refresh } from "../../api/queries";
import { IconButton } from "../../ui/button";
import { formatPercent } from "../../ui/format";
import { Progress } from "../../ui/tag";
import { folder_strings } from "../../strings/folders";
import {
  forgetImport,
  sendImport,
  sentImports,
  type FolderImport,
  type SentImport,
} from "./folder-imports";

const strings = folder_strings.archive;
const refresh_ms = 1_000;

/** The browser's file chooser for an exported folder; a button opens it. */
export const ArchiveInput = ({ input }: { readonly input: RefObject<HTMLInputElement> }) => (
  <input
    ref={input}
    type="file"
    accept=".zip,application/zip"
    class="vh"
    tabIndex={-1}
    aria-label={strings.choose}
    onChange={({ currentTarget }) => {
      const [file] = currentTarget.files ?? [];
      if (file) sendImport(file);
      currentTarget.value = "";
    }}
  />
);

/** A row for every import of this tab: sending, running or ended. */
export function FolderImportPanel() {
  const imports = sentImports();
  if (imports.length === 0) return null;
  return (
    <section class="card uploads" aria-label={strings.title}>
      <div class="card-head">
        <h2>{strings.title}</h2>
      </div>
      <ul class="upload-rows">
        {imports.map((sent_import) =>
          sent_import.import_id === null ? (
            <SendingRow key={sent_import.id} sent={sent_import} />
          ) : (
            <RunRow key={sent_import.id} sent={sent_import} import_id={sent_import.import_id} />
          ),
        )}
      </ul>
    </section>
  );
}

function SendingRow({ sent }: { readonly sent: SentImport }) {
  const { file_name, problem, share } = sent;
  if (problem) return <EndedRow sent={sent} text={problem.sentence} failed />;
  return (
    <li class="upload-row">
      <span class="clip strong" title={file_name}>
        {file_name}
      </span>
      <Progress
        label={strings.progress_of(file_name)}
        value={share >= 1 ? undefined : share}
        text={share >= 1 ? strings.checking : strings.sending(formatPercent(share))}
      />
      <IconButton
        label={strings.cancel_label(file_name)}
        icon="close"
        small
        onClick={() => forgetImport(sent.id)}
      />
    </li>
  );
}

function RunRow({ sent, import_id }: { readonly sent: SentImport; readonly import_id: string }) {
  const run = useQuery({
    queryKey: keys.folder_import(import_id),
    queryFn: () => api<FolderImport>(`/folder-imports/${import_id}`),
    refetchInterval: ({ state: { data } }) => (isRunning(data) ? refresh_ms : false),
  });
  const { data } = run;
  const is_completed = data?.status === "completed";
  useEffect(() => {
    if (is_completed) void refresh("folder", "chat", "prompt");
  }, [is_completed]);
  if (data?.status === "failed")
    return <EndedRow sent={sent} text={data.error?.message ?? strings.failed} failed />;
  if (data && is_completed)
    return (
      <EndedRow
        sent={sent}
        text={strings.done(data.completed_document_count, data.left_out ?? {})}
        folder_id={data.folder_id}
      />
    );
  const { completed_document_count: done, document_count: total } = data ?? {
    completed_document_count: 0,
    document_count: 0,
  };
  return (
    <li class="upload-row">
      <span class="clip strong" title={sent.file_name}>
        {sent.file_name}
      </span>
      <Progress
        label={strings.progress_of(sent.file_name)}
        value={total === 0 ? undefined : done / total}
        text={strings.importing(done, total)}
      />
    </li>
  );
}

const isRunning = (run: FolderImport | undefined): boolean =>
  run === undefined || run.status === "pending" || run.status === "running";

function EndedRow({
  sent: { file_name, id },
  text,
  failed,
  folder_id,
}: {
  readonly sent: SentImport;
  readonly text: string;
  readonly failed?: boolean;
  readonly folder_id?: string | null;
}) {
  return (
    <li class="upload-row upload-row-problem" role={failed ? "alert" : "status"}>
      <span class="two-lines">
        <span class="strong">{file_name}</span>
        <span class={failed ? "bad-text" : "muted"}>{text}</span>
      </span>
      <span class="row">
        {folder_id && <Link href={`/folders/${folder_id}`}>{strings.open}</Link>}
        <IconButton
          label={strings.dismiss_label(file_name)}
          icon="close"
          small
          onClick={() => forgetImport(id)}
        />
      </span>
    </li>
  );
}
