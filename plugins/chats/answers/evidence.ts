/** Checks the citations of an answer against the current content of the folders. */
import type { Db } from "../../../core/sdk";
import type { Documents } from "../../documents/contract";
import type { Related } from "../contract";

/** The documents of the passages, each once. */
export const documentIds = (passages: readonly Pick<Related, "document_id">[]): string[] => [
  ...new Set(passages.map((passage) => passage.document_id)),
];

/** The cited documents that are linked to a folder of the scope. */
export async function findInScope(
  documents: Pick<Documents, "findLinked">,
  db: Db,
  cited: readonly Related[],
  scope: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const folder_ids = [...new Set(cited.map((passage) => passage.folder_id))].filter((id) =>
    scope.has(id),
  );
  const linked = await documents.findLinked(db, documentIds(cited), folder_ids);
  return new Set(linked.keys());
}

/** Citations whose documents are covered and have the quote at the stated position. */
export async function verifiedEvidence(
  documents: Pick<Documents, "hasQuoteAt">,
  db: Db,
  evidence: readonly Related[],
  in_scope: ReadonlySet<string>,
): Promise<ReadonlySet<Related>> {
  const verified = new Set<Related>();
  for (const citation of evidence)
    if (
      in_scope.has(citation.document_id) &&
      citation.quote !== "" &&
      (await documents.hasQuoteAt(db, citation))
    )
      verified.add(citation);
  return verified;
}
