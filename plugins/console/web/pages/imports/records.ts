/** Imports as the server sends them, and how they are shown. */
import type { TagTone } from "../../ui/tag";
import { import_strings as strings } from "../../strings/imports";

export type RunStatus =
  "pending" | "running" | "completed" | "completed_with_errors" | "failed" | "cancelled";
/** What `source` holds beside `type` depends on the type; plugins add further ones. */
export interface Source {
  readonly type: string;
  readonly urls?: readonly string[];
  readonly url?: string;
  readonly path?: string;
  readonly [field: string]: unknown;
}
export interface Trouble {
  readonly code: string;
  readonly message: string;
}
export interface ImportRun {
  readonly id: string;
  readonly status: RunStatus;
  readonly folder_id: string;
  readonly error: Trouble | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly source: Source;
  readonly schedule_id: string | null;
  readonly total_item_count: number;
  readonly completed_item_count: number;
  readonly succeeded_item_count: number;
  readonly failed_item_count: number;
  readonly skipped_item_count: number;
}
export type ItemStatus = "pending" | "succeeded" | "failed" | "skipped";
export interface ImportItem {
  readonly id: string;
  readonly uri: string;
  readonly status: ItemStatus;
  readonly document_id: string | null;
  readonly error: Trouble | null;
}
export interface Schedule {
  readonly id: string;
  readonly folder_id: string;
  readonly source: Source;
  readonly every: string;
  readonly next_run_at: string | null;
  readonly created_at: string;
}

export const tones: Readonly<Record<RunStatus, TagTone>> = {
  pending: "plain",
  running: "run",
  completed: "ok",
  completed_with_errors: "warn",
  failed: "bad",
  cancelled: "plain",
};
export const item_tones: Readonly<Record<ItemStatus, TagTone>> = {
  pending: "plain",
  succeeded: "ok",
  failed: "bad",
  skipped: "plain",
};
export const isUnderWay = ({ status }: Pick<ImportRun, "status">): boolean =>
  status === "pending" || status === "running";

export const kindOf = ({ type }: Source): string => strings.kinds[type] ?? type;

/**
 * The source in a line: its address or directory, or how many addresses it has. Lists show the
 * first of many: `known_count` is what is known otherwise.
 */
export function sourceText(source: Source, known_count = 0): string {
  if (source.urls)
    return source.urls.length === 1
      ? source.urls[0]!
      : strings.addresses(Math.max(source.urls.length, known_count));
  return source.url ?? source.path ?? kindOf(source);
}
