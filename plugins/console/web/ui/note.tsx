/** Notes in the page: information, warnings, errors. */
import type { ComponentChildren } from "preact";
import { ApiProblem, problemOf } from "../api/client";
import { common_strings as strings } from "../strings/common";
import { Icon, type IconName } from "./icons";

/** The meaning of a note, which determines its colour and icon. */
export type Tone = "info" | "ok" | "warn" | "bad";
const icons: Readonly<Record<Tone, IconName>> = {
  info: "info",
  ok: "check",
  warn: "alert",
  bad: "alert",
};

/** `live`: announced by screen readers when it appears. */
export function Note({
  tone = "info",
  title,
  children,
  actions,
  live,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly live?: boolean;
}) {
  return (
    <div
      class={`note note-${tone}`}
      role={live ? (tone === "bad" ? "alert" : "status") : undefined}
    >
      <Icon name={icons[tone]} />
      <div class="note-body">
        {title && <p class="strong">{title}</p>}
        {children !== undefined && <div>{children}</div>}
        {actions && <div class="note-actions">{actions}</div>}
      </div>
    </div>
  );
}

/** What went wrong with an action, in a form or a card. */
export function Problem({ error }: { readonly error: unknown }) {
  const problem = problemOf(error);
  return (
    <Note tone="bad" live>
      <p>{problem.sentence}</p>
      {problem instanceof ApiProblem && problem.request_id && problem.status >= 500 && (
        <p class="small muted">
          {strings.request_id} <code>{problem.request_id}</code>
        </p>
      )}
    </Note>
  );
}
