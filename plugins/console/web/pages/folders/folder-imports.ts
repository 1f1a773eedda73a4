/**
 * Imports of folder archives started in this tab: the upload, then the processing on the server.
 * They continue while other pages are viewed.
 */
import { signal } from "@preact/signals";
import { problemOf, type ApiProblem } from "../../api/client";
import { refresh } from "../../api/queries";
import type { Answer } from "../../api/types";
import { upload } from "../../api/upload";

export type FolderImport = Answer<"getFolderImport">;

export interface Sent {
  readonly id: number;
  readonly file_name: string;
  /** Share of bytes sent, from 0 to 1; at 1 the server is checking the file. */
  readonly share: number;
  /** Set once the server has accepted it. */
  readonly import_id: string | null;
  /** Why it was refused. */
  readonly problem: ApiProblem | null;
}

const sent = signal<readonly Sent[]>([]);
const cancelling = new Map<number, AbortController>();
let last_id = 0;

/** Newest first. A component that calls it re-renders on changes. */
export const sentImports = (): readonly Sent[] => sent.value;

const change = (id: number, values: Partial<Sent>): void => {
  sent.value = sent.value.map((sent_import) =>
    sent_import.id === id ? { ...sent_import, ...values } : sent_import,
  );
};

/** Removes it from the list; an upload in progress is aborted. */
export function forgetImport(id: number): void {
  cancelling.get(id)?.abort();
  sent.value = sent.value.filter((sent_import) => sent_import.id !== id);
}

export function sendImport(file: File): void {
  const id = ++last_id;
  const cancel = new AbortController();
  cancelling.set(id, cancel);
  const begun = { id, file_name: file.name, share: 0, import_id: null, problem: null };
  sent.value = [begun, ...sent.value];
  void upload<FolderImport>("/folders/import", file, {
    signal: cancel.signal,
    onProgress: (share) => change(id, { share }),
  })
    .then(
      (run) => change(id, { share: 1, import_id: run.id }),
      (error: unknown) => {
        if (!cancel.signal.aborted) change(id, { problem: problemOf(error) });
      },
    )
    .finally(() => {
      cancelling.delete(id);
      void refresh("folder");
    });
}
