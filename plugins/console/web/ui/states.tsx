/** Placeholders for content: empty, loading, failed. */
import type { ComponentChildren } from "preact";
import { problemOf } from "../api/client";
import { common_strings as strings } from "../strings/common";
import { Button, ButtonLink } from "./button";
import { Icon, type IconName } from "./icons";

/** Shown instead of content that does not exist yet: a title, one sentence, one action. */
export function Empty({
  icon = "folder",
  title,
  children,
  actions,
}: {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {actions && <div class="empty-actions">{actions}</div>}
    </div>
  );
}

/** Grey bars instead of `rows` rows; they appear after 150 ms. */
export function Skeleton({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div class="skeletons" role="status">
      <span class="vh">{strings.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} class="skeleton" style={{ width: `${[72, 54, 81, 63, 46][row % 5]}%` }} />
      ))}
    </div>
  );
}

const icons: Readonly<Record<string, IconName>> = {
  offline: "offline",
  forbidden: "lock",
  missing: "search",
};

/**
 * Shown instead of a page or card that could not be loaded: what happened, why, what to do, and the
 * request id. `home`: where a link leads if trying again is of no use.
 */
export function ErrorView({
  error,
  onRetry,
  home = "/",
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
  readonly home?: string;
}) {
  const problem = problemOf(error);
  const { title, next } = strings.errors[problem.family];
  const final = problem.family === "missing" || problem.family === "forbidden";
  return (
    <div class="empty error-view" role="alert">
      <span class="empty-icon">
        <Icon name={icons[problem.family] ?? "alert"} size={24} />
      </span>
      <h2>{title}</h2>
      <p>{problem.sentence}</p>
      {next && next !== problem.sentence && <p class="small">{next}</p>}
      <div class="empty-actions">
        {onRetry && !final && (
          <Button icon="refresh" onClick={onRetry}>
            {strings.try_again}
          </Button>
        )}
        {final && <ButtonLink href={home}>{strings.go_home}</ButtonLink>}
      </div>
      {problem.request_id && (
        <p class="small">
          {strings.request_id} <code>{problem.request_id}</code>
        </p>
      )}
    </div>
  );
}

/** The part of a query that `Loading` reads. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/**
 * The states of a query: skeleton, failure, content. Content stays while it is refetched, also if
 * that fails.
 */
export function Loading<T>({
  query,
  rows,
  children,
}: {
  readonly query: Loaded<T>;
  readonly rows?: number;
  readonly children: (data: T) => ComponentChildren;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorView error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton rows={rows ?? 4} />;
}
