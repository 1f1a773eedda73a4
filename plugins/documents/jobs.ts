/** The work that documents leave for later. */
import { job, t } from "../../core/sdk";

/** Makes this version the one that answers. */
export const IndexDocument = job(
  "documents.index",
  t.Object({ document_id: t.String(), version: t.Integer() }),
);
/** Teaches the index the document's present name. */
export const RetitleDocument = job("documents.retitle", t.Object({ document_id: t.String() }));
/** Lets go of what was deleted too long ago. */
export const PurgeDocuments = job("documents.purge", t.Object({}));
