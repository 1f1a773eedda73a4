/** Imports as the server sends them, and how they are shown. */
import type { Answer, RowOf } from "../../api/types";
import type { TagTone } from "../../ui/tag";
import { import_strings as strings } from "../../strings/imports";

export type ImportRun = Answer<"getImport">;
export type ImportItem = RowOf<"listImportItems">;
export type ImportSchedule = RowOf<"listImportSchedules">;
export type ItemStatus = ImportItem["status"];
/** The fields of `source` besides `type` depend on the type, and plugins add further types. */
export type Source = ImportRun["source"];
interface KnownSourceFields {
  readonly urls?: readonly string[];
  readonly url?: string;
  readonly path?: string;
}

/** The colour of a run's status. */
export const tones: Readonly<Record<ImportRun["status"], TagTone>> = {
  pending: "plain",
  running: "run",
  completed: "ok",
  completed_with_errors: "warn",
  failed: "bad",
  cancelled: "plain",
};
/** The colour of an item's status. */
export const item_tones: Readonly<Record<ItemStatus, TagTone>> = {
  pending: "plain",
  succeeded: "ok",
  failed: "bad",
  skipped: "plain",
};
/** The run is waiting or at work. */
export const isRunning = ({ status }: Pick<ImportRun, "status">): boolean =>
  status === "pending" || status === "running";

/** The kind of the source in words; that of a plugin's source is shown by name. */
export const kindOf = ({ type }: Source): string => strings.kinds[type] ?? type;

/**
 * The source in one line: its address or directory, or the number of addresses. Lists contain only
 * the first addresses: `known_count` is the total.
 */
export function sourceText(source: Source, known_count = 0): string {
  const { urls, url, path } = source as KnownSourceFields;
  if (urls)
    return urls.length === 1 ? urls[0]! : strings.addresses(Math.max(urls.length, known_count));
  return url ?? path ?? kindOf(source);
}
