/** The state of a document: ready, failed, or the progress of indexing. */
import { useRef } from "preact/hooks";
import type { Document } from "../../api/types";
import { formatAgo, formatPercent } from "../../ui/format";
import { Progress, Tag } from "../../ui/tag";
import { folder_strings } from "../../strings/folders";

const strings = folder_strings.status;
const stalled_ms = 60_000;

/** When this document last made progress, while it is on screen. */
function useMovedAt({ indexing: { stage, progress }, version }: Document): number {
  const seen = useRef({ at: Date.now(), what: "" });
  const state = `${version} ${stage} ${progress}`;
  if (seen.current.what !== state) seen.current = { at: Date.now(), what: state };
  return seen.current.at;
}

/** A tag, or a progress bar that warns after a minute without progress. */
export function DocumentStatus({ document }: { readonly document: Document }) {
  const moved_at = useMovedAt(document);
  const { status, indexing, name } = document;
  if (status === "synced") return <Tag tone="ok">{strings.synced}</Tag>;
  if (status === "sync_failed") return <Tag tone="bad">{strings.sync_failed}</Tag>;
  const { stage, progress, attempts } = indexing;
  const stalled = stage !== "queued" && Date.now() - moved_at > stalled_ms;
  const step = strings.stages[stage];
  const text = stalled
    ? strings.stalled(formatAgo(new Date(moved_at).toISOString()))
    : stage === "queued"
      ? step
      : strings.step(step, formatPercent(progress));
  return (
    <Progress
      label={strings.indexing_of(name)}
      value={stage === "queued" ? undefined : progress}
      text={attempts > 1 ? `${text} · ${strings.attempt(attempts)}` : text}
      warn={stalled}
    />
  );
}
