/** The job that teaches the index a document's new name, without touching its status. */
import type { JobEffect, JobRun } from "../../core/sdk";
import * as links from "./links";
import type { DocumentParts } from "./parts";
import { spansOf } from "./spans";
import * as store from "./store";

export const createRetitling =
  ({ db, index }: DocumentParts) =>
  async (
    { document_id }: { readonly document_id: string },
    job: JobRun,
  ): Promise<JobEffect | void> => {
    const before = await store.findAnswering(db, document_id);
    if (!before) return;
    const prepared = await index.prepare(
      {
        document_id,
        version: before.version,
        title: before.name,
        text: before.content ?? "",
        ...spansOf(before),
      },
      job.signal,
    );
    return async (tx) => {
      const now = await store.findDocument(tx, document_id);
      // Renamed again: that has a job of its own. A new version: its job has looked at the name.
      if (now?.name === before.name && now.current_version === before.version)
        await index.publish(tx, prepared, await links.foldersOf(tx, document_id));
    };
  };
