/** A new transcription, from a local file or an address. */
import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiProblem } from "../../api/client";
import { refresh } from "../../api/queries";
import type { Folder } from "../../api/types";
import { upload } from "../../api/upload";
import { FormDialog } from "../../ui/dialog";
import { Field, Segments, Select, TextField, type Option } from "../../ui/field";
import { formatPercent } from "../../ui/format";
import { Progress } from "../../ui/tag";
import { transcription_strings as strings } from "../../strings/transcriptions";
import { folderOptions } from "../folders/tree";
import type { TranscriptionRun } from "./records";

const accepted = "audio/*,video/*,.vtt,.srt";
type SourceKind = keyof typeof strings.from;

const uploadRecording = (
  folder_id: string,
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
) =>
  upload<TranscriptionRun>("/transcriptions", file, { query: { folder_id }, onProgress, signal });

const fetchRecording = (folder_id: string, url: string) =>
  api<TranscriptionRun>("/transcriptions", { method: "POST", body: { folder_id, url } });

const initialFolder = (options: readonly Option[], preselected: string | null): string =>
  (options.find(({ value }) => value === preselected) ?? options[0]!).value;

/** Asks for a recording and a folder, and uploads or fetches it. */
export function NewTranscription({
  folders,
  preselected,
  onClose,
  onStarted,
}: {
  readonly folders: readonly Folder[];
  /** The preselected folder; null for none. */
  readonly preselected: string | null;
  readonly onClose: () => void;
  readonly onStarted: (run: TranscriptionRun) => void;
}) {
  const options = folderOptions(folders);
  const [source, setSource] = useState<SourceKind>("file");
  const [file, setFile] = useState<File | null>(null);
  const [url, setUrl] = useState("");
  const [folder_id, setFolder] = useState(initialFolder(options, preselected));
  const [share, setShare] = useState<number | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const aborting = useRef(new AbortController());
  useEffect(() => () => aborting.current.abort(), []);

  const start = async () => {
    try {
      const run =
        source === "file"
          ? await uploadRecording(folder_id, file!, setShare, aborting.current.signal)
          : await fetchRecording(folder_id, url.trim());
      onStarted(run);
      await refresh("transcription");
    } finally {
      setShare(null);
    }
  };
  const ready = source === "file" ? file !== null : url.trim() !== "";
  return (
    <FormDialog
      title={strings.create_title}
      submit_label={strings.start}
      onClose={onClose}
      onSubmit={start}
      disabled={!ready}
      field_pointers={["/url", "/file"]}
      onProblem={setProblem}
    >
      <SourceFields
        source={source}
        onSource={setSource}
        onFile={setFile}
        url={url}
        onUrl={setUrl}
        problem={problem}
      />
      <Select
        label={strings.folder_label}
        value={folder_id}
        onValue={setFolder}
        options={options}
      />
      {share !== null && (
        <Progress
          label={strings.upload_label}
          value={share}
          text={strings.uploading(formatPercent(share))}
        />
      )}
    </FormDialog>
  );
}

/** A local file, or an address. */
function SourceFields({
  source,
  onSource,
  onFile,
  url,
  onUrl,
  problem,
}: {
  readonly source: SourceKind;
  readonly onSource: (from: SourceKind) => void;
  readonly onFile: (file: File | null) => void;
  readonly url: string;
  readonly onUrl: (url: string) => void;
  readonly problem: ApiProblem | null;
}) {
  return (
    <>
      <Segments
        label={strings.from_label}
        value={source}
        onValue={(value) => onSource(value as SourceKind)}
        options={(["file", "url"] as const).map((value) => ({ value, label: strings.from[value] }))}
      />
      {source === "file" ? (
        <Field label={strings.file_label} error={problem?.at("/file")}>
          {(control) => (
            <input
              {...control}
              type="file"
              accept={accepted}
              onChange={(event) => onFile(event.currentTarget.files?.[0] ?? null)}
            />
          )}
        </Field>
      ) : (
        <TextField
          label={strings.url_label}
          hint={strings.url_hint}
          type="url"
          value={url}
          onValue={onUrl}
          error={problem?.at("/url")}
          maxLength={2048}
          spellcheck={false}
        />
      )}
    </>
  );
}
