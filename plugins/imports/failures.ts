/** Why runs and their items fail or end early. */

/** Why a run or an item failed. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}
/** Why runs and items end early. */
export const failures = {
  folder_deleted: {
    code: "folder_deleted",
    message: "The folder was deleted while the import ran.",
  },
  document_deleted: {
    code: "document_deleted",
    message: "The document was deleted before it was indexed.",
  },
  cancelled: {
    code: "cancelled",
    message: "The import was cancelled before this was done.",
  },
  not_indexed: { code: "extract_failed", message: "The document could not be indexed." },
};
const error_length_max = 1_000;

/** The columns of an error. */
export const errorColumns = (error: Failure | null) => ({
  error_code: error?.code ?? null,
  error: error?.message.slice(0, error_length_max) ?? null,
});
