/** Actions on documents, one or many: each ends with a toast, some with an undo. */
import { refresh } from "../../api/queries";
import type { Document } from "../../api/types";
import { toast } from "../../ui/toast";
import { common_strings as shared } from "../../strings/common";
import { folder_strings } from "../../strings/folders";
import { runBulkAction, type Action, type Outcome } from "./bulk";
import { selectionOf, type DocumentSelection } from "./selection";

const strings = folder_strings.actions_of_document;
const titles = folder_strings.bulk.titles;

/** Refetches documents and the folders that count them. */
export const refreshDocuments = () => refresh("document", "folder");

/** The progress of several is shown in the folder's panel. */
async function runAndReport(
  chosen: DocumentSelection,
  action: Action,
  title: string,
): Promise<Outcome> {
  const outcome = await runBulkAction(chosen, action, title);
  if (outcome.failed > 0)
    toast({
      text:
        chosen.count === 1 ? outcome.reason : strings.some_failed(outcome.failed, outcome.reason),
      tone: "bad",
    });
  return outcome;
}

/** The verb for the message. */
const labelOf = (chosen: DocumentSelection, done: number): string =>
  chosen.name === null ? folder_strings.documents(done) : `“${chosen.name}”`;

/**
 * Removes them from the folder immediately; for ten seconds that can be undone here, later under
 * "Removed".
 */
export async function removeFromFolder(
  chosen: DocumentSelection,
  folder_id: string,
): Promise<void> {
  const { done } = await runAndReport(chosen, { action: "unlink", folder_id }, titles.removing);
  if (done.length === 0) return;
  const undo = async () => {
    const removed: DocumentSelection = { ...chosen, count: done.length, ids: () => [done] };
    const restored = await runAndReport(
      removed,
      { action: "restore", folder_id },
      titles.restoring,
    );
    if (restored.done.length > 0) toast({ text: strings.undone });
  };
  toast({
    text: strings.removed(labelOf(chosen, done.length)),
    action: { label: shared.undo, run: () => void undo() },
  });
}

/** Reading the same file again gives the same result. */
const lasting_failures: ReadonlySet<string> = new Set(["unsupported_type", "encrypted", "corrupt"]);

/** Whether indexing failed, and may succeed when it is tried again. */
export const canRetry = ({ status, error }: Pick<Document, "status" | "error">): boolean =>
  status === "sync_failed" && !lasting_failures.has(error?.code ?? "");

/** Indexes them again. */
export async function reindex(chosen: DocumentSelection): Promise<void> {
  const { done } = await runAndReport(chosen, { action: "reindex" }, titles.reindexing);
  if (done.length > 0)
    toast({ text: strings.reindexing(labelOf(chosen, done.length), done.length) });
}

/** Restores removed documents to the folder. */
export async function restore(documents: readonly Document[], folder_id: string): Promise<void> {
  const chosen = selectionOf(documents);
  const { done } = await runAndReport(chosen, { action: "restore", folder_id }, titles.restoring);
  if (done.length > 0) toast({ text: strings.restored(labelOf(chosen, done.length)) });
}

/** Moves them to another folder, or adds them if they stay in `from` too. */
export async function moveOrAdd(
  chosen: DocumentSelection,
  {
    from_folder_id,
    to_folder_id: to,
    name,
    move,
  }: {
    readonly from_folder_id: string | null;
    readonly to_folder_id: string;
    readonly name: string;
    readonly move: boolean;
  },
): Promise<void> {
  const action: Action =
    move && from_folder_id !== null
      ? { action: "move", folder_id: from_folder_id, to_folder_id: to }
      : { action: "link", to_folder_id: to };
  const title = action.action === "move" ? titles.moving(name) : titles.adding(name);
  const { done } = await runAndReport(chosen, action, title);
  if (done.length === 0) return;
  const undo = async () => {
    const moved: DocumentSelection = { ...chosen, count: done.length, ids: () => [done] };
    const reverse: Action =
      action.action === "move"
        ? { action: "move", folder_id: to, to_folder_id: from_folder_id! }
        : { action: "unlink", folder_id: to };
    if ((await runAndReport(moved, reverse, titles.restoring)).done.length > 0)
      toast({ text: strings.undone });
  };
  toast({
    text: (action.action === "move" ? strings.moved : strings.added)(
      labelOf(chosen, done.length),
      name,
    ),
    action: { label: shared.undo, run: () => void undo() },
  });
}
