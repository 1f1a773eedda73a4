/**
 * Bulk actions on documents: in batches, one after the other, with progress and failures. They
 * continue while other pages are viewed.
 */
import { signal } from "@preact/signals";
import { problemOf } from "../../api/client";
import { batch_size, changeDocuments, getDocument, type Batch } from "../../api/documents";
import { refresh } from "../../api/queries";
import type { DocumentSelection } from "./selection";

/** What a bulk action does, without its documents. */
export type Action = Omit<Batch, "document_ids">;
/** A document that an action could not be applied to. */
export interface FailedDocument {
  readonly id: string;
  readonly name: string;
  readonly reason: string;
}
/** A bulk action, running or ended, as it is shown. */
export interface BulkAction {
  readonly id: number;
  /** As a title: "Moving to Archive". */
  readonly title: string;
  readonly total: number;
  readonly done: number;
  /** The documents that failed. */
  readonly failed: number;
  /** The first of them. */
  readonly failures: readonly FailedDocument[];
  readonly state: "running" | "ended" | "cancelled";
  readonly cancel: () => void;
}

/** With more failures only their number is kept. */
const failures_max = 50;

/** Those of this tab, oldest first. */
export const bulk_actions = signal<readonly BulkAction[]>([]);
let last_id = 0;

function update(id: number, values: Partial<BulkAction>): void {
  bulk_actions.value = bulk_actions.value.map((work) =>
    work.id === id ? { ...work, ...values } : work,
  );
}
/** Removes an action from the list; one that is running goes on. */
export function dismiss(id: number): void {
  bulk_actions.value = bulk_actions.value.filter((work) => work.id !== id);
}

/** Ids of the documents that succeeded, and the number of failures. */
export interface Outcome {
  readonly done: readonly string[];
  readonly failed: number;
  /** Why the first of them failed. */
  readonly reason: string;
}

/** Applies `action` to all of them. Never rejects: failures are part of the result. */
export async function runBulkAction(
  chosen: DocumentSelection,
  action: Action,
  title: string,
): Promise<Outcome> {
  const id = ++last_id;
  const cancelling = new AbortController();
  const done: string[] = [];
  const failures: FailedDocument[] = [];
  let failed = 0;
  const cancel = () => cancelling.abort();
  bulk_actions.value = [
    ...bulk_actions.value,
    { id, title, total: chosen.count, done: 0, failed: 0, failures: [], state: "running", cancel },
  ];
  const addFailure = async (document_id: string, reason: string) => {
    failed += 1;
    if (failures.length >= failures_max) return;
    const name = await getDocument(document_id).then(
      (document) => document.name,
      () => chosen.name ?? document_id,
    );
    failures.push({ id: document_id, name, reason });
  };
  try {
    for await (const document_ids of batchesOf(chosen.ids(cancelling.signal))) {
      if (cancelling.signal.aborted) break;
      const { problems } = await withRetries(() => changeDocuments({ ...action, document_ids }));
      const failed_ids = new Set(problems.map(({ document_id }) => document_id));
      done.push(...document_ids.filter((document_id) => !failed_ids.has(document_id)));
      for (const { document_id, detail } of problems) await addFailure(document_id, detail);
      const total = Math.max(chosen.count, done.length + failed);
      update(id, { total, done: done.length, failed, failures: [...failures] });
    }
  } catch (error) {
    if (!cancelling.signal.aborted) {
      const remaining = Math.max(1, chosen.count - done.length - failed);
      failed += remaining;
      failures.push({ id: "", name: "", reason: problemOf(error).sentence });
    }
  }
  update(id, {
    failed,
    failures: [...failures],
    state: cancelling.signal.aborted ? "cancelled" : "ended",
  });
  if (failed === 0 || chosen.count === 1) dismiss(id);
  await refresh("document", "folder");
  return { done, failed, reason: failures[0]?.reason ?? "" };
}

async function* batchesOf(
  parts: ReturnType<DocumentSelection["ids"]>,
): AsyncGenerator<string[], void> {
  for await (const ids of parts)
    for (let at = 0; at < ids.length; at += batch_size) yield ids.slice(at, at + batch_size);
}

const tries_max = 20;
/** Retries while the server is busy or unreachable for a moment. */
async function withRetries<R>(call: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries++)
    try {
      return await call();
    } catch (error) {
      const { status, retry_after_s } = problemOf(error);
      if (![0, 429, 502, 503, 504].includes(status) || tries === tries_max) throw error;
      await new Promise((resolve) => setTimeout(resolve, (retry_after_s ?? 2) * 1_000));
    }
}

// Closing the tab would interrupt it.
addEventListener("beforeunload", (event) => {
  if (bulk_actions.value.some(({ state }) => state === "running")) event.preventDefault();
});
