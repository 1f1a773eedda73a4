/** Tags and progress bars: states always have a text, never only a colour. */
import type { ComponentChildren } from "preact";

/** The meaning of a tag, which determines its colour; `run` is work in progress. */
export type TagTone = "plain" | "ok" | "warn" | "bad" | "run";

/** A dot and a word; the dot of `run` pulses. `dot={false}` leaves it out. */
export function Tag({
  tone = "plain",
  dot = true,
  children,
}: {
  readonly tone?: TagTone;
  readonly dot?: boolean;
  readonly children: ComponentChildren;
}) {
  return <span class={`tag tag-${tone}${dot ? "" : " tag-plain"}`}>{children}</span>;
}

/** A progress bar with a text. `value` from 0 to 1; undefined: unknown. */
export function Progress({
  label,
  value,
  text,
  warn,
}: {
  readonly label: string;
  readonly value?: number | undefined;
  readonly text?: string;
  readonly warn?: boolean;
}) {
  return (
    <div class={`progress${warn ? " progress-warn" : ""}`}>
      {value === undefined ? (
        <progress aria-label={label} />
      ) : (
        <progress aria-label={label} max={1} value={value} />
      )}
      {text && <span class="progress-text">{text}</span>}
    </div>
  );
}
