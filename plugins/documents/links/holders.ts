/**
 * Determines which folder a document is deleted with: the only one that contains it or could get it
 * back, or the root of a tree when several folders of that tree do; none when it is in several
 * trees. The counts are kept by folder, so that a deletion knows at once what it frees.
 */
import type { Db } from "../../../core/sdk";
import type { DocumentContext } from "../context";
import { linkedFolders } from "./link-store";
import { setHolder } from "../deletion/purge-store";
import type { DocumentRow } from "../store";

type HeldDocument = Pick<DocumentRow, "id" | "held_by" | "size_bytes">;

/** Call it after a link was created or deleted for good. Links to deleted folders don't count. */
export async function updateHolder(
  { folders }: Pick<DocumentContext, "folders">,
  tx: Db,
  { id, held_by, size_bytes }: HeldDocument,
): Promise<void> {
  const holder = holderOf(await folders.findRoots(tx, await linkedFolders(tx, id)));
  if (holder === held_by) return;
  await setHolder(tx, [id], holder);
  await folders.moveCounters(
    tx,
    [
      { folder_id: held_by, sign: -1 },
      { folder_id: holder, sign: 1 },
    ].flatMap(({ folder_id, sign }) =>
      folder_id === null
        ? []
        : [
            { folder_id, counter: "held_documents" as const, by: sign },
            { folder_id, counter: "held_bytes" as const, by: sign * size_bytes },
          ],
    ),
  );
}

/** `roots`: the root of each folder that contains the document. */
function holderOf(roots: ReadonlyMap<string, string>): string | null {
  const [first] = roots;
  if (first === undefined) return null;
  const [folder_id, root_id] = first;
  if (roots.size === 1) return folder_id;
  return new Set(roots.values()).size === 1 ? root_id : null;
}
