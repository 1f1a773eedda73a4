/** What can be done with documents, one or many: each ends with a message, some with an undo. */
import { problemOf } from "../../api/client";
import { reindexDocument, restoreDocument, unlinkDocument } from "../../api/documents";
import { refresh } from "../../api/queries";
import type { Document } from "../../api/types";
import { toast } from "../../ui/toast";
import { common_strings as shared } from "../../strings/common";
import { folder_strings } from "../../strings/folders";

const strings = folder_strings.actions_of_document;
const together_max = 4;

export const refreshDocuments = () => refresh("document", "folder");

/** Does `work` for each, a few at a time, and tells what failed. Returns those it worked for. */
export async function applyToEach(
  documents: readonly Document[],
  work: (document: Document) => Promise<unknown>,
): Promise<readonly Document[]> {
  const waiting = [...documents];
  const done: Document[] = [];
  let failed = 0;
  let why = "";
  const takeTurns = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        await work(next);
        done.push(next);
      } catch (error) {
        failed += 1;
        why ||= problemOf(error).sentence;
      }
    }
  };
  await Promise.all(Array.from({ length: together_max }, takeTurns));
  if (failed > 0)
    toast({ text: documents.length === 1 ? why : strings.some_failed(failed, why), tone: "bad" });
  await refreshDocuments();
  return done;
}

/**
 * Removes them from the folder at once; for ten seconds that can be undone here, later under
 * "Removed".
 */
export async function removeFromFolder(
  documents: readonly Document[],
  folder_id: string,
): Promise<void> {
  const removed = await applyToEach(documents, ({ id }) => unlinkDocument(id, folder_id));
  if (removed.length === 0) return;
  const undo = async () => {
    const back = await applyToEach(removed, ({ id }) => restoreDocument(id, folder_id));
    if (back.length > 0) toast({ text: strings.undone });
  };
  toast({
    text:
      removed.length === 1
        ? strings.removed(removed[0]!.name)
        : strings.removed_many(removed.length),
    action: { label: shared.undo, run: () => void undo() },
  });
}

export async function reindex(documents: readonly Document[]): Promise<void> {
  const started = await applyToEach(documents, ({ id }) => reindexDocument(id));
  if (started.length > 0)
    toast({
      text:
        started.length === 1
          ? strings.reindexing(started[0]!.name)
          : strings.reindexing_many(started.length),
    });
}

/** Puts removed documents back into the folder. */
export async function restore(documents: readonly Document[], folder_id: string): Promise<void> {
  const restored = await applyToEach(documents, ({ id }) => restoreDocument(id, folder_id));
  for (const { name } of restored) toast({ text: folder_strings.page.restored(name) });
}
