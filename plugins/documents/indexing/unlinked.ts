/** Reading a file ends when no folder contains it any more, and begins again when one does. */
import type { Db } from "../../../core/sdk";
import type { DocumentContext } from "../context";
import type { DocumentRow } from "../store";
import { fail } from "./publication";
import { requeue } from "./requeue";

const removed = {
  code: "cancelled",
  message:
    "Reading the file was cancelled, because the document was removed from its last folder. It " +
    "will be read when the document is restored.",
} as const;

/** Call it after the last live link was removed. A text is read too soon to be worth it. */
export async function cancelReading(
  ctx: DocumentContext,
  tx: Db,
  { id: document_id, version, status, source_kind }: DocumentRow,
): Promise<void> {
  if (status !== "syncing" || source_kind === "text") return;
  await ctx.cancelJobs(tx, [document_id]);
  await fail(ctx, tx, { document_id, version }, removed);
}

/** Call it after the first live link was created. */
export async function readAgain(
  ctx: DocumentContext,
  tx: Db,
  document: DocumentRow,
): Promise<void> {
  const { status, error_code } = document;
  if (status === "sync_failed" && error_code === removed.code) await requeue(ctx, tx, document);
}
