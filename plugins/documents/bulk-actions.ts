/** One action on many documents: each on its own, with its own error. */
import { HttpError } from "../../core/sdk";
import type { DocumentContext } from "./context";
import { reindex } from "./indexing/requeue";
import * as links from "./links/link-service";

/** Documents that one request can act on. */
export const batch_max = 200;
/** Concurrent actions, which share commits. */
const concurrency = 16;

/** An action, its documents, and the folders that it is about. */
export interface Batch {
  readonly action: "unlink" | "restore" | "link" | "move" | "reindex";
  readonly document_ids: readonly string[];
  /** The folder that they are, or were, in. */
  readonly folder_id: string;
  /** The folder that they move to. */
  readonly to_folder_id: string;
}
/** Why the action failed for one document: what a request for it alone would get. */
export interface BatchProblem {
  readonly document_id: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

/**
 * Applies the action to each. Returns those for which it failed. @throws errors other than
 * `HttpError`
 */
export async function actOnEach(
  ctx: DocumentContext,
  owner_id: string,
  batch: Batch,
): Promise<BatchProblem[]> {
  const problems: BatchProblem[] = [];
  const ids = [...new Set(batch.document_ids)];
  for (let start = 0; start < ids.length; start += concurrency) {
    const batch_ids = ids.slice(start, start + concurrency);
    const outcomes = await Promise.allSettled(
      batch_ids.map((document_id) => applyTo(ctx, owner_id, document_id, batch)),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === "fulfilled") continue;
      const error: unknown = outcome.reason;
      if (!(error instanceof HttpError)) throw error;
      const { status, code, message: detail } = error;
      problems.push({ document_id: batch_ids[index]!, status, code, detail });
    }
  }
  return problems;
}

async function applyTo(
  ctx: DocumentContext,
  owner_id: string,
  document_id: string,
  { action, folder_id, to_folder_id }: Batch,
): Promise<void> {
  if (action === "unlink") await links.unlink(ctx, owner_id, document_id, folder_id);
  else if (action === "restore") await links.restore(ctx, owner_id, document_id, folder_id);
  else if (action === "link") await links.link(ctx, owner_id, document_id, to_folder_id);
  else if (action === "move")
    await links.move(ctx, owner_id, document_id, { from: folder_id, to: to_folder_id });
  else await reindex(ctx, owner_id, document_id);
}
