/** Actions on documents, one or many: each ends with a toast, some with an undo. */
import { refresh } from "../../api/queries";
import type { Document } from "../../api/types";
import { toast } from "../../ui/toast";
import { common_strings as shared } from "../../strings/common";
import { folder_strings } from "../../strings/folders";
import { actOn, type Action, type Outcome } from "./bulk";
import { these, type Chosen } from "./chosen";

const strings = folder_strings.actions_of_document;
const titles = folder_strings.bulk.titles;

export const refreshDocuments = () => refresh("document", "folder");

/** The progress of several is shown in the folder's panel. */
async function act(chosen: Chosen, action: Action, title: string): Promise<Outcome> {
  const outcome = await actOn(chosen, action, title);
  if (outcome.failed > 0)
    toast({
      text:
        chosen.count === 1 ? outcome.reason : strings.some_failed(outcome.failed, outcome.reason),
      tone: "bad",
    });
  return outcome;
}

/** The verb for the message. */
const labelOf = (chosen: Chosen, done: number): string =>
  chosen.name === null ? folder_strings.documents(done) : `“${chosen.name}”`;

/**
 * Removes them from the folder immediately; for ten seconds that can be undone here, later under
 * "Removed".
 */
export async function removeFromFolder(chosen: Chosen, folder_id: string): Promise<void> {
  const { done } = await act(chosen, { action: "unlink", folder_id }, titles.removing);
  if (done.length === 0) return;
  const undo = async () => {
    const removed: Chosen = { ...chosen, count: done.length, ids: () => [done] };
    const back = await act(removed, { action: "restore", folder_id }, titles.restoring);
    if (back.done.length > 0) toast({ text: strings.undone });
  };
  toast({
    text: strings.removed(labelOf(chosen, done.length)),
    action: { label: shared.undo, run: () => void undo() },
  });
}

export async function reindex(chosen: Chosen): Promise<void> {
  const { done } = await act(chosen, { action: "reindex" }, titles.reindexing);
  if (done.length > 0)
    toast({ text: strings.reindexing(labelOf(chosen, done.length), done.length) });
}

/** Restores removed documents to the folder. */
export async function restore(documents: readonly Document[], folder_id: string): Promise<void> {
  const chosen = these(documents);
  const { done } = await act(chosen, { action: "restore", folder_id }, titles.restoring);
  if (done.length > 0) toast({ text: strings.restored(labelOf(chosen, done.length)) });
}

/** Moves them to another folder, or adds them if they stay in `from` too. */
export async function place(
  chosen: Chosen,
  {
    from,
    to,
    name,
    move,
  }: {
    readonly from: string | null;
    readonly to: string;
    readonly name: string;
    readonly move: boolean;
  },
): Promise<void> {
  const action: Action =
    move && from !== null
      ? { action: "move", folder_id: from, to_folder_id: to }
      : { action: "link", to_folder_id: to };
  const title = action.action === "move" ? titles.moving(name) : titles.adding(name);
  const { done } = await act(chosen, action, title);
  if (done.length === 0) return;
  const undo = async () => {
    const moved: Chosen = { ...chosen, count: done.length, ids: () => [done] };
    const back: Action =
      action.action === "move"
        ? { action: "move", folder_id: to, to_folder_id: from! }
        : { action: "unlink", folder_id: to };
    if ((await act(moved, back, titles.restoring)).done.length > 0) toast({ text: strings.undone });
  };
  toast({
    text: (action.action === "move" ? strings.moved : strings.added)(
      labelOf(chosen, done.length),
      name,
    ),
    action: { label: shared.undo, run: () => void undo() },
  });
}
