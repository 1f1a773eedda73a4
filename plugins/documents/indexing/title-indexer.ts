/** The job that updates the title of a document in the index. */
import type { JobEffect, JobRun } from "../../../core/sdk";
import type { DocumentContext } from "../context";
import * as linkStore from "../links/link-store";
import * as store from "../store";
import * as textStore from "../texts/text-store";

/**
 * Runs `RetitleDocument`: indexes the current text again, without changing its status. It only
 * replaces the index version that existed when the text was read, because the text of a version
 * changes when it is extracted again.
 */
export async function retitleDocument(
  ctx: DocumentContext,
  { document_id }: { readonly document_id: string },
  { signal }: JobRun,
): Promise<JobEffect | void> {
  const { db, index } = ctx;
  // Read before the text: whatever changes the text publishes another index version.
  const replaced = await index.findPublished(db, document_id);
  const before = await textStore.findCurrentText(db, document_id);
  if (!replaced || !before || replaced.title === before.name) return;
  const { owner_id, version, name: title } = before;
  const { content: text, stored } = before.text;
  const spans = store.fromStoredSpans(before);
  const prepared = await index.prepare(
    { owner_id, document_id, version, title, text, stored, ...spans },
    signal,
  );
  return async (tx) => {
    const now = await store.findDocument(tx, document_id);
    const published = await index.findPublished(tx, document_id);
    // Renamed again: a job of its own handles that.
    const is_wanted = now?.name === title && published && published.title !== title;
    if (is_wanted && published.index_version === replaced.index_version)
      return index.publish(tx, prepared, await linkStore.foldersOf(tx, document_id));
    ctx.afterCommit(() => index.discard(prepared));
    if (is_wanted) await ctx.enqueueRetitling(tx, { id: document_id, owner_id });
  };
}
