/** How a document stands: ready, failed, or how far its indexing is. */
import { useRef } from "preact/hooks";
import type { Document } from "../../api/types";
import { formatAgo, formatPercent } from "../../ui/format";
import { Progress, Tag } from "../../ui/tag";
import { folder_words } from "../../words/folders";

const words = folder_words.status;
const stalled_ms = 60_000;

/** When this document was last seen to move, as long as it is on screen. */
function useMovedAt({ indexing: { stage, progress }, version }: Document): number {
  const seen = useRef({ at: Date.now(), what: "" });
  const what = `${version} ${stage} ${progress}`;
  if (seen.current.what !== what) seen.current = { at: Date.now(), what };
  return seen.current.at;
}

export function DocumentStatus({ document }: { readonly document: Document }) {
  const moved_at = useMovedAt(document);
  const { status, indexing, name } = document;
  if (status === "synced") return <Tag tone="ok">{words.synced}</Tag>;
  if (status === "sync_failed") return <Tag tone="bad">{words.sync_failed}</Tag>;
  const { stage, progress, attempts } = indexing;
  const stalled = stage !== "queued" && Date.now() - moved_at > stalled_ms;
  const step = words.stages[stage];
  const text = stalled
    ? words.stalled(formatAgo(new Date(moved_at).toISOString()))
    : stage === "queued"
      ? step
      : words.step(step, formatPercent(progress));
  return (
    <Progress
      label={words.indexing_of(name)}
      value={stage === "queued" ? undefined : progress}
      text={attempts > 1 ? `${text} · ${words.attempt(attempts)}` : text}
      warn={stalled}
    />
  );
}
