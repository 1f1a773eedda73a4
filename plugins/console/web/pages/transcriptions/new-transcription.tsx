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
type From = keyof typeof strings.from;

const uploadRecording = (
  folder_id: string,
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
) =>
  upload<TranscriptionRun>("/transcriptions", file, { query: { folder_id }, onProgress, signal });

const fetchRecording = (folder_id: string, url: string) =>
  api<TranscriptionRun>("/transcriptions", { method: "POST", body: { folder_id, url } });

const firstOf = (options: readonly Option[], into: string | null): string =>
  (options.find(({ value }) => value === into) ?? options[0]!).value;

export function NewTranscription({
  folders,
  into,
  onClose,
  onStarted,
}: {
  readonly folders: readonly Folder[];
  /** The preselected folder; null for none. */
  readonly into: string | null;
  readonly onClose: () => void;
  readonly onStarted: (run: TranscriptionRun) => void;
}) {
  const options = folderOptions(folders);
  const [from, setFrom] = useState<From>("file");
  const [file, setFile] = useState<File | null>(null);
  const [url, setUrl] = useState("");
  const [folder_id, setFolder] = useState(firstOf(options, into));
  const [share, setShare] = useState<number | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);

  const start = async () => {
    try {
      const run =
        from === "file"
          ? await uploadRecording(folder_id, file!, setShare, leaving.current.signal)
          : await fetchRecording(folder_id, url.trim());
      onStarted(run);
      await refresh("transcription");
    } finally {
      setShare(null);
    }
  };
  const ready = from === "file" ? file !== null : url.trim() !== "";
  return (
    <FormDialog
      title={strings.create_title}
      submit_label={strings.start}
      onClose={onClose}
      onSubmit={start}
      disabled={!ready}
      own_pointers={["/url", "/file"]}
      onProblem={setProblem}
    >
      <SourceFields
        from={from}
        onFrom={setFrom}
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
  from,
  onFrom,
  onFile,
  url,
  onUrl,
  problem,
}: {
  readonly from: From;
  readonly onFrom: (from: From) => void;
  readonly onFile: (file: File | null) => void;
  readonly url: string;
  readonly onUrl: (url: string) => void;
  readonly problem: ApiProblem | null;
}) {
  return (
    <>
      <Segments
        label={strings.from_label}
        value={from}
        onValue={(value) => onFrom(value as From)}
        options={(["file", "url"] as const).map((value) => ({ value, label: strings.from[value] }))}
      />
      {from === "file" ? (
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
