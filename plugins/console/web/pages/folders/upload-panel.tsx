/** The uploads into a folder: progress, conflicts that need a decision, and failures. */
import { useEffect } from "preact/hooks";
import { formatBytes, formatPercent } from "../../ui/format";
import { Button, IconButton } from "../../ui/button";
import { Note } from "../../ui/note";
import { Progress } from "../../ui/tag";
import { toast } from "../../ui/toast";
import { folder_strings } from "../../strings/folders";
import { forgetHidden, hidden_counts } from "./tree-upload";
import {
  keepBoth,
  removeUploads,
  replaceUpload,
  retryUpload,
  uploadsOf,
  type Upload,
} from "./uploads";

const strings = folder_strings.upload;
/** Further rows are only counted, so that thousands of files stay smooth. */
const rows_max = 8;
const open_max = 5;

const idsOf = (uploads: readonly Upload[]): readonly number[] => uploads.map(({ id }) => id);

/** `page`: the folder, or the page of all folders, where they were started. */
export function UploadPanel({ page }: { readonly page: string }) {
  const uploads = uploadsOf(page);
  const inState = (state: Upload["state"]) => uploads.filter((entry) => entry.state === state);
  const sent = inState("sent");
  const clashes = inState("clash");
  const failed = inState("failed");
  const sending = inState("sending");
  const waiting = inState("waiting");
  const busy = sending.length + waiting.length > 0;
  const is_all_sent = uploads.length > 0 && sent.length === uploads.length;
  useEffect(() => {
    if (!is_all_sent) return;
    toast({ text: strings.done(sent.length) });
    removeUploads(idsOf(sent));
  }, [is_all_sent]);
  const hidden = hidden_counts.value.get(page) ?? 0;
  if (uploads.length === 0 || is_all_sent)
    return hidden > 0 ? <HiddenFilesNote page={page} count={hidden} /> : null;
  const open = [...sending, ...waiting].slice(0, open_max);
  const unlisted_count = sending.length + waiting.length - open.length;
  return (
    <section class="card uploads" aria-label={strings.title}>
      <div class="card-head">
        <h2 aria-live="polite">
          {busy
            ? strings.sending(sent.length + sending.length, uploads.length)
            : clashes.length > 0
              ? strings.attention(clashes.length + failed.length)
              : strings.refused(failed.length)}
        </h2>
        <span class="row">
          {failed.length > 1 && (
            <Button small icon="refresh" onClick={() => failed.forEach(retryUpload)}>
              {strings.retry_all}
            </Button>
          )}
          <Button small kind="ghost" onClick={() => removeUploads(idsOf(uploads))}>
            {busy ? strings.cancel_all : strings.dismiss}
          </Button>
        </span>
      </div>
      {busy && uploads.length > 1 && (
        <div class="uploads-bar">
          <Progress label={strings.title} value={progressOf(uploads)} />
        </div>
      )}
      {clashes.length > 0 && <Clashes clashes={clashes} />}
      <ul class="upload-rows">
        {failed.slice(0, rows_max).map((entry) => (
          <FailedRow key={entry.id} entry={entry} />
        ))}
        {open.map((entry) => (
          <SendingRow key={entry.id} entry={entry} />
        ))}
      </ul>
      {failed.length > rows_max && (
        <p class="card-foot muted small">{strings.more_failed(failed.length - rows_max)}</p>
      )}
      {unlisted_count > 0 && <p class="card-foot muted small">{strings.more(unlisted_count)}</p>}
      {hidden > 0 && <p class="card-foot muted small">{strings.hidden(hidden)}</p>}
    </section>
  );
}

/** Still shown after the uploads: files that were skipped. */
const HiddenFilesNote = ({ page, count }: { readonly page: string; readonly count: number }) => (
  <Note
    actions={
      <Button small onClick={() => forgetHidden(page)}>
        {strings.dismiss_note}
      </Button>
    }
  >
    {strings.hidden(count)}
  </Note>
);

/** The share of all bytes that is done, from 0 to 1. */
function progressOf(uploads: readonly Upload[]): number {
  const done = uploads.reduce(
    (sum, { state, share }) => sum + (state === "waiting" || state === "sending" ? share : 1),
    0,
  );
  return done / uploads.length;
}

function SendingRow({ entry }: { readonly entry: Upload }) {
  const { file, name, share, state, is_throttled, id } = entry;
  const text =
    state === "waiting"
      ? strings.waiting
      : is_throttled
        ? strings.slowed
        : share >= 1
          ? strings.saving
          : `${formatPercent(share)} · ${formatBytes(file.size)}`;
  return (
    <li class="upload-row">
      <span class="clip strong" title={name}>
        {name}
      </span>
      <Progress
        label={strings.progress_of(name)}
        value={state === "sending" && share >= 1 ? undefined : share}
        text={text}
      />
      <IconButton
        label={strings.cancel_label(name)}
        icon="close"
        small
        onClick={() => removeUploads([id])}
      />
    </li>
  );
}

function FailedRow({ entry }: { readonly entry: Upload }) {
  const { name, problem, id } = entry;
  return (
    <li class="upload-row upload-row-problem">
      <span class="two-lines">
        <span class="strong">{name}</span>
        <span class="bad-text">{problem?.sentence}</span>
      </span>
      <span class="row">
        <Button small aria-label={strings.retry_label(name)} onClick={() => retryUpload(entry)}>
          {strings.retry}
        </Button>
        <IconButton
          label={strings.skip_label(name)}
          icon="close"
          small
          onClick={() => removeUploads([id])}
        />
      </span>
    </li>
  );
}

/** Name conflicts: resolved one by one, or all at once. */
function Clashes({ clashes }: { readonly clashes: readonly Upload[] }) {
  const forEach = (run: (entry: Upload) => void) => () => {
    for (const entry of clashes) run(entry);
  };
  return (
    <div class="clashes">
      <Note
        tone="warn"
        title={strings.clash_title(clashes.length)}
        live
        actions={
          clashes.length > 1 && (
            <>
              <Button small onClick={forEach(replaceUpload)}>
                {strings.replace_all}
              </Button>
              <Button small onClick={forEach(keepBoth)}>
                {strings.keep_all}
              </Button>
              <Button small onClick={() => removeUploads(idsOf(clashes))}>
                {strings.skip_all}
              </Button>
            </>
          )
        }
      >
        <ul class="clash-rows">
          {clashes.slice(0, rows_max).map((entry) => (
            <li key={entry.id}>
              <span class="strong grow">{entry.name}</span>
              <span class="row row-wrap">
                <Button
                  small
                  aria-label={strings.replace_label(entry.name)}
                  onClick={() => replaceUpload(entry)}
                >
                  {strings.replace}
                </Button>
                <Button
                  small
                  aria-label={strings.keep_label(entry.name)}
                  onClick={() => keepBoth(entry)}
                >
                  {strings.keep}
                </Button>
                <Button
                  small
                  kind="ghost"
                  aria-label={strings.skip_label(entry.name)}
                  onClick={() => removeUploads([entry.id])}
                >
                  {strings.skip}
                </Button>
              </span>
            </li>
          ))}
        </ul>
        {clashes.length > rows_max && (
          <p class="small">{strings.more(clashes.length - rows_max)}</p>
        )}
      </Note>
    </div>
  );
}
