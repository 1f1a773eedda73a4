/** A relative time, such as "3 minutes ago". */
import { signal } from "@preact/signals";
import { formatAgo, formatDateTime } from "./format";

/** Updated regularly, so that "just now" does not stay on screen. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 30_000);

/** A relative time, with the exact one as tooltip. `missing` is shown for null. */
export function Time({
  value,
  missing = "–",
}: {
  readonly value: string | null;
  readonly missing?: string;
}) {
  if (value === null) return <span class="muted">{missing}</span>;
  return (
    <time dateTime={value} title={formatDateTime(value)} class="nowrap">
      {formatAgo(value, Math.max(now.value, Date.now()))}
    </time>
  );
}
