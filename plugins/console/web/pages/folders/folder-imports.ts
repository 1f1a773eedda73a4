/**
 * Imports of folder archives started in this tab: the upload, then the processing on the server.
 * They continue while other pages are viewed.
 */
import { signal } from "@preact/signals";
import { problemOf, type ApiProblem } from "../../api/client";
import { refresh } from "../../api/queries";
import type { Answer } from "../../api/types";
import { upload } from "../../api/upload";

/** The import as the server reports it. */
export type FolderImport = Answer<"getFolderImport">;

/** An import that was started in this tab. */
export interface SentImport {
  readonly id: number;
  readonly file_name: string;
  /** Share of bytes sent, from 0 to 1; at 1 the server is checking the file. */
  readonly share: number;
  /** Set once the server has accepted it. */
  readonly import_id: string | null;
  /** Why it was refused. */
  readonly problem: ApiProblem | null;
}

const sent_imports = signal<readonly SentImport[]>([]);
const cancelling = new Map<number, AbortController>();
let last_id = 0;

/** Newest first. A component that calls it re-renders on changes. */
export const sentImports = (): readonly SentImport[] => sent_imports.value;

const update = (id: number, values: Partial<SentImport>): void => {
  sent_imports.value = sent_imports.value.map((sent_import) =>
    sent_import.id === id ? { ...sent_import, ...values } : sent_import,
  );
};

/** Removes it from the list; an upload in progress is aborted. */
export function forgetImport(id: number): void {
  cancelling.get(id)?.abort();
  sent_imports.value = sent_imports.value.filter((sent_import) => sent_import.id !== id);
}

/** Uploads an archive and lists it; failures are part of the list. */
export function sendImport(file: File): void {
  const id = ++last_id;
  const cancel = new AbortController();
  cancelling.set(id, cancel);
  const new_import = { id, file_name: file.name, share: 0, import_id: null, problem: null };
  sent_imports.value = [new_import, ...sent_imports.value];
  void upload<FolderImport>("/folders/import", file, {
    signal: cancel.signal,
    onProgress: (share) => update(id, { share }),
  })
    .then(
      (run) => update(id, { share: 1, import_id: run.id }),
      (error: unknown) => {
        if (!cancel.signal.aborted) update(id, { problem: problemOf(error) });
      },
    )
    .finally(() => {
      cancelling.delete(id);
      void refresh("folder");
    });
}
