/** The encoder that runs inside the executable, for the plugin that chooses an embedder. */
import { service } from "../../core/sdk";
import type { Embedder } from "../search-index/contract";

/** What is known of a model besides its weights. */
export interface ModelDescription {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
  /** Put before a question, and before a passage: as the model was trained. */
  readonly query_prefix: string;
  readonly document_prefix: string;
}
export interface BuiltinEncoder {
  /**
   * The model of this name: the one that the executable brings, or one that `dossier model add` has
   * put into the data directory. Undefined when there is none. Starts nothing yet.
   */
  embedder(options: { readonly model: string; readonly threads: number }): Embedder | undefined;
}
export const BuiltinEncoder = service<BuiltinEncoder>("embeddings-builtin");
/** The model that the executable brings. */
export const builtin_model = "multilingual-e5-small";
